package carryover

import (
	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// A run is clean because its cache was proved empty, not because few hits were
// counted. The proof needs an event that empties the cache (a server start, a
// flush that is proved, counters near zero) and full accounting: between that
// event and the run's first prompt nothing was served but the run's own
// warm-up and health checks, and during the run nothing but its own requests.

// emptyOf looks for such a proof, the surest first.
func (k *runCase) emptyOf() proof {
	if keepsBeyond(&k.server) {
		return proof{}
	}
	for _, try := range []func() proof{k.emptyByCell, k.emptyOnLog, k.emptyByCounters, k.emptyByOutcome} {
		if p := try(); p.ok {
			return p
		}
	}
	return proof{}
}

// emptyOnLog proves it from the run's certain place on a log.
func (k *runCase) emptyOnLog() proof {
	p := k.place()
	if p == nil || p.Stated || !p.Whole || p.Foreign != 0 || p.Doubt != 0 || !p.Track.Log.Complete || !k.accountable() {
		return proof{}
	}
	if k.flush.state == flushProved && k.flush.line > 0 {
		if k.flush.byClient {
			return proof{true, "the cache was flushed after the warm-up, and only this run's requests came after", k.flush.evidence}
		}
		if !requestBetween(p, k.flush.line, p.FirstRequest()-1) && !served(p.Track, k.flush.line, p.FirstRequest()-1) && k.othersPlaced() {
			return proof{true, "the cache was flushed before the run, and nothing but its own requests came after", k.flush.evidence}
		}
	}
	if k.servedAlready() {
		return proof{}
	}
	life := p.Track.Lives[p.Life]
	if life.Started && len(requestsBefore(p)) == 0 || life.Started && lastRequest(p) < life.From {
		if k.othersPlaced() {
			return proof{true, "the server had just started, and nothing but the run's own requests came after", []capture.Evidence{k.quote(p.Track.Log.File, life.From)}}
		}
	}
	if life.Started && life.Ready > 0 && lastRequest(p) <= life.Ready && k.othersPlaced() {
		return proof{true, "the server had just started, and nothing but the run's own requests came after", []capture.Evidence{k.quote(p.Track.Log.File, life.Ready)}}
	}
	return proof{}
}

// servedAlready reports whether the scrape before the run shows requests that a
// server that had just started cannot have served: then lines are missing.
func (k *runCase) servedAlready() bool {
	if k.run.Before == nil {
		return false
	}
	n, _, ok := servedBefore(k.run.Before)
	return ok && n > nearZeroTokens
}

// accountable reports whether requests can be counted at all: the number of
// prompts is known and the place's requests are exactly the run's own.
func (k *runCase) accountable() bool {
	p := k.place()
	if p == nil || k.want.MaxSent < 0 {
		return false
	}
	if p.Warm < 0 {
		return false
	}
	return true
}

func lastRequest(p *timeline.Place) int {
	last := 0
	for _, l := range requestsBefore(p) {
		last = max(last, l)
	}
	return last
}

// served reports whether anything but probes was prefilled between two lines.
func served(t *timeline.Track, from, to int) bool {
	for _, g := range t.GroupsOf(0, t.NumGroups()) {
		if g.Line >= from && g.Line <= to && !g.Own && !g.Probe {
			return true
		}
	}
	return false
}

// othersPlaced reports whether every other run of the capture is placed on a
// log or known to have run later: a run whose lines are missing may have been
// served where the log has a gap.
func (k *runCase) othersPlaced() bool {
	for i := range k.c.Runs {
		if i == k.index || len(k.tl.Places[i]) > 0 && !k.tl.Wants[i].Maybe {
			continue
		}
		if _, later := k.tl.Order.Before(k.index, i); later {
			continue
		}
		if !k.sameServer(k.c.Runs[i]) {
			continue
		}
		return false
	}
	return true
}

// sameServer reports whether another run may have gone to the same server.
func (k *runCase) sameServer(o *capture.Run) bool {
	a, b := &k.run.Merged, &o.Merged
	if !sameEngine(a.Engine, b.Engine) {
		return false
	}
	return a.Workload.Target == "" || b.Workload.Target == "" || a.Workload.Target == b.Workload.Target
}

// nearZero bounds what a server's own warm-up adds to its counters before the
// first client: a prompt of up to 16 tokens and 8 generated ones. Nothing of
// that length can be a hit.
const (
	nearZeroRequests = 2
	nearZeroTokens   = 40
)

// emptyByCounters proves it from the scrapes around the run: near zero before,
// or a proved flush since the last reading that equals the run's first, and as
// many requests between them as the run sent.
func (k *runCase) emptyByCounters() proof {
	b := k.run.Before
	if b == nil || !k.onlyOwnRequests() {
		return proof{}
	}
	if n, lines, ok := servedBefore(b); ok && n <= nearZeroTokens {
		return proof{true, "the counters were near zero before the run, and only its own requests were served", quoteLines(k, b.File, lines)}
	}
	if k.flush.state == flushProved && k.flush.byClient {
		return proof{true, "the client flushed after its warm-up, and only its own requests were served", k.flush.evidence}
	}
	if k.flush.state == flushProved && !k.flush.byClient && k.flush.line == 0 && k.continues() && !k.otherTier() {
		return proof{true, "a flush succeeded before the run, and no request was served from the run before it on but its own", k.flush.evidence}
	}
	return proof{}
}

// otherTier reports whether blocks may come from a tier that a reset does not
// clear: a connector or an offload store.
func (k *runCase) otherTier() bool {
	ext := capture.NewDelta(k.run.Before, k.run.After).ExternalHits()
	return ext.OK && ext.Value > 0
}

// onlyOwnRequests reports whether the counters show exactly the requests that
// the client sent.
func (k *runCase) onlyOwnRequests() bool {
	d := capture.NewDelta(k.run.Before, k.run.After)
	n := d.Requests()
	if !d.Identity().Same || !n.OK || k.want.MaxSent < 0 || k.want.MinSent != k.want.MaxSent {
		return false
	}
	own := span{int64(k.want.MinSent) + k.warm.lo, int64(k.want.MaxSent) + k.warm.hi}
	if k.warm.lo != k.warm.hi {
		return false
	}
	return int64(n.Value) == own.lo
}

// servedBefore is the number of tokens that a server had seen before a scrape:
// prompt tokens, and those that it generated.
func servedBefore(s *capture.Snapshot) (tokens float64, lines []int, ok bool) {
	prefix := s.Engine + ":"
	prompt, pl, okp := s.Total(prefix + "prompt_tokens_total")
	if !okp {
		// A labelled counter is absent until its first increment; its siblings
		// tell that metrics are on.
		if _, l, on := s.Total(prefix + "num_running_reqs"); on && s.Engine == "sglang" {
			return 0, l, true
		}
		return 0, nil, false
	}
	gen, gl, _ := s.Total(prefix + "generation_tokens_total")
	return prompt + gen, append(pl, gl...), true
}

// continues reports whether no request was served between the run before this
// one and this one's first scrape.
func (k *runCase) continues() bool {
	b, lines, ok := servedBefore(k.run.Before)
	if !ok || len(lines) == 0 {
		return false
	}
	for i, o := range k.c.Runs {
		if i == k.index || o.After == nil || o.After.Engine != k.run.Before.Engine {
			continue
		}
		if a, _, ok := servedBefore(o.After); ok && a == b && capture.NewDelta(o.After, k.run.Before).Identity().Same {
			return true
		}
	}
	return false
}

// emptyByOutcome proves it from the prompts themselves: prompt 1 was sent by
// the run's own warm-up and yet was not cached, so the cache was emptied in
// between. The caller's witness must still account for other traffic.
func (k *runCase) emptyByOutcome() proof {
	q := k.run.Merged.Requests
	if q == nil || len(q.Cached) == 0 || !q.InOrder || k.warm.lo < 1 || q.Cached[0] != 0 {
		return proof{}
	}
	if off := k.server.PrefixCache; off != nil && !*off || k.ranks() > 1 || !k.sizes.plain {
		return proof{}
	}
	if k.promptLens(q, 0).lo < max(16, k.page()) {
		return proof{} // too short to be a hit
	}
	if p := k.place(); (p == nil || p.Foreign != 0 || p.Doubt != 0 || !p.Whole) && !k.onlyOwnRequests() {
		return proof{}
	}
	return proof{true, "prompt 1 was not cached although the run's own warm-up had just sent it", []capture.Evidence{k.quote(k.run.Results[0].Span.File, k.run.Results[0].Span.Line)}}
}

func quoteLines(k *runCase, file string, lines []int) []capture.Evidence {
	var out []capture.Evidence
	for i, l := range lines {
		if i == maxQuotes {
			break
		}
		out = append(out, k.quote(file, l))
	}
	return out
}

// maxQuotes bounds the lines quoted for one statement.
const maxQuotes = 6
