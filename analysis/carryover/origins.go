package carryover

import "coldcase/analysis/timeline"

// origins bounds where the hits of a run's prompts came from. A hit with two
// causes counts under the earliest.
func (k *runCase) origins(c combined, details *finding) Origins {
	var o struct{ earlier, warm, inRun, other, unknown span }
	at := c.atStart.span
	o.warm = k.promptOne()
	if c.hits.hi == 0 {
		o.warm = exactly(0)
	}
	if details != nil && len(details.byPrompt) > 0 && details.inPromptOrder(k) {
		if h := details.byPrompt[0]; h == Miss || h == Trace {
			o.warm = exactly(0)
		}
	}
	if c.hits.lo == 0 {
		o.warm.lo = 0
	}
	o.warm = k.sharedWithWarmUp(o.warm)
	o.inRun = c.hits.span.minus(at).minus(o.warm)
	if c.hits.hi != open && at.isExact() && c.hits.isExact() && o.warm.isExact() {
		o.inRun = exactly(max(0, c.hits.lo-at.lo-o.warm.lo))
	}
	limit := k.sharing.full.plus(k.sharing.partial)
	if limit.hi != open {
		o.inRun = o.inRun.atMost(limit.hi)
	}
	o.earlier, o.other, o.unknown = k.beforeOrigins(at, details)
	return Origins{
		EarlierRun: o.earlier.bounds(), WarmUp: o.warm.bounds(), InRun: o.inRun.bounds(),
		OtherClient: o.other.bounds(), Unknown: o.unknown.bounds(),
	}
}

// sharedWithWarmUp adds the prompts that may owe their hit to the warm-up
// because they share its start, or its text: a hit of two causes counts under
// the earlier, and the warm-up came before every prompt of the run.
func (k *runCase) sharedWithWarmUp(warm span) span {
	if k.warm.hi == 0 || k.flushedAfterWarmUp() || k.first.hit == FullHit {
		return warm
	}
	return warm.plus(span{0, k.sharing.full.plus(k.sharing.partial).hi})
}

// beforeOrigins divides the hits that were there at start between an earlier
// run of the capture, another client, and what cannot be told.
func (k *runCase) beforeOrigins(at span, details *finding) (earlier, other, unknown span) {
	if at.hi == 0 {
		return
	}
	if at.hi == open {
		return anything, anything, anything
	}
	repeated := int64(0)
	if k.predicted != nil && len(k.predicted.from) > 0 {
		// What the model of the cache still holds is a prediction; what the
		// earlier runs had sent is the bound.
		repeated = max(k.predicted.prompts.hi, k.predicted.nested)
	}
	alone := k.servedAlone()
	switch {
	case alone:
		// Every request of this server's life is a run's: whatever was there
		// at start, a run of the capture had sent, whether or not its
		// arguments tell.
		return at, exactly(0), exactly(0)
	case repeated == 0 && k.accountedSinceFlush():
		// Emptied since the runs before it, and other requests were served:
		// they sent the prompts.
		return exactly(0), at, exactly(0)
	case repeated == 0:
		return span{0, at.hi}, span{0, at.hi}, span{0, at.hi}
	case at.hi <= repeated && k.withinRepeated(details) && k.undisturbed():
		return at, exactly(0), exactly(0)
	}
	return span{0, min(at.hi, repeated)}, span{0, at.hi}, span{0, at.hi}
}

// undisturbed reports whether nothing can have emptied the cache and filled it
// again since the run that sent the prompts: no flush in a whole log of that
// time, or counters that no request but the runs' own has moved.
func (k *runCase) undisturbed() bool {
	return k.flush.state == flushNone || k.run.Before != nil && k.onlyOwnRequests() && k.continues()
}

// withinRepeated reports whether every hit that was there at start is, by its
// index, one of the prompts that an earlier run had sent.
func (k *runCase) withinRepeated(details *finding) bool {
	if details == nil || len(details.byPrompt) == 0 {
		return false
	}
	if !details.inPromptOrder(k) || k.predicted.leading == 0 {
		// The order of sending is not the order of the list, or the set comes
		// again as a whole: the number must do.
		return max(k.predicted.prompts.lo, k.predicted.nested) >= details.atStart.hi
	}
	for i, h := range details.byPrompt {
		if (h == FullHit || h == PartialHit || h == HitUnknown) && i >= k.predicted.leading {
			return false
		}
	}
	return true
}

// servedAlone reports whether every request of the run's server life up to its
// end belongs to a run of the capture: then no other client sent anything.
func (k *runCase) servedAlone() bool {
	p := k.place()
	if p == nil || p.Foreign != 0 || !p.Whole || !p.Track.Lives[p.Life].Started || !p.Track.Log.Complete {
		return false
	}
	for _, w := range k.tl.Windows {
		if w.Track == p.Track && w.Life == p.Life && w.From < p.To && !probesAlone(w) {
			return false
		}
	}
	own := 0
	for i, ps := range k.tl.Places {
		for _, q := range ps {
			if q.Track == p.Track && q.Life == p.Life && q.From <= p.From {
				if len(ps) != 1 || q.Foreign != 0 || k.tl.Wants[i].Maybe {
					return false
				}
				own += q.Posts
			}
		}
	}
	life := p.Track.Lives[p.Life]
	return p.Track.PostsIn(max(life.From, life.Ready), p.To) == own
}

// probesAlone reports whether a window holds health checks and nothing else.
func probesAlone(w *timeline.Window) bool {
	seen := false
	for _, g := range w.Groups() {
		if !g.Probe && !g.Own {
			return false
		}
		seen = true
	}
	return seen
}

// accountedSinceFlush reports whether the cache was proved empty after every
// earlier run of the capture and requests of nobody's run came after that.
func (k *runCase) accountedSinceFlush() bool {
	if k.flush.state != flushProved || !k.othersPlaced() {
		return false
	}
	p := k.place()
	if p == nil || k.lostRun(p) {
		return false
	}
	return p.Foreign > 0 || k.flush.line > 0 && requestBetween(p, k.flush.line, p.FirstRequest()-1)
}

// lostRun reports whether a benchmark client's own marks stand around requests
// that came after the flush and belong to no run of the capture: a run whose
// files are not here, which is an earlier run and not another client.
func (k *runCase) lostRun(p *timeline.Place) bool {
	for _, c := range p.Track.Cells {
		if !c.Start || !c.End || c.To >= p.From || p.Track.PostsIn(max(c.From, k.flush.line), c.To) == 0 {
			continue
		}
		known := false
		for _, ps := range k.tl.Places {
			for _, q := range ps {
				known = known || q.Track == p.Track && q.From <= c.To && q.To >= c.From
			}
		}
		if !known {
			return true
		}
	}
	return false
}
