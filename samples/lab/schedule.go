package lab

import "time"

// plan chooses the next step. SGLang computes prompts before it decodes, and
// in steps of their own; vLLM decodes in every step and fills it up with
// prompts.
func (r *rank) plan() step {
	var st step
	st.running = len(r.running)
	mixed := r.srv.cfg.Engine == VLLM
	budget := r.srv.cfg.ChunkTokens
	if mixed {
		st.decode = append(st.decode, r.running...)
		budget = max(budget-len(st.decode), 0)
	}
	for _, q := range r.prefill {
		budget -= r.addPart(&st, q, budget)
	}
	for len(r.queue) > 0 && budget > 0 {
		q := r.queue[0]
		if len(r.running)+len(r.prefill) >= r.srv.cfg.MaxRunning || !r.admit(q) {
			break
		}
		r.queue = r.queue[1:]
		if q.aborted { // refused: it can never fit
			continue
		}
		r.prefill = append(r.prefill, q)
		st.cached += q.cached
		budget -= r.addPart(&st, q, budget)
	}
	if !mixed && len(st.parts) == 0 {
		st.decode = append(st.decode, r.running...)
	}
	st.queued = len(r.queue)
	for _, q := range r.queue {
		st.pending += len(q.tokens)
	}
	for _, q := range r.prefill {
		st.pending += q.missing()
	}
	st.pending -= st.newTok
	return st
}

// addPart plans as much of a prompt as the budget allows. A prompt that does
// not fit is cut to whole pages.
func (r *rank) addPart(st *step, q *request, budget int) int {
	n := q.missing()
	if n > budget {
		n = budget / r.srv.cfg.PageSize * r.srv.cfg.PageSize
	}
	if n == 0 {
		return 0
	}
	st.parts = append(st.parts, part{q, n})
	st.newSeq++
	st.newTok += n
	return n
}

// admit looks a request up in the cache and reserves its room in the pool. It
// answers false if there is no room now. A request that can never fit is
// answered with an error and marked as aborted.
func (r *rank) admit(q *request) bool {
	page := r.srv.cfg.PageSize
	q.path = nil
	q.cached, q.leftBy = 0, 0
	if !r.srv.cfg.NoCache {
		// At most len-1 tokens may be reused: the last one must be computed to
		// get logits (SGLang v0.5.22, vLLM v0.32).
		q.path = r.cache.match(q.tokens, len(q.tokens)-1)
	}
	if len(q.path) > 0 {
		q.cached = len(q.path) * page
		q.leftBy = q.path[len(q.path)-1].owner
	}
	r.cache.lock(q.path)
	need := (len(q.tokens) + q.maxNew - q.cached + page - 1) / page * page
	free := r.srv.cfg.PoolTokens - r.cache.tokens() - r.private()
	if free < need {
		removed := r.cache.evict(need - free)
		r.srv.counters.evicted.Add(int64(removed))
		free += removed
	}
	if free < need {
		r.release(q)
		if len(r.running)+len(r.prefill) == 0 {
			q.aborted = true
			q.events <- event{err: "the request does not fit into the KV pool", done: true}
			return true
		}
		return false
	}
	q.private = need
	if r.srv.cfg.Engine == VLLM {
		// vLLM registers the blocks of a prompt when it schedules them.
		r.keep(q, q.tokens)
	}
	r.srv.admitted(q, r.epoch)
	return true
}

func (r *rank) private() (n int) {
	for _, q := range r.running {
		n += q.private
	}
	for _, q := range r.prefill {
		n += q.private
	}
	return n
}

// keep puts tokens of a request into the cache and moves its lock there.
func (r *rank) keep(q *request, tokens []int32) {
	if r.srv.cfg.NoCache {
		return
	}
	path, added := r.cache.insert(tokens, q.seq)
	r.cache.lock(path)
	r.cache.unlock(q.path)
	q.path = path
	q.private = max(q.private-added*r.srv.cfg.PageSize, 0)
}

// finish applies the results of a step: log lines and counters first, then the
// tokens, so that a client that has its answer finds all of them written.
func (r *rank) finish(st *step) {
	now := r.srv.clock.Now()
	var ended []*request
	for _, p := range st.parts {
		p.req.computed += p.n
	}
	if len(st.parts) > 0 {
		r.srv.counters.prefill(r.id, st)
		r.srv.log.prefill(r, st, now)
		r.lastPrefill = now
	}
	if len(st.decode) > 0 {
		r.decodeSteps++
		r.decoded += len(st.decode)
	}
	prefilled := r.takePrefilled()
	for _, q := range prefilled {
		if r.srv.cfg.Engine == SGLang {
			r.keep(q, q.tokens)
		}
		q.first, q.lastToken = now, now
	}
	ended = r.token(append(prefilled, st.decode...), now)
	r.running = without(append(r.running, prefilled...), ended)
	if len(st.decode) > 0 {
		r.srv.log.decode(r, st, now)
	}
	for _, q := range ended {
		r.end(q, now)
	}
	if len(ended) > 0 && len(r.queue)+len(r.prefill)+len(r.running) == 0 && r.srv.cfg.has(faultEvict) {
		r.srv.counters.evicted.Add(int64(r.cache.evict(r.cache.tokens() / 2)))
	}
	for _, q := range append(prefilled, st.decode...) {
		q.events <- event{token: q.output(q.generated - 1), done: q.generated == q.maxNew}
	}
}

// takePrefilled removes the requests whose prompt is computed.
func (r *rank) takePrefilled() (done []*request) {
	rest := r.prefill[:0]
	for _, q := range r.prefill {
		if q.missing() == 0 {
			done = append(done, q)
		} else {
			rest = append(rest, q)
		}
	}
	r.prefill = rest
	return done
}

// token gives each request one token and returns those that are complete.
func (r *rank) token(list []*request, now time.Time) (ended []*request) {
	for _, q := range list {
		q.generated++
		if q.generated > 1 {
			r.srv.counters.interToken(now.Sub(q.lastToken))
		}
		q.lastToken = now
		if q.generated >= q.maxNew {
			ended = append(ended, q)
		}
	}
	return ended
}

// end books a finished request.
func (r *rank) end(q *request, now time.Time) {
	r.keep(q, q.history())
	r.release(q)
	r.lastEnd = time.Now()
	r.srv.counters.request(q, now)
	r.srv.finished(q, "length", r.epoch)
}

func without(list, drop []*request) []*request {
	if len(drop) == 0 {
		return list
	}
	kept := make([]*request, 0, len(list))
	for _, q := range list {
		if !contains(drop, q) {
			kept = append(kept, q)
		}
	}
	return kept
}

func contains(list []*request, q *request) bool {
	for _, x := range list {
		if x == q {
			return true
		}
	}
	return false
}
