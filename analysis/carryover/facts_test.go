package carryover

import (
	"testing"

	"coldcase/analysis/timeline"
)

// Several feasible places leave open which lines are the run's. That nobody
// else's request was served is known if it holds at each.
func TestForeignNowhere(t *testing.T) {
	own := &timeline.Place{Whole: true}
	tested := &timeline.Place{Whole: true, Foreign: 1}
	for _, c := range []struct {
		what   string
		places []*timeline.Place
		maybe  bool
		extra  int
		want   bool
	}{
		{"two places of its own requests", []*timeline.Place{own, own}, false, 0, true},
		{"one request too many at the second", []*timeline.Place{own, tested}, false, 0, false},
		{"which the client's connection test is", []*timeline.Place{own, tested}, false, 1, true},
		{"a request of which nothing tells whose it is", []*timeline.Place{own, {Whole: true, Doubt: 1}}, false, 0, false},
		{"lines missing at the second", []*timeline.Place{own, {}}, false, 0, false},
		{"an excerpt", []*timeline.Place{{Whole: true, Stated: true}}, false, 0, false},
		{"lines that may be another run's", []*timeline.Place{own, own}, true, 0, false},
		{"no log", nil, false, 0, false},
	} {
		k := &runCase{places: c.places, want: &timeline.Want{Maybe: c.maybe}}
		if got := k.foreignNowhere(c.extra); got != c.want {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
