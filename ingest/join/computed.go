package join

import (
	"math"
	"sort"

	"coldcase/ingest/capture"
)

// computedFrom counts the latencies printed in one result that can be computed
// from the requests of the other: a file of single requests and a file of
// summaries have no printed figure in common, and are the same measurement if
// the means and medians meet. A figure that does not meet says nothing, because
// clients differ in what they leave out.
func computedFrom(requests, printed *capture.Result) (n int) {
	q := requests.Requests
	if q == nil || printed.Requests != nil || len(printed.Printed) == 0 {
		return 0
	}
	for name, seconds := range map[string][]float64{"ttft": q.TTFT, "e2e_latency": q.E2E, "tpot": q.TPOT} {
		v := finished(seconds, q.Failed)
		if len(v) < 3 {
			continue
		}
		for prefix, x := range map[string]float64{"mean_": mean(v), "median_": median(v)} {
			f, ok := printed.Printed[prefix+name+"_ms"]
			if ok && f.Value > 0 && meets(f, 1000*x) {
				n++
			}
		}
	}
	return n
}

// finished are the times of requests that did not fail.
func finished(seconds []float64, failed []bool) []float64 {
	var out []float64
	for i, s := range seconds {
		if s > 0 && !math.IsNaN(s) && (failed == nil || !failed[i]) {
			out = append(out, s)
		}
	}
	return out
}

// meets compares a printed figure with a computed one, which has the rounding
// of its sums.
func meets(f capture.Figure, x float64) bool {
	tolerance := 1e-6 * f.Value
	if f.Digits >= 0 {
		if f.Value*math.Pow(10, float64(f.Digits)) < 1000 {
			return false // too few digits to tell runs apart
		}
		tolerance += 0.5 * math.Pow(10, -float64(f.Digits))
	}
	return math.Abs(f.Value-x) <= tolerance
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

func median(v []float64) float64 {
	s := append([]float64(nil), v...)
	sort.Float64s(s)
	m := len(s) / 2
	if len(s)%2 == 1 {
		return s[m]
	}
	return (s[m-1] + s[m]) / 2
}
