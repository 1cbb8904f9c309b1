package causes

import (
	"fmt"

	"coldcase/analysis/latency"
)

var differentWorkload = definition{
	name: "different-workload",
	predicts: []string{
		"arguments that differ between the compared runs in more than cap and seed: lengths, range ratio, dataset, model",
	},
	refutes: []string{
		"printed arguments of all compared runs that agree",
	},
	settledBy: "the same command for every point, with the cap and the seed alone changed",
	judge: func(v *view) judgement {
		j := judgement{}
		if len(v.runs) < 2 {
			j.runs = v.all(NotTestable, "one run: nothing to compare")
			return j
		}
		agree := "the arguments " + Swept(v.counts())
		j.runs = v.each(func(r *run) (string, string) {
			known := r.ArgumentsKnown()
			for _, o := range v.runs {
				if o == r || latency.SameCap(r.Joined, o.Joined) {
					continue
				}
				if keys := DiffWorkload(r.Count, o.Count); len(keys) > 0 {
					return Supported, fmt.Sprintf("differs from %s in %s", o.Count.ID, list(keys))
				}
				known = known && o.ArgumentsKnown()
			}
			if !known {
				return NotTestable, "arguments missing or presumed for this run or one beside it"
			}
			return Against, agree
		})
		for _, r := range v.supportedRuns(j.runs) {
			if from := r.Client.Merged.Workload.From; from.File != "" {
				j.evidence = append(j.evidence, from)
			}
		}
		return j
	},
}
