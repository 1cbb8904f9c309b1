package lab

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// accept turns a request of the client into one of the scheduler and submits
// it. It applies the faults that hit single requests and answers those itself;
// then ok is false.
func (s *Server) accept(w http.ResponseWriter, r *http.Request, q *request) (ok bool) {
	q.seq = s.seq.Add(1)
	q.role, q.cell = who(r)
	q.endpoint = r.URL.Path
	if q.rid == "" {
		q.rid = r.Header.Get("X-Request-Id")
	}
	if len(q.tokens) == 0 || len(q.tokens)+q.maxNew > contextLen {
		writeJSON(w, http.StatusBadRequest, errorBody("the prompt is empty or longer than the context"))
		return false
	}
	if s.cfg.has(faultErrors) && q.seq%faultEvery == 0 {
		writeJSON(w, http.StatusInternalServerError, errorBody("internal error (fault errors)"))
		return false
	}
	if s.cfg.has(faultDie) && q.seq > int64(s.cfg.DieAfter) {
		s.truth.write(Truth{Event: "die", Seq: q.seq})
		s.die()
		s.cut(w)
		return false
	}
	if rank := r.Header.Get("X-Data-Parallel-Rank"); rank != "" && s.cfg.Engine == VLLM {
		if n, err := strconv.Atoi(rank); err == nil && n >= 0 && n < len(s.ranks) {
			q.rank = n
			return true
		}
	}
	if q.rank < 0 {
		q.rank = int(s.next.Add(1)-1) % len(s.ranks)
	}
	return true
}

// stream submits q and calls each for every event while the client listens.
// It returns false if the client has gone or the connection was cut.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, q *request, each func(event)) bool {
	s.ranks[q.rank].submit(q)
	cutAt := -1
	if s.cfg.has(faultDrop) && q.seq%faultEvery == 0 {
		cutAt = max(q.maxNew/2, 1)
	}
	for n := 0; ; n++ {
		select {
		case <-r.Context().Done():
			s.ranks[q.rank].abort(q)
			return false
		case e := <-q.events:
			if n == cutAt {
				s.ranks[q.rank].abort(q)
				s.cut(w)
				return false
			}
			each(e)
			if e.done {
				return true
			}
		}
	}
}

// cut closes the connection without an answer.
func (s *Server) cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		conn.Close()
	}
}

// startStream sends the headers of an event stream, and with them the access
// line, before the work begins.
func startStream(w http.ResponseWriter) (send func(string)) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	rc.Flush()
	return func(data string) {
		fmt.Fprintf(w, "data: %s\n\n", data)
		rc.Flush()
	}
}

// who reads the role and the cell of a request from its header.
func who(r *http.Request) (role, cell string) {
	role = roleClient
	for _, f := range strings.Fields(r.Header.Get(roleHeader)) {
		name, value, _ := strings.Cut(f, "=")
		switch name {
		case "role":
			role = value
		case "cell":
			cell = value
		}
	}
	return role, cell
}

func errorBody(text string) map[string]any {
	return map[string]any{"object": "error", "error": map[string]any{"message": text, "type": "BadRequestError", "code": http.StatusBadRequest}}
}
