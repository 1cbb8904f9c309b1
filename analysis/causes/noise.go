package causes

import (
	"fmt"
	"math"
	"slices"

	"coldcase/analysis/latency"
)

// noisySpread is the coefficient of variation over repeats from which a point
// says little.
const noisySpread = 0.20

var noise = definition{
	name: "noise",
	predicts: []string{
		"repeats of one point that spread as far as the points lie apart",
		"a direction that flips with the seed",
	},
	refutes: []string{
		"repeats whose ranges do not overlap",
	},
	settledBy: "three and better six runs per point in shuffled order",
	judge: func(v *view) judgement {
		j := judgement{}
		spreads := map[string]latency.Spread{}
		for _, s := range latency.Spreads(v.in.Count, v.in.Latency, "median_ttft_ms") {
			for _, id := range s.Runs {
				spreads[id] = s
			}
		}
		j.runs = v.each(func(r *run) (string, string) {
			s, ok := spreads[r.Count.ID]
			switch {
			case !ok:
				return NotTestable, "no cap or no median first token: no point to compare"
			case len(s.Runs) < 2:
				return NotTestable, "one run at this point, so no range: how far another would differ is not known"
			case math.IsNaN(s.CV):
				return NotTestable, "the spread over the runs of this point is no number"
			}
			text := fmt.Sprintf("median first token of %d runs at cap %d: %.1f to %.1f ms", len(s.Runs), s.Cap, s.Low, s.High)
			if s.CV > noisySpread {
				return Supported, text
			}
			if inv := v.in.Inversion; inv != nil && slices.Contains(inv.Runs, r.Count.ID) {
				return Against, text + ", less than the fall against the load"
			}
			return Against, text
		})
		for _, r := range v.supportedRuns(j.runs) {
			m, _ := r.Lat.Figure("median_ttft_ms")
			j.seen = append(j.seen, fmt.Sprintf("%s: median first token %.1f ms, one of %d runs from %.1f to %.1f ms", r.Count.ID, m, len(spreads[r.Count.ID].Runs), spreads[r.Count.ID].Low, spreads[r.Count.ID].High))
			j.evidence = append(j.evidence, v.figureOrResult(r, "median_ttft_ms")...)
		}
		return j
	},
}
