package latency_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis/latency"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

func analyze(t *testing.T, name string, lean bool) ([]*latency.Run, *latency.Inversion) {
	t.Helper()
	w, err := latencytest.Real(name, lean)
	if err != nil {
		t.Fatal(err)
	}
	return latency.Analyze(w.Capture, w.Count)
}

func within(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance*want {
		t.Errorf("%s is %.1f, want %.1f within %.0f %%", what, got, want, 100*tolerance)
	}
}

// TestIncidentApart derives the published incident's arithmetic: at cap 8 eight
// fast, eight in a slow first wave and 48 cold ones near 694 ms; at cap 32 half
// and half; one prefill rate behind both.
func TestIncidentApart(t *testing.T) {
	w := latencytest.Incident()
	runs, inv := latency.Analyze(w.Capture, w.Count)
	c8, c32 := runs[0], runs[1]
	if c8.Apart == nil || !c8.Apart.SlowFirstWave || len(c8.Groups) != 3 {
		t.Fatalf("cap 8 taken apart: %+v", c8.Apart)
	}
	for i, want := range []int{8, 48, 8} {
		if c8.Groups[i].N != want {
			t.Errorf("cap 8, group %s has %d requests, want %d", c8.Groups[i].Name, c8.Groups[i].N, want)
		}
	}
	within(t, "the cold level at cap 8", c8.Groups[1].High, 694, 0.01)
	within(t, "the rate at cap 8", c8.PrefillRate.TokensPerS, 5900, 0.01)
	within(t, "the rate at cap 32", c32.PrefillRate.TokensPerS, 5670, 0.01)
	within(t, "the mean given back at cap 8", c8.Apart.MeanBack, 681.92, 1e-9)
	if got := sits(c8, "median_ttft_ms"); got != "cold" {
		t.Errorf("the median of cap 8 sits in %q, want cold", got)
	}
	if got := sits(c32, "median_ttft_ms"); got != "edge" {
		t.Errorf("the median of cap 32 sits in %q, want edge", got)
	}
	if _, _, spread := latency.Agreement(runs); spread > 1.05 {
		t.Errorf("the runs' rates differ by a factor of %.3f, want one rate within 5 %%", spread)
	}
	within(t, "the predicted clean median at cap 8", c8.Predicted.Median, 720, 0.1)
	if m := c32.Predicted.Median; m < 1500 || m > 2210 {
		t.Errorf("the predicted clean median at cap 32 is %.0f ms, want 1,500 to 2,200", m)
	}
	if inv == nil || inv.Statistic != "median_ttft_ms" || inv.MadeBy != c32.Run || inv.Survives != "unknown" {
		t.Errorf("inversion %+v, want the median's, made by cap 32", inv)
	}
	if !strings.Contains(strings.Join(c8.Apart.Text, "\n"), "slow although it is warm") {
		t.Errorf("cap 8 does not say that its warm first wave is slow: %q", c8.Apart.Text)
	}
}

func sits(r *latency.Run, figure string) string {
	for _, s := range r.SitsIn {
		if s.Figure == figure {
			return s.Group
		}
	}
	return ""
}

// TestAccuracy fits the queue model on contaminated runs alone and lays its
// medians beside those that clean sweeps measured. The table is kept as a file:
// a change of the model shows as a change of its error.
func TestAccuracy(t *testing.T) {
	var b strings.Builder
	b.WriteString("kit  cap  printed  predicted  range          measured, fresh seeds    error of the middle one\n")
	for _, pair := range [][2]string{{"s22", "s23"}, {"s01", "s02"}} {
		for _, lean := range []bool{false, true} {
			kit, _ := analyze(t, pair[0], lean)
			clean, _ := analyze(t, pair[1], lean)
			for _, r := range kit {
				if r.Predicted == nil {
					continue
				}
				var measured []float64
				for _, c := range clean {
					if *c.Cap == *r.Cap {
						m, _ := c.Figure("median_ttft_ms")
						measured = append(measured, m)
					}
				}
				printed, _ := r.Figure("median_ttft_ms")
				middle := latency.Median(measured)
				off := r.Predicted.Median/middle - 1
				name := pair[0]
				if lean {
					name += " lean"
				}
				fmt.Fprintf(&b, "%-8s %3d %8.1f %9.1f  %6.1f–%-6.1f  %v  %+.1f %%\n", name, *r.Cap, printed, r.Predicted.Median,
					r.Predicted.MedianLow, r.Predicted.MedianHigh, latency.Sorted(measured), 100*off)
				if math.Abs(off) > 0.2 {
					t.Errorf("%s cap %d: predicted %.1f ms, measured %.1f ms", name, *r.Cap, r.Predicted.Median, middle)
				}
			}
		}
	}
	golden(t, "accuracy.txt", b.String())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		if os.Getenv("UPDATE_GOLDEN") != "" {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it); got:\n%s", path, got)
	}
}

func TestRealRuns(t *testing.T) {
	for _, c := range []struct {
		name, inversion, madeBy string
	}{
		{"s22", "median_ttft_ms", "bench-random-c32.jsonl:1"},
		{"s23", "", ""},
		{"s02", "", ""},
	} {
		runs, inv := analyze(t, c.name, false)
		if (inv == nil) != (c.inversion == "") || inv != nil && (inv.Statistic != c.inversion || inv.MadeBy != c.madeBy) {
			t.Errorf("%s: inversion %+v, want %q made by %q", c.name, inv, c.inversion, c.madeBy)
		}
		for _, r := range runs {
			if len(r.Mismatch) > 0 {
				t.Errorf("%s %s: %v", c.name, r.Run, r.Mismatch)
			}
		}
	}
}

func TestRatesOfTheLog(t *testing.T) {
	runs, _ := analyze(t, "s22", false)
	within(t, "rate by the log at cap 32", runs[2].LogRate.TokensPerS, 9850, 0.01)
	within(t, "rate by the waves at cap 32", runs[2].PrefillRate.TokensPerS, 9850, 0.05)
	if len(runs[2].LogRate.Evidence) == 0 || runs[2].LogRate.Evidence[0].File != "server.log" {
		t.Errorf("the rate of the log names no line: %+v", runs[2].LogRate)
	}
	if g := runs[1].Groups; len(g) != 2 || g[0].Hits != 16 || g[1].Hits != 0 {
		t.Errorf("cap 8: groups %+v, want all 16 hits in the fast one", g)
	}
}

func TestMismatchIsFound(t *testing.T) {
	w, err := latencytest.Real("s22", false)
	if err != nil {
		t.Fatal(err)
	}
	w.Capture.Runs[1].Merged.Printed["median_ttft_ms"] = capture.Figure{Value: 371.9, Digits: 2}
	runs, _ := latency.Analyze(w.Capture, w.Count)
	if len(runs[1].Mismatch) != 1 {
		t.Errorf("mismatches %v, want the median's", runs[1].Mismatch)
	}
}

func TestZeroMedianGivesNoGroups(t *testing.T) {
	w := latencytest.New()
	_, r := w.AddRun("client.txt:1", 32, 400, 3)
	r.Merged.Completed = latencytest.Ptr(371)
	latencytest.Print(r, "mean_ttft_ms", 8120.40, "median_ttft_ms", 0.0, "p99_ttft_ms", 51877.02)
	runs, _ := latency.Analyze(w.Capture, w.Count)
	if len(runs[0].Groups) != 0 || runs[0].Apart != nil || len(runs[0].Warnings) == 0 {
		t.Errorf("a median of 0: %+v", runs[0])
	}
}

func TestSurvives(t *testing.T) {
	w := latencytest.New()
	add := func(id string, limit int, seed int64, median float64, warm bool) {
		d, r := w.AddRun(id, limit, 64, seed)
		latencytest.Print(r, "median_ttft_ms", median)
		if warm {
			latencytest.Warm(d, 32)
		}
	}
	add("c8", 8, 7, 400, false)
	add("c32", 32, 7, 200, true)
	if _, inv := latency.Analyze(w.Capture, w.Count); inv == nil || inv.Survives != "unknown" {
		t.Errorf("no clean point at cap 32: %+v", inv)
	}
	add("c32-fresh", 32, 8, 900, false)
	if _, inv := latency.Analyze(w.Capture, w.Count); inv == nil || inv.Survives != "no" {
		t.Errorf("clean points do not invert: %+v", inv)
	}
	add("c8-other", 8, 9, 1000, false)
	add("c8-again", 8, 10, 190, false)
	if _, inv := latency.Analyze(w.Capture, w.Count); inv != nil {
		t.Errorf("the seeds at cap 8 spread over the difference: %+v", inv)
	}
}

func TestSpreads(t *testing.T) {
	w := latencytest.New()
	for i, v := range []float64{100, 104, 98, 101, 103, 99} {
		_, r := w.AddRun(fmt.Sprintf("run%d", i), 8, 64, int64(i))
		latencytest.Print(r, "median_ttft_ms", v)
	}
	runs, _ := latency.Analyze(w.Capture, w.Count)
	s := latency.Spreads(w.Count, runs, "median_ttft_ms")
	if len(s) != 1 || s[0].Low != 98 || s[0].High != 104 || s[0].Interval == nil || s[0].Interval[0] != 98 || s[0].Interval[1] != 104 {
		t.Errorf("six runs: %+v", s)
	}
	few := latency.Spreads(w.Count, runs[:3], "median_ttft_ms")
	if few[0].Interval != nil || len(few[0].Warnings) == 0 {
		t.Errorf("three runs carry no interval: %+v", few[0])
	}
}

// TestNoPlateauAtCapOne: one request at a time shares no prefill batch, however
// near its percentiles lie.
func TestNoPlateauAtCapOne(t *testing.T) {
	for limit, want := range map[int]int{1: 0, 8: 1} {
		w := latencytest.New()
		_, r := w.AddRun("a.txt", limit, 64, 1)
		latencytest.Print(r, "p90_ttft_ms", 100.0, "p95_ttft_ms", 100.5)
		runs, _ := latency.Analyze(w.Capture, w.Count)
		if got := len(runs[0].Plateaus); got != want {
			t.Errorf("cap %d: %d plateaus, want %d", limit, got, want)
		}
	}
}
