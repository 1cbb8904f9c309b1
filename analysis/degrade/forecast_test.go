package degrade

import (
	"math"
	"testing"

	"coldcase/analysis/latency"
)

// clean names, for a contaminated run, the clean run of the same load in the
// same capture, by their positions in time.
var clean = []struct {
	capture   string
	warm, run int
	within    float64 // share
}{
	// Chunks of 512 tokens, prompts of 1,536: each takes three batches.
	{"s07-chunked-prefill", 1, 2, 0.2},
}

// What a clean run is predicted to read, from a contaminated run alone, is near
// what a clean run of the same load did read.
func TestPredictedBesideMeasured(t *testing.T) {
	for _, c := range clean {
		tested := false
		for _, rec := range load(t) {
			if rec.name != c.capture {
				continue
			}
			tested = true
			runs := notebook(t, rec).Latency
			guess := runs[c.warm].Predicted
			if guess == nil {
				t.Errorf("%s: nothing is predicted for %s", c.capture, runs[c.warm].Run)
				continue
			}
			measured := median(t, runs[c.run])
			if math.Abs(guess.Median/measured-1) > c.within {
				t.Errorf("%s: a clean run is predicted at %.0f ms, it read %.0f (a contaminated one %.0f)", c.capture, guess.Median, measured, median(t, runs[c.warm]))
			}
		}
		if !tested {
			t.Errorf("no capture %s", c.capture)
		}
	}
}

func median(t *testing.T, r *latency.Run) float64 {
	t.Helper()
	v, ok := r.Figure("median_ttft_ms")
	if !ok {
		t.Fatalf("%s: no median", r.Run)
	}
	return v
}
