package carryover

import (
	"fmt"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// Schema is the name of the count document.
const Schema = "coldcase.count/1"

// Count counts the prompts cached at the start of every run and window.
func Count(c *capture.Capture) *Document {
	tl := timeline.Build(c)
	d := &Document{Schema: Schema, Captures: c.Sources, Files: c.Files, Runs: []*Run{}}
	if d.Captures == nil {
		d.Captures = []capture.Source{}
	}
	if d.Files == nil {
		d.Files = []*capture.File{}
	}
	for _, k := range cases(c, tl) {
		d.Runs = append(d.Runs, k.count())
	}
	for _, w := range tl.Windows {
		d.Runs = append(d.Runs, countWindow(c, w))
	}
	return d
}

// cases gathers what the witnesses may use, in the order in which runs ran.
func cases(c *capture.Capture, tl *timeline.Timeline) []*runCase {
	var out []*runCase
	for n, i := range tl.Sequence {
		k := newCase(c, tl, i)
		k.order, k.orderBy = n, orderBy(tl, n)
		k.concludeAll()
		out = append(out, k)
	}
	forecasts(out)
	return out
}

// orderBy says what puts run n of the sequence behind the one before it.
func orderBy(tl *timeline.Timeline, n int) string {
	for m := n - 1; m >= 0; m-- {
		if why, ok := tl.Order.Before(tl.Sequence[m], tl.Sequence[n]); ok {
			return why
		}
	}
	if n == 0 && len(tl.Sequence) > 1 {
		if why, ok := tl.Order.Before(tl.Sequence[0], tl.Sequence[1]); ok {
			return why
		}
	}
	return "capture"
}

func (k *runCase) count() *Run {
	fs := k.hear()
	var details *finding
	for i := range fs {
		if fs[i].byPrompt != nil {
			details = &fs[i]
		}
	}
	c := combine(fs)
	k.doubtEmpty(&c)
	r := bareRun(k.run.ID, "run")
	k.describe(r)
	r.PrefixCache = cacheState(k.server, c.hits.lo > 0)
	r.Sequences = k.sequences()
	r.AtStart, r.Cached, r.PartlyCached = c.atStart.interval(), c.full.interval(), c.partial.interval()
	r.CachedTokens = c.tokens.interval()
	r.Origins = k.origins(c, details)
	r.Witnesses = append(r.Witnesses, printed(fs)...)
	r.Conflicts = append(r.Conflicts, c.conflicts...)
	r.Claims = k.claims()
	if f := k.predicted; f != nil {
		r.Predicted = &Prediction{Low: f.prompts.lo, High: f.prompts.high(), Tokens: f.tokens.bounds(), From: orEmpty(f.from), Note: f.note}
	}
	r.Verdict = verdict(c.atStart, k.prompts(), !k.damaged() && !c.doubted)
	r.Why = k.why(r, c)
	r.Facts = k.facts(details, c)
	return r
}

// hear asks every witness. If hits that the run cannot have made itself speak
// against the proof that its cache was empty, the proof is dropped for all of
// them, and kept as what it is then: one side of a contradiction.
func (k *runCase) hear() []finding {
	var fs []finding
	contradicted := ""
	for _, w := range witnesses {
		if f, ok := w(k); ok {
			fs = append(fs, f)
			if k.empty.ok && f.grade.Measured() && f.conflict != "" && f.against {
				contradicted = f.name
			}
		}
	}
	if contradicted == "" && !k.misplaced && disputed(fs) {
		// The run may not be where its lines were looked for: what its
		// warm-up found there is not used against the client's own numbers.
		k.misplaced, k.first = true, warmUp{hit: HitUnknown, cached: anything}
		return k.hear()
	}
	if contradicted == "" {
		return fs
	}
	k.refuted, k.refutedBy = k.empty, contradicted
	k.empty, k.noEmpty = proof{}, true
	return k.hear()
}

// disputed reports whether the client's own file and the server's side exclude
// each other in how many hits or cached tokens there were, whatever their origin.
func disputed(fs []finding) bool {
	own := map[string]bool{"client-details": true, "client-totals": true}
	for _, a := range fs {
		for _, b := range fs {
			if !own[a.name] || own[b.name] || !a.grade.Measured() || !b.grade.Measured() {
				continue
			}
			_, hits := a.hits.and(b.hits)
			if _, tokens := a.tokens.and(b.tokens); !hits || !tokens {
				return true
			}
		}
	}
	return false
}

// doubtEmpty adds the contradiction between a proof of emptiness and hits: the
// interval then holds both, and the verdict needs both to agree.
func (k *runCase) doubtEmpty(c *combined) {
	if !k.refuted.ok {
		return
	}
	c.conflicts = append(c.conflicts, Conflict{
		Between: []string{k.refutedBy, "empty-cache"},
		Text:    fmt.Sprintf("%s; yet %s hits, which prompts of this run cannot have made, were there before it", k.refuted.by, c.atStart.span),
	})
	c.doubted = true
	c.atStart.lo, c.full.lo, c.partial.lo = 0, 0, 0
}

// prompts is the number that shares are taken of.
func (k *runCase) prompts() int64 {
	if n := k.run.Merged.Workload.Prompts; n != nil {
		return int64(*n)
	}
	return k.sent
}

// damaged reports whether a prefill line of the run is malformed: such a run
// is never called clean.
func (k *runCase) damaged() bool {
	for _, p := range k.places {
		for _, d := range p.Track.Log.Damaged {
			if d.Class == "prefill" && d.Line >= p.From && d.Line <= p.To {
				return true
			}
		}
	}
	return false
}

func printed(fs []finding) []Witness {
	var out []Witness
	for _, f := range fs {
		w := Witness{Name: f.name, Low: f.atStart.lo, High: f.atStart.high(), Grade: f.grade, Note: f.note, Evidence: f.evidence}
		if !f.atStart.known() && f.grade != Suspected {
			w.Grade = None
		}
		if w.Evidence == nil {
			w.Evidence = []capture.Evidence{}
		}
		out = append(out, w)
	}
	return out
}

// describe fills the client's side of the document.
func (k *runCase) describe(r *Run) {
	m := &k.run.Merged
	r.Engine, r.EngineVersion = text(k.engine), text(k.server.Version)
	r.Client, r.Dataset = text(m.Client), text(m.Workload.Dataset)
	if !m.Workload.Presumed {
		r.Seed = m.Workload.Seed // a presumed one is in the prediction, with its note
	}
	r.Source = append([]capture.Span{}, k.run.Spans...)
	for _, p := range k.places {
		if k.want.Maybe {
			break // these lines may be another run's
		}
		r.Source = append(r.Source, capture.Span{File: p.Track.Log.File, Line: p.From, To: p.To})
	}
	switch c := m.MaxConcurrency; {
	case c.Unlimited:
		r.MaxConcurrency = "unlimited"
	case c.Known:
		r.MaxConcurrency = c.N
	}
	switch q := m.RequestRate; {
	case q.Inf:
		r.RequestRate = "inf"
	case q.Trace:
		r.RequestRate = "trace"
	case q.Known:
		r.RequestRate = q.PerSecond
	}
	r.Prompts, r.Completed = m.Workload.Prompts, m.Completed
	r.PageSize = k.server.PageSize
	r.Flush = k.flush.state
}

// sequences counts the requests that the server started for the run.
func (k *runCase) sequences() Interval {
	var s span
	for i, p := range k.places {
		one, probes := span{}, int64(0)
		for _, g := range p.Groups() {
			if g.Own {
				continue
			}
			if g.Probe {
				probes++
				continue
			}
			one = one.plus(span{int64(g.Min), int64(g.Max)})
		}
		if one.hi == 0 && p.Track.HasAccess {
			one = exactly(int64(p.Posts))
		} else if p.Track.HasAccess && int64(p.Posts) >= one.lo && int64(p.Posts) <= one.hi {
			one = exactly(int64(p.Posts))
		}
		one = one.plus(exactly(probes))
		if !p.Whole || p.Stated {
			one.hi = open
		}
		if i == 0 {
			s = one
		} else {
			s = s.hull(one)
		}
	}
	if len(k.places) > 0 && !k.want.Maybe {
		return s.interval(PerBatch)
	}
	if m, _, ok := k.meter(); ok {
		return exactly(m.requests).interval(Bounded)
	}
	return anything.interval(None)
}

func (k *runCase) claims() []Claim {
	var out []Claim
	for _, c := range k.c.Notes.Claims {
		for _, s := range k.run.Spans {
			if c.Run == s.File || c.Run == k.run.ID {
				out = append(out, Claim{Prompts: c.Prompts, Evidence: c.At})
				break
			}
		}
	}
	return out
}

func bareRun(id, kind string) *Run {
	r := &Run{ID: id, Kind: kind, Flush: flushUnknown, PrefixCache: "unknown", Verdict: VerdictUnknown, Why: []string{}}
	none := anything.interval(None)
	r.Sequences, r.AtStart, r.Cached, r.PartlyCached, r.CachedTokens = none, none, none, none, none
	r.Witnesses, r.Conflicts = []Witness{}, []Conflict{}
	return r
}

func cacheState(s capture.ServerInfo, hits bool) string {
	switch {
	case s.PrefixCache != nil && *s.PrefixCache, hits:
		return "on"
	case s.PrefixCache != nil:
		return "off"
	}
	return "unknown"
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
