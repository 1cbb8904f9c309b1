package analysis_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/confirm"
	"coldcase/analysis/latency"
	"coldcase/analysis/rules"
	"coldcase/ingest"
	"coldcase/samples"
)

// incident analyses the published incident: two reports in part, two log
// lines, two tables.
func incident(t *testing.T) *analysis.Notebook {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "incident")
	if err := samples.Extract("incident", dir); err != nil {
		t.Fatal(err)
	}
	c, err := ingest.Open(ingest.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	return analysis.Analyze(c, analysis.Options{})
}

// twoRuns returns the runs at cap 8 and cap 32, in this order.
func twoRuns(t *testing.T, nb *analysis.Notebook) (c8, c32 *carryover.Run) {
	t.Helper()
	if len(nb.Count.Runs) != 2 || nb.Count.Runs[0].MaxConcurrency != 8 || nb.Count.Runs[1].MaxConcurrency != 32 {
		t.Fatalf("%d runs, want caps 8 and 32", len(nb.Count.Runs))
	}
	return nb.Count.Runs[0], nb.Count.Runs[1]
}

// Cap 32: two lines prove 29 full hits, 64 are predicted by arguments that one
// run is presumed to share, and 64 are claimed.
func TestIncidentCap32(t *testing.T) {
	_, r := twoRuns(t, incident(t))
	if r.AtStart.Low != 29 || r.AtStart.High != nil || r.AtStart.Grade != carryover.PerBatch {
		t.Errorf("at start %s, grade %s, want [29, null] per-batch", ends(r.AtStart.Low, r.AtStart.High), r.AtStart.Grade)
	}
	if p := r.Predicted; p == nil || p.Low != 64 || p.High == nil || *p.High != 64 || !strings.Contains(p.Note, "presumed") {
		t.Errorf("predicted %+v, want 64, presumed", p)
	}
	if len(r.Claims) != 1 || r.Claims[0].Prompts != 64 || r.Claims[0].Evidence.File != "coldcase.toml" {
		t.Errorf("claims %+v, want 64 by the notes", r.Claims)
	}
	if r.Verdict != carryover.Contaminated || r.Seed == nil || *r.Seed != 7 {
		t.Errorf("verdict %s, seed %v, want contaminated and 7", r.Verdict, r.Seed)
	}
	if len(r.Conflicts) > 0 {
		t.Errorf("conflicts %+v", r.Conflicts)
	}
	if r.CachedTokens.Low != 6879+7634 || r.CachedTokens.High != nil {
		t.Errorf("cached tokens %s, want [14513, null]", ends(r.CachedTokens.Low, r.CachedTokens.High))
	}
	w := r.Witnesses[slices.IndexFunc(r.Witnesses, func(w carryover.Witness) bool { return w.Name == "prefill-lines" })]
	if w.Low != 29 || w.High != nil || !strings.Contains(w.Note, "28 of them need no argument by order") {
		t.Errorf("prefill lines %s, note %q: 28 need no argument by order", ends(w.Low, w.High), w.Note)
	}
	var lines []int
	for _, e := range w.Evidence {
		if e.File != "server-default.log" {
			t.Errorf("evidence in %s", e.File)
		}
		lines = append(lines, e.Line)
	}
	if !slices.Equal(lines, []int{341, 342}) {
		t.Errorf("evidence at lines %v, want 341 and 342 of the original", lines)
	}
}

// Cap 8: nothing is measured or predicted, 16 are claimed, and that is all.
func TestIncidentCap8(t *testing.T) {
	r, _ := twoRuns(t, incident(t))
	if r.AtStart.Low != 0 || r.AtStart.High != nil || r.AtStart.Grade != carryover.None {
		t.Errorf("at start %s, grade %s, want [0, null] none", ends(r.AtStart.Low, r.AtStart.High), r.AtStart.Grade)
	}
	if r.Predicted != nil {
		t.Errorf("predicted %+v: the run before it is not in the capture", r.Predicted)
	}
	if len(r.Claims) != 1 || r.Claims[0].Prompts != 16 {
		t.Errorf("claims %+v, want 16", r.Claims)
	}
	if r.Verdict != carryover.VerdictUnknown {
		t.Errorf("verdict %s, want unknown", r.Verdict)
	}
	if r.Prompts == nil || *r.Prompts != 64 || r.Completed != nil {
		t.Errorf("prompts %v, completed %v, want 64 as stated and nothing", r.Prompts, r.Completed)
	}
}

// No number that is claimed or predicted stands anywhere as a measured one.
func TestIncidentMeasuresNo64(t *testing.T) {
	nb := incident(t)
	for _, r := range nb.Count.Runs {
		for what, i := range map[string]carryover.Interval{"at start": r.AtStart, "cached": r.Cached, "partly cached": r.PartlyCached} {
			if i.Low > 29 || i.High != nil && *i.High > 0 {
				t.Errorf("%s: %s %s", r.ID, what, ends(i.Low, i.High))
			}
		}
		for _, w := range r.Witnesses {
			if w.Grade.Measured() && (w.Low > 29 || w.High != nil) {
				t.Errorf("%s: %s measures %s", r.ID, w.Name, ends(w.Low, w.High))
			}
		}
		for what, b := range map[string]carryover.Bounds{"earlier run": r.Origins.EarlierRun, "warm-up": r.Origins.WarmUp, "another client": r.Origins.OtherClient} {
			if b.Low > 0 {
				t.Errorf("%s: at least %d by %s; whose the hits were is not shown", r.ID, b.Low, what)
			}
		}
	}
	text, err := json.Marshal(nb)
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`64( warm| full hits)?( prompts)?( were| are)? (measured|proved|counted)`).Find(text); m != nil {
		t.Errorf("the notebook says %q", m)
	}
}

func TestIncidentVerdict(t *testing.T) {
	nb := incident(t)
	if nb.Verdict.State != analysis.DoNotPublish || !strings.Contains(nb.Verdict.Text, "29 or more of 128") {
		t.Errorf("verdict %s: %q", nb.Verdict.State, nb.Verdict.Text)
	}
	blocked := false
	for _, f := range nb.Check.Findings {
		if f.Rule == "L01" && f.State == rules.Block {
			blocked = true
			if f.Scope != "capture" || !strings.Contains(f.Text, "presumed") {
				t.Errorf("L01: scope %s, text %q: it must say that arguments are presumed", f.Scope, f.Text)
			}
		}
	}
	if !blocked {
		t.Errorf("L01 is %v, want block for the pair", states(nb, "L01"))
	}
	if nb.LeadingCause == nil || *nb.LeadingCause != "warm-cache" {
		t.Error("warm-cache does not lead")
	}
	if inv := nb.Inversion; inv == nil || inv.Statistic != "median_ttft_ms" || inv.MadeBy != nb.Count.Runs[1].ID || inv.Survives != "unknown" {
		t.Errorf("inversion %+v, want the median's, made by cap 32", inv)
	}
}

// The summaries taken apart, by hand: the mean of cap 8 leaves 48 prompts at
// about 694 ms beside eight fast ones and a slow wave of eight; both runs imply
// one prefill rate within 5 %.
func TestIncidentArithmetic(t *testing.T) {
	nb := incident(t)
	c8, c32 := nb.Latency[0], nb.Latency[1]
	if len(c8.Groups) != 3 || c8.Groups[0].N != 8 || c8.Groups[1].N != 48 || c8.Groups[2].N != 8 {
		t.Fatalf("cap 8: groups %+v, want 8, 48 and 8", c8.Groups)
	}
	near(t, "the cold level of cap 8", c8.Groups[1].Median, 694, 0.01)
	near(t, "its slow wave", c8.Groups[2].Median, 1190, 0.01)
	near(t, "the rate at cap 8", c8.PrefillRate.TokensPerS, 5900, 0.01)
	near(t, "the rate at cap 32", c32.PrefillRate.TokensPerS, 5670, 0.01)
	if _, _, spread := latency.Agreement(nb.Latency); spread > 1.05 {
		t.Errorf("the rates differ by a factor of %.3f, want one within 5 %%", spread)
	}
	for _, c := range []struct {
		r     *latency.Run
		group string
	}{{c8, "cold"}, {c32, "edge"}} {
		i := slices.IndexFunc(c.r.SitsIn, func(s latency.SitsIn) bool { return s.Figure == "median_ttft_ms" })
		if i < 0 || c.r.SitsIn[i].Group != c.group {
			t.Errorf("%s: its median sits in %+v, want %s", c.r.Run, c.r.SitsIn, c.group)
		}
	}
	if p := c8.Predicted; p == nil || p.Median < 640 || p.Median > 800 {
		t.Errorf("a clean cap 8 is predicted at %+v, want about 720 ms", p)
	}
	if p := c32.Predicted; p == nil || p.MedianLow < 1400 || p.MedianHigh > 2300 {
		t.Errorf("a clean cap 32 is predicted at %+v, want 1,500 to 2,100 ms", p)
	}
}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if math.Abs(got-want) > share*want {
		t.Errorf("%s is %.1f, want %.1f within %.0f %%", what, got, want, 100*share)
	}
}

// What is left over says so with its numbers: the slow warm wave, the one rate,
// why the confirmation cannot have sent the same prompts, and that nothing in
// the capture tells which of the candidates it was.
func TestIncidentUnexplained(t *testing.T) {
	nb := incident(t)
	var all []string
	for _, u := range nb.Unexplained {
		all = append(all, u.Text)
	}
	text := strings.Join(all, "\n")
	for _, want := range []string{
		"first wave of 8 took about 11",
		"8 of its prompts were warm",
		"one prefill rate, 5670 to 5901 new tokens/s",
		"209.98 ms",
		"677.61 ms",
		"no queue serves fresh prompts of the kit's length",
		"416.37 ms",
		"are not comparable",
		"range ratio that lets lengths vary",
		"another chunk size",
		"another state of the server",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is nowhere in\n%s", want, text)
		}
	}
	for _, u := range nb.Unexplained {
		if strings.Contains(u.Text, "209.98") && len(u.Evidence) == 0 {
			t.Errorf("no evidence for %q", u.Text)
		}
	}
	if c := nb.Confirmation; c == nil || c.Outcome != confirm.NotComparable {
		t.Errorf("confirmation %+v, want not-comparable", c)
	}
}

// Two lines, to be counted by hand.
func TestIncidentExercise(t *testing.T) {
	e := incident(t).Exercise
	if e == nil || len(e.Lines) != 2 || e.FullHits.Low != 29 || e.FullHits.High == nil || *e.FullHits.High != 29 {
		t.Errorf("exercise %+v, want two lines and 29 full hits", e)
	}
}
