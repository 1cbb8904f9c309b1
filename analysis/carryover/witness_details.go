package carryover

import (
	"fmt"

	"coldcase/ingest/capture"
)

// clientDetails counts from the cached tokens that the client recorded for
// each prompt.
func clientDetails(k *runCase) (finding, bool) {
	q := k.run.Merged.Requests
	if q == nil || len(q.Cached) == 0 {
		return finding{}, false
	}
	f := finding{name: "client-details", grade: PerPrompt}
	absent := absentIsZero(k, q)
	named := 0
	f.hits, f.hitFull, f.hitPartial, f.tokens = span{}, span{}, span{}, span{}
	for i := range min(q.N, len(q.Cached)) {
		if i < len(q.Failed) && q.Failed[i] {
			// It may have been prefilled before it failed.
			f.byPrompt = append(f.byPrompt, f.unknownHit())
			f.tokens.hi = open
			continue
		}
		c := int64(q.Cached[i])
		if c < 0 && absent {
			c = 0
		}
		if c < 0 {
			f.byPrompt = append(f.byPrompt, f.unknownHit())
			f.tokens.hi = open
			continue
		}
		named++
		f.tokens = f.tokens.plus(exactly(c))
		l := k.promptLens(q, i)
		if l.exact && c > l.hi {
			f.conflict = fmt.Sprintf("prompt %d: %d cached tokens of %d", i+1, c, l.hi)
			f.byPrompt = append(f.byPrompt, f.unknownHit())
			continue
		}
		f.byPrompt = append(f.byPrompt, f.addHit(c, l, k.page(), k.sizes.plain))
	}
	if named == 0 {
		return silent("client-details", "the client's file has a place for cached tokens, and no answer named a number"), true
	}
	if f.tokens.hi != open && f.hits.hi > int64(named) {
		f.tokens.hi = open
	}
	if p := k.place(); p != nil && k.engine == "sglang" && !versionAtLeast(k.server.Version, 0, 5, 6) {
		// Before 0.5.6 a request that was put back reported its own tokens.
		f.hits = f.hits.minus(span{0, k.doubtful(p)})
	}
	f.evidence = detailEvidence(k, q, f.byPrompt)
	k.fromHits(&f)
	f.note = k.countNote(&f, fmt.Sprintf("%d prompts with their cached tokens", named))
	return f, true
}

// absentIsZero: vLLM sent a zero as an absent number until June 2026. If any
// answer of the run carries a number, the report is on and absent means zero.
func absentIsZero(k *runCase, q *capture.Requests) bool {
	if k.engine != "vllm" {
		return false
	}
	for _, c := range q.Cached {
		if c > 0 {
			return true
		}
	}
	return false
}

// promptLens bounds the length of prompt i: the server's count is exact, the
// client's plan is widened as in lens.go.
func (k *runCase) promptLens(q *capture.Requests, i int) lens {
	if i >= len(q.Input) || q.Input[i] <= 0 {
		return k.lens
	}
	n := int64(q.Input[i])
	if serverCounted(&k.run.Merged) || k.run.Merged.Workload.TokenIDs {
		return lens{lo: n, hi: n, exact: true}
	}
	room := int64(0)
	if chat(&k.run.Merged) {
		room = chatRoom
	}
	return widen(lens{lo: n, hi: n}, room)
}

// addHit adds one prompt with c cached tokens whose length is only bounded.
func (f *finding) addHit(c int64, l lens, page int64, plain bool) Hit {
	short, long := classify(c, l.lo, page, plain), Miss
	if l.hi == open {
		long = Trace
	} else {
		long = classify(c, l.hi, page, plain)
	}
	if c > l.lo {
		short = FullHit // as long as the prompt may be
	}
	isHit := func(h Hit) bool { return h == FullHit || h == PartialHit }
	switch {
	case !isHit(short) && !isHit(long):
		return long
	case short == long:
		f.hits = f.hits.plus(exactly(1))
		if short == FullHit {
			f.hitFull = f.hitFull.plus(exactly(1))
		} else {
			f.hitPartial = f.hitPartial.plus(exactly(1))
		}
		return short
	case isHit(short) && isHit(long):
		// A hit for certain; whether it is a full one depends on the length.
		f.hits = f.hits.plus(exactly(1))
		f.hitFull, f.hitPartial = f.hitFull.plus(span{0, 1}), f.hitPartial.plus(span{0, 1})
		return FullHit
	}
	return f.unknownHit()
}

// unknownHit adds one prompt of which nothing is known.
func (f *finding) unknownHit() Hit {
	one := span{0, 1}
	f.hits, f.hitFull, f.hitPartial = f.hits.plus(one), f.hitFull.plus(one), f.hitPartial.plus(one)
	return HitUnknown
}

// detailEvidence quotes the record; per-request files have a line for each
// prompt, of which the first hits are quoted.
func detailEvidence(k *runCase, q *capture.Requests, hits []Hit) []capture.Evidence {
	var file string
	line := 1
	for _, r := range k.run.Results {
		if r.Requests != nil && len(r.Requests.Cached) > 0 {
			file, line = r.Span.File, r.Span.Line
			break
		}
	}
	if file == "" {
		return nil
	}
	if len(q.Line) == 0 {
		return []capture.Evidence{k.quote(file, line)}
	}
	var out []capture.Evidence
	for i, h := range hits {
		if (h == FullHit || h == PartialHit) && i < len(q.Line) && len(out) < maxQuotes {
			out = append(out, k.quote(file, int(q.Line[i])))
		}
	}
	if len(out) == 0 {
		out = append(out, k.quote(file, int(q.Line[0])))
	}
	return out
}

// countNote says how many hits a witness saw in all, what was taken off, and
// which inference decided.
func (k *runCase) countNote(f *finding, seen string) string {
	s := seen + ": " + spanWords(f.hits, "hit", "hits") + " in all"
	if own := k.promptOne(); own.hi > 0 && f.hits.hi > 0 {
		if own.lo == 1 {
			s += "; prompt 1 not counted: " + nonEmpty(k.first.note(), "the run's own warm-up had sent it")
		} else {
			s += "; prompt 1 may have been left by the run's own warm-up"
		}
	} else if k.first.hit == FullHit && f.hits.hi > 0 {
		s += "; " + k.first.note()
	}
	if k.sharing.full.hi > 0 || k.sharing.partial.hi > 0 {
		switch {
		case k.empty.ok:
		case k.sharing.full.hi == open:
			s += "; prompts of this dataset may repeat inside a run, so hits need not be older than it"
		case k.sharing.partial.hi == open:
			s += "; partial hits may be made inside the run"
		case f.hits.hi > 0:
			s += fmt.Sprintf("; up to %d taken off for prompts of the run that are equal by chance", k.sharing.full.hi)
		}
	} else if k.sharing.by != "" && f.hits.hi > 0 && !k.empty.ok {
		s += "; " + k.sharing.by
	}
	if k.empty.ok {
		s += "; " + k.empty.by
	}
	return s
}

func nonEmpty(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// spanWords prints an interval with its noun.
func spanWords(s span, one, many string) string {
	if s == exactly(1) {
		return s.String() + " " + one
	}
	return s.String() + " " + many
}
