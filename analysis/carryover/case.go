package carryover

import (
	"fmt"
	"strings"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// runCase is everything that the witnesses may use about one run: the facts of
// its files, its feasible places on the logs, and the conclusions that hold
// for all of them.
type runCase struct {
	c      *capture.Capture
	tl     *timeline.Timeline
	index  int // into Capture.Runs
	run    *capture.Run
	want   *timeline.Want
	places []*timeline.Place
	// server merges what is said of the server that served the run.
	server capture.ServerInfo
	engine string
	lens   lens
	sizes  sizes
	// sent is the number of prompts, answered those that succeeded; -1
	// unknown. One that failed may have been prefilled, or never have arrived.
	sent, answered int64
	// warm bounds the client's own requests before the measured ones.
	warm span
	// sharing is what prompts of this run can have in common.
	sharing sharing
	// flush is the last flush event before the first prompt.
	flush flushState
	// empty is the proof that nothing was cached when the run started.
	empty proof
	// refuted is a proof of emptiness that hits contradict; noEmpty bars it.
	refuted   proof
	refutedBy string
	noEmpty   bool
	// first is what the run's own warm-up found of prompt 1.
	first warmUp
	// misplaced is true if the client's own numbers speak against the lines
	// and counters that were taken for the run's.
	misplaced bool
	// predicted is what the arguments imply; nil if they say nothing.
	predicted *forecast
	// order and orderBy place the run among the others.
	order   int
	orderBy string
}

// proof is a conclusion with the sentence and the lines that carry it.
type proof struct {
	ok       bool
	by       string
	evidence []capture.Evidence
}

// place is the run's one certain place, nil if there are several or none.
func (k *runCase) place() *timeline.Place {
	if len(k.places) == 1 && !k.want.Maybe {
		return k.places[0]
	}
	return nil
}

// alternatives are the run at each of its feasible places alone, with the
// conclusions that hold there.
func (k *runCase) alternatives() []*runCase {
	if len(k.places) < 2 || k.want.Maybe {
		return []*runCase{k}
	}
	var out []*runCase
	for _, p := range k.places {
		a := *k
		a.places = []*timeline.Place{p}
		a.conclude()
		out = append(out, &a)
	}
	return out
}

// conclude draws what the witnesses share, in the order in which it builds: a
// flush must be known before emptiness, the warm-up's outcome before prompt 1
// can be attributed.
func (k *runCase) conclude() {
	k.warm = warmOf(k)
	k.flush = k.flushOf()
	k.first = k.warmUpOf()
	k.empty = proof{}
	if !k.noEmpty {
		k.empty = k.emptyOf()
	}
}

// concludeAll draws the conclusions of a run: with several feasible places,
// those on which all of them agree.
func (k *runCase) concludeAll() {
	k.conclude()
	alts := k.alternatives()
	if len(alts) < 2 {
		return
	}
	one := *alts[0]
	for _, a := range alts[1:] {
		if a.flush.state != one.flush.state || a.flush.byClient != one.flush.byClient {
			one.flush = k.flush
		}
		if a.first.hit != one.first.hit {
			one.first = k.first
		}
		if !a.empty.ok {
			one.empty = k.empty
		}
	}
	k.flush, k.first, k.empty = one.flush, one.first, one.empty
	k.first.cached = anything
}

func (k *runCase) quote(file string, line int) capture.Evidence { return k.c.Quote(file, line) }

// page is the page size for arithmetic, 1 where it is not known.
func (k *runCase) page() int64 {
	if k.server.HitAlignment != nil && *k.server.HitAlignment > 0 {
		return int64(*k.server.HitAlignment)
	}
	if k.server.PageSize != nil && *k.server.PageSize > 0 {
		return int64(*k.server.PageSize)
	}
	return 1
}

func newCase(c *capture.Capture, tl *timeline.Timeline, i int) *runCase {
	r := c.Runs[i]
	k := &runCase{c: c, tl: tl, index: i, run: r, want: &tl.Wants[i], places: tl.Places[i], sent: -1}
	k.server = serverOf(c, r, k.places)
	k.engine = r.Merged.Engine
	if k.engine == "" {
		k.engine = k.server.Engine
	}
	switch {
	case r.Merged.Workload.Prompts != nil:
		k.sent = int64(*r.Merged.Workload.Prompts)
	case r.Merged.Completed != nil:
		k.sent = int64(*r.Merged.Completed)
	}
	k.answered = k.sent
	if r.Merged.Completed != nil {
		k.answered = int64(*r.Merged.Completed)
	}
	k.lens = lensOf(r)
	known := k.server.PageSize != nil || k.server.HitAlignment != nil
	k.sizes = sizesOf(k.lens, k.page(), known, k.server.CacheKind == "")
	k.sharing = sharingOf(r)
	return k
}

// warmOf bounds the number of warm-up requests: what the arguments say, or what
// the log shows beyond the measured prompts.
func warmOf(k *runCase) span {
	w := span{int64(k.want.MinWarm), int64(k.want.MaxWarm)}
	if p := k.place(); p != nil && p.Warm >= 0 && p.Foreign == 0 && p.Doubt == 0 && w.lo != w.hi {
		w = exactly(int64(p.Warm))
	}
	return w
}

func argString(args map[string]any, name string) string {
	if v, ok := args[name]; ok && v != nil {
		return fmt.Sprint(v)
	}
	return ""
}

func containsFold(s, part string) bool {
	return strings.Contains(strings.ToLower(s), part)
}
