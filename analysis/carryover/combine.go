package carryover

import "fmt"

// combined is what the measured and bounded witnesses say together. A
// prediction or a suspicion never enters it.
type combined struct {
	atStart, full, partial, tokens field
	hits, hitFull, hitPartial      field
	conflicts                      []Conflict
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
// shown, nothing is clamped, and the interval widens to the hull.
func combine(fs []finding) combined {
	var c combined
	pick := func(name string, of func(f *finding) span) field {
		r := field{anything, None}
		lowBy, highBy := -1, -1
		for i := range fs {
			s := of(&fs[i])
			if !fs[i].grade.Measured() || !s.known() {
				continue
			}
			if lowBy < 0 && highBy < 0 {
				r.span, lowBy, highBy = s, i, i
				continue
			}
			both, ok := r.span.and(s)
			if !ok {
				c.contradict(name, fs, lowBy, highBy, i, s)
				r.span = r.span.hull(s)
				continue
			}
			if both.lo > r.lo {
				lowBy = i
			}
			if both.hi < r.hi {
				highBy = i
			}
			r.span = both
		}
		if lowBy >= 0 {
			r.grade = gradeOf(fs, r.span, lowBy, highBy, of)
		}
		return r
	}
	c.atStart = pick("prompts cached at start", func(f *finding) span { return f.atStart })
	c.full = pick("full hits at start", func(f *finding) span { return f.full })
	c.partial = pick("partial hits at start", func(f *finding) span { return f.partial })
	c.tokens = pick("cached tokens", func(f *finding) span { return f.tokens })
	c.hits = pick("hits", func(f *finding) span { return f.hits })
	c.hitFull = pick("full hits", func(f *finding) span { return f.hitFull })
	c.hitPartial = pick("partial hits", func(f *finding) span { return f.hitPartial })
	for i := range fs {
		if fs[i].conflict != "" {
			c.conflicts = append(c.conflicts, Conflict{Between: []string{fs[i].name, fs[i].name}, Text: fs[i].conflict})
		}
	}
	return c
}

// gradeOf is the grade of the best witness that gives the interval alone, else
// the worse of the two that give its ends.
func gradeOf(fs []finding, s span, lowBy, highBy int, of func(f *finding) span) Grade {
	alone := None
	for i := range fs {
		if fs[i].grade.Measured() && of(&fs[i]) == s {
			alone = better(alone, fs[i].grade)
		}
	}
	if alone != None {
		return alone
	}
	return worse(fs[lowBy].grade, fs[highBy].grade)
}

func (c *combined) contradict(what string, fs []finding, lowBy, highBy, i int, s span) {
	other := lowBy
	if o := highBy; s.lo > 0 && fs[o].name != "" {
		other = o
	}
	for _, x := range c.conflicts {
		if x.Between[0] == fs[other].name && x.Between[1] == fs[i].name {
			return // the same contradiction, in another field
		}
	}
	c.conflicts = append(c.conflicts, Conflict{
		Between: []string{fs[other].name, fs[i].name},
		Text:    fmt.Sprintf("%s: %s says %s, %s says %s", what, fs[other].name, rangeWords(fs, other, what), fs[i].name, rangeOf(s)),
	})
}

func rangeWords(fs []finding, i int, what string) string {
	switch what {
	case "cached tokens":
		return rangeOf(fs[i].tokens)
	case "prompts cached at start":
		return rangeOf(fs[i].atStart)
	}
	return rangeOf(fs[i].hits)
}

func rangeOf(s span) string {
	switch {
	case s.isExact():
		return fmt.Sprint(s.lo)
	case s.hi == open:
		return fmt.Sprintf("%d or more", s.lo)
	}
	return fmt.Sprintf("%d to %d", s.lo, s.hi)
}

// Verdicts of contracts section 2.
const (
	Contaminated   = "contaminated"
	Clean          = "clean"
	VerdictUnknown = "unknown"
)

// share is the part of the prompts from which a run counts as contaminated.
const share = 0.01

// verdict judges n prompts of which so many were cached at start.
func verdict(at field, n int64, mayBeClean bool) string {
	switch {
	case n <= 0 || !at.grade.Measured():
		return VerdictUnknown
	case at.lo >= 1 && float64(at.lo) >= share*float64(n):
		return Contaminated
	case mayBeClean && at.hi != open && float64(at.hi) < share*float64(n):
		return Clean
	}
	return VerdictUnknown
}
