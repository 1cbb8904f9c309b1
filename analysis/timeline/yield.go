package timeline

import (
	"slices"

	"coldcase/ingest/capture"
)

// assigned finds the assignments of runs to places.
//
// Where runs in the order of their files cannot all stand on the logs, and
// without that order stand there in one way, each alone between a client's own
// marks with nothing left over, the files were put together by hand, and the
// logs tell the order. In the same way alone a place is believed that holds a
// flush which its client was told not to ask for.
func (t *Timeline) assigned(c *capture.Capture, cands [][]*Place) ([]assignment, bool) {
	found, ok := assign(cands, t.Order)
	if !ok || len(found) == 0 {
		return found, ok
	}
	if found[0].placed() < len(cands) {
		surer := orderRuns(c, t.starts, false)
		if free, ok := assign(cands, surer); ok && len(free) == 1 && t.usesUp(cands, free[0]) {
			t.Order = surer
			return free, true
		}
	}
	if len(found) == 1 && t.usesUp(cands, found[0]) {
		return found, true
	}
	dropped := false
	for i := range cands {
		n := len(cands[i])
		cands[i] = slices.DeleteFunc(cands[i], func(p *Place) bool { return p.Unasked })
		dropped = dropped || len(cands[i]) < n
	}
	if dropped {
		return assign(cands, t.Order)
	}
	return found, true
}

// placed is the number of runs with a place.
func (a assignment) placed() int {
	n := 0
	for _, c := range a {
		if c >= 0 {
			n++
		}
	}
	return n
}

// usesUp reports whether every place of an assignment fits and is framed by a
// client's marks, and no framed cell with requests is left on the logs.
func (t *Timeline) usesUp(cands [][]*Place, a assignment) bool {
	left := 0
	for _, track := range t.Tracks {
		for _, c := range track.Cells {
			if c.Start && c.End && track.requests(c) > 0 {
				left++
			}
		}
	}
	for run, c := range a {
		if c < 0 {
			return false
		}
		if p := cands[run][c]; p.Loose || p.Stated || !p.framed() {
			return false
		}
		left--
	}
	return left == 0
}
