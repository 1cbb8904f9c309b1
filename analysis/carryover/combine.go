package carryover

import "fmt"

// combined is what the measured and bounded witnesses say together. A
// prediction or a suspicion never enters it.
type combined struct {
	atStart, full, partial, tokens, hits field
	conflicts                            []Conflict
	// doubted is true if sources contradict each other or name a value that
	// cannot be: nothing is called clean then.
	doubted bool
}

// field is one combined interval with its grade.
type field struct {
	span
	grade Grade
}

func (f field) interval() Interval {
	g := f.grade
	if !f.known() {
		g = None
	}
	return f.span.interval(g)
}

// combine intersects, field by field. Witnesses that contradict each other are
// shown, nothing is clamped, and the intervals widen to the hull of all: those
// that exclude each other in one field do not speak of the same run, and where
// they happen to agree proves no more.
func combine(fs []finding) combined {
	var c combined
	pick := func(name string, of func(f *finding) span) field {
		var by []int
		for i := range fs {
			if fs[i].grade.Measured() && of(&fs[i]).known() {
				by = append(by, i)
			}
		}
		if len(by) == 0 {
			return field{anything, None}
		}
		both, ok := of(&fs[by[0]]), true
		hull := both
		for n, i := range by[1:] {
			s := of(&fs[i])
			hull = hull.hull(s)
			for _, j := range by[:n+1] {
				if _, agree := of(&fs[j]).and(s); !agree {
					c.contradict(name, &fs[j], &fs[i], of)
				}
				ok = ok && !apart(&fs[j], &fs[i])
			}
			both = span{max(both.lo, s.lo), min(both.hi, s.hi)}
		}
		if !ok {
			return field{hull, gradeOf(fs, hull, by, of)}
		}
		return field{both, gradeOf(fs, both, by, of)}
	}
	c.atStart = pick("prompts cached at start", func(f *finding) span { return f.atStart })
	c.full = pick("full hits at start", func(f *finding) span { return f.full })
	c.partial = pick("partial hits at start", func(f *finding) span { return f.partial })
	c.tokens = pick("cached tokens", func(f *finding) span { return f.tokens })
	c.hits = pick("hits", func(f *finding) span { return f.hits })
	for i := range fs {
		if fs[i].conflict != "" {
			c.conflicts = append(c.conflicts, Conflict{Between: []string{fs[i].name, fs[i].name}, Text: fs[i].conflict})
		}
	}
	c.doubted = len(c.conflicts) > 0
	return c
}

// apart reports whether two findings exclude each other in any field.
func apart(a, b *finding) bool {
	for _, pair := range [][2]span{{a.atStart, b.atStart}, {a.full, b.full}, {a.partial, b.partial}, {a.tokens, b.tokens}, {a.hits, b.hits}} {
		if _, agree := pair[0].and(pair[1]); !agree {
			return true
		}
	}
	return false
}

// gradeOf is the grade of the best witness that gives the interval alone, else
// the worse of the two that give its ends.
func gradeOf(fs []finding, s span, by []int, of func(f *finding) span) Grade {
	alone, low, high := None, None, None
	for _, i := range by {
		x := of(&fs[i])
		if x == s {
			alone = better(alone, fs[i].grade)
		}
		if x.lo == s.lo {
			low = better(low, fs[i].grade)
		}
		if x.hi == s.hi {
			high = better(high, fs[i].grade)
		}
	}
	if alone != None {
		return alone
	}
	return worse(low, high)
}

// contradict notes that two witnesses exclude each other, once for each pair.
func (c *combined) contradict(what string, a, b *finding, of func(f *finding) span) {
	for _, x := range c.conflicts {
		if x.Between[0] == a.name && x.Between[1] == b.name {
			return // the same contradiction, in another field
		}
	}
	c.conflicts = append(c.conflicts, Conflict{
		Between: []string{a.name, b.name},
		Text:    fmt.Sprintf("%s: %s says %s, %s says %s", what, a.name, of(a), b.name, of(b)),
	})
}

// Verdicts of a run.
const (
	Contaminated   = "contaminated"
	Clean          = "clean"
	VerdictUnknown = "unknown"
)

// warmShare is the part of the prompts from which a run counts as contaminated.
const warmShare = 0.01

// verdict judges n prompts of which so many were cached at start.
func verdict(at field, n int64, mayBeClean bool) string {
	switch {
	case n <= 0 || !at.grade.Measured():
		return VerdictUnknown
	case at.lo >= 1 && float64(at.lo) >= warmShare*float64(n):
		return Contaminated
	case mayBeClean && at.hi != open && float64(at.hi) < warmShare*float64(n):
		return Clean
	}
	return VerdictUnknown
}
