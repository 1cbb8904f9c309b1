package causes

import (
	"fmt"
	"math"

	"coldcase/analysis/latency"
)

// Thresholds of the first-run cause.
const (
	slowRatio    = 2.5 // a wave or request to its peers
	slowRequests = 2   // least number of slow single requests
	// earlyWaves is how many waves may hold the first batches of a new size: a
	// first wave often arrives as one request and then the rest, so that a full
	// batch of the cap comes with the second.
	earlyWaves = 2
)

var firstRun = definition{
	name: "first-run",
	predicts: []string{
		"the first batches of a new size after the server's start are slow once: kernels compiled or tuned, graphs captured",
		"it shows in the first run at a cap and not in the next",
		"warm prompts in such a wave are slow as well",
	},
	refutes: []string{
		"waves that take the same time from the first to the last, at equal numbers of warm prompts",
	},
	settledBy: "the same run again on the same server with a fresh seed and a flush, or a warm-up at each cap before the first run",
	judge:     judgeFirstRun,
}

func judgeFirstRun(v *view) judgement {
	j := judgement{}
	j.runs = v.each(func(r *run) (string, string) {
		if r.Lat.Apart != nil && r.Lat.Apart.SlowFirstWave {
			return Supported, "the printed summary needs a first wave that is slower than the cold ones (arithmetic, no per-request times)"
		}
		if len(r.Lat.TTFT) == 0 {
			return NotTestable, "no per-request times"
		}
		if n, early := slowSingles(r); n >= slowRequests && !early {
			return NotTestable, fmt.Sprintf("%d of %d single requests take more than %.1f times the median, not all of them in the first half of the run", n, r.Lat.N, slowRatio)
		} else if n >= slowRequests {
			return Supported, fmt.Sprintf("%d of %d single requests take more than %.1f times the median", n, r.Lat.N, slowRatio)
		}
		if limit := r.Lat.Cap; limit != nil && *limit == 1 {
			return NotTestable, fmt.Sprintf("at cap 1 every request is sent alone, and fewer than %d of %d take more than %.1f times the median", slowRequests, r.Lat.N, slowRatio)
		}
		if len(r.Lat.Waves) < leastWaves {
			return NotTestable, fewWaves(r)
		}
		if r.Lat.Waves[0].Hits < 0 && r.Count.Verdict != "clean" {
			return NotTestable, "which prompts were warm is not known, so a slow wave may be a cold one"
		}
		wave, ratio := slowWaveOf(r)
		slow, late := slowWaves(r)
		switch {
		case wave < 0:
			return Against, "no wave is slow at equal numbers of warm prompts"
		case wave >= earlyWaves && late == slow:
			return Against, fmt.Sprintf("wave %d of %d takes %.1f times as long as waves with no more warm prompts, and none of the first %d does: a new size of batch comes at the start of a run", wave+1, len(r.Lat.Waves), ratio, earlyWaves)
		case late > 0:
			return NotTestable, fmt.Sprintf("%d of %d waves are slow at equal numbers of warm prompts, %d of them after the first %d: work that is done once is not all of it", slow, len(r.Lat.Waves), late, earlyWaves)
		}
		if o := v.sameCapBefore(r); o != nil {
			return NotTestable, fmt.Sprintf("wave %d takes %.1f times as long as waves with no more warm prompts, but %s ran at this cap on the same server before: its sizes of batch were not new", wave+1, ratio, o.Count.ID)
		}
		return Supported, fmt.Sprintf("wave %d takes %.1f times as long as waves with no more warm prompts", wave+1, ratio)
	})
	for _, r := range v.supportedRuns(j.runs) {
		j.seen = append(j.seen, firstRunSeen(r)...)
		j.evidence = append(j.evidence, v.figureEvidence(r, "p90_ttft_ms", "p99_ttft_ms")...)
	}
	return j
}

// slowSingles counts slow requests of a run at cap 1, where each is a wave, and
// says whether all of them are in its first half.
func slowSingles(r *run) (n int, early bool) {
	if r.Lat.Cap == nil || *r.Lat.Cap != 1 {
		return 0, false
	}
	limit, last := slowRatio*median(r.Lat.TTFT), 0
	for i, t := range r.Lat.TTFT {
		if t > limit {
			n, last = n+1, i
		}
	}
	return n, 2*last < len(r.Lat.TTFT)
}

// sameCapBefore returns an earlier run of the same server life at the cap of a
// run, nil if none is known.
func (v *view) sameCapBefore(r *run) *run {
	for _, o := range v.runs {
		ordered := o.Ordered() && r.Facts.OrderBy != "capture"
		if ordered && o.Facts.Life >= 0 && o.Facts.Life == r.Facts.Life && o.Facts.Log == r.Facts.Log && o.Facts.Order < r.Facts.Order && samePoint(o, r) {
			return o
		}
	}
	return nil
}

// slowWaves counts the waves that stand out from their peers, and those among
// them that come too late to be the first of their size.
func slowWaves(r *run) (n, late int) {
	for i := range r.Lat.Waves {
		if ratioToPeers(r, i) > slowRatio {
			n++
			if i >= earlyWaves {
				late++
			}
		}
	}
	return n, late
}

// slowWaveOf returns the index of the wave that is slowest against its peers,
// -1 if none stands out, and its ratio. Peers are the waves with no more warm
// prompts: a wave may not be called slow for being cold. Where hits are not
// known a run counts only if it is clean.
func slowWaveOf(r *run) (wave int, ratio float64) {
	wave = -1
	for i, w := range r.Lat.Waves {
		if w.Hits < 0 && r.Count.Verdict != "clean" {
			return -1, 0
		}
		if q := ratioToPeers(r, i); q > math.Max(slowRatio, ratio) {
			wave, ratio = i, q
		}
	}
	return wave, ratio
}

// ratioToPeers is the time of a wave over the median of its peers, 0 if it has
// none with a time above 0.
func ratioToPeers(r *run, i int) float64 {
	w := r.Lat.Waves[i]
	var peers []float64
	for k, p := range r.Lat.Waves {
		if k != i && p.Hits <= w.Hits && p.N*2 >= w.N {
			peers = append(peers, p.Median)
		}
	}
	if m := median(peers); m > 0 {
		return w.Median / m
	}
	return 0
}

func firstRunSeen(r *run) []string {
	if a := r.Lat.Apart; a != nil && a.SlowFirstWave {
		out := []string{}
		for _, t := range a.Text {
			out = append(out, r.Count.ID+": "+t)
		}
		return out
	}
	wave, _ := slowWaveOf(r)
	if wave < 0 {
		return nil
	}
	w := r.Lat.Waves[wave]
	text := fmt.Sprintf("%s: the %d requests of wave %d have a median of %.0f ms", r.Count.ID, w.N, wave+1, w.Median)
	if w.Hits <= 0 {
		return []string{text}
	}
	warm, cold := splitByHit(r.Lat)
	which := ""
	if wave == 0 {
		which = ": the warm prompts of the first wave were the slow ones"
	}
	return []string{text + fmt.Sprintf(", although %d of them were warm%s; over the run the warm prompts have a median of %.0f ms, the cold ones %.0f ms",
		w.Hits, which, median(warm), median(cold))}
}

// splitByHit separates first-token times of warm and cold prompts.
func splitByHit(l *latency.Run) (warm, cold []float64) {
	for i, t := range l.TTFT {
		if i >= len(l.Hits) || math.IsNaN(t) {
			continue
		}
		if l.Hits[i] >= 3 {
			warm = append(warm, t)
		} else {
			cold = append(cold, t)
		}
	}
	return warm, cold
}
