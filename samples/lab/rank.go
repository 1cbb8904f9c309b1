package lab

import (
	"sync"
	"time"
)

// rank is one data-parallel worker: a queue, a batch and a cache of its own.
type rank struct {
	id  int
	srv *Server

	mu      sync.Mutex
	wake    *sync.Cond
	closed  bool
	cache   *cache
	queue   []*request // waiting, first come first served
	prefill []*request // admitted, part of the prompt still to be computed
	running []*request // decoding
	stepOn  bool       // a step is in flight
	lastEnd time.Time  // real time of the last finished request
	epoch   int        // number of flushes that took place

	lastPrefill time.Time // for the throughput of the log lines
	lastDecode  time.Time
	decodeSteps int
	decoded     int // tokens since the last decode line
}

// step is one forward pass.
type step struct {
	parts   []part
	decode  []*request
	newSeq  int
	newTok  int
	cached  int
	running int
	queued  int
	pending int
}

// part is a piece of a prompt that a step computes.
type part struct {
	req *request
	n   int
}

func newRank(id int, s *Server) *rank {
	r := &rank{id: id, srv: s, cache: newCache(s.cfg.PageSize)}
	r.wake = sync.NewCond(&r.mu)
	return r
}

// submit queues a request.
func (r *rank) submit(q *request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.arrived = r.srv.clock.Now()
	if r.closed {
		q.events <- event{err: "server is shutting down", done: true}
		return
	}
	r.queue = append(r.queue, q)
	r.wake.Signal()
}

// abort marks a request whose client has gone.
func (r *rank) abort(q *request) {
	r.mu.Lock()
	q.aborted = true
	r.mu.Unlock()
}

// close ends the rank; requests that wait get an error.
func (r *rank) close() {
	r.mu.Lock()
	r.closed = true
	for _, q := range append(append(r.queue, r.prefill...), r.running...) {
		q.events <- event{err: "server is shutting down", done: true}
	}
	r.queue, r.prefill, r.running = nil, nil, nil
	r.wake.Signal()
	r.mu.Unlock()
}

// loop runs steps until the rank is closed.
func (r *rank) loop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		for !r.closed && len(r.queue)+len(r.prefill)+len(r.running) == 0 {
			r.wake.Wait()
		}
		if r.closed {
			return
		}
		r.dropAborted()
		st := r.plan()
		if len(st.parts)+len(st.decode) == 0 {
			continue
		}
		r.stepOn = true
		r.mu.Unlock()
		r.srv.clock.work(r.srv.stepTime(&st))
		r.mu.Lock()
		r.stepOn = false
		if !r.closed {
			r.finish(&st)
		}
	}
}

// load is the number of running and of waiting requests, as the gauges show
// them.
func (r *rank) load() (running, waiting int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.loadLocked()
}

func (r *rank) loadLocked() (running, waiting int) {
	running = len(r.running) + len(r.prefill)
	if running == 0 && r.lingers() {
		running = 1
	}
	return running, len(r.queue)
}

// lingers is the fault slow-idle: the server is busy for a while after its
// last answer.
func (r *rank) lingers() bool {
	return r.srv.cfg.has(faultSlowIdle) && !r.lastEnd.IsZero() &&
		time.Since(r.lastEnd) < r.srv.clock.real(slowIdleSeconds*time.Second)
}

// flush empties the cache if the rank is idle. lie keeps it and says done.
func (r *rank) flush(lie bool) (done bool, running, waiting int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	running, waiting = r.loadLocked()
	if running+waiting > 0 || r.stepOn {
		return false, running, waiting
	}
	if !lie {
		r.cache.clear()
		r.epoch++
	}
	return true, 0, 0
}

// usage is the share of the pool in use by running requests and, for vLLM's
// meaning of the word, nothing else.
func (r *rank) usage() (tokens int, share float64) {
	for _, q := range r.running {
		tokens += len(q.tokens) + q.generated
	}
	for _, q := range r.prefill {
		tokens += q.cached + q.computed
	}
	return tokens, float64(tokens) / float64(r.srv.cfg.PoolTokens)
}

func (r *rank) dropAborted() {
	keep := func(list []*request) []*request {
		kept := list[:0]
		for _, q := range list {
			if !q.aborted {
				kept = append(kept, q)
				continue
			}
			r.release(q)
			r.srv.finished(q, "abort", r.epoch)
		}
		return kept
	}
	r.queue, r.prefill, r.running = keep(r.queue), keep(r.prefill), keep(r.running)
}

// release gives back what a request holds.
func (r *rank) release(q *request) {
	r.cache.unlock(q.path)
	q.path, q.private = nil, 0
}
