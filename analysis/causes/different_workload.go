package causes

import "fmt"

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
		j.runs = v.each(func(r *run) (string, string) {
			known := argumentsKnown(r)
			for _, o := range v.runs {
				if o == r || sameCap(r, o) {
					continue
				}
				if keys := DiffWorkload(r.count, o.count); len(keys) > 0 {
					return Supported, fmt.Sprintf("differs from %s in %s", o.count.ID, list(keys))
				}
				known = known && argumentsKnown(o)
			}
			if !known {
				return NotTestable, "arguments missing or presumed for this run or one beside it"
			}
			return Against, "the arguments differ in cap, seed and number of prompts only"
		})
		for _, r := range v.supportedRuns(j.runs) {
			if from := r.client.Merged.Workload.From; from.File != "" {
				j.evidence = append(j.evidence, from)
			}
		}
		return j
	},
}

func sameCap(a, b *run) bool {
	return a.lat.Cap != nil && b.lat.Cap != nil && *a.lat.Cap == *b.lat.Cap
}
