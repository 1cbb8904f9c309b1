package timeline

import (
	"fmt"
	"math"
)

// The log has a finer clock than its stamps: new tokens divided by the printed
// input throughput is the time since the prefill line before. Summed over a
// run it leaves, of the client's duration, only the time to the first prefill
// and from the last one on, which is the same within hundredths of a second
// for runs of one workload. So among placements that differ only in which of
// several equal runs stands where, the right one has equal remainders.
const (
	// clockSlack is the spread of remainders, in seconds, within which a
	// placement agrees with the clients' durations.
	clockSlack = 0.12
	// clockMargin times that is a spread that no right placement has; what
	// lies between is kept.
	clockMargin = 3
)

// elapsed is the time in seconds from the first to the last prefill line of
// the measured requests; ok is false if the log does not print throughputs.
func (p *Place) elapsed() (seconds float64, ok bool) {
	first := true
	for _, g := range p.Groups() {
		if g.Line < p.Measured || g.Own {
			continue
		}
		for _, i := range g.Batches {
			b := p.Track.Log.Batches.At(i)
			if first {
				first = false
				continue
			}
			if b.Throughput <= 0 {
				return 0, false
			}
			seconds += float64(b.NewToken) / float64(b.Throughput)
		}
	}
	return seconds, !first
}

// byElapsed drops the assignments whose remainders contradict each other, if
// some assignment's agree.
func byElapsed(wants []Want, cands [][]*Place, found []assignment) []assignment {
	if len(found) < 2 {
		return found
	}
	spread := make([]float64, len(found))
	best := math.Inf(1)
	for i, a := range found {
		s, ok := remainders(wants, cands, a)
		if !ok {
			return found
		}
		spread[i] = s
		best = min(best, s)
	}
	if best > clockSlack {
		return found
	}
	var kept []assignment
	for i, s := range spread {
		if s <= clockMargin*clockSlack {
			kept = append(kept, found[i])
		}
	}
	return kept
}

// remainders is the largest spread of (duration - elapsed) within one workload.
func remainders(wants []Want, cands [][]*Place, a assignment) (float64, bool) {
	low, high := map[string]float64{}, map[string]float64{}
	for run, c := range a {
		if c < 0 {
			continue
		}
		e, ok := cands[run][c].elapsed()
		if !ok || wants[run].Duration <= 0 {
			return 0, false
		}
		m := &wants[run].Run.Merged
		out := -1
		if m.Workload.OutputLen != nil {
			out = *m.Workload.OutputLen
		}
		k := fmt.Sprint(wants[run].MaxSent, m.MaxConcurrency, out)
		r := wants[run].Duration - e
		if _, seen := low[k]; !seen {
			low[k], high[k] = r, r
		}
		low[k], high[k] = min(low[k], r), max(high[k], r)
	}
	worst := 0.0
	for k := range low {
		worst = max(worst, high[k]-low[k])
	}
	return worst, true
}
