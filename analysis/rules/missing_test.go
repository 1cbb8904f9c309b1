package rules

import (
	"math"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

// A number that is not there compares as neither more nor less, so a rule that
// forgets it would pass. What is missing has to be unknown, and what the rest
// proves has to stand.
func TestMissingNumbersAreUnknown(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name, rule, want string
		edit             edit
	}{
		{"first token of one success", "L21", Unknown, func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Requests.TTFT[5] = nan }},
		{"and another is hollow", "L21", Block, func(w *world, d *carryover.Run, r *capture.Run) {
			r.Merged.Requests.TTFT[5], r.Merged.Requests.TTFT[6] = nan, 0
		}},
		{"first token of a failure", "L21", Pass, func(w *world, d *carryover.Run, r *capture.Run) {
			r.Merged.Requests.TTFT[5], r.Merged.Requests.Failed[5] = nan, true
		}},
		{"one end, and the rest are shorter than the duration", "L31", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			r.Merged.Duration, r.Merged.Requests.E2E[5] = ptr(20.0), nan
		}},
		{"one end, and the rest fill the duration", "L31", Pass, func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Requests.E2E[5] = nan }},
		{"every start", "L31", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			for i := range r.Merged.Requests.Start {
				r.Merged.Requests.Start[i] = nan
			}
		}},
		{"one first token of an open loop", "L33", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			openLoop(w, d, r)
			r.Merged.Requests.TTFT[5] = nan
		}},
		{"one first token of a loop that saturates", "L33", Warn, func(w *world, d *carryover.Run, r *capture.Run) {
			ruleCases["L33"].fire(w, d, r)
			r.Merged.Requests.TTFT[5] = nan
		}},
		{"all but two first tokens", "L33", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			openLoop(w, d, r)
			for i := range r.Merged.Requests.TTFT[2:] {
				r.Merged.Requests.TTFT[2+i] = nan
			}
		}},
		{"the median of a repeat", "L38", Unknown, noMedian},
		{"the median of a repeat of cached prompts", "L39", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			noMedian(w, d, r)
			d.Facts.SameSeedAs = []string{"d.jsonl"}
			w.Count.Runs[3].Facts.SameSeedAs = []string{"a.jsonl"}
		}},
		{"the first wave", "L45", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			for i := range 8 {
				r.Merged.Requests.TTFT[i] = nan
			}
		}},
		{"the median of a repeat in a trend", "L46", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			addRuns(w, 4, 105)
			noMedian(w, d, r)
		}},
		{"a printed median that is no number", "L46", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			addRuns(w, 4, 105)
			noMedian(w, d, r)
			r.Merged.Printed["median_ttft_ms"] = capture.Figure{Value: nan, Line: 1}
		}},
		{"the order of repeats", "L46", Unknown, func(w *world, d *carryover.Run, r *capture.Run) {
			addRuns(w, 4, 105)
			d.Facts.OrderBy = "capture"
		}},
		{"the median at one cap", "L47", Unknown, noMedian},
		{"the duration", "L31", Unknown, func(w *world, d *carryover.Run, r *capture.Run) { r.Merged.Duration = &nan }},
		{"scrapes", "L12", Unknown, func(w *world, d *carryover.Run, r *capture.Run) { r.Before, r.After = nil, nil }},
		{"a counter in the second scrape", "L12", Unknown, func(w *world, d *carryover.Run, r *capture.Run) { delete(r.After.Series, "x_total") }},
		{"every counter", "L12", Unknown, func(w *world, d *carryover.Run, r *capture.Run) { delete(r.Before.Series, "x_total") }},
		{"the value of a counter", "L12", Unknown, func(w *world, d *carryover.Run, r *capture.Run) { r.After.Series["x_total"][0].Value = nan }},
	} {
		w := full()
		c.edit(w, w.Count.Runs[0], w.Capture.Runs[0])
		if state, text := stateOf(check(w), c.rule); state != c.want {
			t.Errorf("%s: %s missing: %s (%s), want %s", c.rule, c.name, state, text, c.want)
		}
	}
}

// noMedian takes every first-token figure from a run.
func noMedian(w *world, d *carryover.Run, r *capture.Run) {
	r.Merged.Requests = nil
	delete(r.Merged.Printed, "median_ttft_ms")
}

// L42 speaks of one batch only where one batch can hold the requests.
func TestPlateauFitsItsBatch(t *testing.T) {
	for _, c := range []struct {
		limit       int
		state, want string
	}{
		{1, NotApplicable, "one request at a time"},
		{2, Info, "prefill batches of one time"},
		{32, Info, "of one prefill batch"},
	} {
		w := latencytest.New()
		_, r := w.AddRun("a.txt", c.limit, 128, 1)
		latencytest.Print(r, "p90_ttft_ms", 100.0, "p95_ttft_ms", 100.5)
		if state, text := stateOf(check(w), "L42"); state != c.state || !strings.Contains(text, c.want) {
			t.Errorf("cap %d: %s: %s, want %s: %s", c.limit, state, text, c.state, c.want)
		}
	}
}

// What a rule fires on stands on a line, also where the client printed nothing
// and the figure was computed from its requests. L55 alone is about what the
// capture does not hold.
func TestFiringRulesQuoteLines(t *testing.T) {
	for id, c := range ruleCases {
		if c.fires == Unknown || id == "L55" {
			continue
		}
		w := full()
		if c.fire != nil {
			c.fire(w, w.Count.Runs[0], w.Capture.Runs[0])
		}
		for _, f := range check(w).Findings {
			if f.Rule == id && fires(f.State) && len(f.Evidence) == 0 {
				t.Errorf("%s %s without a line: %s", id, f.State, f.Text)
			}
		}
	}
}

// Computed figures are quoted by the result that holds their requests.
func TestComputedFiguresAreQuoted(t *testing.T) {
	w := latencytest.New()
	_, r := w.AddRun("a.json", 8, 64, 1)
	r.Merged.Requests = &capture.Requests{N: 64, InOrder: true}
	for i := range 64 {
		r.Merged.Requests.TTFT = append(r.Merged.Requests.TTFT, 0.1+0.4*float64(i/32))
	}
	for _, rule := range []string{"L40", "L42"} {
		for _, f := range check(w).Findings {
			if f.Rule == rule && (!fires(f.State) || len(f.Evidence) == 0) {
				t.Errorf("%s: %s, %d lines: %s", rule, f.State, len(f.Evidence), f.Text)
			}
		}
	}
}
