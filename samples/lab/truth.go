package lab

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"
)

// Truth is one line of truth.jsonl: what the server did, whatever it said.
type Truth struct {
	Event string `json:"event"` // request, flush, aborted, die
	// Request, in the order of admission.
	Seq          int64  `json:"seq,omitempty"`
	Rank         int    `json:"rank"`
	Epoch        int    `json:"epoch"` // flushes of this rank before it
	Role         string `json:"role,omitempty"`
	Cell         string `json:"cell,omitempty"`
	RID          string `json:"rid,omitempty"`
	Endpoint     string `json:"endpoint,omitempty"`
	PromptHash   string `json:"prompt_hash,omitempty"`
	PromptTokens int    `json:"prompt_tokens,omitempty"`
	CachedTokens int    `json:"cached_tokens"`
	// LeftBy is the request that left the last cached page, 0 if none is
	// cached.
	LeftBy int64 `json:"left_by,omitempty"`
	// Flush: what was answered, and whether the cache was emptied.
	Answered string `json:"answered,omitempty"`
	Emptied  bool   `json:"emptied,omitempty"`
}

// Roles of a request. A client may name its role and its cell in the header
// X-Coldcase, as "role=measured cell=001-c8-s1-fresh"; others are clients.
const (
	roleServer  = "server"
	roleHealth  = "health"
	roleClient  = "client"
	roleForeign = "foreign"
)

// roleHeader names who sends a request and for which cell of a sweep.
const roleHeader = "X-Coldcase"

type truthWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (t *truthWriter) write(v Truth) {
	b, err := json.Marshal(v)
	if err != nil { // a struct of strings and numbers always marshals
		panic(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.w.Write(append(b, '\n'))
}

// admitted books the look-up of a request.
func (s *Server) admitted(q *request, epoch int) {
	if q.role != roleHealth {
		s.counters.admit(q)
	}
	s.truth.write(Truth{
		Event: "request", Seq: q.seq, Rank: q.rank, Epoch: epoch, Role: q.role, Cell: q.cell, RID: q.rid,
		Endpoint: q.endpoint, PromptHash: fmt.Sprintf("%016x", q.hash), PromptTokens: len(q.tokens),
		CachedTokens: q.cached, LeftBy: q.leftBy,
	})
}

// finished books the end of a request.
func (s *Server) finished(q *request, how string, epoch int) {
	if how == "length" {
		return
	}
	s.counters.aborted(q.rank)
	s.truth.write(Truth{Event: "aborted", Seq: q.seq, Rank: q.rank, Epoch: epoch, Role: q.role, Cell: q.cell})
}
