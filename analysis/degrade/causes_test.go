package degrade

import (
	"slices"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/analysis/causes"
)

// expected is what the differential of one whole capture has to find. Causes
// that are not named are not judged.
type expected struct {
	// supported maps a cause to the runs in which it has to be supported, by
	// their position in time from 0; nil for any run.
	supported map[string][]int
	against   []string
	// leads lists the causes that may lead, "null" for none; empty is not
	// judged.
	leads []string
}

// differentials holds, by capture, what happened there.
var differentials = map[string]expected{
	"sglang/s01-incident": {
		supported: map[string][]int{"warm-cache": {1, 2}, "first-run": {1}},
		against:   []string{"in-run-sharing", "other-traffic"}, leads: []string{"warm-cache"},
	},
	"sglang/s01-incident-lean": {
		supported: map[string][]int{"warm-cache": {1, 2}},
		against:   []string{"in-run-sharing", "other-traffic"}, leads: []string{"warm-cache"},
	},
	"sglang/s22-incident-32b": {
		supported: map[string][]int{"warm-cache": {1, 2}},
		against:   []string{"in-run-sharing", "other-traffic"}, leads: []string{"warm-cache"},
	},
	"sglang/s22-incident-32b-lean": {
		supported: map[string][]int{"warm-cache": {1, 2}},
		against:   []string{"in-run-sharing", "other-traffic"}, leads: []string{"warm-cache"},
	},
	"sglang/s23-fresh-seeds-32b": {against: []string{"warm-cache"}, leads: []string{"null"}},
	"sglang/s02-fresh-seeds-flushed": {
		supported: map[string][]int{"first-run": nil}, against: []string{"warm-cache"}, leads: []string{"null"},
	},
	"sglang/s05-page16": {
		supported: map[string][]int{"warm-cache": {1, 2}, "first-run": nil}, leads: []string{"warm-cache"},
	},
	"sglang/s07-chunked-prefill": {supported: map[string][]int{"warm-cache": {1}}, leads: []string{"warm-cache"}},
	"sglang/s08-shared-prefix": {
		supported: map[string][]int{"in-run-sharing": {0}, "warm-cache": {1}}, leads: []string{"in-run-sharing", "warm-cache"},
	},
	"sglang/s11-radix-disabled": {
		against: []string{"warm-cache", "warm-up-prompt", "in-run-sharing"}, leads: []string{"null", "first-run", "noise"},
	},
	"sglang/s12-other-traffic": {supported: map[string][]int{"other-traffic": nil}, against: []string{"in-run-sharing"}},
	"sglang/s14-reversed": {
		supported: map[string][]int{"warm-cache": {1}}, against: []string{"other-traffic"}, leads: []string{"warm-cache"},
	},
	"sglang/s17-four-times": {
		supported: map[string][]int{"warm-cache": {1, 3}}, against: []string{"other-traffic"}, leads: []string{"warm-cache"},
	},
	"sglang/s20-rust-client":         {supported: map[string][]int{"warm-cache": {1}}, leads: []string{"warm-cache"}},
	"sglang-cpu/s01-incident-replay": {supported: map[string][]int{"warm-cache": {1, 2}}, leads: []string{"warm-cache"}},
	"sglang-cpu/s05-flush-refused":   {supported: map[string][]int{"warm-cache": {1}}, leads: []string{"warm-cache"}},
	"sglang-cpu/s07-restart": {
		supported: map[string][]int{"warm-up-prompt": nil}, against: []string{"warm-cache"},
		leads: []string{"null", "warm-up-prompt", "first-run"},
	},
	"sglang-cpu/s10-version-0.5.9": {supported: map[string][]int{"warm-cache": {1}}, leads: []string{"warm-cache"}},
	"vllm/v01-incident-replay":     {supported: map[string][]int{"warm-cache": {1, 2}}, leads: []string{"warm-cache"}},
	"vllm/v05b-reset-refused":      {supported: map[string][]int{"warm-cache": {1}}, leads: []string{"warm-cache"}},
	"vllm/v14-incident-shape":      {supported: map[string][]int{"warm-cache": nil}, leads: []string{"warm-cache"}},
	"vllm/v02-reset-each":          {against: []string{"warm-cache"}},
	"vllm/v07-shared-prefix": {
		supported: map[string][]int{"in-run-sharing": {0, 1}, "warm-cache": {2}}, leads: []string{"in-run-sharing", "warm-cache"},
	},
	"vllm/v09-other-traffic": {supported: map[string][]int{"other-traffic": {1}}},
	"vllm/v11-range-ratio":   {supported: map[string][]int{"warm-cache": {2}}},
}

// onlyThere lists captures in which a cause is in the named runs and in no
// other.
var onlyThere = map[string]string{
	"sglang/s07-chunked-prefill":   "warm-cache",
	"sglang-cpu/s10-version-0.5.9": "warm-cache",
	"vllm/v11-range-ratio":         "warm-cache",
}

func TestDifferential(t *testing.T) {
	tested := 0
	for _, rec := range load(t) {
		name := rec.group + "/" + rec.name
		want, ok := differentials[name]
		if !ok || !strings.Contains(name, *captures) {
			continue
		}
		tested++
		t.Run(name, func(t *testing.T) {
			nb := notebook(t, rec)
			for cause, runs := range want.supported {
				t.Run(cause, func(t *testing.T) {
					holdSupported(t, nb, cause, runs, onlyThere[name] == cause)
				})
			}
			for _, cause := range want.against {
				if got := find(t, nb, cause); got.State != causes.Against {
					t.Errorf("%s is %s, want against: %+v", cause, got.State, got.Runs)
				}
			}
			if leads := leading(nb); len(want.leads) > 0 && !slices.Contains(want.leads, leads) {
				t.Errorf("%s leads, want one of %v", leads, want.leads)
			}
		})
	}
	if *captures == "" && tested != len(differentials) {
		t.Errorf("%d captures tested, the table has %d", tested, len(differentials))
	}
}

func holdSupported(t *testing.T, nb *analysis.Notebook, cause string, runs []int, only bool) {
	t.Helper()
	got := find(t, nb, cause)
	if got.State != causes.Supported {
		t.Errorf("%s is %s, want supported: %+v", cause, got.State, got.Runs)
		return
	}
	var in []int
	for _, s := range got.Runs {
		if s.State == causes.Supported {
			in = append(in, position(nb, s.Run))
		}
	}
	for _, i := range runs {
		if !slices.Contains(in, i) {
			t.Errorf("%s is supported in runs %v, want %v among them", cause, in, runs)
		}
	}
	if only && len(in) != len(runs) {
		t.Errorf("%s is supported in runs %v, want %v alone", cause, in, runs)
	}
}

func find(t *testing.T, nb *analysis.Notebook, name string) *causes.Cause {
	t.Helper()
	for _, c := range nb.Causes {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no cause %s", name)
	return nil
}

func leading(nb *analysis.Notebook) string {
	if nb.LeadingCause == nil {
		return "null"
	}
	return *nb.LeadingCause
}

// position is the place of a run among the runs as they ran, -1 if there is
// none of this id.
func position(nb *analysis.Notebook, id string) int {
	n := 0
	for _, r := range nb.Count.Runs {
		if r.ID == id {
			return n
		}
		if r.Kind == "run" {
			n++
		}
	}
	return -1
}

// The kit on the small model: the warm prompts of the first wave at cap 8 were
// the slow ones. A notebook that takes the fast group for the cached one has it
// backwards.
func TestSlowWarmWave(t *testing.T) {
	for _, rec := range load(t) {
		if rec.name != "s01-incident" {
			continue
		}
		nb := notebook(t, rec)
		for cause, text := range map[string]string{
			"first-run":  "the warm prompts of the first wave were the slow ones",
			"warm-cache": "warm is not the same as fast",
		} {
			if seen := strings.Join(find(t, nb, cause).Seen, "\n"); !strings.Contains(seen, text) {
				t.Errorf("%s saw %q, want %q in it", cause, seen, text)
			}
		}
		return
	}
	t.Fatal("no capture s01-incident")
}

// Where no prompt was left by an earlier run, nothing says that one was: the
// cause is not supported, does not lead, and blames no hits on earlier runs.
func TestNoCarryoverBlamed(t *testing.T) {
	tested := 0
	for _, rec := range load(t) {
		blameless := true
		for _, r := range rec.truth.Runs {
			left := r.ByOrigin["earlier_run"]
			blameless = blameless && left != nil && *left == 0
		}
		if !blameless {
			continue
		}
		tested++
		nb := notebook(t, rec)
		if c := find(t, nb, "warm-cache"); c.State == causes.Supported {
			t.Errorf("%s/%s: warm-cache is supported: %+v", rec.group, rec.name, c.Runs)
		}
		if leading(nb) == "warm-cache" {
			t.Errorf("%s/%s: warm-cache leads", rec.group, rec.name)
		}
		for _, r := range nb.Count.Runs {
			if r.Origins.EarlierRun.Low > 0 {
				t.Errorf("%s/%s %s: at least %d hits from an earlier run", rec.group, rec.name, r.ID, r.Origins.EarlierRun.Low)
			}
		}
	}
	if tested < 4 {
		t.Errorf("%d captures without carry-over, want at least 4", tested)
	}
}
