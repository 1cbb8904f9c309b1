package causes

import (
	"fmt"

	"coldcase/analysis/latency"
)

// sharedShare is the share of a run's prompts from which sharing inside the run
// is more than chance equalities of a small vocabulary.
const sharedShare = 0.01

var inRunSharing = definition{
	name: "in-run-sharing",
	predicts: []string{
		"hits that grow with the order of requests, also on a fresh server",
		"the first prompt of each shared prefix is cold",
	},
	refutes: []string{
		"prompts that are equal or unrelated by the rule of their dataset",
		"hits on the first requests of the run",
	},
	settledBy: "the same run with prompts that share no prefix",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			o, n := r.Count.Origins.InRun, float64(r.Prompts())
			switch {
			case r.Count.PrefixCache == "off":
				return Against, "the prefix cache is off"
			case o.Low > 0 && float64(o.Low) >= sharedShare*n:
				return Supported, fmt.Sprintf("%s of %.0f prompts share a prefix with an earlier prompt of the same run", latency.CountText(o.Low, o.High), n)
			case o.High != nil && (*o.High == 0 || float64(*o.High) < sharedShare*n):
				if *o.High == 0 {
					return Against, "no prompt shares its prefix with an earlier prompt of the same run"
				}
				return Against, fmt.Sprintf("%s of %.0f prompts share a prefix with an earlier prompt of the same run", latency.CountText(o.Low, o.High), n)
			}
			return NotTestable, "nothing bounds what the prompts of this run share"
		})
		for _, r := range v.supportedRuns(j.runs) {
			evidence := r.MeasuredEvidence()
			if from := r.Client.Merged.Workload.From; len(evidence) == 0 && from.File != "" {
				evidence = append(evidence, from)
			} else if len(evidence) == 0 {
				evidence = v.resultEvidence(r)
			}
			j.evidence = append(j.evidence, evidence...)
			j.seen = append(j.seen, fmt.Sprintf("%s: %s prompts hit a prefix of the same run", r.Count.ID, latency.CountText(r.Count.Origins.InRun.Low, r.Count.Origins.InRun.High)))
			if w := r.Client.Merged.Workload; w.Groups != nil && w.PerGroup != nil {
				j.seen = append(j.seen, fmt.Sprintf("%s: the arguments declare %d groups of %d prompts with a shared prefix", r.Count.ID, *w.Groups, *w.PerGroup))
			}
		}
		return j
	},
}
