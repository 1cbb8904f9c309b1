package carryover

import (
	"math"
	"strconv"
)

// open is the high end of an interval without an upper bound.
const open = math.MaxInt64

// span is a closed interval of counts; hi == open means no upper bound.
type span struct{ lo, hi int64 }

var anything = span{0, open}

func exactly(n int64) span { return span{n, n} }

func (s span) known() bool { return s.lo > 0 || s.hi != open }

func (s span) isExact() bool { return s.lo == s.hi }

// plus adds two intervals.
func (s span) plus(t span) span {
	if s.hi == open || t.hi == open {
		return span{s.lo + t.lo, open}
	}
	return span{s.lo + t.lo, s.hi + t.hi}
}

// minus takes t off s, never below 0.
func (s span) minus(t span) span {
	r := span{0, s.hi}
	if t.hi != open {
		r.lo = max(0, s.lo-t.hi)
	}
	if s.hi != open {
		r.hi = max(0, s.hi-t.lo)
	}
	return r
}

// and intersects; ok is false if nothing is left.
func (s span) and(t span) (span, bool) {
	r := span{max(s.lo, t.lo), min(s.hi, t.hi)}
	return r, r.lo <= r.hi
}

// hull is the smallest interval that holds both.
func (s span) hull(t span) span { return span{min(s.lo, t.lo), max(s.hi, t.hi)} }

// atMost lowers the high end.
func (s span) atMost(n int64) span { return span{min(s.lo, n), min(s.hi, n)} }

func (s span) high() *int64 {
	if s.hi == open {
		return nil
	}
	return &s.hi
}

func (s span) bounds() Bounds { return Bounds{s.lo, s.high()} }

func (s span) interval(g Grade) Interval { return Interval{s.lo, s.high(), g} }

// String prints the interval in words: "16", "16 to 18", "16 or more".
func (s span) String() string {
	switch {
	case s.isExact():
		return strconv.FormatInt(s.lo, 10)
	case s.hi == open:
		return strconv.FormatInt(s.lo, 10) + " or more"
	}
	return strconv.FormatInt(s.lo, 10) + " to " + strconv.FormatInt(s.hi, 10)
}

func spanOf(low int64, high *int64) span {
	if high == nil {
		return span{low, open}
	}
	return span{low, *high}
}

// String prints the interval in words: "16", "16 to 18", "16 or more".
func (i Interval) String() string { return spanOf(i.Low, i.High).String() }

// String prints the bounds in words: "16", "16 to 18", "16 or more".
func (b Bounds) String() string { return spanOf(b.Low, b.High).String() }

// rank orders grades, best first.
func (g Grade) rank() int {
	for i, x := range []Grade{PerPrompt, PerBatch, Bounded, Predicted, Suspected, None} {
		if g == x {
			return i
		}
	}
	return 5
}

// Measured reports whether the grade can decide a verdict.
func (g Grade) Measured() bool { return g.rank() <= Bounded.rank() }

// better returns the better of two grades, worse the worse.
func better(a, b Grade) Grade {
	if a.rank() <= b.rank() {
		return a
	}
	return b
}

func worse(a, b Grade) Grade {
	if a.rank() >= b.rank() {
		return a
	}
	return b
}

// ceilDiv and floorDiv divide non-negative numbers by positive ones.
func ceilDiv(a, b int64) int64 {
	if a <= 0 {
		return 0
	}
	return (a + b - 1) / b
}

func floorDiv(a, b int64) int64 {
	if a < 0 {
		return -1 - (-a-1)/b
	}
	return a / b
}
