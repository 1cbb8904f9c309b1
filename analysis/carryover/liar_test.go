package carryover

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis/timeline"
	"coldcase/ingest"
)

// recorded are captures of real servers that have each of the witnesses.
var recorded = []string{"sglang/s17-four-times", "sglang/s11-radix-disabled", "sglang/s14-reversed", "vllm/v02-reset-each"}

var opened = map[string][]*runCase{}

// casesOf prepares the runs of a recorded capture, once for all tests.
func casesOf(t *testing.T, name string) []*runCase {
	t.Helper()
	if opened[name] != nil {
		return opened[name]
	}
	c, err := ingest.Open(ingest.Options{}, filepath.Join("..", "degrade", "testdata", "captures", filepath.FromSlash(name)+".tar.zst"))
	if err != nil {
		t.Fatal(err)
	}
	opened[name] = cases(c, timeline.Build(c))
	return opened[name]
}

type witness = func(k *runCase) (finding, bool)

// with counts a run with one witness put in the place of another.
func with(t *testing.T, k *runCase, i int, w witness) *Run {
	t.Helper()
	honest := witnesses
	defer func() { witnesses = honest }()
	witnesses = slices.Clone(honest)
	witnesses[i] = w
	return k.count()
}

// lying turns a witness into one that says n for every number at start, in the
// same words and with the same grade.
func lying(honest witness, n int64) witness {
	return func(k *runCase) (finding, bool) {
		f, ok := honest(k)
		f.atStart, f.full, f.hits, f.hitFull = exactly(n), exactly(n), exactly(n), exactly(n)
		f.partial, f.hitPartial = exactly(0), exactly(0)
		return f, ok
	}
}

// A deliberate error of any one measured witness is caught: it stands in a
// conflict that names the witness, the interval widens until it holds the truth
// and the lie, and the verdict of the run is never turned round.
func TestALyingWitnessIsCaught(t *testing.T) {
	caught := map[string]int{}
	for _, name := range recorded {
		for _, k := range casesOf(t, name) {
			honest := k.count()
			if !honest.AtStart.exact() || len(honest.Conflicts) > 0 {
				t.Fatalf("%s %s: at start %+v with %d conflicts: not a capture to lie about", name, honest.ID, honest.AtStart, len(honest.Conflicts))
			}
			truth := honest.AtStart.Low
			for i, w := range witnesses {
				f, ok := w(k)
				if !ok || !f.grade.Measured() || !f.atStart.known() {
					continue
				}
				for _, lie := range []int64{truth + 1, truth + 40, truth - 1, 0} {
					if lie < 0 || lie == truth {
						continue
					}
					got := with(t, k, i, lying(w, lie))
					what := fmt.Sprintf("%s %s: %s says %d instead of %d", name, honest.ID, f.name, lie, truth)
					if !names(got.Conflicts, f.name) {
						t.Errorf("%s: conflicts %+v, none names it", what, got.Conflicts)
					}
					if at := got.AtStart; at.Low > min(lie, truth) || at.High == nil || *at.High < max(lie, truth) {
						t.Errorf("%s: at start %+v", what, got.AtStart)
					}
					if got.Verdict != honest.Verdict && got.Verdict != VerdictUnknown {
						t.Errorf("%s: verdict %s, it was %s", what, got.Verdict, honest.Verdict)
					}
					caught[f.name]++
				}
			}
		}
	}
	for _, w := range []string{
		"client-details", "client-totals", "server-requests", "server-arguments", "prefill-lines", "counters", "histogram", "hit-rate-lines",
	} {
		if caught[w] == 0 {
			t.Errorf("no lie of %s was tried", w)
		}
	}
}

func (i Interval) exact() bool { return i.High != nil && *i.High == i.Low }

func names(conflicts []Conflict, witness string) bool {
	return slices.ContainsFunc(conflicts, func(c Conflict) bool { return slices.Contains(c.Between, witness) })
}

// A wrong prediction or suspicion changes no number and no verdict; a wrong
// prediction is said.
func TestALyingPredictionChangesNothing(t *testing.T) {
	said := 0
	for _, name := range recorded {
		for _, k := range casesOf(t, name) {
			honest := k.count()
			for i, w := range witnesses {
				f, ok := w(k)
				if !ok || f.grade.Measured() {
					continue
				}
				got := with(t, k, i, lying(w, honest.AtStart.Low+40))
				if fmt.Sprint(bare(got)) != fmt.Sprint(bare(honest)) {
					t.Errorf("%s %s: a lie of %s changes the count:\n%v\n%v", name, honest.ID, f.name, bare(honest), bare(got))
				}
			}
			if k.predicted == nil {
				continue
			}
			wrong := *k
			forecast := *k.predicted
			forecast.prompts = exactly(honest.AtStart.Low + 40)
			wrong.predicted = &forecast
			got := wrong.count()
			if got.AtStart.Low != honest.AtStart.Low || !got.AtStart.exact() || got.Verdict != honest.Verdict {
				t.Errorf("%s %s: a wrong prediction gives %+v, %s", name, honest.ID, got.AtStart, got.Verdict)
			}
			if !strings.Contains(strings.Join(got.Why, "\n"), fmt.Sprintf("predicted %d", honest.AtStart.Low+40)) {
				t.Errorf("%s %s: the count differs from its prediction, and why does not say so: %q", name, honest.ID, got.Why)
			}
			said++
		}
	}
	if said == 0 {
		t.Error("no run has a prediction")
	}
}

// bare are the numbers of a run.
func bare(r *Run) []any {
	var out []any
	for _, i := range []Interval{r.AtStart, r.Cached, r.PartlyCached, r.CachedTokens} {
		out = append(out, i.Low, i.exact(), i.Grade)
	}
	return append(out, r.Verdict, len(r.Conflicts))
}

// A lie about cached tokens is caught where another witness names them.
func TestALieAboutTokensIsCaught(t *testing.T) {
	for _, k := range casesOf(t, "sglang/s17-four-times") {
		for i, w := range witnesses {
			f, ok := w(k)
			if !ok || !f.grade.Measured() || !f.tokens.isExact() {
				continue
			}
			got := with(t, k, i, func(k *runCase) (finding, bool) {
				f, ok := w(k)
				f.tokens = exactly(f.tokens.lo + 512)
				return f, ok
			})
			if !names(got.Conflicts, f.name) {
				t.Errorf("%s: %s adds 512 cached tokens, and no conflict names it", got.ID, f.name)
			}
		}
	}
}

// More cached tokens than a prompt has are a conflict, shown and not clamped.
func TestMoreCachedThanPrompt(t *testing.T) {
	k := casesOf(t, "sglang/s17-four-times")[0]
	q := k.run.Merged.Requests
	if q == nil || len(q.Cached) == 0 {
		t.Fatal("the capture has no details")
	}
	was := q.Cached[3]
	defer func() { q.Cached[3] = was }()
	q.Cached[3] = 9999
	got := k.count()
	if !names(got.Conflicts, "client-details") {
		t.Errorf("9999 cached tokens of a prompt: conflicts %+v", got.Conflicts)
	}
	if got.Verdict == Clean {
		t.Error("clean beside an impossible value")
	}
}
