package templates

import (
	"slices"
	"testing"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
)

func namedRuns(ids ...string) []*row {
	nb := &analysis.Notebook{Count: &carryover.Document{}}
	for i, id := range ids {
		nb.Count.Runs = append(nb.Count.Runs, &carryover.Run{ID: id, Kind: "run", MaxConcurrency: 8 << i})
	}
	return rows(nb)
}

func TestSay(t *testing.T) {
	s := newSpeaker(namedRuns("a.jsonl:1", "a.jsonl:12"), 10)
	for in, want := range map[string]string{
		"seed 7 as in a.jsonl:1, a.jsonl:12":  "Seed 7 as in cap 8, cap 16.",
		"a.jsonl:123 and data.jsonl:1":        "a.jsonl:123 and data.jsonl:1.",
		"median_ttft_ms falls (per-prompt)":   "Median TTFT falls (per prompt).",
		"kit/a.jsonl:1 is another run's file": "kit/a.jsonl:1 is another run's file.",
		"is it so?":                           "Is it so?",
		"":                                    "",
	} {
		if got := s.Sentence(in); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRemarksNameTheirRuns(t *testing.T) {
	s := newSpeaker(namedRuns("a:1", "b:1"), 10)
	for _, c := range []struct {
		said []remark
		want string
	}{
		{[]remark{{"no range", []string{"a:1", "b:1"}}}, "No range."},
		{[]remark{{"no range", []string{"b:1"}}}, "Cap 16: no range."},
		{[]remark{{"one", []string{"a:1"}}, {"two", []string{"b:1"}}}, "Cap 8: one; cap 16: two."},
		{[]remark{{"slow at cap 16", []string{"b:1"}}}, "Slow at cap 16."},
	} {
		if got := s.remarks(c.said); got != c.want {
			t.Errorf("remarks(%v) = %q, want %q", c.said, got, c.want)
		}
	}
}

func TestLabelsStayApart(t *testing.T) {
	seed := func(n int64) *int64 { return &n }
	for _, c := range []struct {
		runs []*carryover.Run
		want []string
	}{
		{[]*carryover.Run{{ID: "a:1", MaxConcurrency: 8}, {ID: "b:1", MaxConcurrency: 32}}, []string{"cap 8", "cap 32"}},
		{[]*carryover.Run{{ID: "a:1", MaxConcurrency: 8, Seed: seed(1)}, {ID: "b:1", MaxConcurrency: 8, Seed: seed(2)}}, []string{"cap 8 seed 1", "cap 8 seed 2"}},
		{[]*carryover.Run{{ID: "kit/a:1", MaxConcurrency: 8, Seed: seed(1)}, {ID: "sweep/cells/001-c8-s1-fresh/r:1", MaxConcurrency: 8, Seed: seed(1)}}, []string{"cap 8 seed 1 kit", "cap 8 seed 1 fresh"}},
		{[]*carryover.Run{{ID: "x/a.json:1", MaxConcurrency: 8}, {ID: "y/a.json:1", MaxConcurrency: 8}}, []string{"cap 8 x/a.json:1", "cap 8 y/a.json:1"}},
		{[]*carryover.Run{{ID: "x/a.json:1"}, {ID: "x/b.json:1"}}, []string{"a.json", "b.json"}},
	} {
		nb := &analysis.Notebook{Count: &carryover.Document{Runs: c.runs}}
		for _, r := range c.runs {
			r.Kind = "run"
		}
		var got []string
		for _, r := range rows(nb) {
			got = append(got, r.Label)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("labels %q, want %q", got, c.want)
		}
	}
}

// TestMaskedRunsStayApart: two runs whose ids the mask makes alike keep their
// own names, in their rows, in texts and as keys.
func TestMaskedRunsStayApart(t *testing.T) {
	one, two := "gpu1.internal:1", "gpu2.internal:1"
	for range 20 { // maps have no order of their own
		nb := &analysis.Notebook{Count: &carryover.Document{Runs: []*carryover.Run{{ID: one, Kind: "run"}, {ID: two, Kind: "run"}}},
			Timeline: map[string][]analysis.TimelineBatch{one: {{Line: 1}}, two: {{Line: 2}}}}
		nb.Verdict.Text = "as in " + two
		got := prepare(nb, Options{Mode: Publish}, 0)
		a, b := got.Count.Runs[0].ID, got.Count.Runs[1].ID
		if a == b || len(got.Timeline) != 2 || got.Timeline[a][0].Line != 1 || got.Timeline[b][0].Line != 2 {
			t.Fatalf("runs %q and %q, timeline %v", a, b, got.Timeline)
		}
		if want := "as in " + b; got.Verdict.Text != want {
			t.Fatalf("text %q, want %q", got.Verdict.Text, want)
		}
	}
}

func TestCut(t *testing.T) {
	for in, want := range map[string]string{
		"short": "short", "a long text of 677.61 ms": "a long text of …", "12345678901234567890": "…", "abcdefghijklmnopqrs7": "abcdefghijklmnopqr…",
	} {
		if got := cut(in, 18); got != want {
			t.Errorf("cut(%q) = %q, want %q", in, got, want)
		}
	}
}
