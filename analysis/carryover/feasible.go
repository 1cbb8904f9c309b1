package carryover

import "coldcase/analysis/timeline"

// batch is a group of prefill lines as the arithmetic needs it.
type batch struct {
	min, max int64 // requests
	new      span  // new tokens: an interval where old versions round up
	cached   span
	sizes    sizes
}

// hitSet bounds the hits among some requests.
type hitSet struct {
	full, partial, hits span
	tokens              span // cached tokens
	ok                  bool // false if no reading fits
}

// maybe are the same hits if they need not be hits of prompts at all.
func (h hitSet) maybe() hitSet {
	h.full.lo, h.partial.lo, h.hits.lo, h.tokens.lo = 0, 0, 0, 0
	return h
}

// add counts one more batch in.
func (h *hitSet) add(b hitSet) {
	h.full, h.partial, h.hits = h.full.plus(b.full), h.partial.plus(b.partial), h.hits.plus(b.hits)
	h.tokens = h.tokens.plus(b.tokens)
}

// batchOf prepares a group. SGLang 0.4.8 to 0.5.19 rounds each request's new
// tokens up to whole pages before it prints their sum; from 0.5.20 the sum is
// exact.
func (k *runCase) batchOf(g *timeline.Group) batch {
	b := batch{
		min: int64(g.Min), max: int64(g.Max),
		new: exactly(g.New), cached: exactly(g.Cached), sizes: k.sizes,
	}
	if k.page() > 1 && !exactNew(k.server.Version) {
		b.new.lo = max(int64(g.Min), g.New-int64(g.Max)*(k.page()-1))
	}
	if !g.CachedSure {
		b.cached.lo = 0
	}
	return b
}

// exactNew reports whether this SGLang version prints unrounded new tokens.
func exactNew(version string) bool { return versionAtLeast(version, 0, 5, 20) }

// feasible finds, over every number of requests that the group may hold, the
// readings (full hits, partial hits, rest) that satisfy both its new and its
// cached tokens.
//
// With n requests, f full hits, p partial hits and r others, of lengths in
// [Lmin, Lmax]:
//
//	cached: f·full + p·(hit .. full-1) + r·(0 .. hit-1)
//	new:    f·(1 .. page) + p·(page+1 .. Lmax-hit) + r·(Lmin-hit+1 .. Lmax)
//	both:   n·Lmin <= new + cached <= n·Lmax
func feasible(b batch) hitSet {
	out := hitSet{}
	for n := b.min; n <= b.max; n++ {
		s := b.sizes.narrowed(n, b.new.plus(b.cached))
		for f := int64(0); f <= n; f++ {
			p, ok := partials(&b, &s, n, f)
			if !ok {
				continue
			}
			r := hitSet{full: exactly(f), partial: p, hits: p.plus(exactly(f)), ok: true}
			if !out.ok {
				out = r
				continue
			}
			out.full, out.partial, out.hits = out.full.hull(r.full), out.partial.hull(r.partial), out.hits.hull(r.hits)
		}
	}
	out.tokens = b.cached
	if !out.ok {
		// The lengths do not fit this line: only what needs no length is left.
		out.full, out.partial = span{0, b.max}, span{0, b.max}
		out.hits = span{0, min(b.max, b.cached.hi/max(16, b.sizes.page))}
		out.full, out.partial = out.full.atMost(out.hits.hi), out.partial.atMost(out.hits.hi)
	}
	return out
}

// narrowed tightens the lengths for n >= 1 requests whose lengths sum up to
// total: one prompt can be no longer than what the others leave.
func (s *sizes) narrowed(n int64, total span) sizes {
	lo, hi := s.minLen, s.maxLen
	if total.hi != open {
		hi = min(hi, total.hi-(n-1)*s.minLen)
	}
	if s.maxLen != open {
		lo = max(lo, total.lo-(n-1)*s.maxLen)
	}
	if lo > hi {
		lo, hi = 1, total.hi // the lengths do not fit; partials will say so
	}
	n1 := sizesOf(lens{lo: lo, hi: hi}, s.page, s.pageKnown, s.plain)
	n1.short = s.short
	return n1
}

// partials bounds the number of partial hits that goes with f full ones among
// n requests; every condition is linear in it.
func partials(b *batch, s *sizes, n, f int64) (span, bool) {
	p := span{0, n - f}
	if s.neverHit {
		return span{0, 0}, f == 0
	}
	total := b.new.plus(b.cached)
	if total.hi < n*s.minLen || total.lo/n > s.maxLen {
		return p, false
	}
	rest := n - f
	restCached := s.crumb
	// A prompt of one token is a probe, not a prompt: what is no hit computes
	// at least two. Only where short prompts are known to be among them can a
	// trace leave a single token: such a prompt is never a hit.
	restNew := max(2, s.minLen-restCached)
	if s.short && s.minLen <= 16 {
		restNew = 1
	}
	// cached is at least f·full + p·hit, at most f·full + p·longest + rest·crumb
	if !p.lower(f*s.fullLo, s.hitLo, b.cached.hi) {
		return p, false
	}
	if !p.upper(f*s.fullHi+rest*restCached, s.longestPartial-restCached, b.cached.lo) {
		return p, false
	}
	// new is at least f + p·2 + rest·restNew, at most f·page + p·(Lmax-hit) + rest·Lmax
	partialNew := int64(2)
	if s.pageKnown && s.plain {
		partialNew = s.page + 1
	}
	if !p.lower(f+rest*restNew, partialNew-restNew, b.new.hi) {
		return p, false
	}
	if !p.upper(f*s.newFull+rest*s.maxLen, -s.hitLo, b.new.lo) {
		return p, false
	}
	return p, true
}

// lower keeps the p with base + p·step <= limit.
func (p *span) lower(base, step, limit int64) bool {
	switch {
	case step > 0:
		p.hi = min(p.hi, floorDiv(limit-base, step))
	case step < 0:
		p.lo = max(p.lo, ceilDiv(base-limit, -step))
	case base > limit:
		return false
	}
	return p.lo <= p.hi
}

// upper keeps the p with base + p·step >= limit.
func (p *span) upper(base, step, limit int64) bool {
	switch {
	case step > 0:
		p.lo = max(p.lo, ceilDiv(limit-base, step))
	case step < 0:
		p.hi = min(p.hi, floorDiv(base-limit, -step))
	case base < limit:
		return false
	}
	return p.lo <= p.hi
}

// among bounds the hits of the run's own prompts in a batch in which up to
// strangers requests are somebody else's: those may be of any length, and hold
// any share of both sums.
func among(b batch, strangers int64) hitSet {
	out := feasible(b)
	for j := int64(1); j <= min(strangers, b.max); j++ {
		if j > manyStrangers || j >= b.min {
			return out.maybe() // they may be the whole batch
		}
		own := b
		own.min, own.max = b.min-j, b.max-j
		own.new.hi -= j
		own.new.lo, own.cached.lo = min(own.min, own.new.hi), 0
		h := feasible(own)
		if !h.ok {
			continue
		}
		out.full, out.partial, out.hits = out.full.hull(h.full), out.partial.hull(h.partial), out.hits.hull(h.hits)
		out.tokens = out.tokens.hull(h.tokens)
	}
	return out
}

// manyStrangers is where a batch is no longer taken apart: it then proves no
// hit of the run.
const manyStrangers = 8
