package timeline

import (
	"iter"

	"coldcase/ingest/capture"
)

// Group is the smallest stretch of one rank's prefill lines that holds whole
// requests: a single line, or the lines of a chunked prefill up to the one
// after which nothing is pending.
type Group struct {
	Batches []int // indexes into ServerLog.Batches, ascending
	Line    int   // of the first batch
	To      int   // line of the last batch
	Stamp   capture.Stamp

	// Requests that the group started: Min if every line but the first
	// continues one, Max if only those do of which it is certain.
	Min, Max int
	// New and Cached sum the lines' counters; Replay the replayed tokens.
	New, Cached, Replay int64
	// CachedSure is false if old logs may have printed earlier chunks of the
	// same request as cached (SGLang 0.2.7 to 0.4.1).
	CachedSure bool
	Running    int // #running-req of the first line, -1 unknown
	// Probe marks one request of one page or less without a hit: a health
	// check, or a prompt too short to count.
	Probe bool
	// Own marks the server's own warm-up: prefilled before it said it serves.
	Own bool
}

// Requests is the number of requests if it is certain, else -1.
func (g *Group) Requests() int {
	if g.Min == g.Max {
		return g.Min
	}
	return -1
}

// grouping holds where the groups of a log begin: a log of a gigabyte has
// hundreds of thousands, so that a Group is built when it is looked at.
type grouping struct {
	first []int32           // batch index of each group's first line
	more  map[int32][]int32 // batch indexes of groups of several lines, by the first
}

// chunker follows one data-parallel rank.
type chunker struct {
	first int32
	last  *capture.Batch
}

// groups cuts the prefill lines of a log into groups, copies by other ranks
// left out. lives gives the settings in force at a line.
func groups(log *capture.ServerLog, lives []*Life) grouping {
	out := grouping{first: make([]int32, 0, log.Batches.Len()), more: map[int32][]int32{}}
	var state [256]chunker // by data-parallel rank
	keep := ranks(log)
	for i, b := range log.Batches.All() {
		if !keep.has(b.Rank) {
			continue
		}
		c := &state[uint8(b.Rank.DP)]
		if c.last != nil && c.last.Pending != 0 && c.continues(b, lifeAt(lives, int(b.Line))) {
			if out.more[c.first] == nil {
				out.more[c.first] = []int32{c.first}
			}
			out.more[c.first] = append(out.more[c.first], int32(i))
		} else {
			c.first = int32(i)
			out.first = append(out.first, c.first)
		}
		c.last = b
	}
	return out
}

// NumGroups is the number of groups of the log.
func (t *Track) NumGroups() int { return len(t.groups.first) }

// edges are the first and the last line of group i.
func (t *Track) edges(i int) (from, to int) {
	first := t.groups.first[i]
	last := first
	if more := t.groups.more[first]; len(more) > 0 {
		last = more[len(more)-1]
	}
	return int(t.Log.Batches.At(int(first)).Line), int(t.Log.Batches.At(int(last)).Line)
}

// Group builds group i.
func (t *Track) Group(i int) *Group {
	g := &Group{}
	t.build(g, i, lifeAt(t.Lives, int(t.Log.Batches.At(int(t.groups.first[i])).Line)))
	return g
}

// GroupsOf yields the groups lo <= i < hi. A group is valid until the next one.
func (t *Track) GroupsOf(lo, hi int) iter.Seq2[int, *Group] {
	return func(yield func(int, *Group) bool) {
		var g Group
		life := &Life{From: 1}
		for i := lo; i < hi; i++ {
			if line := int(t.Log.Batches.At(int(t.groups.first[i])).Line); line < life.From || line > life.To {
				life = lifeAt(t.Lives, line)
			}
			t.build(&g, i, life)
			if !yield(i, &g) {
				return
			}
		}
	}
}

// build makes g group i, which starts in a life, in the memory that it has.
func (t *Track) build(g *Group, i int, life *Life) {
	first := t.groups.first[i]
	b := t.Log.Batches.At(int(first))
	g.start(int(first), b, life)
	last := b
	more := t.groups.more[first]
	for _, k := range more[min(1, len(more)):] {
		b := t.Log.Batches.At(int(k))
		g.add(int(k), b)
		if carriesOn(last, b) {
			g.Max -= int(b.NewSeq)
		}
		last = b
	}
	g.settle()
}

// start makes g the group of one line.
func (g *Group) start(i int, b *capture.Batch, life *Life) {
	*g = Group{Batches: g.Batches[:0], Line: int(b.Line), To: int(b.Line), Stamp: b.Stamp, Running: int(b.Running), CachedSure: true}
	page := int32(1)
	if life.Info.PageSize != nil {
		page = int32(*life.Info.PageSize)
	}
	g.Probe = b.NewSeq == 1 && b.NewToken <= page && b.Cached == 0
	g.Own = life.Ready > 0 && int(b.Line) < life.Ready
	g.add(i, b)
}

func (g *Group) add(i int, b *capture.Batch) {
	g.Batches = append(g.Batches, i)
	g.To = int(b.Line)
	g.Max += int(b.NewSeq)
	g.New += int64(b.NewToken)
	g.Cached += int64(b.Cached)
	if b.Replay > 0 {
		g.Replay += int64(b.Replay)
	}
	if b.Old && b.HitRate >= 0 && len(g.Batches) > 1 && b.Cached > 0 {
		g.CachedSure = false
	}
}

// settle derives the least number of requests: each line after the first may
// hold one continuation of the line before.
func (g *Group) settle() {
	g.Min = max(g.Max-(len(g.Batches)-1), 1)
	if len(g.Batches) > 1 {
		g.Probe = false
	}
}

// carriesOn reports whether line b holds nothing but the rest of a request of
// the line before it: nothing waited then, and what was pending fell by just
// what this line computed.
func carriesOn(a, b *capture.Batch) bool {
	return b.NewSeq == 1 && b.Cached == 0 && a.Queue == 0 && a.Running == 0 && b.Running == 0 && a.Pending > 0 && a.Pending-b.Pending == b.NewToken
}

// continues reports whether line b may hold the rest of a request of the line
// before it. #pending-token counts what is left of a chunked request and what
// waits, so 0 ends a group for certain (SGLang 0.5.11 and later). Older logs
// do not print it: there a line that used the whole chunk budget may go on.
func (c *chunker) continues(b *capture.Batch, life *Life) bool {
	prev := c.last
	if prev.Pending == 0 {
		return false
	}
	if chunk := life.chunk(); chunk > 0 {
		page := int32(1)
		if life.Info.PageSize != nil {
			page = int32(*life.Info.PageSize)
		}
		return prev.NewToken > chunk-page
	}
	if prev.Pending > 0 {
		return true
	}
	// No pending count and no chunk size: equal lines with a queue behind them
	// look like chunks, and only then is it worth opening the interval.
	return prev.Queue > 0 && prev.NewToken == b.NewToken && prev.NewToken >= 256 && prev.NewToken%256 == 0
}

// printing are the ranks whose lines count, by data-parallel rank: the lowest of
// each other kind.
type printing [256]struct {
	seen       bool
	pp, tp, cp int8
}

// ranks returns which ranks' lines count: with pipeline, context or tensor
// parallelism several ranks may print the same batch; data-parallel ranks
// print their own.
func ranks(log *capture.ServerLog) *printing {
	var out printing
	last := capture.NoRank
	for i, b := range log.Batches.All() {
		r := b.Rank
		if r == last && i > 0 {
			continue
		}
		last = r
		l := &out[uint8(r.DP)]
		if !l.seen {
			l.seen, l.pp, l.tp, l.cp = true, r.PP, r.TP, r.CP
		}
		l.pp, l.tp, l.cp = min(l.pp, r.PP), min(l.tp, r.TP), min(l.cp, r.CP)
	}
	return &out
}

func (c *printing) has(r capture.Rank) bool {
	l := &c[uint8(r.DP)]
	return r.PP == l.pp && r.TP == l.tp && r.CP == l.cp
}
