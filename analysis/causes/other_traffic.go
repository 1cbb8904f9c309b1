package causes

import (
	"fmt"

	"coldcase/analysis/latency"
)

var otherTraffic = definition{
	name: "other-traffic",
	predicts: []string{
		"more requests on the server than the client sent, or requests running before it starts",
		"cached prompts that no run of the capture sent before",
	},
	refutes: []string{
		"every request of the run's time is one of its prompts, its warm-ups or a health check",
	},
	settledBy: "an idle server of one's own: running and queued requests at 0 before each run",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			o := r.Count.Origins.OtherClient
			switch {
			case r.Facts.Foreign > 0 && o.Low > 0:
				return Supported, fmt.Sprintf("%d foreign requests in the run's time; %s prompts were cached by another client", r.Facts.Foreign, latency.CountText(o.Low, o.High))
			case o.Low > 0:
				return Supported, fmt.Sprintf("%s prompts were cached by another client", latency.CountText(o.Low, o.High))
			case r.Facts.Foreign > 0:
				return Supported, fmt.Sprintf("%d requests in the run's time are neither its prompts, its warm-ups nor health checks", r.Facts.Foreign)
			case r.Count.Verdict == "contaminated" && r.Count.Origins.EarlierRun.Low == 0 && r.Count.Predicted != nil && r.Count.Predicted.High != nil && *r.Count.Predicted.High == 0:
				return NotTestable, "prompts were warm that no run of the capture sent before: another client, or a run that the folder does not hold"
			case r.PartOfLog():
				return NotTestable, "the log holds a part of the run's time only"
			case r.Facts.Foreign < 0:
				return NotTestable, "the requests of the run's time cannot be counted"
			}
			return Against, fmt.Sprintf("every request of the run's time is the run's own or one of %d health checks", max(0, r.Facts.Health))
		})
		for _, r := range v.supportedRuns(j.runs) {
			for _, s := range r.Count.Source {
				if r.Facts.Log != nil && s.File == r.Facts.Log.File {
					j.evidence = append(j.evidence, v.in.Capture.Quote(s.File, s.Line))
				}
			}
			if len(j.evidence) == 0 {
				j.evidence = append(j.evidence, r.MeasuredEvidence()...)
			}
		}
		return j
	},
}
