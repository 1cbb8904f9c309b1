package carryover

import "coldcase/ingest/capture"

// serverArguments knows zero where the server runs without a prefix cache.
func serverArguments(k *runCase) (finding, bool) {
	if k.server.PrefixCache == nil || *k.server.PrefixCache {
		return finding{}, false
	}
	f := finding{name: "server-arguments", grade: Bounded, note: "the server runs without a prefix cache"}
	zero := exactly(0)
	f.atStart, f.full, f.partial, f.tokens = zero, zero, zero, zero
	f.hits, f.hitFull, f.hitPartial = zero, zero, zero
	f.evidence = evidenceOf(k.server.At)
	if p := k.place(); p != nil && p.Track.Lives[p.Life].Started {
		f.evidence = []capture.Evidence{k.quote(p.Track.Log.File, p.Track.Lives[p.Life].From)}
	}
	return f, true
}
