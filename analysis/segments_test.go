package analysis

import (
	"testing"

	"coldcase/analysis/carryover"
)

func exactly(n int64) carryover.Bounds { return carryover.Bounds{Low: n, High: &n} }

func between(low, high int64) carryover.Bounds { return carryover.Bounds{Low: low, High: &high} }

func TestSegments(t *testing.T) {
	prompts := 10
	open := carryover.Bounds{}
	five := int64(5)
	for _, c := range []struct {
		name     string
		origins  carryover.Origins
		atStart  carryover.Interval
		possible int64
		not      int64
	}{
		{"all known", carryover.Origins{EarlierRun: exactly(4), WarmUp: exactly(1), InRun: exactly(0), OtherClient: exactly(0), Unknown: exactly(0)},
			carryover.Interval{Low: 4, High: ptr(4)}, 0, 5},
		{"nothing known", carryover.Origins{}, carryover.Interval{}, 10, 0},
		{"at start known, in-run open", carryover.Origins{EarlierRun: exactly(4), WarmUp: exactly(0), InRun: open, OtherClient: exactly(0), Unknown: exactly(0)},
			carryover.Interval{Low: 4, High: ptr(4)}, 6, 0},
		{"warm-up may have hit", carryover.Origins{EarlierRun: exactly(4), WarmUp: between(0, 1), InRun: exactly(0), OtherClient: exactly(0), Unknown: exactly(0)},
			carryover.Interval{Low: 4, High: ptr(4)}, 1, 5},
		{"one hit, two possible origins", carryover.Origins{EarlierRun: between(0, 5), WarmUp: exactly(0), InRun: exactly(0), OtherClient: between(0, 5), Unknown: carryover.Bounds{Low: 5, High: &five}},
			carryover.Interval{Low: 5, High: &five}, 0, 5},
		{"at start for certain, by whom is open", carryover.Origins{EarlierRun: between(0, 5), WarmUp: exactly(0), InRun: exactly(0), OtherClient: between(0, 5), Unknown: between(0, 5)},
			carryover.Interval{Low: 5, High: &five}, 0, 5},
	} {
		s := segmentsOf(&carryover.Run{ID: "r", Prompts: &prompts, AtStart: c.atStart, Origins: c.origins})
		if s.Possible != c.possible || s.NotCached != c.not {
			t.Errorf("%s: possible %d, not cached %d, want %d and %d", c.name, s.Possible, s.NotCached, c.possible, c.not)
		}
		if sum := s.EarlierRun + s.OtherClient + s.WarmUp + s.InRun + s.Unknown + s.Possible + s.NotCached; sum != s.Total {
			t.Errorf("%s: the parts add up to %d of %d", c.name, sum, s.Total)
		}
	}
}

func ptr(n int64) *int64 { return &n }

func TestHitStretches(t *testing.T) {
	hits := []carryover.Hit{carryover.FullHit, carryover.PartialHit, carryover.Trace, carryover.Miss, carryover.FullHit}
	got := hitStretches(&carryover.Run{Facts: &carryover.Facts{HitByPrompt: hits}})
	if len(got) != 2 || got[0] != (Stretch{0, 1}) || got[1] != (Stretch{4, 4}) {
		t.Errorf("stretches %v, want 0 to 1 and 4", got)
	}
	var strewn []carryover.Hit
	for range 2*maxStretches + 2 {
		strewn = append(strewn, carryover.FullHit, carryover.Miss)
	}
	if got := hitStretches(&carryover.Run{Facts: &carryover.Facts{HitByPrompt: strewn}}); len(got) != 0 {
		t.Errorf("strewn hits are listed: %v", got)
	}
}
