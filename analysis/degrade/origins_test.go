package degrade

import (
	"testing"

	"coldcase/analysis/carryover"
)

// What the origins of a run have to fulfil whatever the capture is: the lows
// add up to no more than the hits, the highs to no less, and hits that were
// there at start came from an earlier run or from another client, or it is
// unknown from where.
func TestOriginsAddUp(t *testing.T) {
	for _, rec := range load(t) {
		name := rec.group + "/" + rec.name
		nb := notebook(t, rec)
		n := 0
		for _, r := range nb.Count.Runs {
			originsAddUp(t, name, r)
			if r.Kind != "run" {
				continue
			}
			if n < len(rec.truth.Runs) {
				holdsHits(t, name, r, &rec.truth.Runs[n])
			}
			n++
		}
	}
}

func originsAddUp(t *testing.T, name string, r *carryover.Run) {
	t.Helper()
	low, high := sums(r)
	o := r.Origins
	before := span(o.EarlierRun.Low, o.EarlierRun.High).high + span(o.OtherClient.Low, o.OtherClient.High).high
	if float64(r.Cached.Low) > before {
		t.Errorf("%s %s: at least %d cached, at most %v from an earlier run or another client", name, r.ID, r.Cached.Low, before)
	}
	if low > high {
		t.Errorf("%s %s: origins add up to [%v, %v]", name, r.ID, low, high)
	}
	if start := span(r.AtStart.Low, r.AtStart.High); r.Kind == "run" && start.low > high {
		t.Errorf("%s %s: at least %v at start, the origins hold at most %v", name, r.ID, start.low, high)
	}
	for what, b := range map[string]carryover.Bounds{
		"earlier_run": o.EarlierRun, "warm_up": o.WarmUp, "in_run": o.InRun, "other_client": o.OtherClient, "unknown": o.Unknown,
	} {
		if s := span(b.Low, b.High); s.low < 0 || s.low > s.high {
			t.Errorf("%s %s: origin %s is %v", name, r.ID, what, s)
		}
	}
}

// holdsHits holds the sums against the hits that there were.
func holdsHits(t *testing.T, name string, r *carryover.Run, truth *trueRun) {
	t.Helper()
	if truth.Full == nil || truth.Partial == nil {
		return
	}
	hits := float64(*truth.Full + *truth.Partial)
	if low, high := sums(r); low > hits || high < hits {
		t.Errorf("%s %s: origins add up to [%v, %v], there were %v hits", name, r.ID, low, high, hits)
	}
}

func sums(r *carryover.Run) (low, high float64) {
	o := r.Origins
	for _, b := range []carryover.Bounds{o.EarlierRun, o.WarmUp, o.InRun, o.OtherClient, o.Unknown} {
		s := span(b.Low, b.High)
		low += s.low
		high += s.high
	}
	return low, high
}

// The statistics of the requests' own times, by the rule that the client's
// reader states, are those that the client printed.
func TestPrintedFiguresFollow(t *testing.T) {
	compared := 0
	for _, rec := range load(t) {
		for _, l := range notebook(t, rec).Latency {
			for _, m := range l.Mismatch {
				t.Errorf("%s/%s %s: %s", rec.group, rec.name, l.Run, m)
			}
			if len(l.Printed) > 0 && len(l.Computed) > 0 {
				compared++
			}
		}
	}
	if compared < 20 {
		t.Errorf("%d runs with printed figures and times of their requests, want at least 20", compared)
	}
}
