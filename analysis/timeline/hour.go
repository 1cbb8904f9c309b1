package timeline

import (
	"math"
	"slices"
	"sort"

	"coldcase/ingest/capture"
)

// Clocks of a client and a server differ by their time zones, which are whole
// quarters of an hour apart, and by what they are wrong.
const (
	zone = 15 * 60 // s
	// skew is how far two clocks may be apart besides; hosts that keep time
	// differ by far less, and the log of another time lies anywhere in the
	// quarter.
	skew = 60 // s
	// around is what a client may take before its first measured request and
	// after its last answer.
	around = 15 // s
)

// atTime drops places at another time of the hour than that at which the client
// says that its run ended: the log is of another time.
func atTime(r *capture.Run, ps []*Place) []*Place {
	m := &r.Merged
	end := m.End
	if end == 0 && m.Start > 0 && m.Duration != nil {
		end = m.Start + *m.Duration
	}
	if end < 1e9 || m.Duration == nil || *m.Duration > zone/2 { // a monotonic clock, or too long to tell
		return ps
	}
	return slices.DeleteFunc(ps, func(p *Place) bool {
		first, at := p.Track.nextStamp(p.From)
		if at != 0 && at <= p.To {
			last, _ := p.Track.lastStamp(p.To)
			// A client may write down when it began instead.
			return apart(first, last, end-*m.Duration-around, end+*m.Duration+around)
		}
		before, _ := p.Track.lastStamp(p.From - 1)
		return before > 0 && first > 0 && apart(before, first, end-around, end+around)
	})
}

// apart reports whether two spans of seconds cannot meet, whole time zones and
// the skew of clocks allowed. A log's clock may have been set back inside of a.
func apart(aLow, aHigh, bLow, bHigh float64) bool {
	if aHigh < aLow {
		return false
	}
	// The spans meet if b, moved by whole zones, comes within the skew of a.
	low, high := aLow-bHigh-skew, aHigh-bLow+skew
	return math.Floor(high/zone) < math.Ceil(low/zone)
}

// nextStamp is the first time, in s, that stands on a line or after it, and its
// line; lastStamp the last one on a line or before it. Both are 0 if there is
// none.
func (t *Track) nextStamp(from int) (seconds float64, line int) {
	t.eachStamp(from, 1, func(s capture.Stamp, n int) {
		if line == 0 || n < line {
			seconds, line = float64(s)/1000, n
		}
	})
	return seconds, line
}

func (t *Track) lastStamp(to int) (seconds float64, line int) {
	t.eachStamp(to, -1, func(s capture.Stamp, n int) {
		if n > line {
			seconds, line = float64(s)/1000, n
		}
	})
	return seconds, line
}

// eachStamp calls f for the nearest stamped line of each kind, from a line on or
// back from it.
func (t *Track) eachStamp(from, step int, f func(s capture.Stamp, line int)) {
	nearest := func(n int, at func(i int) (capture.Stamp, int)) {
		i := sort.Search(n, func(i int) bool { _, line := at(i); return line >= from })
		if step < 0 && (i == n || func() bool { _, line := at(i); return line > from }()) {
			i--
		}
		for ; i >= 0 && i < n; i += step {
			if s, line := at(i); s > 0 {
				f(s, line)
				return
			}
		}
	}
	log := t.Log
	nearest(log.Batches.Len(), func(i int) (capture.Stamp, int) { b := log.Batches.At(i); return b.Stamp, int(b.Line) })
	nearest(log.Access.Len(), func(i int) (capture.Stamp, int) { a := log.Access.At(i); return a.Stamp, int(a.Line) })
	nearest(log.Iterations.Len(), func(i int) (capture.Stamp, int) { a := log.Iterations.At(i); return a.Stamp, int(a.Line) })
	nearest(len(log.Stats), func(i int) (capture.Stamp, int) { return log.Stats[i].Stamp, log.Stats[i].Line })
	nearest(len(log.Flushes), func(i int) (capture.Stamp, int) { return log.Flushes[i].Stamp, log.Flushes[i].Line })
}
