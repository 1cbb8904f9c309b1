package carryover

import "coldcase/ingest/capture"

// flushByCell takes what a sweep proved before it started the client: a
// private prompt that was cached before the flush and not after it, on every
// rank. That is a proof by outcome, and better than any answer or log line.
func (k *runCase) flushByCell() (flushState, bool) {
	cell := k.run.Cell
	if cell == nil || !cell.FlushProved {
		return flushState{}, false
	}
	s := flushState{state: flushProved, why: "the sweep's private prompt was cached before the flush and not after it"}
	if cell.ProvedLine > 0 {
		s.evidence = []capture.Evidence{k.quote(cell.File, cell.ProvedLine)}
	}
	return s, true
}

// emptyByCell proves an empty start from the same trial. A sweep starts the
// client only if the server counted no request but the private prompts since
// the flush; the counters around the client tell that none but its own came
// after.
func (k *runCase) emptyByCell() proof {
	f, ok := k.flushByCell()
	if !ok || k.run.Cell.Arm != "fresh" || !k.onlyOwnRequests() {
		return proof{}
	}
	return proof{true, "the sweep proved the cache empty, and nothing but the run's own requests came after", f.evidence}
}
