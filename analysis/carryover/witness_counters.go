package carryover

import (
	"fmt"

	"coldcase/ingest/capture"
)

// metered is what two scrapes say about the requests between them.
type metered struct {
	delta    capture.Delta
	requests int64
	cached   int64
	// foreign bounds the requests that are neither prompts nor warm-ups.
	foreign  span
	evidence []capture.Evidence
}

// meter reads the scrapes around a run; why says what is missing if not ok.
func (k *runCase) meter() (m metered, why string, ok bool) {
	if k.run.Before == nil || k.run.After == nil {
		return m, "", false
	}
	m.delta = capture.NewDelta(k.run.Before, k.run.After)
	if id := m.delta.Identity(); !id.Same {
		return m, id.Why, false
	}
	r, c := m.delta.Requests(), m.delta.CachedTokens()
	switch {
	case !r.OK:
		return m, r.Why, false
	case !c.OK:
		return m, c.Why, false
	case k.sent < 0:
		return m, "the number of prompts is not known", false
	}
	m.requests, m.cached = int64(r.Value), int64(c.Value)
	m.foreign = span{m.requests - k.sent - k.warm.hi, m.requests - k.answered - k.warm.lo}
	if m.foreign.hi < 0 {
		return m, fmt.Sprintf("the counters show %d requests, fewer than the client sent", m.requests), false
	}
	m.foreign.lo = max(0, m.foreign.lo)
	if n, _, ok := k.run.Before.InFlight(); ok {
		m.foreign.hi += int64(n)
	}
	m.evidence = quoteChange(k, c)
	return m, "", true
}

// repeated reports whether look-ups were counted more than once: after a
// preemption, or a retraction, a request matches its own tokens again (vLLM
// before September 2025 and, for admissions tried again, July 2026; SGLang).
func (m *metered) repeated() bool {
	p := m.delta.Preemptions()
	if !p.OK || p.Value == 0 {
		return false
	}
	q, t := m.delta.Queries(), m.delta.PromptTokens()
	return !q.OK || !t.OK || q.Value > t.Value
}

func quoteChange(k *runCase, c capture.Change) []capture.Evidence {
	out := quoteLines(k, k.run.Before.File, c.Before)
	return append(out, quoteLines(k, k.run.After.File, c.After)...)
}

// counters bounds the hits by the cached tokens between two scrapes.
func counters(k *runCase) (finding, bool) {
	m, why, ok := k.meter()
	if !ok {
		if why == "" {
			return finding{}, false
		}
		return silent("counters", why), true
	}
	f := finding{name: "counters", grade: Bounded, evidence: m.evidence}
	all := k.byTokens(m.cached, m.requests)
	all.lo = min(all.hi, k.leastHits(m))
	f.beyond = k.beyondPrefix(m)
	if m.repeated() {
		all.lo, f.beyond = 0, 0
	}
	f.tokens = k.promptTokens(m)
	k.fromAll(&f, all, m.foreign)
	f.note = k.countNote(&f, fmt.Sprintf("%d cached tokens over %d requests", m.cached, m.requests))
	if m.foreign.hi > 0 {
		f.note += "; other requests may be among them"
	}
	if m.repeated() {
		f.note += "; requests were put back and looked up again, which counts their own blocks as hits"
	}
	return f, true
}

// byTokens bounds the number of hits among n requests that took this many
// cached tokens in all: a hit holds between the least that counts and a whole
// prompt, anything else less than that least.
func (k *runCase) byTokens(cached, n int64) span {
	s := k.sizes
	hits := span{0, cached / max(1, s.hitLo)}
	if hits.hi >= n {
		hits.hi = open
	}
	if s.neverHit {
		return exactly(0)
	}
	if s.maxLen == open || s.fullHi <= s.crumb {
		return hits
	}
	hits.lo = min(n, hits.hi, ceilDiv(cached-n*s.crumb, s.fullHi-s.crumb))
	return hits
}

// leastHits is the least number of hits among all requests between the scrapes.
// A request of another client keeps to no length that the run was told: it may
// hold as much as the longest prompt that the server's own histogram shows.
func (k *runCase) leastHits(m metered) int64 {
	foreign := m.foreign.hi
	if foreign == 0 {
		return k.byTokens(m.cached, m.requests).lo
	}
	h, ok := histogramLens(k.run)
	if !ok || h.hi == open {
		return 0
	}
	own := k.byTokens(m.cached-foreign*h.hi, m.requests-foreign).lo
	if own <= 0 {
		return 0
	}
	return own + foreign
}

// beyondPrefix is the least number of requests that took more from the cache
// than the run's declared prefix, given the tokens that all of them took.
func (k *runCase) beyondPrefix(m metered) int64 {
	most, ok := k.prefixMost()
	if !ok || m.foreign.hi > 0 || k.sizes.fullHi == open || k.sizes.fullHi <= most {
		return 0
	}
	return max(0, ceilDiv(m.cached-m.requests*most, k.sizes.fullHi-most)-k.warm.hi)
}

// prefixMost is the most that prompts which share nothing but the run's declared
// prefix can take from each other, in whole pages.
func (k *runCase) prefixMost() (tokens int64, ok bool) {
	w := &k.run.Merged.Workload
	if w.PrefixLen == nil || *w.PrefixLen == 0 {
		return 0, false
	}
	n := int64(*w.PrefixLen)
	if !w.TokenIDs {
		room := int64(0)
		if chat(&k.run.Merged) {
			room = chatRoom
		}
		n = widen(lens{lo: n, hi: n}, room).hi
	}
	return n / k.page() * k.page(), true
}

// promptTokens takes the warm-up's own cached tokens off a counter difference.
func (k *runCase) promptTokens(m metered) span {
	t := exactly(m.cached)
	if k.warm.hi > 0 {
		own := span{0, open}
		switch {
		case k.warm.hi == 1 && k.first.cached.hi != open:
			own = k.first.cached
		case k.sizes.fullHi != open:
			own.hi = k.warm.hi * k.sizes.fullHi
		}
		t = t.minus(own)
	}
	if m.foreign.hi > 0 {
		t.lo = 0
	}
	return t
}

// fromAll turns hits over all requests into hits of the prompts.
//
// With one warm-up and no flush after it, hits at start are hits over all
// requests less one, whether the warm-up missed (then it left prompt 1, which
// is a hit but not at start) or hit (then prompt 1 was there, and the
// warm-up's own hit is none of a prompt).
func (k *runCase) fromAll(f *finding, all span, foreign span) {
	others := span{0, foreign.hi}
	own := span{0, k.warm.hi}
	switch {
	case k.first.hit == Miss:
		own = span{max(0, k.warm.lo-1), max(0, k.warm.hi-1)}
		own.lo = 0
	case k.first.hit == FullHit:
		own = span{min(1, k.warm.lo), k.warm.hi}
	}
	f.hits = all.minus(own).minus(others)
	f.hitFull, f.hitPartial = span{0, f.hits.hi}, span{0, f.hits.hi}
	k.fromHits(f)
	if k.empty.ok || k.warm.lo != 1 || k.warm.hi != 1 || k.ranks() > 1 || k.flushedAfterWarmUp() || k.first.hit == PartialHit {
		return
	}
	if k.flush.state != flushNone && k.flush.state != flushUnknown && k.flush.byClient {
		return // a flush that was asked for may have taken prompt 1 away
	}
	if asked := k.run.Merged.Workload.FlushAsked; asked == nil || *asked {
		return
	}
	id := all.minus(exactly(1)).minus(others)
	if k.sharing.full.hi == open || k.sharing.partial.hi == open {
		id.lo = 0
	} else {
		id = id.minus(span{0, max(k.sharing.full.hi, k.sharing.partial.hi)})
	}
	if both, ok := f.atStart.and(id); ok {
		f.atStart = both
	}
	f.full, f.partial = f.full.atMost(f.atStart.hi), f.partial.atMost(f.atStart.hi)
}

// clientTotals bounds the hits by the total that the client printed: its
// measured prompts alone.
func clientTotals(k *runCase) (finding, bool) {
	t := k.run.Merged.CacheTotals
	if t == nil {
		return finding{}, false
	}
	if !t.Reported {
		return silent("client-totals", "the printed total may only mean that the server named no number"), true
	}
	f := finding{name: "client-totals", grade: Bounded, evidence: evidenceOf(t.At)}
	n := k.answered
	if n < 0 {
		n = open / 2
	}
	f.hits = k.byTokens(t.CachedTokens, n)
	f.hitFull, f.hitPartial = span{0, f.hits.hi}, span{0, f.hits.hi}
	f.tokens = exactly(t.CachedTokens)
	if k.answered < k.sent {
		f.hits = f.hits.plus(span{0, k.sent - k.answered})
		f.tokens.hi = open
	}
	k.fromHits(&f)
	f.note = k.countNote(&f, fmt.Sprintf("%d cached tokens printed", t.CachedTokens))
	return f, true
}
