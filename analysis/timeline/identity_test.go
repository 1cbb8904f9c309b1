package timeline

import (
	"testing"

	"coldcase/ingest/capture"
)

// A place in the life of another server process is none: the settings that the
// client read and those of the start line tell them apart.
func TestAtServer(t *testing.T) {
	for _, c := range []struct {
		what       string
		told, here map[string]any
		want       bool
	}{
		{"one process", map[string]any{"random_seed": float64(867494694), "port": float64(30000)}, map[string]any{"random_seed": int64(867494694), "port": int64(30000)}, true},
		{"another start", map[string]any{"random_seed": float64(1)}, map[string]any{"random_seed": int64(2)}, false},
		{"another port", map[string]any{"random_seed": float64(1), "port": float64(30000)}, map[string]any{"random_seed": int64(1), "port": int64(30001)}, false},
		{"not told", map[string]any{}, map[string]any{"random_seed": int64(2)}, true},
		{"told nothing", map[string]any{"random_seed": nil}, map[string]any{"random_seed": int64(2)}, true},
		{"prefill and decode apart", map[string]any{"random_seed": float64(1)}, map[string]any{"random_seed": int64(2), "disaggregation_mode": "prefill"}, true},
		{"not apart", map[string]any{"random_seed": float64(1)}, map[string]any{"random_seed": int64(2), "disaggregation_mode": "null"}, false},
	} {
		r := &capture.Run{}
		r.Merged.Server = &capture.ServerInfo{Args: c.told}
		p := &Place{Track: &Track{Lives: []*Life{{Info: capture.ServerInfo{Args: c.here}}}}}
		if got := len(atServer(r, []*Place{p})) == 1; got != c.want {
			t.Errorf("%s: kept %v, want %v", c.what, got, c.want)
		}
	}
	if got := atServer(&capture.Run{}, []*Place{{}}); len(got) != 1 {
		t.Error("a run without settings lost its place")
	}
}

// Client and server may live in two time zones, and their clocks may differ by
// some seconds; the log of another time of the hour is another log.
func TestAtTime(t *testing.T) {
	const noon = 1_796_040_000 // a full hour
	log := &capture.ServerLog{Stats: []capture.Stat{
		{Line: 5, Stamp: (noon + 10) * 1000}, {Line: 20, Stamp: (noon + 60) * 1000}, {Line: 30, Stamp: (noon + 70) * 1000}, {Line: 50, Stamp: (noon + 95) * 1000},
	}}
	track := &Track{Log: log}
	for _, c := range []struct {
		what     string
		end      float64
		from, to int
		want     bool
	}{
		{"with stamps inside", noon + 75, 10, 40, true},
		{"another zone", noon + 75 - 8*3600, 10, 40, true},
		{"a zone of 45 minutes", noon + 75 + 5*3600 + 45*60, 10, 40, true},
		{"half a minute of skew", noon + 105, 10, 40, true},
		{"five minutes later", noon + 375, 10, 40, false},
		{"five minutes later in another zone", noon + 375 - 3600, 10, 40, false},
		{"without stamps inside", noon + 80, 31, 49, true},
		{"without stamps inside, at another time", noon + 300, 31, 49, false},
		{"nothing after it", noon + 300, 51, 60, true},
		{"a clock that counts from its start", 300, 10, 40, true},
	} {
		d := 12.0
		r := &capture.Run{}
		r.Merged.End, r.Merged.Duration = c.end, &d
		if got := len(atTime(r, []*Place{{Track: track, From: c.from, To: c.to}})) == 1; got != c.want {
			t.Errorf("%s: kept %v, want %v", c.what, got, c.want)
		}
	}
}
