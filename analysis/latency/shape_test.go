package latency

import (
	"math"
	"testing"
)

func repeat(v float64, n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v + float64(i)*0.01
	}
	return out
}

func join(parts ...[]float64) []float64 {
	var out []float64
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

func TestRequestGroups(t *testing.T) {
	for _, c := range []struct {
		name       string
		ttft       []float64
		fast, slow int
	}{
		{"one level", repeat(100, 64), 0, 0},
		{"half and half", join(repeat(100, 64), repeat(900, 64)), 64, 64},
		{"one slow request is an outlier, not a group", join(repeat(100, 63), repeat(900, 1)), 0, 0},
		{"a ratio below 1.5 is not a gap", join(repeat(100, 32), repeat(140, 32)), 0, 0},
		{"an even slope has no gap", func() []float64 {
			var v []float64
			for i := range 64 {
				v = append(v, 10*math.Pow(1.1, float64(i)))
			}
			return v
		}(), 0, 0},
		{"failed requests are left out", join(repeat(100, 16), []float64{math.NaN()}, repeat(900, 16)), 16, 16},
		{"too few", []float64{1, 100}, 0, 0},
	} {
		g := requestGroups(c.ttft, nil)
		if c.fast == 0 {
			if len(g) != 0 {
				t.Errorf("%s: groups %v, want none", c.name, g)
			}
			continue
		}
		if len(g) != 2 || g[0].N != c.fast || g[1].N != c.slow || g[0].Hits != -1 {
			t.Errorf("%s: groups %+v, want %d and %d with unknown hits", c.name, g, c.fast, c.slow)
		}
	}
}

// TestFastIsNotCached: a witness may say that the slow group is the warm one.
func TestFastIsNotCached(t *testing.T) {
	ttft := join(repeat(1260, 8), repeat(140, 56))
	hits := make([]uint8, 64)
	for i := range hits {
		hits[i] = 1
		if i < 8 {
			hits[i] = 4
		}
	}
	g := requestGroups(ttft, hits)
	if len(g) != 2 || g[0].Hits != 0 || g[1].Hits != 8 {
		t.Fatalf("groups %+v, want no hit in the fast and 8 in the slow group", g)
	}
}

func TestWaves(t *testing.T) {
	hits := []uint8{4, 4, 1, 1, 1}
	w := waves([]float64{10, 11, 50, 51, 52}, hits, 2)
	if len(w) != 3 || w[0].Hits != 2 || w[1].Median != 50.5 || w[2].N != 1 {
		t.Errorf("waves %+v", w)
	}
	if got := waves([]float64{math.NaN(), math.NaN(), 5, 6}, nil, 2); len(got) != 1 || got[0].First != 2 || got[0].Hits != -1 {
		t.Errorf("a wave of failed requests has no median: %+v", got)
	}
}

func TestPlateaus(t *testing.T) {
	for _, c := range []struct {
		name     string
		n        int
		p        map[string]float64
		from, to string
		requests int
	}{
		{"the incident at cap 8", 64, map[string]float64{"p90": 1189.25, "p95": 1194.16, "p99": 1194.93}, "p90", "p99", 7},
		{"the incident at cap 32", 128, map[string]float64{"p90": 2887.53, "p95": 2889.80, "p99": 2910.22}, "p90", "p99", 13},
		{"only the end", 64, map[string]float64{"p90": 500, "p95": 1259, "p99": 1260}, "p95", "p99", 4},
		{"a slope", 64, map[string]float64{"p90": 500, "p95": 600, "p99": 700}, "", "", 0},
		{"zeros", 64, map[string]float64{"p90": 0, "p95": 0, "p99": 0}, "", "", 0},
	} {
		got := plateaus(func(name string) (float64, bool) {
			v, ok := c.p[name[:3]]
			return v, ok && name[3:] == "_ttft_ms"
		}, c.n)
		if c.from == "" {
			if len(got) != 0 {
				t.Errorf("%s: plateaus %v, want none", c.name, got)
			}
			continue
		}
		if len(got) != 1 || got[0].From != c.from || got[0].To != c.to || got[0].Requests != c.requests {
			t.Errorf("%s: plateaus %+v, want %s to %s of %d", c.name, got, c.from, c.to, c.requests)
		}
	}
}

// TestModel checks the queue model on cases small enough to do by hand.
func TestModel(t *testing.T) {
	base := model{prompts: 2, cap: 1, length: 100, output: 3, rate: 1000, over: 10, decode: 5, warmCost: 1}
	alone := base.run()
	if alone[0] != 110 || alone[1] != 110 {
		t.Errorf("one client: %v, want 110 ms twice (10 ms and 100 tokens at 1,000/s)", alone)
	}
	two := base
	two.cap = 2
	if got := two.run(); got[0] != 210 || got[1] != 210 {
		t.Errorf("two together: %v, want one batch of 200 tokens, 210 ms", got)
	}
	two.second = 1 // the second prompt arrives when the first is done
	if got := two.run(); got[0] != 110 || math.Abs(got[1]-110) > 1e-9 {
		t.Errorf("staggered: %v, want 110 ms each", got)
	}
	chunked := base
	chunked.chunk = 60
	if got := chunked.run(); math.Abs(got[0]-120) > 1e-9 {
		t.Errorf("chunked: %v, want two batches, 120 ms", got)
	}
	warm := base
	warm.warm = func(p int) bool { return p == 1 }
	if got := warm.run(); got[0] != 110 || got[1] != 11 {
		t.Errorf("second prompt warm: %v, want 110 and 11 ms", got)
	}
}

// TestModelGrowsWithLoad: no queue makes the first token faster under load.
func TestModelGrowsWithLoad(t *testing.T) {
	last := 0.0
	for _, limit := range []int{1, 2, 4, 8, 16, 32, 64} {
		m := model{prompts: 4 * limit, cap: limit, length: 512, output: 128, rate: 5800, over: 15, chunk: 8192, decode: 12, slope: 0.35, second: float64(limit)}
		median := Median(m.run())
		if median < last {
			t.Errorf("cap %d: median %g ms, less than %g at the cap before", limit, median, last)
		}
		last = median
	}
}
