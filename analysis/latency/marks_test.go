package latency

import (
	"testing"

	"coldcase/ingest/capture"
)

// figures makes printed figures of pairs of a name and ms.
func figures(pairs ...any) map[string]capture.Figure {
	out := map[string]capture.Figure{}
	for i := 0; i+1 < len(pairs); i += 2 {
		out[pairs[i].(string)] = capture.Figure{Value: pairs[i+1].(float64), Line: 1, Digits: 2}
	}
	return out
}

// EvalScope's table of a run at cap 2 (16 requests, none warm) seems to need a
// slow first wave by its mean, median and tail alone. The percentiles between
// them say that the times rise evenly.
func TestPrintedPercentilesRefuteGroups(t *testing.T) {
	base := summary{n: 16, cap: 2, mean: 30.21, median: 26.95, p90: 42.37, tail: 45.68, length: 512, chunk: 8192, warm: 0, warmBy: "count", tailPlateau: true}
	for _, c := range []struct {
		name    string
		printed map[string]capture.Figure
		want    bool
	}{
		{"mean, median and tail alone", figures(), true},
		{"the 75th percentile far above the cold level", figures("p75_ttft_ms", 39.67), false},
		{"the 25th percentile far below the cold level", figures("p25_ttft_ms", 12.0), false},
		{"a minimum far below the cold level", figures("min_ttft_ms", 16.27), false},
		{"percentiles at the cold level", figures("p25_ttft_ms", 26.5, "p75_ttft_ms", 28.5, "min_ttft_ms", 25.0), true},
		{"a percentile on the border of the slow wave", figures("p90_ttft_ms", 36.0), true},
	} {
		s := base
		s.readMarks(&capture.Result{Printed: c.printed, Quantiles: "nearest-rank"})
		if got := apart(&s); (got != nil) != c.want {
			t.Errorf("%s: taken apart %v, want %v: %+v", c.name, got != nil, c.want, got)
		}
	}
}

// Fast requests are not put below the fastest one that was printed.
func TestFastRequestsStandAtThePrintedMinimum(t *testing.T) {
	s := summary{n: 32, cap: 4, mean: 42.12, median: 36.13, p90: 67.56, tail: 68.17, length: 512, chunk: 8192, warm: 16, warmBy: "count"}
	s.readMarks(&capture.Result{Printed: figures("min_ttft_ms", 25.42), Quantiles: "nearest-rank"})
	a := apart(&s)
	if a == nil || a.Groups[0].Name != "fast" || a.Groups[0].Low != 25.42 {
		t.Fatalf("taken apart: %+v, want 16 fast requests at 25.42 ms", a)
	}
}
