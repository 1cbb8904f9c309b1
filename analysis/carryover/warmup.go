package carryover

import (
	"fmt"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// warmUp is what the run's first warm-up request, which sends prompt 1, found
// in the cache: that tells who left prompt 1 there.
type warmUp struct {
	hit    Hit // HitUnknown if it is not told
	cached span
	// unsure is true if a partial hit may have been a full one.
	unsure   bool
	evidence []capture.Evidence
}

// warmUpOf reads the outcome of the first warm-up from the groups before the
// measured part. With other traffic among them, only an outcome that all of
// them share is told.
func (k *runCase) warmUpOf() warmUp {
	none := warmUp{hit: HitUnknown, cached: anything}
	p := k.place()
	if p == nil || k.warm.lo < 1 || p.Stated || k.ranks() > 1 {
		return none
	}
	if r, ok := k.servedWarmUp(p); ok {
		return r
	}
	var groups []*timeline.Group
	for _, g := range p.Groups() {
		if g.To < p.Measured && !g.Own && !g.Probe {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return none
	}
	return k.fromGroups(p, groups)
}

func (k *runCase) fromGroups(p *timeline.Place, groups []*timeline.Group) warmUp {
	w := warmUp{hit: HitUnknown, cached: anything}
	hits, misses := 0, 0
	for _, g := range groups {
		w.evidence = append(w.evidence, k.quote(p.Track.Log.File, g.Line))
		f := feasible(k.batchOf(g))
		switch {
		case f.hits.hi == 0:
			misses++
		case f.full.lo == int64(g.Max):
			hits++
		}
	}
	first := groups[0]
	if len(groups) == 1 && first.Min == 1 && first.Max == 1 {
		w.cached = exactly(first.Cached)
	}
	switch {
	case misses == len(groups):
		w.hit = Miss
	case hits == len(groups):
		w.hit = FullHit
	case len(groups) == 1 && first.Min == 1 && first.Max == 1:
		w.hit, w.unsure = k.ofOne(first)
	case p.Foreign == 0 && feasible(k.batchOf(first)).hits.hi == 0:
		w.hit = Miss // copies sent at once: the first batch decides
	}
	return w
}

// ofOne names the hit of a group of one request that is a hit: what it computed
// and what was cached are its prompt. unsure is true if the length leaves both
// kinds.
func (k *runCase) ofOne(g *timeline.Group) (hit Hit, unsure bool) {
	b := k.batchOf(g)
	if feasible(b).full.hi == 0 {
		return PartialHit, false
	}
	n := b.new.plus(b.cached)
	if k.sizes.pageKnown && k.class(g.Cached, n.lo) == FullHit && k.class(g.Cached, n.hi) == FullHit {
		return FullHit, false
	}
	return PartialHit, true
}

// servedWarmUp finds the warm-up among per-request lines: it finishes before
// the first measured request starts.
func (k *runCase) servedWarmUp(p *timeline.Place) (warmUp, bool) {
	rows := servedIn(p, p.From, p.To)
	if len(rows) == 0 || p.Foreign != 0 || k.sent < 0 || int64(len(rows)) != k.sent+k.warm.lo || k.warm.lo != k.warm.hi {
		return warmUp{}, false
	}
	r := rows[0]
	if r.Cached < 0 || r.Prompt <= 0 {
		return warmUp{}, false
	}
	return warmUp{
		hit:      k.class(int64(r.Cached), int64(r.Prompt)),
		cached:   exactly(int64(r.Cached)),
		evidence: []capture.Evidence{k.quote(p.Track.Log.File, int(r.Line))},
	}, true
}

// class names the hit of one prompt of known length, a trace being a miss.
func (k *runCase) class(cached, n int64) Hit {
	h := classify(cached, n, k.page(), k.sizes.plain)
	if h == Trace {
		return Miss
	}
	return h
}

// promptOne bounds the full hits that prompt 1 owes to the run's own warm-up,
// given that it was a hit: 0 if it was there before, or if a flush after the
// warm-up took it away.
func (k *runCase) promptOne() span {
	switch {
	case k.warm.hi == 0:
		return exactly(0)
	case k.ranks() > 1:
		return span{0, 1} // the warm-up may have gone to another rank
	case k.flushedAfterWarmUp():
		return exactly(0)
	case k.first.hit == FullHit || k.first.hit == PartialHit:
		return exactly(0)
	case k.first.hit == Miss && k.warm.lo >= 1:
		return exactly(1)
	case k.empty.ok && k.warm.lo >= 1:
		return exactly(1)
	}
	return span{0, 1}
}

// flushedAfterWarmUp reports whether a proved flush stands between warm-up and
// measured requests.
func (k *runCase) flushedAfterWarmUp() bool {
	return k.flush.state == flushProved && k.flush.byClient
}

func (w warmUp) note() string {
	switch w.hit {
	case Miss:
		return "the run's own warm-up sent it, and found nothing of it"
	case FullHit:
		return "prompt 1 was cached before the run's own warm-up sent it"
	case PartialHit:
		return fmt.Sprintf("the run's own warm-up found %d tokens of prompt 1", w.cached.lo)
	}
	return ""
}
