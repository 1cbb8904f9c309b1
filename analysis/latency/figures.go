package latency

import (
	"fmt"
	"math"
	"strings"

	"coldcase/ingest/capture"
)

// ttftNames are the printed first-token figures in the order in which they are
// shown.
var ttftNames = []string{
	"mean_ttft_ms", "median_ttft_ms", "std_ttft_ms", "p75_ttft_ms", "p90_ttft_ms",
	"p95_ttft_ms", "p99_ttft_ms", "p99.9_ttft_ms", "max_ttft_ms", "min_ttft_ms",
}

// otherNames are the printed figures that stand beside the first-token times.
var otherNames = []string{
	"mean_tpot_ms", "median_tpot_ms", "p99_tpot_ms", "mean_itl_ms", "median_itl_ms",
	"mean_e2e_latency_ms", "median_e2e_latency_ms",
}

// printed collects the client's figures with the line on which each stands. A
// text line says more to a reader than the head of a record, so the text is
// quoted where both hold the figure.
func printed(c *capture.Capture, r *capture.Run) []Figure {
	out := []Figure{}
	for _, name := range append(append([]string{}, ttftNames...), otherNames...) {
		f, ok := r.Merged.Printed[name]
		if !ok {
			continue
		}
		out = append(out, Figure{name, f.Value, FigureEvidence(c, r, name)})
	}
	return out
}

// FigureEvidence quotes the line on which a run's printed figure stands, nil if
// no result of the run holds it.
func FigureEvidence(c *capture.Capture, r *capture.Run, name string) *capture.Evidence {
	var found *capture.Evidence
	for _, res := range r.Results {
		f, ok := res.Printed[name]
		if !ok {
			continue
		}
		line := f.Line
		if line == 0 {
			line = res.Span.Line
		}
		e := c.Quote(res.Span.File, line)
		if strings.HasSuffix(string(res.Kind), "-bench-text") {
			return &e
		}
		if found == nil {
			found = &e
		}
	}
	return found
}

// requestTTFT returns the first-token times in ms by prompt, NaN where the
// request failed or gave no token, nil without per-request times.
func requestTTFT(r *capture.Run) []float64 {
	q := r.Merged.Requests
	if q == nil || len(q.TTFT) == 0 {
		return nil
	}
	out := make([]float64, len(q.TTFT))
	for i, s := range q.TTFT {
		out[i] = s * 1000
		if s < 0 || i < len(q.Failed) && q.Failed[i] {
			out[i] = math.NaN()
		}
	}
	return out
}

// computed gives the statistics of the per-request times under the printed
// names, quantiles by the rule of the client that printed them.
func computed(ttft []float64, rule string) []Figure {
	out := []Figure{}
	quantile := quantileBy(rule)
	s := Sorted(ttft)
	if len(s) == 0 {
		return out
	}
	out = append(out, Figure{Name: "mean_ttft_ms", Value: Mean(s)})
	for _, p := range percentiles {
		if p.q > 0.99 && len(s) < MinRequests(p.q) {
			continue
		}
		out = append(out, Figure{Name: p.name + "_ttft_ms", Value: quantile(s, p.q)})
	}
	return append(out, Figure{Name: "std_ttft_ms", Value: Std(s)},
		Figure{Name: "min_ttft_ms", Value: s[0]}, Figure{Name: "max_ttft_ms", Value: s[len(s)-1]})
}

// mismatches compares printed figures with those computed. A figure may differ
// by half of its last printed digit, and by one part in a million for records
// that were rounded on the way.
func mismatches(r *capture.Run, comp []Figure) []string {
	out := []string{}
	for _, f := range comp {
		p, ok := r.Merged.Printed[f.Name]
		if !ok {
			continue
		}
		tolerance := math.Max(1e-6*math.Abs(f.Value), 1e-6)
		if p.Digits >= 0 {
			tolerance += 0.5000001 * math.Pow(10, -float64(p.Digits))
		}
		if math.Abs(p.Value-f.Value) > tolerance {
			out = append(out, fmt.Sprintf("%s: printed %.5g, the per-request times give %.5g", f.Name, p.Value, f.Value))
		}
	}
	return out
}

// Figure returns a figure by its record name, the printed one first; ok is
// false if neither the client nor the per-request times give it. What is no
// finite number is not a figure: every comparison with it would be false, and a
// fault would read as none.
func (r *Run) Figure(name string) (float64, bool) {
	for _, list := range [][]Figure{r.Printed, r.Computed} {
		for _, f := range list {
			if f.Name == name && finite(f.Value) {
				return f.Value, true
			}
		}
	}
	return 0, false
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
