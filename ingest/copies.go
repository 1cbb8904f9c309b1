package ingest

import (
	"fmt"
	"path"

	"coldcase/ingest/capture"
)

// leastShared is the number of lines with counters that a log must share with
// another before it can be its copy: fewer may be equal by chance.
const leastShared = 4

// dropCopies leaves out a log that stands in another one from its first line
// with counters to its last: a file tee'd twice, one that a collector began to
// follow later, a backup. Every run would find two places for one. The slices
// of a sweep's cells and excerpts stay: each is tied to its run.
func dropCopies(c *capture.Capture) {
	if len(c.Logs) < 2 {
		return
	}
	tied := map[string]bool{}
	for _, p := range c.Plans {
		for _, cell := range p.Cells {
			tied[path.Dir(cell.File)] = true
		}
	}
	traces := make([][]trace, len(c.Logs))
	for i, l := range c.Logs {
		if len(l.Excerpts) == 0 && !tied[path.Dir(l.File)] {
			traces[i] = traceOf(l)
		}
	}
	var kept []*capture.ServerLog
	for i, l := range c.Logs {
		of := -1
		for j, whole := range c.Logs {
			longer := len(traces[j]) > len(traces[i]) || len(traces[j]) == len(traces[i]) && j < i
			if longer && l.Engine == whole.Engine && within(l, whole, traces[i], traces[j]) {
				of = j
				break
			}
		}
		if of < 0 {
			kept = append(kept, l)
			continue
		}
		for _, f := range c.Files {
			if f.Path == l.File {
				addWhy(f, fmt.Sprintf("lines %d to %d stand in %s as well, and are counted there", l.Span.Line, l.Span.To, c.Logs[of].File))
			}
		}
	}
	c.Logs = kept
}

// trace is what one line with counters shows but its place in the file.
type trace struct {
	at       capture.Stamp
	counters [5]float64
}

// traceOf lists the lines of a log that two servers cannot write alike: they
// hold a time and a speed. It is nil if there are too few.
func traceOf(l *capture.ServerLog) []trace {
	var out []trace
	told := 0
	for _, b := range l.Batches.All() {
		out = append(out, trace{b.Stamp, [5]float64{float64(b.Rank.DP), float64(b.NewSeq), float64(b.NewToken), float64(b.Cached), float64(b.Throughput)}})
		if b.Stamp > 0 || b.Throughput > 0 {
			told++
		}
	}
	for i := range l.Stats {
		s := &l.Stats[i]
		out = append(out, trace{s.Stamp, [5]float64{float64(s.EngineID), s.PromptRate, s.GenRate, float64(s.Running), s.HitRate}})
		if s.Stamp > 0 && s.PromptRate+s.GenRate > 0 {
			told++
		}
	}
	if told < leastShared {
		return nil
	}
	return out
}

// within reports whether log l is a stretch of another: its lines with counters
// follow each other there as they do here, and it shows no start, no flush and
// no request besides.
func within(l, whole *capture.ServerLog, part, all []trace) bool {
	if len(part) == 0 || !whole.Complete || len(whole.Damaged) > len(l.Damaged) {
		return false
	}
	if requests(l) > requests(whole) || len(l.Starts) > len(whole.Starts) || len(l.Flushes) > len(whole.Flushes) || l.Served.Len() > whole.Served.Len() {
		return false
	}
	for from := 0; from+len(part) <= len(all); from++ {
		n := 0
		for n < len(part) && part[n] == all[from+n] {
			n++
		}
		if n == len(part) {
			return true
		}
	}
	return false
}

// requests is the number of access lines.
func requests(l *capture.ServerLog) int {
	n := 0
	for _, a := range l.Access.All() {
		n += int(a.N)
	}
	return n
}
