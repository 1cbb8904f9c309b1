package causes

import (
	"fmt"
	"math"
)

// Tolerances for mean output lengths.
const (
	outputOff    = 0.10 // of what was asked for
	outputDiffer = 0.05 // between compared runs
)

var outputLength = definition{
	name: "output-length",
	predicts: []string{
		"mean outputs that differ between the compared runs, or from what was asked for",
		"in a closed loop shorter outputs send the next prompts sooner",
	},
	refutes: []string{
		"the same mean output in all compared runs, as asked for",
	},
	settledBy: "the same runs with the end-of-sequence token ignored",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			mean, ok := r.OutputTokens()
			if !ok {
				return NotTestable, "no output tokens in the results"
			}
			if asked := r.Client.Merged.Workload.OutputLen; asked != nil && *asked > 0 && r.FixedLengths() && math.Abs(mean/float64(*asked)-1) > outputOff {
				return Supported, fmt.Sprintf("mean output %.1f tokens, %d asked for", mean, *asked)
			}
			for _, o := range v.runs {
				other, ok := o.OutputTokens()
				if ok && o != r && math.Abs(mean/other-1) > outputDiffer {
					return Supported, fmt.Sprintf("mean output %.1f tokens, %.1f in %s", mean, other, o.Count.ID)
				}
			}
			return Against, fmt.Sprintf("mean output %.1f tokens, as in the other runs", mean)
		})
		return j
	},
}
