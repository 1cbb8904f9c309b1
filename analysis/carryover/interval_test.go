package carryover

import (
	"math/rand/v2"
	"testing"
)

// members lists what an interval of small numbers holds; an open one is
// stopped at limit.
func members(s span, limit int64) []int64 {
	var out []int64
	for n := s.lo; n <= min(s.hi, limit); n++ {
		out = append(out, n)
	}
	return out
}

func holds(s span, n int64) bool { return s.lo <= n && n <= s.hi }

func randomSpan(r *rand.Rand) span {
	s := span{lo: r.Int64N(8)}
	s.hi = s.lo + r.Int64N(6)
	if r.IntN(5) == 0 {
		s.hi = open
	}
	return s
}

// The sum, the difference, the intersection and the hull of two intervals hold
// what their members give, and no end of them is further out than it has to be.
func TestSpanArithmetic(t *testing.T) {
	const limit = 30
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := randomSpan(r), randomSpan(r)
		sum, less, hull := a.plus(b), a.minus(b), a.hull(b)
		both, meet := a.and(b)
		sums, differences := map[int64]bool{}, map[int64]bool{}
		common := map[int64]bool{}
		for _, x := range members(a, limit) {
			for _, y := range members(b, limit) {
				sums[x+y] = true
				differences[max(0, x-y)] = true
				if x == y {
					common[x] = true
				}
			}
			if !holds(hull, x) {
				t.Fatalf("%v hull %v = %v without %d", a, b, hull, x)
			}
		}
		for n := range sums {
			if !holds(sum, n) {
				t.Fatalf("%v + %v = %v without %d", a, b, sum, n)
			}
		}
		for n := range differences {
			if !holds(less, n) {
				t.Fatalf("%v - %v = %v without %d", a, b, less, n)
			}
		}
		if !sums[sum.lo] || sum.hi != open && !sums[sum.hi] {
			t.Fatalf("%v + %v = %v: an end is no sum", a, b, sum)
		}
		if b.hi != open && !differences[less.lo] || a.hi != open && !differences[less.hi] {
			t.Fatalf("%v - %v = %v: an end is no difference", a, b, less)
		}
		if meet != (len(common) > 0) {
			t.Fatalf("%v and %v: meet %v, %d members in common", a, b, meet, len(common))
		}
		if meet && (!common[both.lo] || both.hi != open && !common[both.hi]) {
			t.Fatalf("%v and %v = %v: an end is not common", a, b, both)
		}
		if hull.lo != min(a.lo, b.lo) || hull.hi != max(a.hi, b.hi) {
			t.Fatalf("%v hull %v = %v", a, b, hull)
		}
	}
}

func TestSpanKnown(t *testing.T) {
	for _, c := range []struct {
		s                  span
		known, exact, high bool
	}{
		{anything, false, false, false},
		{span{1, open}, true, false, false},
		{exactly(0), true, true, true},
		{span{0, 4}, true, false, true},
	} {
		if c.s.known() != c.known || c.s.isExact() != c.exact || (c.s.high() != nil) != c.high {
			t.Errorf("%v: known %v, exact %v, high %v", c.s, c.s.known(), c.s.isExact(), c.s.high())
		}
	}
	if got := (span{5, open}).atMost(3); got != exactly(3) {
		t.Errorf("5 or more, at most 3: %v", got)
	}
}

func TestDivision(t *testing.T) {
	for a := int64(-20); a <= 20; a++ {
		for b := int64(1); b <= 7; b++ {
			floor, ceil := int64(-100), int64(100)
			for q := int64(-30); q <= 30; q++ {
				if q*b <= a {
					floor = max(floor, q)
				}
				if q*b >= a {
					ceil = min(ceil, q)
				}
			}
			if got := floorDiv(a, b); got != floor {
				t.Errorf("floorDiv(%d, %d) = %d, want %d", a, b, got, floor)
			}
			if got := ceilDiv(a, b); got != max(0, ceil) {
				t.Errorf("ceilDiv(%d, %d) = %d, want %d (a count is never below 0)", a, b, got, max(0, ceil))
			}
		}
	}
}

func TestGrades(t *testing.T) {
	order := []Grade{PerPrompt, PerBatch, Bounded, Predicted, Suspected, None}
	for i, a := range order {
		if a.Measured() != (i <= 2) {
			t.Errorf("%s measured: %v", a, a.Measured())
		}
		for j, b := range order {
			if better(a, b) != order[min(i, j)] || worse(a, b) != order[max(i, j)] {
				t.Errorf("%s and %s: better %s, worse %s", a, b, better(a, b), worse(a, b))
			}
		}
	}
	if Grade("gold").Measured() {
		t.Error("a grade that does not exist is measured")
	}
}
