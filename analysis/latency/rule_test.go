package latency_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"coldcase/analysis/latency"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

// TestNearestRank holds the rule against its definition: the least value with
// at least a share q of all at or below it.
func TestNearestRank(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for range 200 {
		n := 1 + r.IntN(60)
		v := make([]float64, n)
		for i := range v {
			v[i] = float64(r.IntN(40))
		}
		s := latency.Sorted(v)
		for percent := 1; percent <= 100; percent++ {
			want := math.NaN()
			for _, x := range s {
				atMost := 0
				for _, y := range s {
					if y <= x {
						atMost++
					}
				}
				if 100*atMost >= percent*n {
					want = x
					break
				}
			}
			if got := latency.NearestRank(s, float64(percent)/100); got != want {
				t.Fatalf("P%d of %v is %v, want %v", percent, s, got, want)
			}
		}
	}
	if got := latency.NearestRank(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("the median of nothing is %v", got)
	}
}

// TestPrintedQuantileByItsRule: first-token times of 1 to 16 ms and their
// percentiles by two rules. Read by the other rule each of them is wrong.
func TestPrintedQuantileByItsRule(t *testing.T) {
	for _, c := range []struct {
		rule    string
		printed map[string]float64
	}{
		{"nearest-rank", map[string]float64{"median_ttft_ms": 8, "p90_ttft_ms": 15, "p95_ttft_ms": 16}},
		{"", map[string]float64{"median_ttft_ms": 8.5, "p90_ttft_ms": 14.5, "p95_ttft_ms": 15.25}},
	} {
		for _, rule := range []string{"nearest-rank", ""} {
			w := latencytest.New()
			_, r := w.AddRun("run", 2, 16, 1)
			r.Merged.Quantiles = rule
			r.Merged.Requests = &capture.Requests{N: 16, InOrder: true}
			for i := range 16 {
				r.Merged.Requests.TTFT = append(r.Merged.Requests.TTFT, float64(16-i)/1000)
			}
			for name, v := range c.printed {
				latencytest.Print(r, name, v)
			}
			runs, _ := latency.Analyze(w.Capture, w.Count)
			want := 0
			if rule != c.rule {
				want = len(c.printed)
			}
			if got := runs[0].Mismatch; len(got) != want {
				t.Errorf("printed by rule %q, read by %q: %v, want %d mismatches", c.rule, rule, got, want)
			}
		}
	}
}

// TestWorkloadWithoutRate: a report that lost its arguments stands beside its
// twin.
func TestWorkloadWithoutRate(t *testing.T) {
	w := latencytest.New()
	d8, r8 := w.AddRun("c8", 8, 64, 7)
	d32, r32 := w.AddRun("c32", 32, 128, 7)
	latencytest.Print(r8, "median_ttft_ms", 370.9)
	latencytest.Print(r32, "median_ttft_ms", 180.5)
	d8.RequestRate = nil
	if latency.WorkloadKey(d8) != latency.WorkloadKey(d32) {
		t.Errorf("workloads %q and %q", latency.WorkloadKey(d8), latency.WorkloadKey(d32))
	}
	if _, inv := latency.Analyze(w.Capture, w.Count); inv == nil || inv.Statistic != "median_ttft_ms" {
		t.Errorf("inversion %+v, want the median's", inv)
	}
	d8.RequestRate = 4.0
	if latency.WorkloadKey(d8) == latency.WorkloadKey(d32) {
		t.Error("a rate of 4 a second is the same workload as a closed loop")
	}
}
