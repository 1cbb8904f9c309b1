package nesting

import "testing"

func TestPoissonBound(t *testing.T) {
	for _, c := range []struct {
		mean float64
		want int64
	}{
		// The least k with P(X <= k) >= 0.999, by the table of the Poisson
		// distribution.
		{0, 0}, {0.01, 1}, {0.5, 4}, {1, 5}, {2, 8}, {5, 13}, {10, 21},
	} {
		if got := poissonBound(c.mean); got != c.want {
			t.Errorf("a mean of %v: at most %d at 99.9 %%, want %d", c.mean, got, c.want)
		}
	}
	if got := poissonBound(5000); got < 5200 || got > 5300 {
		t.Errorf("a mean of 5000: at most %d at 99.9 %%, want about 5,220", got)
	}
}
