package record

import (
	"math"
	"slices"
)

// figures are mean, median, standard deviation, P90, P95 and P99 of times in
// seconds, in ms; nil without values. Percentiles are interpolated between
// neighbours and the deviation is the population's, as numpy gives them to the
// engines' own clients: the record prints what those would print.
func figures(seconds []float64) (mean, median, std, p90, p95, p99 *float64) {
	n := float64(len(seconds))
	if n == 0 {
		return
	}
	v := slices.Sorted(slices.Values(seconds))
	sum, squares := 0.0, 0.0
	for _, x := range v {
		sum += x
	}
	m := sum / n
	for _, x := range v {
		squares += (x - m) * (x - m)
	}
	ms := func(f float64) *float64 { f *= 1000; return &f }
	return ms(m), ms(percentile(v, 50)), ms(math.Sqrt(squares / n)), ms(percentile(v, 90)), ms(percentile(v, 95)), ms(percentile(v, 99))
}

// percentile interpolates between the two neighbours of a rank of sorted
// values, of which there is at least one.
func percentile(sorted []float64, p float64) float64 {
	rank := p / 100 * float64(len(sorted)-1)
	i := int(rank)
	if i == len(sorted)-1 {
		return sorted[i]
	}
	return sorted[i] + (rank-float64(i))*(sorted[i+1]-sorted[i])
}
