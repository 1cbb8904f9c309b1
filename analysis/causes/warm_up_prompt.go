package causes

import (
	"fmt"

	"coldcase/analysis/latency"
)

var warmUpPrompt = definition{
	name: "warm-up-prompt",
	predicts: []string{
		"exactly the prompts that the client's warm-up sent are cached, usually prompt 1 alone",
		"one fast request of many: no effect on a median",
	},
	refutes: []string{
		"a flush between warm-up and run",
		"prompt 1 cold, or many prompts cached",
	},
	settledBy: "a warm-up with prompts of its own, or a flush after it",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			o := r.Count.Origins.WarmUp
			switch {
			case r.Count.PrefixCache == "off":
				return Against, "the prefix cache is off"
			case o.Low > 0:
				return Supported, fmt.Sprintf("%s of %d prompts left by the run's own warm-up", latency.CountText(o.Low, o.High), r.Prompts())
			case o.High != nil && *o.High == 0:
				return Against, "no prompt was left by the warm-up"
			}
			return NotTestable, "no witness tells the warm-up's prompt from the others"
		})
		for _, r := range v.supportedRuns(j.runs) {
			j.evidence = append(j.evidence, r.MeasuredEvidence()...)
			if n := r.Prompts(); n > 0 {
				j.seen = append(j.seen, fmt.Sprintf("%s: %d of %d prompts left by its own warm-up (%.1f %%)", r.Count.ID, r.Count.Origins.WarmUp.Low, n, 100*float64(r.Count.Origins.WarmUp.Low)/float64(n)))
			}
		}
		return j
	},
}
