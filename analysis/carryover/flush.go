package carryover

import (
	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// Flush states: the last event before a run's first prompt.
const (
	flushNone    = "none"
	flushProved  = "proved"
	flushRefused = "refused"
	flushClaimed = "claimed"
	flushUnknown = "unknown"
)

// flushState is the last flush event before the run's first prompt.
type flushState struct {
	state string
	// line is the log line of the event, 0 if it is not on a log.
	line int
	// byClient is true if the flush stands between the run's own warm-up and
	// its measured requests.
	byClient bool
	why      string
	evidence []capture.Evidence
}

// flushOf finds the run's flush state: from the cell of a sweep, whose outcome
// was tried; on the log where the run has a certain place; else from what the
// client and the answers say.
func (k *runCase) flushOf() flushState {
	if f, ok := k.flushByCell(); ok {
		return f
	}
	if p := k.place(); p != nil && !p.Stated {
		if f, ok := k.flushOnLog(p); ok {
			return f
		}
	}
	if f, ok := k.flushByClient(); ok {
		return f
	}
	if f, ok := k.flushByAnswer(); ok {
		return f
	}
	return flushState{state: flushUnknown}
}

// flushOnLog looks for the last flush event between the requests before the
// run and its first measured prompt.
func (k *runCase) flushOnLog(p *timeline.Place) (flushState, bool) {
	log := p.Track.Log
	from := k.sinceRunBefore(p)
	last := flushState{}
	refused, done := 0, map[int8]int{}
	asked := 0
	for _, f := range log.Flushes {
		if f.Line < from || f.Line >= p.Measured {
			continue
		}
		last.line = f.Line
		last.evidence = append(last.evidence, k.quote(log.File, f.Line))
		switch f.Kind {
		case capture.FlushDone:
			done[f.Rank.DP]++
			if refused > 0 && k.ranks() <= 1 {
				refused = 0 // tried again, and done
			}
		case capture.FlushRefused, capture.FlushTimeout:
			refused++
			if k.ranks() <= 1 {
				clear(done)
			}
		case capture.FlushAskedOnly:
			asked++
		}
	}
	if last.line > 0 {
		last.byClient = last.line > p.From && k.warm.lo >= 1 && requestBetween(p, p.From, last.line)
		switch {
		case refused > 0:
			last.state, last.why = flushRefused, "the log says that a rank did not flush"
		case len(done) >= k.ranks():
			last.state, last.why = flushProved, "the log says that the cache was flushed"
		default:
			last.state, last.why = flushClaimed, "the log says that a flush was asked for; not every rank says that it was done"
		}
		return last, true
	}
	if s, ok := k.flushAccess(p, from); ok {
		return s, true
	}
	if k.run.Merged.Workload.FlushAsked != nil && *k.run.Merged.Workload.FlushAsked {
		return flushState{}, false // the client's own word, below
	}
	if log.Complete && wholeSince(p, from) && logsFlushes(log) {
		return flushState{state: flushNone, why: "the log of that time holds no flush"}, true
	}
	return flushState{}, false
}

// sinceRunBefore is the line of the last request of the run before this one on
// the log, or the start of the life.
func (k *runCase) sinceRunBefore(p *timeline.Place) int {
	from := p.Track.Lives[p.Life].From
	for i, ps := range k.tl.Places {
		for _, q := range ps {
			if i != k.index && q.Track == p.Track && q.To < p.From {
				from = max(from, q.LastRequest())
			}
		}
	}
	return from
}

// flushAccess reads the access line of a flush where the engine's own lines
// are missing: a refusal is proof, a 200 is not.
func (k *runCase) flushAccess(p *timeline.Place, from int) (flushState, bool) {
	var s flushState
	for _, a := range p.Track.Log.Access.All() {
		if a.Path != capture.PathFlush || int(a.Line) < from || int(a.Line) >= p.Measured {
			continue
		}
		s = flushState{state: flushClaimed, line: int(a.Line), why: "a flush was answered with 200, which proves nothing by itself"}
		if a.Status != 200 {
			s.state, s.why = flushRefused, "the flush was refused"
		}
		s.evidence = []capture.Evidence{k.quote(p.Track.Log.File, int(a.Line))}
	}
	return s, s.line > 0
}

// logsFlushes reports whether a flush would show on this log at all: prefill
// and flush lines are of one level, so a log with prefill lines shows it.
func logsFlushes(log *capture.ServerLog) bool {
	return log.Batches.Len() > 0 || len(log.Flushes) > 0 || len(log.Stats) > 0 || log.Access.Len() > 0
}

// wholeSince reports whether the log holds everything from a line to the run.
func wholeSince(p *timeline.Place, from int) bool {
	return p.Track.Lives[p.Life].Started || from > p.Track.Lives[p.Life].From
}

// ranks is the number of data-parallel ranks, 1 if it is not told.
func (k *runCase) ranks() int {
	n := 1
	if k.server.DPSize != nil {
		n = max(n, *k.server.DPSize)
	}
	if p := k.place(); p != nil {
		n = max(n, p.Track.Ranks)
	}
	return n
}

// flushByClient reads what the client itself proves. SGLang's Python client
// stops on a refusal from 0.5.17 on, so a finished run that was told to flush
// has flushed, if one rank is all there is.
func (k *runCase) flushByClient() (flushState, bool) {
	m := &k.run.Merged
	for _, n := range m.Notes {
		switch {
		case containsFold(n.Text, "flush_cache returned"), containsFold(n.Text, "flush_cache failed"):
			return flushState{state: flushRefused, byClient: true, why: "the client says that its flush was not accepted", evidence: []capture.Evidence{n}}, true
		case n.Text == "Cache flushed." && k.ranks() == 1 && m.Client == "sglang.rust":
			return flushState{state: flushProved, byClient: true, why: "the client says that its flush was accepted", evidence: []capture.Evidence{n}}, true
		}
	}
	asked := m.Workload.FlushAsked
	if asked == nil || !*asked {
		return flushState{}, false
	}
	s := flushState{state: flushClaimed, byClient: true, why: "the client was told to flush; nothing shows that it did", evidence: []capture.Evidence{m.Workload.From}}
	stops := m.Client == "sglang.bench_serving" && clientStopsOnRefusal(m)
	if stops && k.ranks() == 1 && k.server.DPSize != nil && m.Completed != nil && *m.Completed > 0 && k.engine == "sglang" {
		s.state, s.why = flushProved, "the client was told to flush, stops if it is refused, and finished"
	}
	return s, true
}

// clientStopsOnRefusal tells versions 0.5.17 and later by an argument that
// came with 0.5.18.
func clientStopsOnRefusal(m *capture.Result) bool {
	if _, ok := m.Workload.Args["flush_cache_timeout"]; ok {
		return true
	}
	return versionAtLeast(m.ClientVersion, 0, 5, 17)
}

// flushByAnswer reads a saved answer to a flush whose file name or whose place
// in the command file ties it to the run.
func (k *runCase) flushByAnswer() (flushState, bool) {
	a := k.answerBefore()
	if a == nil {
		return flushState{}, false
	}
	s := flushState{state: flushClaimed, why: "an answer to a flush lies in the capture; it proves nothing by itself", evidence: []capture.Evidence{a.At}}
	switch {
	case a.Success != nil && !*a.Success, a.Status >= 400:
		s.state, s.why = flushRefused, "the answer to the flush is a refusal"
	case k.ranks() > 1:
	case a.Success != nil && *a.Success:
		s.state, s.why = flushProved, "the answer to the reset says that it succeeded"
	case a.Status == 200 && k.engine == "sglang" && versionAtLeast(k.server.Version, 0, 5, 0):
		s.state, s.why = flushProved, "the flush was answered with 200, which this version gives only when it flushed"
	}
	return s, true
}

// requestsBefore lists the lines of the last request of each kind before a
// place, in its life.
func requestsBefore(p *timeline.Place) []int {
	t := p.Track
	var out []int
	if line, ok := t.PostBefore(p.From); ok {
		out = append(out, line)
	}
	for i := p.FirstGroup - 1; i >= 0; i-- {
		if g := t.Group(i); !g.Own && !g.Probe {
			out = append(out, g.To)
			break
		}
	}
	return out
}

// requestBetween reports whether a generation request lies between two lines.
func requestBetween(p *timeline.Place, from, to int) bool {
	if p.Track.PostsIn(from, to) > 0 {
		return true
	}
	for _, g := range p.Groups() {
		if g.Line >= from && g.Line <= to && !g.Own && !g.Probe {
			return true
		}
	}
	return false
}
