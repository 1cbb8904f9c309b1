package carryover

import (
	"fmt"
	"strings"

	"coldcase/analysis/nesting"
	"coldcase/ingest/capture"
)

// forecast is what the arguments and the order of runs imply for one run.
type forecast struct {
	prompts, tokens span
	from            []string // ids of the runs that sent the prompts before
	nested          int64    // prompts that an earlier run had sent, evicted or not
	leading         int      // that many first prompts are predicted, 0 if their place is not told
	note            string
	evidence        []capture.Evidence
}

// replay inserts the prompts of all runs, in the order in which they ran, into
// a model of the server's cache: least recently used prompts leave when the
// pool is full, everything leaves at a restart or a proved flush. It sees no
// log line of any hit.
type replay struct {
	cases []*runCase // in order of time
	// slack scales token counts: the server may count a few per cent more or
	// fewer tokens than the client planned.
	slack float64

	ids   map[int][]int // per case: identity of each prompt
	next  int
	cache lru
	since []int // cases whose prompts may still be there
}

const replaySlack = 0.05

// forecasts predicts every run.
func forecasts(cases []*runCase) {
	low, high := replayAll(cases, 1+replaySlack), replayAll(cases, 1-replaySlack)
	for i, k := range cases {
		k.predicted = mergeForecasts(low[i], high[i])
	}
}

func mergeForecasts(a, b *forecast) *forecast {
	if a == nil || b == nil {
		return nil
	}
	m := *b
	m.prompts, m.tokens = a.prompts.hull(b.prompts), a.tokens.hull(b.tokens)
	if a.note != "" {
		m.note = a.note
	}
	return &m
}

// replayAll predicts every run with tokens scaled by slack.
func replayAll(cases []*runCase, slack float64) []*forecast {
	r := &replay{cases: cases, slack: slack, ids: map[int][]int{}}
	out := make([]*forecast, len(cases))
	for i := range cases {
		out[i] = r.one(i)
	}
	return out
}

// one predicts run i and then inserts its prompts.
func (r *replay) one(i int) *forecast {
	k := r.cases[i]
	if off := k.server.PrefixCache; off != nil && !*off {
		return &forecast{note: "the prefix cache is off", evidence: evidenceOf(k.server.At)}
	}
	m := &k.run.Merged
	started := r.begin(i)
	defer func() { r.since = append(r.since, i) }()
	f := &forecast{}
	if m.Workload.From.File != "" {
		f.evidence = append(f.evidence, m.Workload.From)
	}
	known := started || len(r.since) > 0
	shared, sharedLen, chance := 0, 0, 0.0
	var notes []string
	ids := make([]int, prompts(k))
	for n := range ids {
		ids[n] = -1
	}
	for _, j := range r.since {
		o := nesting.Between(&r.cases[j].run.Merged, m)
		if !o.Known {
			known = false
			continue
		}
		r.adopt(ids, j, o)
		if o.Equal > 0 {
			f.from = append(f.from, r.cases[j].run.ID)
		}
		if o.Leading {
			f.leading = max(f.leading, o.Equal)
		}
		if o.Shared > shared {
			shared, sharedLen = o.Shared, o.SharedLen
		}
		chance += o.Chance
		if o.Equal > 0 || o.Shared > 0 || o.Chance > 0.5 {
			notes = addOnce(notes, o.Note)
		}
	}
	for _, id := range ids {
		if id >= 0 {
			f.nested++
		}
	}
	f.prompts, f.tokens = r.insert(k, i, ids)
	f.byChance(chance, k)
	if len(f.from) == 0 && !known {
		return nil
	}
	switch {
	case shared == 0 || f.prompts.hi > 0:
	case sharedLen == 0: // how long the common start is, nothing tells
		f.prompts, f.tokens = span{0, int64(shared)}, anything
	case int64(sharedLen) >= hitFrom(max(1, k.sizes.minLen), k.page()):
		f.prompts = span{0, int64(shared)}
		f.tokens = span{0, int64(shared) * (int64(sharedLen) / k.page() * k.page())}
	}
	switch k.flush.state {
	case flushClaimed:
		f.prompts.lo, f.tokens.lo = 0, 0
		notes = addOnce(notes, "a flush was asked for; whether it was done is not shown")
	case flushProved:
		if len(f.from) > 0 {
			f.prompts.lo, f.tokens.lo = 0, 0
			notes = addOnce(notes, "the cache was flushed; whether before or after the runs that sent these prompts is not shown")
		}
	}
	if m.Workload.Presumed {
		notes = addOnce(notes, "presumed: its own arguments are not in the capture")
	}
	for _, j := range r.since {
		if r.cases[j].run.Merged.Workload.Presumed && contains(f.from, r.cases[j].run.ID) {
			notes = addOnce(notes, fmt.Sprintf("presumed: the arguments of %s are not in the capture", r.cases[j].run.ID))
		}
		if r.cases[j].want.Unfinished && contains(f.from, r.cases[j].run.ID) {
			notes = addOnce(notes, fmt.Sprintf("%s has no result: how many of its prompts it sent is not told", r.cases[j].run.ID))
			f.prompts.lo, f.tokens.lo = 0, 0
		}
		if _, ok := k.tl.Order.Before(r.cases[j].index, k.index); !ok && contains(f.from, r.cases[j].run.ID) {
			notes = addOnce(notes, fmt.Sprintf("nothing shows that %s ran before it", r.cases[j].run.ID))
			f.prompts.lo, f.tokens.lo = 0, 0
		}
	}
	notes = append(notes, r.cache.note(f)...)
	f.note = strings.Join(notes, "; ")
	return f
}

// byChance raises the high ends by the prompts that are equal by chance alone,
// bounded at 99.9 %.
func (f *forecast) byChance(expected float64, k *runCase) {
	n := nesting.AtMostByChance(expected)
	if expected == 0 || n == 0 {
		return
	}
	f.prompts.hi = min(f.prompts.hi+n, max(f.prompts.hi, int64(prompts(k))))
	switch in := k.run.Merged.Workload.InputLen; {
	case in == nil:
		f.tokens.hi = open
	case f.tokens.hi != open:
		f.tokens.hi += n * fullHit(int64(*in), k.page())
	}
}

// begin empties the model where the evidence says that the cache was emptied
// before run i. It reports whether the cache is known to have been empty.
func (r *replay) begin(i int) bool {
	k := r.cases[i]
	r.cache.size(k.server.PoolTokens)
	if k.empty.ok || k.flush.state == flushProved && (k.flush.byClient || k.othersPlaced()) {
		r.clear()
		return true
	}
	if i > 0 && r.restarted(i) {
		r.clear()
		return true
	}
	return false
}

func (r *replay) clear() {
	r.since = nil
	r.cache.clear()
}

// restarted reports whether the server was started anew between run i and the
// one before it: by the log's lives, or by counters that began anew.
func (r *replay) restarted(i int) bool {
	a, b := r.cases[i-1], r.cases[i]
	if x, y := a.run.Cell, b.run.Cell; x != nil && y != nil && x.Life != "" && y.Life != "" {
		return x.Life != y.Life // each cell's log is a slice of its own
	}
	if p, q := a.place(), b.place(); p != nil && q != nil {
		return p.Track != q.Track || p.Life != q.Life
	}
	if a.run.After != nil && b.run.Before != nil {
		return !capture.NewDelta(a.run.After, b.run.Before).Identity().Same
	}
	return !b.sameServer(a.run)
}

// adopt gives prompts that repeat an earlier run's its identities.
func (r *replay) adopt(ids []int, j int, o nesting.Overlap) {
	theirs := r.ids[j]
	for n := 0; n < o.Equal && n < len(ids) && n < len(theirs); n++ {
		if ids[n] < 0 {
			ids[n] = theirs[n]
		}
	}
}

// insert sends the prompts of run i and counts those that are still there.
func (r *replay) insert(k *runCase, i int, ids []int) (prompts, tokens span) {
	var hits, sum int64
	m := &k.run.Merged
	in, out := int64(0), int64(0)
	if m.Workload.InputLen != nil {
		in = int64(*m.Workload.InputLen)
	} else if k.lens.lo == k.lens.hi {
		in = k.lens.lo
	}
	if m.Workload.OutputLen != nil {
		out = int64(*m.Workload.OutputLen)
	}
	for n := range ids {
		if ids[n] < 0 {
			r.next++
			ids[n] = r.next
		} else if r.cache.has(ids[n]) {
			hits++
			if in > 0 {
				sum += fullHit(in, k.page())
			}
		}
		r.cache.put(ids[n], int64(float64(in+out)*r.slack))
	}
	r.ids[i] = ids
	tokens = exactly(sum)
	if in == 0 && hits > 0 {
		tokens = anything
	}
	return exactly(hits), tokens
}

func prompts(k *runCase) int {
	switch {
	case k.run.Merged.Workload.Prompts != nil:
		return *k.run.Merged.Workload.Prompts
	case k.sent > 0:
		return int(k.sent)
	}
	return 0
}

func addOnce(list []string, s string) []string {
	if s == "" || contains(list, s) {
		return list
	}
	return append(list, s)
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func evidenceOf(e capture.Evidence) []capture.Evidence {
	if e.File == "" {
		return nil
	}
	return []capture.Evidence{e}
}
