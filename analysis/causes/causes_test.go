package causes_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

type world = latencytest.World

func input(w *world) causes.Input {
	runs, inv := latency.Analyze(w.Capture, w.Count)
	return causes.Input{Capture: w.Capture, Count: w.Count, Latency: runs, Inversion: inv}
}

func find(t *testing.T, list []*causes.Cause, name string) *causes.Cause {
	t.Helper()
	for _, c := range list {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no cause %s", name)
	return nil
}

func name(p *string) string {
	if p == nil {
		return "null"
	}
	return *p
}

// TestRealCaptures checks states and leading causes on figures of real runs.
func TestRealCaptures(t *testing.T) {
	for _, c := range []struct {
		name               string
		lean               bool
		supported, against []string
		leads              string
	}{
		{"s01", false, []string{"warm-cache", "first-run"}, []string{"in-run-sharing", "other-traffic"}, "warm-cache"},
		{"s01", true, []string{"warm-cache"}, []string{"in-run-sharing", "other-traffic"}, "warm-cache"},
		{"s22", false, []string{"warm-cache"}, []string{"in-run-sharing", "other-traffic"}, "warm-cache"},
		{"s22", true, []string{"warm-cache"}, []string{"in-run-sharing", "other-traffic"}, "warm-cache"},
		{"s23", false, nil, []string{"warm-cache", "scheduler"}, "null"},
		{"s02", false, []string{"first-run"}, []string{"warm-cache"}, "null"},
	} {
		w, err := latencytest.Real(c.name, c.lean)
		if err != nil {
			t.Fatal(err)
		}
		list, leading := causes.Analyze(input(w))
		if name(leading) != c.leads {
			t.Errorf("%s lean %v: %s leads, want %s", c.name, c.lean, name(leading), c.leads)
		}
		for state, names := range map[string][]string{causes.Supported: c.supported, causes.Against: c.against} {
			for _, n := range names {
				if got := find(t, list, n); got.State != state {
					t.Errorf("%s lean %v: %s is %s, want %s: %+v", c.name, c.lean, n, got.State, state, got.Runs)
				}
			}
		}
	}
}

// TestSlowAlthoughWarm: on the 8B kit the warm prompts of the first wave at cap
// 8 were the slow ones, and the report has to say so.
func TestSlowAlthoughWarm(t *testing.T) {
	w, err := latencytest.Real("s01", false)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := causes.Analyze(input(w))
	seen := strings.Join(find(t, list, "first-run").Seen, "\n")
	if !strings.Contains(seen, "the warm prompts of the first wave were the slow ones") {
		t.Errorf("first-run saw %q", seen)
	}
	if w2 := strings.Join(find(t, list, "warm-cache").Seen, "\n"); !strings.Contains(w2, "warm is not the same as fast") {
		t.Errorf("warm-cache saw %q", w2)
	}
}

// TestLeadsWithoutInversion: hits need a cause even where nothing inverts, and
// a few shared prompts do not.
func TestLeadsWithoutInversion(t *testing.T) {
	for _, c := range []struct {
		shared, other int64
		leads         string
	}{{0, 0, "null"}, {1, 0, "null"}, {32, 0, "in-run-sharing"}, {0, 20, "other-traffic"}} {
		w := latencytest.New()
		d, _ := w.AddRun("c8", 8, 64, 7)
		if c.other > 0 {
			latencytest.Warm(d, c.other)
			d.Origins.EarlierRun = carryover.Bounds{High: latencytest.Ptr(int64(0))}
		}
		d.Origins.InRun = carryover.Bounds{Low: c.shared, High: latencytest.Ptr(c.shared)}
		d.Origins.OtherClient = carryover.Bounds{Low: c.other, High: latencytest.Ptr(c.other)}
		if _, leading := causes.Analyze(input(w)); name(leading) != c.leads {
			t.Errorf("%d shared, %d of another client: %s leads, want %s", c.shared, c.other, name(leading), c.leads)
		}
	}
}

func TestEveryCauseStatesItself(t *testing.T) {
	list, leading := causes.Analyze(input(latencytest.New()))
	if leading != nil {
		t.Errorf("%s leads on an empty capture", *leading)
	}
	want := []string{"scheduler", "warm-cache", "warm-up-prompt", "in-run-sharing", "opening-wave", "first-run", "thinned-mean", "clock-or-power",
		"pool-pressure", "other-traffic", "different-workload", "output-length", "client-limit", "noise"}
	if !slices.Equal(causes.Names(), want) {
		t.Errorf("causes %v, want %v", causes.Names(), want)
	}
	for _, c := range list {
		if len(c.Predicts) == 0 || len(c.Refutes) == 0 || c.SettledBy == "" {
			t.Errorf("%s does not say what it predicts, what refutes it, or what would settle it", c.Name)
		}
		if c.State != causes.NotTestable || c.Runs == nil || c.Seen == nil || c.Evidence == nil {
			t.Errorf("%s on an empty capture: %+v", c.Name, c)
		}
	}
}

// TestIncidentUnexplained derives the published incident's own contradiction.
func TestIncidentUnexplained(t *testing.T) {
	in := input(latencytest.Incident())
	list, leading := causes.Analyze(in)
	if name(leading) != "warm-cache" {
		t.Errorf("%s leads, want warm-cache", name(leading))
	}
	if s := find(t, list, "scheduler"); s.State != causes.Against {
		t.Errorf("scheduler is %s, want against: other seeds get slower with the cap", s.State)
	}
	if s := find(t, list, "different-workload"); s.State != causes.NotTestable {
		t.Errorf("different-workload is %s, want not-testable: cap 8 has no arguments of its own", s.State)
	}
	var text strings.Builder
	for _, u := range causes.Unexplained(in, list, leading) {
		text.WriteString(u.Text + "\n")
	}
	for _, want := range []string{
		"the count of warm prompts stands",
		"is made by bench-random-c32.txt:1",
		"its first wave of 8 took about 1194 ms",
		"although 8 of its prompts were warm",
		"agree on one prefill rate, 5670 to 5901 new tokens/s",
		"cap 8: median first token 209.98 ms in three seeds",
		"less than the 677.61 ms of bench-random-c8.txt:1",
		"cap 32: median first token 416.37 ms in three seeds",
		"cannot have sent the kit's prompts",
		"range ratio", "chunk size", "state of the server",
		"289 ms where the fresh run read 394 (-27 %)",
		"1163 ms where the fresh run read 925 (+26 %)",
		"4.8 times less than fresh",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("unexplained does not say %q:\n%s", want, text.String())
		}
	}
}

// TestRightWayIsNoClash: a fresh figure above the contaminated one, and above
// what the rate allows, contradicts nothing.
func TestRightWayIsNoClash(t *testing.T) {
	w := latencytest.Incident()
	for i := range w.Capture.Notes.Points[:2] {
		slow := []float64{720, 1800}[i]
		w.Capture.Notes.Points[i].MedianTTFT, w.Capture.Notes.Points[i].High = &slow, &slow
	}
	if c := causes.Clashes(input(w)); len(c) != 0 {
		t.Errorf("clashes %+v, want none", c)
	}
	w.Capture.Notes.Points = nil
	if causes.Compared(input(w)) {
		t.Error("nothing is there to compare with, and Compared says there is")
	}
}

func TestClocksNeedAnOverlap(t *testing.T) {
	w := latencytest.New()
	d, r := w.AddRun("c8", 8, 64, 7)
	r.Merged.Start, r.Merged.End = 1.6e9, 1.6e9+20
	w.Capture.GPU = []*capture.GPUSeries{{File: "gpu.csv", Device: "0", Rows: []capture.GPUSample{
		{Line: 2, Stamp: 1.6e12 + 1000, SMClock: 1980, MaxClock: math.NaN(), Util: 99, Power: math.NaN(), Throttle: "0x0000000000000004"},
		{Line: 3, Stamp: 1.6e12 + 2000, SMClock: 345, MaxClock: math.NaN(), Util: 0, Power: 77},
	}}}
	k := causes.Clocks(w.Capture, d)
	if len(k) != 1 || k[0].Samples != 1 || k[0].SM != 1980 || len(k[0].Throttle) != 1 || !math.IsNaN(k[0].Power) {
		t.Errorf("clocks %+v, want the one sample under load", k)
	}
	r.Merged.Start, r.Merged.End = 1.7e9, 1.7e9+20
	if k := causes.Clocks(w.Capture, d); k != nil {
		t.Errorf("clocks %+v, want none: the times do not meet", k)
	}
}
