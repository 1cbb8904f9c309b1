package carryover

import "coldcase/analysis/timeline"

// batch is a group of prefill lines as the arithmetic needs it.
type batch struct {
	min, max int64 // requests
	new      span  // new tokens: an interval where old versions round up
	cached   span
	sizes    *sizes
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
		new: exactly(g.New), cached: exactly(g.Cached), sizes: &k.sizes,
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
	var out hitSet
	var s sizes
	total := b.new.plus(b.cached)
	for n := b.min; n <= b.max; n++ {
		s.narrow(b.sizes, n, total)
		r := readings(&b, &s, n, total)
		switch {
		case !r.ok:
		case !out.ok:
			out = r
		default:
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

// narrow makes s the sizes of n >= 1 requests whose lengths sum up to total: one
// prompt can be no longer than what the others leave.
func (s *sizes) narrow(of *sizes, n int64, total span) {
	lo, hi := of.minLen, of.maxLen
	if total.hi != open {
		hi = min(hi, total.hi-(n-1)*of.minLen)
	}
	if of.maxLen != open {
		lo = max(lo, total.lo-(n-1)*of.maxLen)
	}
	if lo > hi {
		lo, hi = 1, total.hi // the lengths do not fit; the conditions will say so
	}
	s.page, s.pageKnown, s.plain, s.short = of.page, of.pageKnown, of.plain, of.short
	s.of(lo, hi)
}

// readings bounds the hits among n requests. For each number f of full hits it
// bounds the number p of partial ones by conditions of the form
// f·full + p·partial <= limit.
func readings(b *batch, s *sizes, n int64, total span) hitSet {
	if s.neverHit {
		return hitSet{ok: true} // no request can be a hit
	}
	if total.hi < n*s.minLen || total.lo/n > s.maxLen {
		return hitSet{}
	}
	restCached := s.crumb
	// A prompt of one token is a probe, not a prompt: what is no hit computes
	// at least two. Only where short prompts are known to be among them can a
	// trace leave a single token: such a prompt is never a hit.
	restNew := max(2, s.minLen-restCached)
	if s.short && s.minLen <= 16 {
		restNew = 1
	}
	partialNew := int64(2)
	if s.pageKnown && s.plain {
		partialNew = s.page + 1
	}
	// cached is at least f·full + p·hit,
	cachedMost := condition{s.fullLo, s.hitLo, b.cached.hi}
	// new at most f·page + p·(Lmax-hit) + rest·Lmax,
	newLeast := condition{s.maxLen - s.newFull, s.hitLo, n*s.maxLen - b.new.lo}
	// cached at most f·full + p·longest + rest·crumb,
	cachedLeast := condition{restCached - s.fullHi, restCached - s.longestPartial, n*restCached - b.cached.lo}
	// new at least f + p·2 + rest·restNew.
	newMost := condition{1 - restNew, partialNew - restNew, b.new.hi - n*restNew}

	full, partial, hits := nothing, nothing, nothing
	for f := int64(0); f <= n; f++ {
		lo, hi := int64(0), n-f
		// The first two have one share of a partial hit.
		if room := min(cachedMost.room(f), newLeast.room(f)); hi*s.hitLo > room {
			hi = floorDiv(room, s.hitLo) // a division takes longer than all the rest
		}
		if room := cachedLeast.room(f); lo*cachedLeast.partial > room || hi*cachedLeast.partial > room {
			lo, hi = cachedLeast.narrow(room, lo, hi)
		}
		if room := newMost.room(f); lo*newMost.partial > room || hi*newMost.partial > room {
			lo, hi = newMost.narrow(room, lo, hi)
		}
		if lo <= hi {
			full.lo, full.hi = min(full.lo, f), f
			partial.lo, partial.hi = min(partial.lo, lo), max(partial.hi, hi)
			hits.lo, hits.hi = min(hits.lo, f+lo), max(hits.hi, f+hi)
		}
	}
	return hitSet{full: full, partial: partial, hits: hits, ok: full.hi >= 0}
}

// nothing is the interval of no number.
var nothing = span{open, -1}

type condition struct{ full, partial, limit int64 }

// room is what f full hits leave of the limit.
func (c *condition) room(f int64) int64 { return c.limit - f*c.full }

// narrow narrows the number of partial hits to those with p·partial <= room.
func (c *condition) narrow(room, lo, hi int64) (int64, int64) {
	switch {
	case c.partial > 0:
		hi = min(hi, floorDiv(room, c.partial))
	case c.partial < 0:
		lo = max(lo, ceilDiv(-room, -c.partial))
	case room < 0:
		hi = -1
	}
	return lo, hi
}

// among bounds the hits of the run's own prompts in a batch in which up to
// strangers requests are somebody else's: those may be of any length, and hold
// any share of both sums.
func among(b batch, strangers int64) hitSet {
	out := feasible(b)
	for j := int64(1); j <= min(strangers, manyStrangers, b.max-1); j++ {
		own := b
		own.min, own.max = max(1, b.min-j), b.max-j
		own.new.hi -= j
		own.new.lo, own.cached.lo = min(own.min, own.new.hi), 0
		h := feasible(own)
		if !h.ok {
			continue
		}
		out.full, out.partial, out.hits = out.full.hull(h.full), out.partial.hull(h.partial), out.hits.hull(h.hits)
		out.tokens = out.tokens.hull(h.tokens)
	}
	if strangers > manyStrangers || strangers >= b.min {
		return out.maybe() // they may be the whole batch
	}
	return out
}

// manyStrangers is where a batch is no longer taken apart: it then proves no
// hit of the run.
const manyStrangers = 8
