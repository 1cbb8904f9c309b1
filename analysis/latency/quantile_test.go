package latency

import (
	"math"
	"math/rand"
	"testing"
)

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []float64
		q      float64
		want   float64
	}{
		{"one value", []float64{7}, 0.99, 7},
		{"between two", []float64{1, 2}, 0.5, 1.5},
		{"numpy: percentile([1, 2, 3, 4], 90)", []float64{1, 2, 3, 4}, 0.9, 3.7},
		{"numpy: percentile([10, 20, 40], 25)", []float64{10, 20, 40}, 0.25, 15},
		{"maximum", []float64{1, 5, 9}, 1, 9},
	} {
		if got := Quantile(c.values, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: Quantile(%v, %g) = %g, want %g", c.name, c.values, c.q, got, c.want)
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("the quantile of nothing is not NaN")
	}
}

// TestQuantileInvertsECDF holds Quantile against its definition: at the rank of
// a value it returns that value, and between two ranks it is linear.
func TestQuantileInvertsECDF(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		v := make([]float64, 2+rng.Intn(50))
		for i := range v {
			v[i] = rng.Float64() * 1000
		}
		s := Sorted(v)
		n := len(s)
		for i := range s {
			if got := Quantile(s, float64(i)/float64(n-1)); math.Abs(got-s[i]) > 1e-6 {
				t.Fatalf("n %d: rank %d gives %g, want %g", n, i, got, s[i])
			}
			if i+1 < n {
				want := (s[i] + s[i+1]) / 2
				if got := Quantile(s, (float64(i)+0.5)/float64(n-1)); math.Abs(got-want) > 1e-6 {
					t.Fatalf("n %d: half a rank after %d gives %g, want %g", n, i, got, want)
				}
			}
		}
	}
}

func TestECDF(t *testing.T) {
	got := ECDF([]float64{3, 1, math.NaN(), 3, 2})
	want := []Step{{1, 0.25}, {2, 0.5}, {3, 1}}
	if len(got) != len(want) {
		t.Fatalf("ECDF has %d steps, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("step %d is %v, want %v", i, got[i], want[i])
		}
	}
}

// TestMinRequests checks the published table against a search: the least n
// whose maximum exceeds the quantile with a probability of 95 %.
func TestMinRequests(t *testing.T) {
	for q, want := range map[float64]int{0.9: 29, 0.95: 59, 0.99: 299, 0.999: 2995} {
		n := 1
		for math.Pow(q, float64(n)) > 0.05 {
			n++
		}
		if n != want {
			t.Fatalf("the search gives %d for %g, the table %d", n, q, want)
		}
		if got := MinRequests(q); got != want {
			t.Errorf("MinRequests(%g) = %d, want %d", q, got, want)
		}
	}
	for n, want := range map[int]int{0: 0, 10: 1, 28: 2, 29: 3, 58: 3, 59: 4, 298: 4, 299: 5, 2995: 6} {
		if got := allowed(n); len(got) != want {
			t.Errorf("%d requests carry %v, want %d percentiles", n, got, want)
		}
	}
}
