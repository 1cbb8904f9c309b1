package causes_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

// waveTimes are first-token times in ms of a run, by wave of a cap.
func waveTimes(limit int, medians ...float64) *capture.Requests {
	q := &capture.Requests{N: limit * len(medians), InOrder: true}
	for _, m := range medians {
		for range limit {
			q.TTFT = append(q.TTFT, m/1000)
		}
	}
	return q
}

func stateIn(c *causes.Cause, run string) (state, why string) {
	for _, r := range c.Runs {
		if r.Run == run {
			return r.State, r.Why
		}
	}
	return "", ""
}

// TestFirstRunIsAtTheStart: what a server does once for a new size of batch
// shows in the first waves of the first run at a cap, and nowhere else.
func TestFirstRunIsAtTheStart(t *testing.T) {
	for _, c := range []struct {
		name  string
		waves []float64
		state string
	}{
		{"the first wave", []float64{900, 100, 100, 100, 100, 100, 100, 100}, causes.Supported},
		{"the second, after one request alone", []float64{100, 900, 100, 100, 100, 100, 100, 100}, causes.Supported},
		{"the last of waves that rise", []float64{51, 17, 20, 41, 46, 66, 94, 267}, causes.Against},
		{"four of eight", []float64{185, 253, 202, 194, 32, 48, 49, 44}, causes.NotTestable},
		{"the first and a late one", []float64{900, 100, 100, 100, 100, 700, 100, 100}, causes.NotTestable},
		{"waves of no time", []float64{900, 0, 0, 0, 0, 0, 0, 0}, causes.Against},
	} {
		w := latencytest.New()
		_, r := w.AddRun("c8", 8, 64, 7)
		r.Merged.Requests = waveTimes(8, c.waves...)
		list, _ := causes.Analyze(input(w))
		if state, why := stateIn(find(t, list, "first-run"), "c8"); state != c.state {
			t.Errorf("%s: %s (%s), want %s", c.name, state, why, c.state)
		}
	}
}

func TestFirstRunIsTheFirstAtItsCap(t *testing.T) {
	slow := waveTimes(8, 900, 100, 100, 100, 100, 100, 100, 100)
	for _, c := range []struct {
		name string
		life int
		by   string
		want string
	}{
		{"the same server", 0, "log", causes.NotTestable},
		{"another server", 1, "log", causes.Supported},
		{"an order that is not known", 0, "capture", causes.Supported},
	} {
		w := latencytest.New()
		w.AddRun("before", 8, 64, 6)
		d, r := w.AddRun("c8", 8, 64, 7)
		r.Merged.Requests, d.Facts.Life, d.Facts.OrderBy = slow, c.life, c.by
		list, _ := causes.Analyze(input(w))
		if state, why := stateIn(find(t, list, "first-run"), "c8"); state != c.want {
			t.Errorf("%s: %s (%s), want %s", c.name, state, why, c.want)
		}
	}
}

func TestSlowSinglesAreAtTheStart(t *testing.T) {
	for at, want := range map[int]string{0: causes.Supported, 10: causes.NotTestable} {
		w := latencytest.New()
		_, r := w.AddRun("c1", 1, 16, 7)
		r.Merged.Requests = waveTimes(1, slices.Repeat([]float64{60}, 16)...)
		r.Merged.Requests.TTFT[at], r.Merged.Requests.TTFT[at+2] = 0.2, 0.2
		list, _ := causes.Analyze(input(w))
		if state, why := stateIn(find(t, list, "first-run"), "c1"); state != want {
			t.Errorf("slow requests %d and %d: %s (%s), want %s", at, at+2, state, why, want)
		}
	}
}

// TestOpeningWaveNeedsTimes: a ratio of nothing to nothing is not a slow wave,
// and a slow second wave means that the first is not alone.
func TestOpeningWaveNeedsTimes(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		waves []float64
		state string
	}{
		{"no time at all", []float64{0, 0, 0, 0, 0, 0, 0, 0}, causes.NotTestable},
		{"the first wave never answered", []float64{nan, 300, 100, 100, 100, 100, 100, 100}, causes.NotTestable},
		{"the second is slow as well", []float64{180, 180, 100, 100, 100, 100, 100, 100}, causes.NotTestable},
		{"the first alone", []float64{180, 100, 100, 100, 100, 100, 100, 100}, causes.Supported},
	} {
		w := latencytest.New()
		_, r := w.AddRun("c8", 8, 64, 7)
		r.Merged.Requests = waveTimes(8, c.waves...)
		list, _ := causes.Analyze(input(w))
		got := find(t, list, "opening-wave")
		if state, why := stateIn(got, "c8"); state != c.state {
			t.Errorf("%s: %s (%s), want %s", c.name, state, why, c.state)
		}
	}
}

func TestNoiseNeedsMedians(t *testing.T) {
	w := latencytest.New()
	_, a := w.AddRun("a", 8, 64, 7)
	_, b := w.AddRun("b", 8, 64, 8)
	w.AddRun("c", 8, 64, 9)
	latencytest.Print(a, "median_ttft_ms", 100.0)
	latencytest.Print(b, "median_ttft_ms", math.NaN())
	list, _ := causes.Analyze(input(w))
	for _, id := range []string{"a", "b", "c"} {
		if state, why := stateIn(find(t, list, "noise"), id); state != causes.NotTestable {
			t.Errorf("%s: %s (%s), want not-testable: one median is known at this point", id, state, why)
		}
	}
}

// TestWarmthDoesNotSlow: warm prompts save work, so that a warm run which reads
// more than a clean one is not explained by them.
func TestWarmthDoesNotSlow(t *testing.T) {
	for _, c := range []struct {
		warm     float64
		explains bool
	}{{60, true}, {140, false}} {
		w := latencytest.New()
		_, clean := w.AddRun("clean", 8, 64, 6)
		latencytest.Print(clean, "median_ttft_ms", 100.0)
		d, r := w.AddRun("c8", 8, 64, 7)
		latencytest.Warm(d, 32)
		latencytest.Print(r, "median_ttft_ms", c.warm)
		list, _ := causes.Analyze(input(w))
		got := find(t, list, "warm-cache")
		if got.State != causes.Supported || (got.Explains != nil) != c.explains {
			t.Errorf("%.0f ms warm, 100 ms clean: %s, explains %+v", c.warm, got.State, got.Explains)
		}
		if said := strings.Contains(strings.Join(got.Seen, "\n"), "the cache does not explain this figure"); said == c.explains {
			t.Errorf("%.0f ms warm, 100 ms clean: seen %q", c.warm, got.Seen)
		}
	}
}

// TestBoundsAreSaid: a count that decides nothing is not one that is missing.
func TestBoundsAreSaid(t *testing.T) {
	w := latencytest.New()
	d, _ := w.AddRun("c8", 8, 64, 7)
	d.AtStart, d.Verdict = latencytest.Range(0, 1, carryover.PerPrompt), "unknown"
	list, _ := causes.Analyze(input(w))
	if state, why := stateIn(find(t, list, "warm-cache"), "c8"); state != causes.NotTestable || !strings.Contains(why, "0 to 1 of 64 prompts cached at start (per-prompt)") {
		t.Errorf("%s: %s", state, why)
	}
}

// TestSupportedCausesHaveEvidence: what a cause says it saw stands on lines.
func TestSupportedCausesHaveEvidence(t *testing.T) {
	for _, c := range []struct {
		cause string
		set   func(w *world, d *carryover.Run, r *capture.Run)
	}{
		{"other-traffic", func(w *world, d *carryover.Run, r *capture.Run) { d.Facts.Foreign = 12 }},
		{"other-traffic", func(w *world, d *carryover.Run, r *capture.Run) { d.Origins.OtherClient.Low = 3 }},
		{"opening-wave", func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Requests = waveTimes(8, 180, 100, 100, 100) }},
		{"in-run-sharing", func(w *world, d *carryover.Run, r *capture.Run) { d.Origins.InRun.Low = 10 }},
		{"scheduler", func(w *world, d *carryover.Run, r *capture.Run) {
			_, high := w.AddRun("c32", 32, 128, 8)
			latencytest.Print(r, "median_ttft_ms", 300.0)
			latencytest.Print(high, "median_ttft_ms", 200.0)
		}},
		{"noise", func(w *world, d *carryover.Run, r *capture.Run) {
			_, again := w.AddRun("again", 8, 64, 9)
			latencytest.Print(r, "median_ttft_ms", 100.0)
			latencytest.Print(again, "median_ttft_ms", 200.0)
		}},
	} {
		w := latencytest.New()
		d, r := w.AddRun("c8", 8, 64, 7)
		c.set(w, d, r)
		list, _ := causes.Analyze(input(w))
		got := find(t, list, c.cause)
		if got.State != causes.Supported || len(got.Evidence) == 0 || len(got.Seen) == 0 {
			t.Errorf("%s: %s, seen %q, %d lines of evidence", c.cause, got.State, got.Seen, len(got.Evidence))
		}
	}
}

// TestTrafficIsQuotedByCounters: the counters of requests show the surplus.
func TestTrafficIsQuotedByCounters(t *testing.T) {
	w := latencytest.New()
	d, r := w.AddRun("c8", 8, 64, 7)
	d.Facts.Foreign = 12
	scrape := func(file string, line int, value float64) *capture.Snapshot {
		return &capture.Snapshot{File: file, Engine: "sglang", Series: map[string][]capture.Sample{"sglang:num_requests_total": {{Value: value, Line: line}}}}
	}
	r.Before, r.After = scrape("before.prom", 3, 10), scrape("after.prom", 4, 87)
	list, _ := causes.Analyze(input(w))
	got := find(t, list, "other-traffic").Evidence
	for _, want := range []string{"before.prom", "after.prom", "c8"} {
		if !slices.ContainsFunc(got, func(e capture.Evidence) bool { return e.File == want }) {
			t.Errorf("no line of %s among %+v", want, got)
		}
	}
}

// TestSchedulerNamesTheRunsThatFall: a run between which and the others nothing
// falls is no support.
func TestSchedulerNamesTheRunsThatFall(t *testing.T) {
	w := latencytest.New()
	_, one := w.AddRun("c1", 1, 16, 6)
	_, r8 := w.AddRun("c8", 8, 64, 7)
	_, r32 := w.AddRun("c32", 32, 128, 8)
	latencytest.Print(one, "median_ttft_ms", 50.0)
	latencytest.Print(r8, "median_ttft_ms", 300.0)
	latencytest.Print(r32, "median_ttft_ms", 200.0)
	list, _ := causes.Analyze(input(w))
	for id, want := range map[string]string{"c1": causes.NotTestable, "c8": causes.Supported, "c32": causes.Supported} {
		if state, _ := stateIn(find(t, list, "scheduler"), id); state != want {
			t.Errorf("%s: %s, want %s", id, state, want)
		}
	}
}

// TestCountGapsGoTheirWay: eviction takes prompts out of a cache, and only a
// request puts them in.
func TestCountGapsGoTheirWay(t *testing.T) {
	for _, c := range []struct {
		name              string
		predicted, at, by int64
		want              string
	}{
		{"fewer", 20, 0, 0, "eviction, a flush or a restart"},
		{"more", 0, 20, 0, "must have sent them"},
		{"more, by another client", 0, 20, 20, ""},
		{"more than another client sent", 0, 20, 5, "must have sent them"},
	} {
		w := latencytest.New()
		d, _ := w.AddRun("c8", 8, 64, 7)
		d.AtStart = latencytest.Range(c.at, c.at, carryover.PerPrompt)
		d.Predicted = &carryover.Prediction{Low: c.predicted, High: &c.predicted}
		d.Origins.OtherClient.Low = c.by
		in := input(w)
		list, leading := causes.Analyze(in)
		said := ""
		for _, u := range causes.Unexplained(in, list, leading) {
			said += u.Text
		}
		if c.want == "" && strings.Contains(said, "predicted") || !strings.Contains(said, c.want) {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
		if c.at > c.predicted && strings.Contains(said, "eviction") {
			t.Errorf("%s: eviction cannot add prompts: %q", c.name, said)
		}
	}
}

// TestSweptNamesWhatDiffers: a sentence on what differs does not name what is
// the same.
func TestSweptNamesWhatDiffers(t *testing.T) {
	for _, c := range []struct {
		limit, prompts int
		seed           int64
		want           string
	}{
		{8, 64, 7, "do not differ"},
		{8, 64, 8, "differ in seed only"},
		{32, 64, 7, "differ in cap only"},
		{32, 128, 7, "differ in cap and number of prompts only"},
		{32, 128, 8, "differ in cap, seed and number of prompts only"},
	} {
		w := latencytest.New()
		w.AddRun("a", 8, 64, 7)
		w.AddRun("b", c.limit, c.prompts, c.seed)
		if got := causes.Swept(w.Count.Runs); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// TestFewSharedPromptsDoNotLead: one prompt that happens to share a block does
// not move a median against the load.
func TestFewSharedPromptsDoNotLead(t *testing.T) {
	for shared, want := range map[int64]string{1: "scheduler", 32: "in-run-sharing"} {
		w := latencytest.New()
		_, r8 := w.AddRun("c8", 8, 64, 7)
		d, r32 := w.AddRun("c32", 32, 64, 8)
		latencytest.Print(r8, "median_ttft_ms", 300.0)
		latencytest.Print(r32, "median_ttft_ms", 200.0)
		d.Origins.InRun = carryover.Bounds{Low: shared, High: &shared}
		_, leading := causes.Analyze(input(w))
		if name(leading) != want {
			t.Errorf("%d of 64 share: %s leads, want %s", shared, name(leading), want)
		}
	}
}

// TestTheSlowDeviceDecides: a device at full clock does not clear another.
func TestTheSlowDeviceDecides(t *testing.T) {
	w := latencytest.New()
	_, r := w.AddRun("c8", 8, 64, 7)
	r.Merged.Start, r.Merged.End = 1.6e9, 1.6e9+20
	for i, mhz := range []float64{900, 1980} {
		w.Capture.GPU = append(w.Capture.GPU, &capture.GPUSeries{File: "gpu.csv", Device: string(rune('0' + i)), Rows: []capture.GPUSample{
			{Line: 2 + i, Stamp: 1.6e12 + 1000, SMClock: mhz, MaxClock: 1980, Util: 99},
		}})
	}
	list, _ := causes.Analyze(input(w))
	if state, why := stateIn(find(t, list, "clock-or-power"), "c8"); state != causes.Supported || !strings.Contains(why, "900 MHz") {
		t.Errorf("%s: %s", state, why)
	}
}
