package carryover

import (
	"fmt"

	"coldcase/analysis/timeline"
)

// serverRequests counts from the lines that the server writes for each
// finished request, in the order in which requests finish.
func serverRequests(k *runCase) (finding, bool) {
	var f finding
	seen := false
	for _, a := range k.alternatives() {
		if len(a.places) != 1 {
			continue
		}
		one, ok := a.servedAt(a.places[0])
		if !ok {
			if len(k.places) > 1 {
				return finding{}, false
			}
			continue
		}
		if !seen {
			f, seen = one, true
			continue
		}
		f = hullOf(f, one)
	}
	if !seen || k.want.Maybe {
		return finding{}, false
	}
	return f, true
}

func (k *runCase) servedAt(p *timeline.Place) (finding, bool) {
	rows := servedIn(p, p.From, p.To)
	if len(rows) == 0 || p.Stated || k.sent < 0 {
		return finding{}, false
	}
	f := finding{name: "server-requests", grade: PerPrompt}
	f.hits, f.hitFull, f.hitPartial, f.tokens = span{}, span{}, span{}, span{}
	warm := int(k.warm.lo)
	sure := k.warm.lo == k.warm.hi && int64(len(rows)) == k.sent+k.warm.lo
	named, file := 0, p.Track.Log.File
	for i, r := range rows {
		if i < warm && k.warm.lo == k.warm.hi && p.Foreign == 0 {
			continue // warm-ups finish before the first measured request is sent
		}
		if r.Cached < 0 || r.Tries > 1 {
			// Nothing named, or put back and matched with its own tokens.
			f.unknownHit()
			f.tokens.hi = open
			continue
		}
		named++
		l := k.lens
		if r.Prompt > 0 {
			l = lens{lo: int64(r.Prompt), hi: int64(r.Prompt), exact: true}
			if r.Cached > r.Prompt {
				f.conflict = fmt.Sprintf("a request has %d cached tokens of %d", r.Cached, r.Prompt)
				f.unknownHit()
				continue
			}
		}
		f.tokens = f.tokens.plus(exactly(int64(r.Cached)))
		if h := f.addHit(int64(r.Cached), l, k.page(), k.sizes.plain); (h == FullHit || h == PartialHit) && len(f.evidence) < maxQuotes {
			f.evidence = append(f.evidence, k.quote(file, int(r.Line)))
		}
	}
	if named == 0 {
		return finding{}, false
	}
	if len(f.evidence) == 0 {
		f.evidence = append(f.evidence, k.quote(file, int(rows[len(rows)-1].Line)))
	}
	if !sure {
		// Other requests are among the rows: any of the hits may be theirs.
		extra := max(0, int64(len(rows))-k.sent)
		missing := max(0, k.sent-int64(len(rows)))
		others := span{0, extra}
		f.hits = f.hits.minus(others).plus(span{0, missing})
		f.hitFull, f.hitPartial = f.hitFull.minus(others).plus(span{0, missing}), f.hitPartial.minus(others).plus(span{0, missing})
		f.tokens.lo = 0
		if missing > 0 {
			f.tokens.hi = open
		}
	}
	k.fromHits(&f)
	f.note = k.countNote(&f, fmt.Sprintf("%d requests by the server's own lines", named))
	return f, true
}

// hullOf joins what a witness says for two places of which one is the run's.
func hullOf(a, b finding) finding {
	a.atStart, a.full, a.partial = a.atStart.hull(b.atStart), a.full.hull(b.full), a.partial.hull(b.partial)
	a.tokens, a.hits = a.tokens.hull(b.tokens), a.hits.hull(b.hits)
	a.hitFull, a.hitPartial = a.hitFull.hull(b.hitFull), a.hitPartial.hull(b.hitPartial)
	for _, e := range b.evidence {
		if len(a.evidence) < maxQuotes {
			a.evidence = append(a.evidence, e)
		}
	}
	a.note = "several places on the log fit this run, and the count holds for each of them; " + b.note
	return a
}
