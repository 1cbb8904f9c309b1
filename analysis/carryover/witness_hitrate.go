package carryover

import (
	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// hitRateLines reads vLLM's log. Its periodic hit rate is a share over the last
// thousand requests of any run: it tells that hits exist, never how many, and
// nothing about one run. What the log does tell is when the cache was emptied
// and which requests came after.
func hitRateLines(k *runCase) (finding, bool) {
	if k.engine != "vllm" || len(k.places) == 0 {
		return finding{}, false
	}
	p := k.place()
	if p == nil {
		return silent("hit-rate-lines", "several places on the log fit this run"), true
	}
	f := silent("hit-rate-lines", "the printed hit rate is a share over a thousand requests of any run: no count of this one")
	f.evidence = rateLines(k, p)
	if k.empty.ok && k.emptyOnLog().ok {
		f.grade = Bounded
		f.atStart, f.full, f.partial = exactly(0), exactly(0), exactly(0)
		f.note = k.empty.by
		f.evidence = k.empty.evidence
	}
	return f, true
}

// rateLines quotes the stats lines of the run's time.
func rateLines(k *runCase, p *timeline.Place) []capture.Evidence {
	var out []capture.Evidence
	for _, s := range p.Track.Log.Stats {
		if s.Line >= p.From && s.Line <= p.To && s.HitRate >= 0 && len(out) < 2 {
			out = append(out, k.quote(p.Track.Log.File, s.Line))
		}
	}
	return out
}
