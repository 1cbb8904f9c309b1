package causes

import "fmt"

// capReached is the share of the cap that mean concurrency has to reach.
const capReached = 0.9

var clientLimit = definition{
	name: "client-limit",
	predicts: []string{
		"fewer requests in flight than the cap, on average",
		"schedule delays in the client",
	},
	refutes: []string{
		"a mean concurrency at the cap",
	},
	settledBy: "the same load from several client processes, with the client's processor watched",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			mean, ok := r.Printed("concurrency")
			if !ok || r.Lat.Cap == nil || mean <= 0 {
				return NotTestable, "no mean concurrency, or no cap"
			}
			// The last wave of a closed loop runs out; a run of few waves
			// stays below its cap for that reason alone.
			if waves := float64(r.Lat.N) / float64(*r.Lat.Cap); mean < capReached*float64(*r.Lat.Cap) && waves >= 4 {
				j.evidence = append(j.evidence, v.figureEvidence(r, "concurrency")...)
				return Supported, fmt.Sprintf("mean concurrency %.2f at a cap of %d", mean, *r.Lat.Cap)
			}
			return Against, fmt.Sprintf("mean concurrency %.2f at a cap of %d", mean, *r.Lat.Cap)
		})
		return j
	},
}
