package causes

import "testing"

// Clients print a number as it was typed.
func TestSameValue(t *testing.T) {
	for _, c := range []struct {
		a, b any
		want bool
	}{
		{"0", "0.0", true}, {0, "0.0", true}, {1.0, 1, true}, {"random", "random", true},
		{"0", "0.5", false}, {"random", "sharegpt", false}, {"1", "true", false}, {nil, "0", false},
	} {
		if got := sameValue(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}
