package carryover

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// says is a witness with an interval for the prompts cached at start.
func says(name string, g Grade, s span) finding {
	f := silent(name, "")
	f.grade, f.atStart = g, s
	return f
}

func TestCombine(t *testing.T) {
	for _, c := range []struct {
		name      string
		fs        []finding
		want      span
		grade     Grade
		conflicts int
	}{
		{"nobody", nil, anything, None, 0},
		{"one that knows nothing", []finding{says("a", PerBatch, anything)}, anything, None, 0},
		{"a prediction alone", []finding{says("client-arguments", Predicted, exactly(64))}, anything, None, 0},
		{"a suspicion alone", []finding{says("latency-groups", Suspected, span{10, 20})}, anything, None, 0},
		{"one", []finding{says("a", Bounded, span{3, 9})}, span{3, 9}, Bounded, 0},
		{"the better one gives it alone", []finding{says("a", PerPrompt, exactly(64)), says("b", Bounded, span{60, 70})}, exactly(64), PerPrompt, 0},
		{"order does not matter", []finding{says("b", Bounded, span{60, 70}), says("a", PerPrompt, exactly(64))}, exactly(64), PerPrompt, 0},
		{"two give one end each: the worse grade", []finding{says("a", PerPrompt, span{5, 20}), says("b", Bounded, span{10, 30})}, span{10, 20}, Bounded, 0},
		{"two give one end each, a third gives both", []finding{says("a", PerPrompt, span{5, 20}), says("b", Bounded, span{10, 30}), says("c", PerBatch, span{10, 20})}, span{10, 20}, PerBatch, 0},
		{"an open end", []finding{says("a", PerBatch, span{29, open}), says("b", Bounded, span{0, 64})}, span{29, 64}, Bounded, 0},
		{"a prediction does not narrow", []finding{says("a", PerBatch, span{29, open}), says("client-arguments", Predicted, exactly(64))}, span{29, open}, PerBatch, 0},
		{"a prediction does not contradict", []finding{says("a", PerPrompt, exactly(0)), says("client-arguments", Predicted, exactly(64))}, exactly(0), PerPrompt, 0},
		{"a suspicion does not narrow", []finding{says("a", Bounded, span{0, 64}), says("latency-groups", Suspected, exactly(32))}, span{0, 64}, Bounded, 0},
		{"a contradiction widens to the hull", []finding{says("a", PerPrompt, exactly(64)), says("b", Bounded, exactly(0))}, span{0, 64}, Bounded, 1},
		{"one against two that agree", []finding{says("a", PerPrompt, exactly(64)), says("b", PerBatch, exactly(64)), says("c", Bounded, span{0, 3})}, span{0, 64}, Bounded, 2},
		{"a contradiction with an open end", []finding{says("a", PerBatch, span{29, open}), says("b", Bounded, span{0, 3})}, span{0, open}, Bounded, 1},
		{"three that meet by pairs", []finding{says("a", Bounded, span{0, 5}), says("b", Bounded, span{4, 9}), says("c", Bounded, span{5, 5})}, exactly(5), Bounded, 0},
	} {
		got := combine(c.fs)
		if got.atStart.span != c.want || len(got.conflicts) != c.conflicts {
			t.Errorf("%s: %v with %d conflicts, want %v with %d", c.name, got.atStart.span, len(got.conflicts), c.want, c.conflicts)
		}
		if i := got.atStart.interval(); i.Grade != c.grade && c.conflicts == 0 {
			t.Errorf("%s: grade %s, want %s", c.name, i.Grade, c.grade)
		}
	}
}

// Two that exclude each other in the tokens do not speak of one run: what they
// agree in proves no more than either.
func TestCombineApartInTokens(t *testing.T) {
	lines := says("server-requests", PerPrompt, exactly(20))
	lines.tokens = exactly(10285)
	totals := says("client-totals", Bounded, span{0, 27})
	totals.tokens = exactly(547)
	for _, fs := range [][]finding{{lines, totals}, {totals, lines}} {
		if got := combine(fs); got.atStart.span != (span{0, 27}) || got.tokens.span != (span{547, 10285}) || len(got.conflicts) != 1 {
			t.Errorf("%v at start, %v tokens, %d conflicts", got.atStart.span, got.tokens.span, len(got.conflicts))
		}
		if !disputed(fs) {
			t.Error("not disputed")
		}
	}
	totals.tokens = exactly(10285)
	if got := combine([]finding{lines, totals}); got.atStart.span != exactly(20) || disputed([]finding{lines, totals}) {
		t.Errorf("with the same tokens: %v at start", got.atStart.span)
	}
}

// Both sides of a contradiction are named, and the text says both.
func TestConflictNamesBoth(t *testing.T) {
	got := combine([]finding{says("client-details", PerPrompt, exactly(64)), says("counters", Bounded, exactly(3))})
	if len(got.conflicts) != 1 {
		t.Fatalf("%d conflicts, want 1", len(got.conflicts))
	}
	x := got.conflicts[0]
	if fmt.Sprint(x.Between) != "[client-details counters]" || x.Text == "" {
		t.Errorf("conflict %+v", x)
	}
}

// A value that cannot be is a conflict of a witness with itself; it is shown
// and not clamped.
func TestImpossibleValue(t *testing.T) {
	f := says("client-details", PerPrompt, exactly(1))
	f.conflict = "prompt 1: 600 cached tokens of 512"
	got := combine([]finding{f})
	if len(got.conflicts) != 1 || got.conflicts[0].Text != f.conflict {
		t.Errorf("conflicts %+v, want the impossible value", got.conflicts)
	}
}

// Whatever witnesses say: the combination is the same for every order, holds
// the truth if all of them do, and is their hull if two cannot both be right.
func TestCombineInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	grades := []Grade{PerPrompt, PerBatch, Bounded}
	for range 2000 {
		truth := r.Int64N(20)
		var fs []finding
		honest := r.IntN(2) == 0
		hull := span{open, 0}
		for i := range 1 + r.IntN(4) {
			s := span{r.Int64N(truth + 1), truth + r.Int64N(5)}
			if !honest {
				s = randomSpan(r)
			}
			if s == anything {
				s = exactly(truth)
			}
			hull = hull.hull(s)
			fs = append(fs, says(fmt.Sprint(i), grades[r.IntN(3)], s))
		}
		one := combine(fs)
		r.Shuffle(len(fs), func(i, j int) { fs[i], fs[j] = fs[j], fs[i] })
		two := combine(fs)
		if one.atStart != two.atStart {
			t.Fatalf("%v: %v, in another order %v", fs, one.atStart, two.atStart)
		}
		if honest && (!holds(one.atStart.span, truth) || len(one.conflicts) > 0) {
			t.Fatalf("all hold %d: %v, %d conflicts", truth, one.atStart, len(one.conflicts))
		}
		if len(one.conflicts) > 0 && one.atStart.span != hull {
			t.Fatalf("a contradiction gives %v, the hull is %v", one.atStart.span, hull)
		}
	}
}

func TestVerdict(t *testing.T) {
	at := func(g Grade, lo, hi int64) field { return field{span{lo, hi}, g} }
	for _, c := range []struct {
		name  string
		at    field
		n     int64
		clean bool // no line of the run is damaged
		want  string
	}{
		{"64 of 128", at(PerPrompt, 64, 64), 128, true, Contaminated},
		{"at least 29 of 128", at(PerBatch, 29, open), 128, true, Contaminated},
		{"one of 100 is 1 %", at(Bounded, 1, 1), 100, true, Contaminated},
		{"one of 101 is less than 1 %", at(Bounded, 1, 1), 101, true, Clean},
		{"one of 64", at(PerPrompt, 1, 1), 64, true, Contaminated},
		{"none of 64", at(PerPrompt, 0, 0), 64, true, Clean},
		{"none of 64, a damaged line", at(PerPrompt, 0, 0), 64, false, VerdictUnknown},
		{"hits beside a damaged line", at(PerBatch, 20, open), 64, false, Contaminated},
		{"none or one of 64", at(Bounded, 0, 1), 64, true, VerdictUnknown},
		{"none or one of 100: 1 % is not below 1 %", at(Bounded, 0, 1), 100, true, VerdictUnknown},
		{"none or one of 101", at(Bounded, 0, 1), 101, true, Clean},
		{"2 to 30 of 300: 1 % is 3", at(Bounded, 2, 30), 300, true, VerdictUnknown},
		{"3 to 30 of 300", at(Bounded, 3, 30), 300, true, Contaminated},
		{"no upper bound", at(PerBatch, 0, open), 64, true, VerdictUnknown},
		{"a prediction of 64", at(Predicted, 64, 64), 128, true, VerdictUnknown},
		{"a prediction of 0", at(Predicted, 0, 0), 128, true, VerdictUnknown},
		{"a suspicion", at(Suspected, 40, 64), 128, true, VerdictUnknown},
		{"nothing", at(None, 0, open), 128, true, VerdictUnknown},
		{"zero of zero prompts", at(PerPrompt, 0, 0), 0, true, VerdictUnknown},
		{"an unknown number of prompts", at(PerPrompt, 5, 5), -1, true, VerdictUnknown},
	} {
		if got := verdict(c.at, c.n, c.clean); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
