package timeline

import (
	"testing"

	"coldcase/ingest/capture"
)

// Counters order the runs of one start. A kit that runs again on a new server
// counts what it counted before, which says nothing of the order.
func TestByCounters(t *testing.T) {
	scrape := func(tokens, start float64, pid string) *capture.Snapshot {
		s := &capture.Snapshot{Engine: "sglang", Series: map[string][]capture.Sample{
			"sglang:prompt_tokens_total": {{Value: tokens, Line: 1}},
			"sglang:num_running_reqs":    {{Labels: map[string]string{"pid": pid}, Line: 2}},
		}}
		if start > 0 {
			s.Series["process_start_time_seconds"] = []capture.Sample{{Value: start, Line: 3}}
		}
		return s
	}
	for _, c := range []struct {
		what          string
		starts        int
		after, before *capture.Snapshot
		want          bool
	}{
		{"one start", 1, scrape(2176, 0, ""), scrape(2500, 0, ""), true},
		{"it grew, with two starts", 2, scrape(2176, 0, ""), scrape(2500, 0, ""), false},
		{"the same number, with two starts", 2, scrape(2176, 0, ""), scrape(2176, 0, ""), false},
		{"one start time, with two starts", 2, scrape(2176, 70, ""), scrape(2500, 70, ""), true},
		{"two start times", 1, scrape(2176, 70, ""), scrape(2176, 90, ""), false},
		{"two processes", 1, scrape(2176, 0, "70"), scrape(2176, 0, "90"), false},
		{"it fell", 1, scrape(2500, 0, ""), scrape(2176, 0, ""), false},
	} {
		o := newOrder(2)
		byCounters(o, []*capture.Run{{After: c.after}, {Before: c.before}}, c.starts)
		if _, got := o.Before(0, 1); got != c.want {
			t.Errorf("%s: ordered %v, want %v", c.what, got, c.want)
		}
	}
}

// A script that does not wait for a run tells nothing of what comes next.
func TestByCommands(t *testing.T) {
	for _, c := range []struct {
		what         string
		first, other capture.Command
		want         bool
	}{
		{"one after the other", capture.Command{}, capture.Command{}, true},
		{"side by side", capture.Command{Ahead: true}, capture.Command{Ahead: true}, false},
		{"beside it", capture.Command{Ahead: true, Waits: 1}, capture.Command{Waits: 1}, false},
		{"waited for", capture.Command{Ahead: true}, capture.Command{Waits: 1}, true},
		{"before another", capture.Command{}, capture.Command{Ahead: true}, true},
	} {
		c.first.At, c.other.At = capture.Evidence{File: "kit.sh", Line: 1}, capture.Evidence{File: "kit.sh", Line: 2}
		o := newOrder(2)
		byCommands(o, []*capture.Run{{Command: &c.first}, {Command: &c.other}})
		if _, got := o.Before(0, 1); got != c.want {
			t.Errorf("%s: ordered %v, want %v", c.what, got, c.want)
		}
	}
}

// What was counted when one run ended and only one other began orders the two,
// unless it is known that they counted apart.
func TestByEqualCounters(t *testing.T) {
	scrape := func(tokens float64, pid string) *capture.Snapshot {
		return &capture.Snapshot{Engine: "sglang", Series: map[string][]capture.Sample{
			"sglang:prompt_tokens_total": {{Value: tokens, Labels: map[string]string{"pid": pid}, Line: 1}},
		}}
	}
	for pid, want := range map[string]bool{"70": true, "90": false} {
		o := newOrder(2)
		byEqualCounters(o, []*capture.Run{{After: scrape(2176, "70")}, {Before: scrape(2176, pid)}})
		if _, got := o.Before(0, 1); got != want {
			t.Errorf("process %s: ordered %v, want %v", pid, got, want)
		}
	}
}
