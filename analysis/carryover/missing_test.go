package carryover

import (
	"strings"
	"testing"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// What is named as missing is what is missing.
func TestMissing(t *testing.T) {
	two := []*timeline.Place{{}, {}}
	for _, c := range []struct {
		what   string
		at     span
		tokens span
		places []*timeline.Place
		maybe  bool
		want   string
	}{
		{"nothing measured", anything, anything, nil, false, "nothing here measures cached prompts"},
		{"tokens, of open origin", anything, exactly(2048), nil, false, "2048 cached tokens were counted"},
		{"two places", span{0, 16}, anything, two, false, "more than one place on the log"},
		{"no log, whatever other runs fit where", span{0, 16}, anything, nil, true, "0 to 16 prompts cached at start does not decide it"},
		{"an interval", span{0, 16}, anything, nil, false, "0 to 16 prompts cached at start does not decide it"},
	} {
		k := &runCase{run: &capture.Run{}, places: c.places, want: &timeline.Want{Maybe: c.maybe}}
		got := k.missing(combined{atStart: field{c.at, Bounded}, tokens: field{c.tokens, Bounded}})
		if len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s: %q, want %q", c.what, got, c.want)
		}
	}
}

// Evidence that the capture holds is not asked for.
func TestDeciding(t *testing.T) {
	k := &runCase{run: &capture.Run{}}
	if got := k.deciding(); got != "metrics before and after each run, or cached tokens per prompt" {
		t.Errorf("with nothing: %q", got)
	}
	k.run.Before, k.run.After = &capture.Snapshot{}, &capture.Snapshot{}
	if got := k.deciding(); strings.Contains(got, "metrics") {
		t.Errorf("with metrics: %q", got)
	}
	k.run.Merged.Requests = &capture.Requests{Cached: []int32{0}}
	if got := k.deciding(); strings.Contains(got, "metrics") || strings.Contains(got, "per prompt") {
		t.Errorf("with both: %q", got)
	}
}
