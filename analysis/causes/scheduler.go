package causes

import (
	"fmt"
	"slices"

	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

var scheduler = definition{
	name: "scheduler",
	predicts: []string{
		"a faster first token at the higher cap in clean runs too",
		"fuller prefill batches at the higher cap, with more tokens per second",
	},
	refutes: []string{
		"clean runs whose first token gets slower with the cap: a queue can only add waiting",
	},
	settledBy: "at least three seeds per cap, each with an empty cache, in shuffled order",
	judge:     judgeScheduler,
}

func judgeScheduler(v *view) judgement {
	inv := v.in.Inversion
	rising, evidence := statedRise(v)
	switch {
	case inv != nil && inv.Survives == "yes":
		runs := v.each(func(r *run) (string, string) {
			if !slices.Contains(inv.Runs, r.Count.ID) {
				return NotTestable, "not one of the runs between which the statistic falls"
			}
			return Supported, "the statistic falls with the load among runs without warm prompts as well" + oneRunEach(inv)
		})
		return judgement{runs: runs, seen: []string{inv.Text}, evidence: inversionEvidence(v)}
	case inv != nil && inv.Survives == "no":
		return judgement{runs: v.all(Against, "among the clean runs the first token gets slower with the load"), seen: []string{inv.Text}, evidence: inversionEvidence(v)}
	case rising != "":
		return judgement{runs: v.all(Against, "a table of other seeds states a first token that gets slower with the cap"), seen: []string{rising}, evidence: evidence}
	case inv != nil:
		return judgement{runs: v.all(NotTestable, "no clean runs at both caps"), seen: []string{inv.Text}, evidence: inversionEvidence(v)}
	case len(v.caps()) < 2:
		return judgement{runs: v.all(NotTestable, "one cap: nothing to compare")}
	}
	if dark := v.withoutMedian(); len(dark) > 0 {
		return judgement{runs: v.all(NotTestable, "no median first token for "+list(dark)+": a fall against the load is not excluded")}
	}
	return judgement{runs: v.all(Against, "no statistic of the first token improves with the load")}
}

// oneRunEach says that an inversion between two single runs may be chance.
func oneRunEach(inv *latency.Inversion) string {
	if len(inv.Runs) > 2 {
		return ""
	}
	return "; with one run at each cap chance is not excluded"
}

// withoutMedian names the runs with a cap whose median first token is missing.
func (v *view) withoutMedian() []string {
	var out []string
	for _, r := range v.runs {
		if m, ok := r.Lat.Figure("median_ttft_ms"); r.Lat.Cap != nil && (!ok || m <= 0) {
			out = append(out, r.Count.ID)
		}
	}
	return out
}

// statedRise looks for stated points of one label whose median rises with the
// cap.
func statedRise(v *view) (string, []capture.Evidence) {
	if v.in.Capture == nil {
		return "", nil
	}
	points := v.in.Capture.Notes.Points
	for i, a := range points {
		for _, b := range points[i+1:] {
			if a.Label != b.Label || a.Cap == nil || b.Cap == nil || a.MedianTTFT == nil || b.MedianTTFT == nil || *a.Cap == *b.Cap {
				continue
			}
			low, high := a, b
			if *low.Cap > *high.Cap {
				low, high = b, a
			}
			if *high.MedianTTFT > *low.MedianTTFT {
				return fmt.Sprintf("stated: %.2f ms at cap %d and %.2f ms at cap %d (%s)", *low.MedianTTFT, *low.Cap, *high.MedianTTFT, *high.Cap, low.Label),
					[]capture.Evidence{low.At, high.At}
			}
		}
	}
	return "", nil
}
