package lab

import (
	"math"
	"sort"
	"sync"
	"sync/atomic"
	"time"
)

// counters are what the metrics endpoints show. Both engines count the same
// things; the rendering differs.
type counters struct {
	evicted atomic.Int64

	mu    sync.Mutex
	ranks []tally
	http  map[httpKey]int64
	// window holds the look-ups of the last requests, for vLLM's rolling hit
	// rate.
	window []lookup
}

// tally is what one rank counted.
type tally struct {
	// At finish, by whether the answer was streamed (index 1) or not.
	requests, promptTokens, outputTokens [2]int64
	cachedAtFinish                       int64
	finished                             map[string]int64 // by reason

	// At admission and per step.
	queries, hits  int64
	prefillCompute int64
	prefillCache   int64
	decodeTokens   int64
	lastHitRate    float64

	ttft, e2e                  [2]histogram
	itl, tpot                  histogram
	prompt, uncached, generate histogram
}

type lookup struct{ queries, hits int }

type httpKey struct {
	endpoint, method string
	status           int
}

// hitWindow is the number of requests over which vLLM averages its hit rate.
const hitWindow = 1000

func newCounters(ranks int) *counters {
	c := &counters{ranks: make([]tally, ranks), http: map[httpKey]int64{}}
	for i := range c.ranks {
		t := &c.ranks[i]
		t.finished = map[string]int64{}
	}
	return c
}

// admit books the look-up of a prompt.
func (c *counters) admit(q *request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.ranks[q.rank]
	t.queries += int64(len(q.tokens))
	t.hits += int64(q.cached)
	c.window = append(c.window, lookup{len(q.tokens), q.cached})
	if len(c.window) > hitWindow {
		c.window = c.window[1:]
	}
}

func (c *counters) forgetWindow() {
	c.mu.Lock()
	c.window = nil
	c.mu.Unlock()
}

// hitRate is vLLM's rolling rate; ok is false while the window is empty.
func (c *counters) hitRate() (rate float64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var q, h int
	for _, l := range c.window {
		q, h = q+l.queries, h+l.hits
	}
	if q == 0 {
		return 0, false
	}
	return float64(h) / float64(q), true
}

// prefill books a step that computed prompts.
func (c *counters) prefill(rank int, st *step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.ranks[rank]
	t.prefillCompute += int64(st.newTok)
	t.prefillCache += int64(st.cached)
	if all := st.newTok + st.cached; all > 0 {
		t.lastHitRate = float64(st.cached) / float64(all)
	}
}

// interToken books one gap between tokens. It is kept on rank 0: no label of
// either engine splits it further in a way that matters here.
func (c *counters) interToken(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ranks[0].itl.add(d.Seconds())
	c.ranks[0].decodeTokens++
}

// request books a finished request. Health checks are not counted.
func (c *counters) request(q *request, now time.Time) {
	if q.role == roleHealth {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := &c.ranks[q.rank]
	s := 0
	if q.stream {
		s = 1
	}
	t.requests[s]++
	t.promptTokens[s] += int64(len(q.tokens))
	t.outputTokens[s] += int64(q.generated)
	t.cachedAtFinish += int64(q.cached)
	t.finished["length"]++
	t.ttft[s].add(q.first.Sub(q.arrived).Seconds())
	t.e2e[s].add(now.Sub(q.arrived).Seconds())
	if q.generated > 1 {
		t.tpot.add(now.Sub(q.first).Seconds() / float64(q.generated-1))
	}
	t.prompt.add(float64(len(q.tokens)))
	t.uncached.add(float64(len(q.tokens) - q.cached))
	t.generate.add(float64(q.generated))
}

func (c *counters) aborted(rank int) {
	c.mu.Lock()
	c.ranks[rank].finished["abort"]++
	c.mu.Unlock()
}

func (c *counters) httpResponse(endpoint, method string, status int) {
	c.mu.Lock()
	c.http[httpKey{endpoint, method, status}]++
	c.mu.Unlock()
}

// httpKeys lists the endpoints seen, in a fixed order.
func (c *counters) httpKeys() []httpKey {
	keys := make([]httpKey, 0, len(c.http))
	for k := range c.http {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		if a.endpoint != b.endpoint {
			return a.endpoint < b.endpoint
		}
		if a.method != b.method {
			return a.method < b.method
		}
		return a.status < b.status
	})
	return keys
}

// histogram keeps the values seen; the buckets are made when it is printed, so
// that one histogram serves both engines.
type histogram struct {
	sum   float64
	count map[float64]int64
	n     int64
}

func (h *histogram) add(v float64) {
	if h.count == nil {
		h.count = map[float64]int64{}
	}
	// Times are kept to the microsecond, so that a long session stays small.
	h.count[math.Round(v*1e6)/1e6]++
	h.sum += v
	h.n++
}

// upTo is the number of values at or below le.
func (h *histogram) upTo(le float64) (n int64) {
	for v, k := range h.count {
		if v <= le {
			n += k
		}
	}
	return n
}
