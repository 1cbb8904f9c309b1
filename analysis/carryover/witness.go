package carryover

import (
	"fmt"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// finding is what one witness says about one run.
type finding struct {
	name     string
	grade    Grade
	note     string
	evidence []capture.Evidence
	// atStart bounds the prompts cached at start; full and partial those of
	// each kind at start; tokens the cached tokens of all prompts.
	atStart, full, partial, tokens span
	// hits bounds all hits of prompts, whatever their origin; hitFull and
	// hitPartial by kind.
	hits, hitFull, hitPartial span
	// byPrompt holds the class of each prompt in prompt order, nil otherwise.
	byPrompt []Hit
	// conflict is an impossible value that the witness met; against is true
	// if it is hits in a cache that was proved empty.
	conflict string
	against  bool
	// beyond is the number of hits that took more than the run's declared
	// shared prefix can give.
	beyond int64
}

// silent is a finding that knows nothing.
func silent(name, note string) finding {
	return finding{
		name: name, grade: None, note: note, atStart: anything, full: anything, partial: anything,
		tokens: anything, hits: anything, hitFull: anything, hitPartial: anything,
	}
}

// witnesses lists all of them, best grade first. None looks at another.
var witnesses = []func(k *runCase) (finding, bool){
	clientDetails,
	serverRequests,
	serverArguments,
	prefillLines,
	counters,
	clientTotals,
	histogram,
	hitRateLines,
	clientArguments,
	latencyGroups,
}

// fromHits turns the hits of a run's prompts into those that were there at
// start: what the run's own warm-up left is taken off, then what prompts of
// the run owe to each other; nothing can be there if the cache was proved
// empty.
func (k *runCase) fromHits(f *finding) {
	f.hits, f.hitFull, f.hitPartial = k.open(f.hits), k.open(f.hitFull), k.open(f.hitPartial)
	own := k.promptOne()
	if f.hits.hi == 0 {
		own = exactly(0)
	}
	if len(f.byPrompt) > 0 && f.byPrompt[0] != FullHit && f.byPrompt[0] != HitUnknown && f.inPromptOrder(k) {
		own = exactly(0) // prompt 1 is no hit
	}
	if f.hits.lo == 0 && own.lo > 0 {
		own.lo = 0 // the warm-up's hit may be among those not seen
	}
	full := f.hitFull.minus(own).minus(k.sharing.full)
	partial := f.hitPartial.minus(k.sharing.partial)
	hits := f.hits.minus(own)
	if k.sharing.full.hi == open || k.sharing.partial.hi == open {
		// One kind may be shared without bound: only the other is certain.
		hits = span{max(full.lo, 0), hits.hi}
		if k.sharing.full.hi == open {
			hits.lo = 0
		}
	} else {
		hits = span{max(0, hits.lo-max(k.sharing.full.hi, k.sharing.partial.hi)), hits.hi}
	}
	if b := f.beyond - own.hi - k.sharing.full.hi; k.sharing.full.hi != open && b > hits.lo {
		hits.lo = min(b, hits.hi)
	}
	if k.first.hit == PartialHit && k.warm.lo >= 1 && !k.flushedAfterWarmUp() {
		// An earlier run left prompt 1 in part and the warm-up completed it:
		// a full hit of this run, a partial one at start.
		one := exactly(1)
		if k.first.unsure {
			one.lo = 0
		}
		full = full.minus(one)
		partial = partial.plus(one)
	}
	if k.first.hit == HitUnknown && own.hi > 0 && !k.empty.ok {
		// Nothing tells what the warm-up found: it may have been that.
		partial = partial.plus(span{0, 1})
	}
	if k.promptOneWasThere(f) {
		hits.lo = max(hits.lo, min(1, hits.hi))
	}
	f.full, f.partial, f.atStart = full, partial, hits
	if !k.empty.ok {
		return
	}
	if hits.lo > 0 {
		// Hits that no prompt of this run can have made speak against the
		// proof; neither is believed over the other.
		f.conflict, f.against = fmt.Sprintf("%s, and yet %s hits were there before the run", k.empty.by, hits), true
		f.full.lo, f.partial.lo, f.atStart.lo = 0, 0, 0
		return
	}
	f.full, f.partial, f.atStart = exactly(0), exactly(0), exactly(0)
}

// promptOneWasThere reports whether the run's first request, a warm-up with
// prompt 1, was a hit: nothing of this run had been sent before it, so prompt 1
// was cached at start, whatever prompts of the run share.
func (k *runCase) promptOneWasThere(f *finding) bool {
	if k.warm.lo < 1 || k.flushedAfterWarmUp() || k.ranks() > 1 || f.hits.hi == 0 {
		return false
	}
	if len(f.byPrompt) > 0 && f.inPromptOrder(k) && (f.byPrompt[0] == Miss || f.byPrompt[0] == Trace) {
		return false // it was, and had gone again when it was measured
	}
	return k.first.hit == FullHit || k.first.hit == PartialHit
}

// open drops a high end that only says that there are no more hits than
// prompts: the number of prompts is not a bound and is never printed as one.
func (k *runCase) open(s span) span {
	if k.sent >= 0 && s.hi >= k.sent && s.lo < k.sent {
		s.hi = open
	}
	if k.sent >= 0 && s.lo >= k.sent {
		s = exactly(k.sent)
	}
	return s
}

func (f *finding) inPromptOrder(k *runCase) bool {
	q := k.run.Merged.Requests
	return q != nil && q.InOrder
}

// servedIn lists the per-request lines between two lines of a place's log, one
// a request: servers may print two lines for one.
func servedIn(p *timeline.Place, from, to int) []capture.Served {
	var out []capture.Served
	seen := map[uint64]int{}
	for _, s := range p.Track.Log.Served.All() {
		if int(s.Line) < from || int(s.Line) > to || s.Health {
			continue
		}
		if i, ok := seen[s.RID]; ok && s.RID != 0 {
			if out[i].Cached < 0 {
				out[i].Cached = s.Cached
			}
			if out[i].Prompt <= 0 {
				out[i].Prompt = s.Prompt
			}
			continue
		}
		seen[s.RID] = len(out)
		out = append(out, *s)
	}
	return out
}
