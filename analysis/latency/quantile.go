package latency

import (
	"math"
	"slices"
)

// Quantile returns the type-7 quantile of sorted values, the linear
// interpolation that numpy.percentile uses and the clients print. q is in
// [0, 1]; the result is NaN if there are no values.
func Quantile(sorted []float64, q float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	h := q * float64(n-1)
	i := int(math.Floor(h))
	if i >= n-1 {
		return sorted[n-1]
	}
	return sorted[i] + (h-float64(i))*(sorted[i+1]-sorted[i])
}

// NearestRank returns the smallest of sorted values at or below which a share q
// of them lies: always a value that was observed. GuideLLM and EvalScope print
// their percentiles so, the median too. NaN if there are no values.
func NearestRank(sorted []float64, q float64) float64 {
	n := len(sorted)
	if n == 0 {
		return math.NaN()
	}
	// The product may miss a whole rank by its last bit.
	rank := int(math.Ceil(q*float64(n) - 1e-9))
	return sorted[min(n, max(1, rank))-1]
}

// quantileBy is the quantile function of a client's rule (Result.Quantiles).
func quantileBy(rule string) func(sorted []float64, q float64) float64 {
	if rule == "nearest-rank" {
		return NearestRank
	}
	return Quantile
}

// Mean returns the arithmetic mean, NaN if there are no values.
func Mean(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// Std returns the population standard deviation, as numpy.std and the clients
// compute it.
func Std(v []float64) float64 {
	m := Mean(v)
	sum := 0.0
	for _, x := range v {
		sum += (x - m) * (x - m)
	}
	return math.Sqrt(sum / float64(len(v)))
}

// Median returns the median of values in any order.
func Median(v []float64) float64 { return Quantile(Sorted(v), 0.5) }

// Sorted returns the finite values in ascending order, in a new slice.
func Sorted(v []float64) []float64 {
	out := make([]float64, 0, len(v))
	for _, x := range v {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			out = append(out, x)
		}
	}
	slices.Sort(out)
	return out
}

// Step is one step of an empirical distribution: the share of values that are
// at most X.
type Step struct{ X, Share float64 }

// ECDF returns the empirical distribution of the values, one step per distinct
// value. Nothing is thinned: thinning hides tails.
func ECDF(v []float64) []Step {
	s := Sorted(v)
	var out []Step
	for i, x := range s {
		share := float64(i+1) / float64(len(s))
		if len(out) > 0 && out[len(out)-1].X == x {
			out[len(out)-1].Share = share
			continue
		}
		out = append(out, Step{x, share})
	}
	return out
}

// MinRequests is the smallest n at which the sample's maximum bounds the
// quantile q from above with 95 % confidence: the least n with q^n <= 0.05.
// It is 29 for P90, 59 for P95, 299 for P99 and 2,995 for P99.9.
func MinRequests(q float64) int {
	if q <= 0 || q >= 1 {
		return 1
	}
	return int(math.Ceil(math.Log(0.05) / math.Log(q)))
}

// percentiles are the quantiles that clients print, by the name of the record.
var percentiles = []struct {
	name string
	q    float64
}{
	{"median", 0.5}, {"p75", 0.75}, {"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999},
}

// allowed lists the percentiles that n requests carry.
func allowed(n int) []string {
	out := []string{}
	for _, p := range percentiles {
		if p.q == 0.5 && n > 0 || p.q > 0.5 && n >= MinRequests(p.q) {
			out = append(out, p.name)
		}
	}
	return out
}
