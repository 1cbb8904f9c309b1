package lab

import (
	"hash/fnv"
	"strconv"
	"time"
)

// request is one generation request on its way through the server.
type request struct {
	seq      int64
	rid      string
	role     string // who sent it, as far as its headers or its id tell
	cell     string
	endpoint string
	stream   bool
	foreign  bool // sent by the fault traffic
	tokens   []int32
	maxNew   int
	rank     int
	hash     uint64 // of the prompt

	// events has room for all events of the request, so that the scheduler
	// never waits for a client.
	events chan event

	// The rest belongs to the scheduler of the rank.
	aborted   bool
	cached    int // tokens found in the cache at admission
	leftBy    int64
	path      []*page
	computed  int // prompt tokens computed so far
	private   int // pool tokens held outside of the cache
	generated int
	arrived   time.Time
	first     time.Time
	lastToken time.Time
}

// event is one generated token, or the end of a request.
type event struct {
	token int32
	done  bool
	err   string
}

func newRequest(tokens []int32, maxNew int) *request {
	maxNew = max(maxNew, 1)
	return &request{
		tokens: tokens,
		maxNew: maxNew,
		hash:   hashTokens(tokens),
		events: make(chan event, maxNew+2),
	}
}

// missing is the number of prompt tokens that still have to be computed.
func (r *request) missing() int { return len(r.tokens) - r.cached - r.computed }

// output is the i-th generated token: a fixed function of the prompt.
func (r *request) output(i int) int32 {
	return firstOutputToken + int32((r.hash+uint64(i)*2654435761)%outputTokens)
}

// history is the prompt and the generated tokens whose keys and values are in
// the pool: all but the last, which was sampled and never read.
func (r *request) history() []int32 {
	all := make([]int32, 0, len(r.tokens)+r.generated)
	all = append(all, r.tokens...)
	for i := range r.generated - 1 {
		all = append(all, r.output(i))
	}
	return all
}

const (
	firstOutputToken = 60_000
	outputTokens     = 20_000
)

func hashTokens(tokens []int32) uint64 {
	h := fnv.New64a()
	var b [12]byte
	for _, t := range tokens {
		h.Write(append(strconv.AppendInt(b[:0], int64(t), 10), ' '))
	}
	return h.Sum64()
}
