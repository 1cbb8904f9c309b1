package causes

import (
	"fmt"
	"slices"
)

var thinnedMean = definition{
	name: "thinned-mean",
	predicts: []string{
		"the mean falls with the load while the median holds or rises",
		"a few very slow requests that are a smaller share of the larger run",
	},
	refutes: []string{
		"a median that falls as well",
		"no statistic that falls with the load",
	},
	settledBy: "medians and distributions beside the mean",
	judge: func(v *view) judgement {
		inv := v.in.Inversion
		if inv == nil {
			return judgement{runs: v.each(func(r *run) (string, string) {
				if _, ok := r.Lat.Figure("mean_ttft_ms"); !ok {
					return NotTestable, "no mean first token"
				}
				if len(v.caps()) < 2 {
					return NotTestable, "one cap: nothing to compare"
				}
				return Against, "no mean falls with the load"
			})}
		}
		j := judgement{seen: []string{inv.Text}}
		j.runs = v.each(func(r *run) (string, string) {
			if !slices.Contains(inv.Runs, r.Count.ID) {
				return NotTestable, "not one of the runs whose statistic moves against the load"
			}
			if inv.Statistic != "mean_ttft_ms" {
				return Against, fmt.Sprintf("%s falls, not the mean alone", inv.Statistic)
			}
			if dark := v.withoutMedian(); slices.ContainsFunc(inv.Runs, func(id string) bool { return slices.Contains(dark, id) }) {
				return NotTestable, "the mean falls with the load, and whether the median does is not known"
			}
			return Supported, "the mean falls with the load and the median does not: a few slow requests weigh less in the larger run"
		})
		for _, r := range v.supportedRuns(j.runs) {
			j.evidence = append(j.evidence, v.figureEvidence(r, "mean_ttft_ms", "median_ttft_ms")...)
		}
		return j
	},
}
