package carryover

import (
	"fmt"
	"slices"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// prefillLines counts from SGLang's prefill lines: for each batch, which
// numbers of full and partial hits satisfy both its new and its cached tokens,
// summed over the run.
func prefillLines(k *runCase) (finding, bool) {
	var f finding
	seen := false
	for _, p := range k.logged() {
		one := p.k.prefillAt(p.Place)
		if seen {
			f = hullOf(f, one)
		} else {
			f, seen = one, true
		}
	}
	if seen && k.want.Maybe {
		f.atStart.lo, f.full.lo, f.partial.lo, f.tokens.lo, f.hits.lo = 0, 0, 0, 0, 0
		f.atStart.hi, f.full.hi, f.partial.hi, f.tokens.hi, f.hits.hi = open, open, open, open, open
		f.grade = None
		f.note = "lines of the log may be this run's or another's: " + f.note
	}
	return f, seen
}

// logged pairs each feasible place that has prefill lines with the run as it
// is there.
func (k *runCase) logged() []placed {
	var out []placed
	if k.want.Maybe {
		for _, p := range k.places {
			out = append(out, placed{k, p})
		}
	} else {
		for _, a := range k.alternatives() {
			for _, p := range a.places {
				out = append(out, placed{a, p})
			}
		}
	}
	return slices.DeleteFunc(out, func(p placed) bool { return p.FirstGroup == p.LastGroup })
}

// placed is a run at one place.
type placed struct {
	k *runCase
	*timeline.Place
}

func (k *runCase) prefillAt(p *timeline.Place) finding {
	f := finding{name: "prefill-lines", grade: PerBatch}
	sum, loss := hitSet{}, losses{}
	others := k.others(p)
	var behind span // hits in batches that start while requests are running
	lines, requests := 0, span{}
	deciding := newQuotes(k, p.Track.Log.File)
	for _, g := range p.Groups() {
		if g.Line < p.Measured || g.Own || (g.Probe && !k.shortPrompts()) {
			continue
		}
		b := k.batchOf(g)
		h := feasible(b)
		mixed := h
		if others > 0 {
			mixed = among(b, others)
		}
		if g.Line < p.Surely {
			h, mixed = h.maybe(), mixed.maybe() // it may be warm-up
		}
		sum.add(h)
		loss.add(h, mixed)
		if g.Running > 0 && others == 0 {
			behind = behind.plus(h.hits)
		}
		lines += len(g.Batches)
		requests = requests.plus(span{int64(g.Min), int64(g.Max)})
		deciding.offer(g, h)
	}
	sum = k.loosen(p, loss.from(sum, others))
	f.hits, f.hitFull, f.hitPartial, f.tokens = sum.hits, sum.full, sum.partial, sum.tokens
	f.evidence = deciding.list()
	k.fromHits(&f)
	f.note = k.countNote(&f, fmt.Sprintf("%d prefill lines of %s", lines, spanWords(requests, "request", "requests")))
	k.byAdmission(p, &f, behind)
	if p.Stated {
		f.note += "; these lines are a part of the run, placed by the notes: there is no upper bound"
	} else if !p.Whole {
		f.note += "; lines of the run are missing or damaged: there is no upper bound"
	}
	return f
}

// loosen opens a sum for what the place does not settle.
func (k *runCase) loosen(p *timeline.Place, s hitSet) hitSet {
	if !p.Whole || p.Stated {
		s.hits.hi, s.full.hi, s.partial.hi, s.tokens.hi = open, open, open, open
	}
	if p.Foreign+p.Doubt > 0 {
		s.tokens.lo = 0
	}
	return s
}

// others bounds the sequences of a place that may be no prompt of the run.
func (k *runCase) others(p *timeline.Place) int64 {
	return int64(p.Foreign) + int64(p.Doubt) + k.doubtful(p)
}

// doubtful counts requests whose lines may look like hits without being
// prompts served from the cache: retracted ones match their own tokens when
// they are prefilled again, and a health check adds one new token.
func (k *runCase) doubtful(p *timeline.Place) int64 {
	var n int64
	for _, m := range p.Track.Log.Marks {
		if m.Line < p.Measured || m.Line > p.To {
			continue
		}
		if m.Kind == capture.MarkRetract {
			n += max(1, m.N)
		}
	}
	return n
}

// byAdmission uses the order of admission: prompt 1 is sent first and admitted
// first, so a batch that starts while requests of the run are running does not
// hold it, and its hits need no warm-up to be taken off.
func (k *runCase) byAdmission(p *timeline.Place, f *finding, behind span) {
	if k.empty.ok || k.sharing.full.hi != 0 || k.sharing.partial.hi != 0 || behind.lo <= f.atStart.lo {
		return
	}
	without := f.atStart.lo
	f.atStart.lo = min(behind.lo, f.atStart.hi)
	if f.hitPartial.hi == 0 || f.hitFull.lo >= behind.lo {
		f.full.lo = max(f.full.lo, min(behind.lo, f.full.hi))
	}
	f.note += fmt.Sprintf("; %d of them need no argument by order, the others are in batches that start while requests of the run are running, where prompt 1 cannot be", without)
}

func (k *runCase) shortPrompts() bool { return k.lens.hi <= 2 }

// quotes picks the lines that decide a count: hits first, and a miss beside
// them.
type quotes struct {
	k      *runCase
	file   string
	hits   []int
	others []int
}

func newQuotes(k *runCase, file string) *quotes { return &quotes{k: k, file: file} }

func (q *quotes) offer(g *timeline.Group, h hitSet) {
	switch {
	case h.hits.lo > 0:
		if len(q.hits) < maxQuotes {
			q.hits = append(q.hits, g.Line)
		}
	case len(q.others) < maxQuotes:
		q.others = append(q.others, g.Line)
	}
}

// join takes the lines of a later stretch of the same log.
func (q *quotes) join(later *quotes) {
	q.hits = append(q.hits, later.hits[:min(len(later.hits), maxQuotes-len(q.hits))]...)
	q.others = append(q.others, later.others[:min(len(later.others), maxQuotes-len(q.others))]...)
}

func (q *quotes) list() []capture.Evidence {
	lines := q.hits
	if len(lines) > maxQuotes-1 {
		lines = lines[:maxQuotes-1]
	}
	if len(q.others) > 0 {
		n := 1
		if len(lines) == 0 {
			n = min(2, len(q.others))
		}
		lines = append(append([]int(nil), lines...), q.others[:n]...)
	}
	var out []capture.Evidence
	for _, l := range lines {
		out = append(out, q.k.quote(q.file, l))
	}
	return out
}
