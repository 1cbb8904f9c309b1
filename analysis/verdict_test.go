package analysis

import (
	"fmt"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency/latencytest"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

// sound is a notebook of two caps with three seeds each, all clean, of which
// every check that must be answered is.
func sound() *Notebook {
	w := latencytest.New()
	for _, limit := range []int{8, 32} {
		for seed := int64(1); seed <= 3; seed++ {
			w.AddRun(fmt.Sprintf("c%d-s%d", limit, seed), limit, 4*limit, seed)
		}
	}
	nb := &Notebook{Count: w.Count, Check: &rules.Document{}}
	for _, rule := range mustKnow {
		nb.answer(rule, rules.Pass, "capture")
	}
	return nb
}

// answer adds a finding for the runs named, all if none is.
func (nb *Notebook) answer(rule, state, scope string, runs ...string) {
	nb.Check.Findings = append(nb.Check.Findings, rules.Finding{Rule: rule, Name: "rule-of-" + rule, State: state, Scope: scope, Runs: runs, Text: rule + " speaks"})
}

func (nb *Notebook) run(i int) *carryover.Run { return nb.Count.Runs[i] }

func inArm(r *carryover.Run, arm string) { r.Facts.Run.Cell = &capture.Cell{Arm: arm} }

func warm(r *carryover.Run) { latencytest.Warm(r, 4) }

func unknown(r *carryover.Run) {
	r.Verdict, r.AtStart, r.Why = carryover.VerdictUnknown, latencytest.Nothing(), []string{"nothing here measures it"}
}

// Each condition of a publishable result is turned off by itself.
func TestVerdictConditions(t *testing.T) {
	type condition struct {
		name  string
		spoil func(nb *Notebook)
		want  string
		says  string
	}
	conditions := []condition{
		{"nothing is wrong", func(*Notebook) {}, Publishable, "every one of the 6 runs"},
		{"no run", func(nb *Notebook) { nb.Count.Runs = nil }, VerdictUnknown, "no run of a benchmark client"},
		{"one run is contaminated", func(nb *Notebook) { warm(nb.run(4)) }, DoNotPublish, "4 of 128 at cap 32"},
		{"one run is unknown", func(nb *Notebook) { unknown(nb.run(4)) }, VerdictUnknown, "the run at cap 32"},
		{"one contaminated, one unknown", func(nb *Notebook) { unknown(nb.run(0)); warm(nb.run(4)) }, DoNotPublish, "4 of 128"},
		{"a check blocks the capture", func(nb *Notebook) { nb.answer("L20", rules.Block, "capture") }, DoNotPublish, "L20 speaks"},
		{"a check blocks a comparison", func(nb *Notebook) { nb.answer("L16", rules.Block, "comparison", "c8-s1") }, DoNotPublish, "L16 speaks"},
		{"a check blocks a number that nobody quotes", func(nb *Notebook) { nb.answer("L40", rules.Block, "number") }, Publishable, ""},
		{"a check blocks a claim", func(nb *Notebook) { nb.answer("L62", rules.Block, "claim") }, Publishable, ""},
		{"a check warns", func(nb *Notebook) { nb.answer("L20", rules.Warn, "capture") }, Publishable, ""},
		{"a check that need not be answered is not", func(nb *Notebook) { nb.answer("L54", rules.Unknown, "capture") }, Publishable, ""},
		{"two runs at a point", func(nb *Notebook) { nb.Count.Runs = nb.Count.Runs[1:] }, VerdictUnknown, "cap 8 has 2"},
		{"three runs, two seeds", func(nb *Notebook) { nb.run(5).Seed = nb.run(4).Seed }, VerdictUnknown, "cap 32 has 2"},
		{"a seed that is not known", func(nb *Notebook) { nb.run(5).Seed = nil }, VerdictUnknown, "cap 32 has 2"},
		{"a run without a cap of its own", func(nb *Notebook) { nb.run(5).MaxConcurrency = nil }, VerdictUnknown, "an unknown cap has 1"},
	}
	for _, rule := range []string{"L01", "L02", "L06", "L20", "L21", "L34"} {
		conditions = append(conditions, condition{
			rule + " lacks its evidence", func(nb *Notebook) { nb.answer(rule, rules.Unknown, "capture", "c8-s1") }, VerdictUnknown, rule,
		})
	}
	for _, c := range conditions {
		nb := sound()
		c.spoil(nb)
		got := judge(nb, rules.DefaultTable())
		if got.State != c.want || !strings.Contains(got.Text, c.says) {
			t.Errorf("%s: %s (%s), want %s with %q", c.name, got.State, got.Text, c.want, c.says)
		}
		if got.Scope == "" || got.Text == "" {
			t.Errorf("%s: scope %q, text %q", c.name, got.Scope, got.Text)
		}
	}
}

// Runs of a repeat arm are warm on purpose; with a kit and its sweep the
// verdict is that of the fresh arm and says that the kit's is another.
func TestVerdictOfASweep(t *testing.T) {
	const kitWords = "the kit's own numbers are not to be published"
	fresh := func() *Notebook {
		nb := sound()
		for _, r := range nb.Count.Runs {
			inArm(r, "fresh")
		}
		return nb
	}
	add := func(nb *Notebook, id, arm string) *carryover.Run {
		d, r := latencytest.New().AddRun(id, 8, 32, 7)
		if arm != "" {
			r.Cell = &capture.Cell{Arm: arm}
		}
		nb.Count.Runs = append(nb.Count.Runs, d)
		return d
	}
	for _, c := range []struct {
		name  string
		spoil func(nb *Notebook)
		want  string
		kit   bool
	}{
		{"a fresh arm alone", func(*Notebook) {}, Publishable, false},
		{"a warm repeat arm", func(nb *Notebook) { warm(add(nb, "repeat", "repeat")) }, Publishable, false},
		{"a warm kit", func(nb *Notebook) { warm(add(nb, "kit", "")) }, Publishable, true},
		{"an unknown kit", func(nb *Notebook) { unknown(add(nb, "kit", "")) }, Publishable, true},
		{"a check that blocks the kit alone", func(nb *Notebook) {
			warm(add(nb, "kit", ""))
			nb.answer("L02", rules.Block, "capture", "kit")
		}, Publishable, true},
		{"a check that blocks kit and sweep", func(nb *Notebook) {
			warm(add(nb, "kit", ""))
			nb.answer("L16", rules.Block, "comparison", "kit", "c8-s1")
		}, DoNotPublish, true},
		{"a fresh arm that is warm", func(nb *Notebook) { warm(nb.run(0)) }, DoNotPublish, false},
		{"a fresh arm that is unknown", func(nb *Notebook) { unknown(nb.run(0)); add(nb, "kit", "") }, VerdictUnknown, true},
	} {
		nb := fresh()
		c.spoil(nb)
		got := judge(nb, rules.DefaultTable())
		if got.State != c.want || strings.Contains(got.Text, kitWords) != c.kit {
			t.Errorf("%s: %s (%s), want %s, the kit named: %v", c.name, got.State, got.Text, c.want, c.kit)
		}
	}
}

// A check without evidence on the kit's runs does not keep the sweep back.
func TestVerdictOfASweepBesideAKitInTheDark(t *testing.T) {
	nb := sound()
	for _, r := range nb.Count.Runs {
		inArm(r, "fresh")
	}
	d, _ := latencytest.New().AddRun("kit", 8, 32, 7)
	nb.Count.Runs = append(nb.Count.Runs, d)
	nb.answer("L34", rules.Unknown, "capture", "kit")
	if got := judge(nb, rules.DefaultTable()); got.State != Publishable {
		t.Errorf("%s (%s), want %s", got.State, got.Text, Publishable)
	}
}

// What no evidence speaks about is listed in words, and only that.
func TestNotChecked(t *testing.T) {
	nb := sound()
	nb.answer("L50", rules.Unknown, "capture")
	nb.answer("L54", rules.Pass, "capture")
	nb.answer("L55", rules.Unknown, "capture")
	nb.answer("L55", rules.Unknown, "capture")
	got := judge(nb, rules.DefaultTable()).Not
	if len(got) != 2 || !strings.Contains(got[0], "clock") || !strings.Contains(got[1], "answers") {
		t.Errorf("not checked: %q, want the clock and the answers, once each", got)
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(nb *Notebook)
		want  string
	}{
		{"all clean", func(*Notebook) {}, "No prompt was cached before any of the 6 runs began"},
		{"no run", func(nb *Notebook) { nb.Count.Runs = nil }, "No run of a benchmark client was found"},
		{"one warm", func(nb *Notebook) { warm(nb.run(4)) }, "4 of the 128 prompts at cap 32 were cached before the run began"},
		{"the warmest of two", func(nb *Notebook) { warm(nb.run(4)); latencytest.Warm(nb.run(1), 9) }, "9 of the 32 prompts at cap 8 were cached before the run began"},
		{"one unknown", func(nb *Notebook) { unknown(nb.run(4)) }, "5 of 6 runs are clean; of the other it is not known"},
	} {
		nb := sound()
		c.spoil(nb)
		if got := title(nb); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
