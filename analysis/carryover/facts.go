package carryover

import "coldcase/analysis/timeline"

// facts keeps what the count learned of a run for the causes, the rules and
// the report.
func (k *runCase) facts(details *finding, c combined) *Facts {
	f := &Facts{
		Run: k.run, Order: k.order, OrderBy: k.orderBy, Life: -1, Foreign: -1, Health: -1,
		EmptyAtStart: k.empty.ok, EmptyBy: k.empty.by, Server: k.server, SameSeedAs: []string{},
	}
	if k.predicted != nil {
		f.SameSeedAs = orEmpty(k.predicted.from)
	}
	if details != nil && details.inPromptOrder(k) {
		f.HitByPrompt = details.byPrompt
	}
	own := int64(timeline.Extras(k.run))
	p := k.place()
	if p == nil {
		if m, _, ok := k.meter(); ok && (m.foreign.isExact() || m.foreign.hi <= own) {
			f.Foreign = int(max(0, m.foreign.lo-own))
		} else if k.foreignNowhere(int(own)) {
			f.Foreign = 0
		}
		return f
	}
	f.Life, f.Log, f.Foreign = p.Life, p.Track.Log, max(0, p.Foreign-int(own))
	f.lines = k.fullHitsOfLine(p)
	f.FirstOfLife = p.Track.Lives[p.Life].Started && lastRequest(p) <= max(p.Track.Lives[p.Life].Ready, p.Track.Lives[p.Life].From)
	if m, _, ok := k.meter(); ok && int(m.foreign.lo-own) > f.Foreign {
		f.Foreign = int(m.foreign.lo - own) // requests between the scrapes, but outside of the place
	}
	f.Health = 0
	for _, g := range p.Groups() {
		if g.Probe {
			f.Health++
		}
		for _, b := range g.Batches {
			if f.LastBatch == 0 {
				f.FirstBatch = b
			}
			f.FirstBatch, f.LastBatch = min(f.FirstBatch, b), max(f.LastBatch, b+1)
		}
		if g.To < p.Measured {
			f.WarmupBatches += len(g.Batches)
		}
	}
	return f
}

// foreignNowhere reports whether none of the run's feasible places holds a
// request that is not its own: which of them it is does not matter then.
func (k *runCase) foreignNowhere(own int) bool {
	for _, p := range k.places {
		if p.Foreign > own || p.Doubt > 0 || !p.Whole || p.Stated {
			return false
		}
	}
	return len(k.places) > 0 && !k.want.Maybe
}

// FullHits bounds the full hits that the prefill lines [from, to) of the run's
// log prove by themselves, batch by batch.
func (f *Facts) FullHits(from, to int) Interval {
	if f.Log == nil || f.lines == nil {
		return anything.interval(None)
	}
	sum := span{}
	for i := from; i < to; i++ {
		sum = sum.plus(f.lines(i))
	}
	return sum.interval(PerBatch)
}

// fullHitsOfLine bounds the full hits of one prefill line, read as whole
// requests; the lines of a chunked prompt are read together.
func (k *runCase) fullHitsOfLine(p *timeline.Place) func(i int) span {
	byFirst := map[int]*timeline.Group{}
	for _, g := range p.Groups() {
		byFirst[g.Batches[0]] = g
	}
	return func(i int) span {
		g := byFirst[i]
		if g == nil {
			return span{}
		}
		return feasible(k.batchOf(g)).full
	}
}
