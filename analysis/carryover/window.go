package carryover

import (
	"fmt"
	"strings"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// countWindow counts log lines that belong to no known run. Only hits proved
// to come from before it are cached at start; a window that begins with the
// server's start has none.
func countWindow(c *capture.Capture, w *timeline.Window) *Run {
	log := w.Track.Log
	life := w.Track.Lives[w.Life]
	k := &runCase{c: c, server: life.Info, engine: log.Engine, lens: lens{lo: 1, hi: open}, sent: -1}
	fill(&k.server.Version, log.Version)
	k.sizes = sizesOf(k.lens, k.page(), k.server.PageSize != nil, k.server.CacheKind == "")
	all := k.sumWindow(w)
	sum, seqs, lines := all.hits, all.seqs, all.lines
	damaged, unknownSeqs := damagedIn(log, w)
	if damaged > 0 {
		sum.hits = sum.hits.plus(span{0, unknownSeqs})
		sum.full, sum.partial = sum.full.plus(span{0, unknownSeqs}), sum.partial.plus(span{0, unknownSeqs})
		seqs = seqs.plus(span{0, unknownSeqs})
		sum.tokens.hi = open
	}
	if lines == 0 && damaged == 0 {
		sum.hits, sum.full, sum.partial, sum.tokens, seqs = anything, anything, anything, anything, anything
		if ratesAboveZero(log) {
			sum.tokens.lo = 1
		}
	}
	if !log.Complete {
		sum.tokens.hi = open
	}
	fromStart := w.FromStart && damaged == 0 && k.coldFirst(w)
	r := bareRun(fmt.Sprintf("%s:%d-%d", log.File, w.From, w.To), "window")
	r.Engine = text(log.Engine)
	r.EngineVersion = text(k.server.Version)
	r.Source = []capture.Span{{File: log.File, Line: w.From, To: w.To}}
	r.PageSize = k.server.PageSize
	r.PrefixCache = cacheState(k.server, sum.hits.lo > 0)
	r.Flush = windowFlush(w)
	r.Sequences = field{seqs, gradeIf(seqs.known(), PerBatch)}.interval()
	r.CachedTokens = field{sum.tokens, gradeIf(sum.tokens.known(), PerBatch)}.interval()
	k.windowOrigins(r, fromStart, sum)
	note := fmt.Sprintf("%d prefill lines of %s: %s in all", lines, spanWords(seqs, "request", "requests"), spanWords(sum.hits, "hit", "hits"))
	if lines > 0 || damaged > 0 {
		wit := Witness{Name: "prefill-lines", Low: r.AtStart.Low, High: r.AtStart.High, Grade: r.AtStart.Grade, Note: note, Evidence: all.quotes.list()}
		r.Witnesses = append(r.Witnesses, wit)
	}
	r.Why = windowWhy(fromStart, lines, damaged)
	if len(w.Perhaps) > 0 {
		r.Why = append(r.Why, "these lines may be those of "+strings.Join(w.Perhaps, ", ")+", which nothing ties to one place on a log")
	}
	if fromStart && lines > 0 && !all.probes && log.Complete && len(w.Perhaps) == 0 {
		r.Verdict = Clean
	}
	r.Facts = &Facts{Order: -1, Life: w.Life, Log: log, FirstBatch: firstBatch(w), LastBatch: lastBatch(w), Foreign: -1, Health: -1, Server: k.server}
	return r
}

// coldFirst reports whether the window's first request was cold, as the first
// one after a start must be: else lines before it are missing.
func (k *runCase) coldFirst(w *timeline.Window) bool {
	for _, g := range w.Groups() {
		if g.Own || g.Probe {
			continue
		}
		return feasible(k.batchOf(g)).hits.lo < int64(g.Min)
	}
	return true
}

// windowOrigins puts the hits of a window where they belong.
func (k *runCase) windowOrigins(r *Run, fromStart bool, sum hitSet) {
	grade := gradeIf(sum.hits.known(), PerBatch)
	if fromStart && sum.hits.hi != open {
		zero := field{exactly(0), PerBatch}.interval()
		r.AtStart, r.Cached, r.PartlyCached = zero, zero, zero
		r.Origins = Origins{InRun: sum.hits.bounds()}
		r.Origins.EarlierRun, r.Origins.WarmUp, r.Origins.OtherClient, r.Origins.Unknown = exactly(0).bounds(), exactly(0).bounds(), exactly(0).bounds(), exactly(0).bounds()
		return
	}
	upTo := span{0, sum.hits.hi}
	r.AtStart = field{upTo, grade}.interval()
	r.Cached = field{span{0, sum.full.hi}, grade}.interval()
	r.PartlyCached = field{span{0, sum.partial.hi}, grade}.interval()
	r.Origins = Origins{
		EarlierRun: upTo.bounds(), OtherClient: upTo.bounds(), InRun: upTo.bounds(),
		WarmUp: exactly(0).bounds(), Unknown: sum.hits.bounds(),
	}
}

func damagedIn(log *capture.ServerLog, w *timeline.Window) (lines int, seqs int64) {
	for _, d := range log.Damaged {
		if d.Class != "prefill" {
			continue
		}
		if d.Line < w.From || d.Line > w.To {
			continue
		}
		lines++
		if d.NewSeq >= 0 && seqs != open {
			seqs += int64(d.NewSeq)
		} else {
			seqs = open
		}
	}
	return lines, seqs
}

func ratesAboveZero(log *capture.ServerLog) bool {
	for _, s := range log.Stats {
		if s.HitRate > 0 {
			return true
		}
	}
	return false
}

func windowFlush(w *timeline.Window) string {
	state := flushUnknown
	for _, f := range w.Track.Log.Flushes {
		if f.Line > w.From {
			break
		}
		switch f.Kind {
		case capture.FlushDone:
			state = flushProved
		case capture.FlushRefused, capture.FlushTimeout:
			state = flushRefused
		}
	}
	return state
}

func windowWhy(fromStart bool, lines, damaged int) []string {
	switch {
	case lines == 0 && damaged == 0:
		return []string{"no prefill line was seen here, so nothing is known to be zero"}
	case damaged > 0:
		return []string{fmt.Sprintf("%d prefill lines are damaged: what they held is not known", damaged)}
	case fromStart:
		return []string{"the server had just started: whatever was a hit here was sent here before"}
	}
	return []string{"these lines belong to no run of the capture; what came before them is not shown"}
}

func firstBatch(w *timeline.Window) int {
	if w.FirstGroup == w.LastGroup {
		return 0
	}
	return w.Track.Group(w.FirstGroup).Batches[0]
}

func lastBatch(w *timeline.Window) int {
	if w.FirstGroup == w.LastGroup {
		return 0
	}
	b := w.Track.Group(w.LastGroup - 1).Batches
	return b[len(b)-1] + 1
}

func gradeIf(known bool, g Grade) Grade {
	if known {
		return g
	}
	return None
}
