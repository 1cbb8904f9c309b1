package causes

import (
	"fmt"

	"coldcase/analysis/latency"
)

// openingRatio is how much slower the first wave has to be than the rest.
const openingRatio = 1.5

var openingWave = definition{
	name: "opening-wave",
	predicts: []string{
		"the first C requests of every run, sent at once, are slow and the rest are not",
		"a share of C of N: points of unequal N/C are moved differently",
	},
	refutes: []string{
		"a first wave as fast as the others",
		"a first wave that is slow in one run of several: that is the first run's",
	},
	settledBy: "equal N/C at every cap, or runs long enough for the first wave not to matter",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			w := r.Lat.Waves
			if len(w) < leastWaves {
				return NotTestable, fewWaves(r)
			}
			rest := restMedian(w[1:])
			if w[0].First > 0 || !(rest > 0) {
				return NotTestable, "no first-token time in the first wave, or none above 0 after it"
			}
			ratio := w[0].Median / rest
			share := float64(w[0].N) / float64(r.Lat.N)
			if ratio <= openingRatio {
				return Against, fmt.Sprintf("the first wave takes %.2f times as long as the others (median first tokens)", ratio)
			}
			if wave, _ := slowWaveOf(r); wave == 0 {
				return NotTestable, "the first wave is so slow that first batches of a new size explain it better: see first run"
			}
			if w[0].Hits >= 0 && w[0].Hits*len(w[1:]) < laterHits(w[1:]) {
				return Against, "the first wave holds fewer warm prompts than the others: that is why it is slower"
			}
			if second := w[1].Median / restMedian(w[2:]); !(second <= openingRatio) {
				return NotTestable, fmt.Sprintf("the first wave takes %.2f times as long as the others, and the second %.2f times as long as those after it: it is not the first alone", ratio, second)
			}
			return Supported, fmt.Sprintf("the first wave, %.1f %% of the requests, takes %.2f times as long as the others", 100*share, ratio)
		})
		for _, r := range v.supportedRuns(j.runs) {
			w := r.Lat.Waves
			j.seen = append(j.seen, fmt.Sprintf("%s: %.1f ms in the first wave of %d, %.1f ms over the %d waves after it (medians)", r.Count.ID, w[0].Median, w[0].N, restMedian(w[1:]), len(w)-1))
			j.evidence = append(j.evidence, v.resultEvidence(r)...)
		}
		return j
	},
}

// leastWaves is how many waves a comparison of the first with the others needs.
const leastWaves = 3

// fewWaves says why a run has too few waves to compare.
func fewWaves(r *run) string {
	switch limit := r.Lat.Cap; {
	case limit != nil && *limit == 1:
		return "at cap 1 every request is sent alone: there are no waves to compare"
	case len(r.Lat.TTFT) == 0:
		return "no per-request times"
	case limit == nil:
		return "without a cap the requests do not come in waves"
	case len(r.Lat.Waves) == 0:
		return "the requests cannot be cut into waves: no closed loop, or not listed in the order of the prompts"
	}
	return fmt.Sprintf("%s at cap %d make fewer than three waves", latency.Number(r.Lat.N, "request"), *r.Lat.Cap)
}

func restMedian(waves []latency.Wave) float64 {
	var m []float64
	for _, w := range waves {
		m = append(m, w.Median)
	}
	return median(m)
}

func laterHits(waves []latency.Wave) int {
	sum := 0
	for _, w := range waves {
		sum += w.Hits
	}
	return sum
}
