package carryover

import (
	"fmt"
	"math"
	"slices"

	"coldcase/ingest/capture"
)

// groupGap is the ratio between neighbouring first-token times that makes two
// groups of them.
const groupGap = 1.5

// latencyGroups suspects hits from the shape of the first-token times. A shape
// names no prompt, and a warm prompt can be the slow one, so its interval stays
// open.
func latencyGroups(k *runCase) (finding, bool) {
	m := &k.run.Merged
	if m.Requests != nil && len(m.Requests.TTFT) > 0 {
		share, ok := fastShare(m.Requests.TTFT, m.Requests.Failed)
		if !ok {
			return finding{}, false
		}
		f := silent("latency-groups", fmt.Sprintf("%.0f %% of the first-token times lie in a fast group; a shape is no count, and a warm prompt can be slow", 100*share))
		f.grade = Suspected
		if len(k.run.Spans) > 0 {
			f.evidence = []capture.Evidence{k.quote(k.run.Spans[0].File, k.run.Spans[0].Line)}
		}
		return f, true
	}
	mean, okm := m.Printed["mean_ttft_ms"]
	median, okd := m.Printed["median_ttft_ms"]
	if !okm || !okd || median.Value <= 0 || mean.Value/median.Value < groupGap {
		return finding{}, false
	}
	f := silent("latency-groups", fmt.Sprintf("the mean is %.2f times the median: there is a fast group of about half the requests or more; a shape is no count", mean.Value/median.Value))
	f.grade = Suspected
	f.evidence = figureEvidence(k, median)
	return f, true
}

func figureEvidence(k *runCase, f capture.Figure) []capture.Evidence {
	for _, r := range k.run.Results {
		if g, ok := r.Printed["median_ttft_ms"]; ok && g.Line > 0 && g.Value == f.Value {
			return []capture.Evidence{k.quote(r.Span.File, g.Line)}
		}
	}
	return nil
}

// fastShare is the share of times below the widest relative gap, if there is
// one.
func fastShare(ttft []float64, failed []bool) (float64, bool) {
	var v []float64
	for i, t := range ttft {
		if t > 0 && !math.IsNaN(t) && (i >= len(failed) || !failed[i]) {
			v = append(v, t)
		}
	}
	if len(v) < 8 {
		return 0, false
	}
	slices.Sort(v)
	at, widest := 0, 0.0
	for i := len(v) / 20; i+1 < len(v)-len(v)/20; i++ {
		if r := v[i+1] / v[i]; r > widest {
			at, widest = i+1, r
		}
	}
	if widest < groupGap {
		return 0, false
	}
	return float64(at) / float64(len(v)), true
}
