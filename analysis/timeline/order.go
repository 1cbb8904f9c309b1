package timeline

import (
	"slices"

	"coldcase/ingest/capture"
)

// Order is what is known of the order in which runs ran: a partial order, and
// for each pair the evidence that fixes it.
type Order struct {
	why            map[[2]int]string // {a, b}: the reason why a ran before b
	earlier, later [][]int           // per run, the runs known to be before and after it
}

func newOrder(n int) *Order {
	return &Order{why: map[[2]int]string{}, earlier: make([][]int, n), later: make([][]int, n)}
}

// Before reports whether run a is known to have run before run b, and by what:
// "stated", "log", "records", "commands", "counters" or "clock".
func (o *Order) Before(a, b int) (string, bool) {
	r, ok := o.why[[2]int{a, b}]
	return r, ok
}

// add notes that a ran before b, and what follows from it, unless the opposite
// is known already: the sources are added from the surest to the least sure.
func (o *Order) add(a, b int, why string) {
	if a == b || o.known(a, b) || o.known(b, a) {
		return
	}
	before := append(slices.Clone(o.earlier[a]), a)
	after := append(slices.Clone(o.later[b]), b)
	for _, i := range before {
		for _, j := range after {
			if !o.known(i, j) {
				o.why[[2]int{i, j}] = why
				o.later[i] = append(o.later[i], j)
				o.earlier[j] = append(o.earlier[j], i)
			}
		}
	}
}

func (o *Order) known(a, b int) bool {
	_, ok := o.why[[2]int{a, b}]
	return ok
}

// orderRuns collects what files say about the order, before any log is looked
// at. starts is the number of server starts that the capture shows; files says
// whether lines that stand in one file count.
func orderRuns(c *capture.Capture, starts int, files bool) *Order {
	o := newOrder(len(c.Runs))
	byNotes(o, c)
	byClock(o, c.Runs)
	byEqualCounters(o, c.Runs)
	if files {
		bySameFile(o, c.Runs)
	}
	byCounters(o, c.Runs, starts)
	if files {
		byCommands(o, c.Runs)
	}
	return o
}

// byNotes takes the order that a person stated.
func byNotes(o *Order, c *capture.Capture) {
	at := map[string]int{}
	for i, f := range c.Notes.Order {
		at[f] = i + 1
	}
	place := func(r *capture.Run) int {
		for _, s := range r.Spans {
			if p := at[s.File]; p > 0 {
				return p
			}
		}
		return at[r.ID]
	}
	pairs(c.Runs, func(a, b int) {
		if pa, pb := place(c.Runs[a]), place(c.Runs[b]); pa > 0 && pb > 0 && pa < pb {
			o.add(a, b, "stated")
		}
	})
}

// bySameFile orders records of one file: clients append, so lines are in order
// of time. A file whose lines a surer source contradicts was put together by
// somebody, and its order says nothing.
func bySameFile(o *Order, runs []*capture.Run) {
	sorted := map[string]bool{}
	eachLine(runs, func(file string, a, b int) { sorted[file] = sorted[file] || o.known(b, a) })
	eachLine(runs, func(file string, a, b int) {
		if !sorted[file] {
			o.add(a, b, "records")
		}
	})
}

// eachLine calls f for each two runs that have records in one file, the upper
// one first.
func eachLine(runs []*capture.Run, f func(file string, a, b int)) {
	pairs(runs, func(a, b int) {
		for _, x := range runs[a].Results {
			for _, y := range runs[b].Results {
				if x.Span.File == y.Span.File && x.Span.Line < y.Span.Line {
					f(x.Span.File, a, b)
				}
			}
		}
	})
}

// byClock orders runs by the client's own times, where two records carry them.
func byClock(o *Order, runs []*capture.Run) {
	pairs(runs, func(a, b int) {
		x, y := &runs[a].Merged, &runs[b].Merged
		switch {
		case runs[a].Results == nil || runs[b].Results == nil || runs[a].Merged.Client != runs[b].Merged.Client:
		case x.End > 0 && y.Start > 0 && x.End <= y.Start,
			x.Start > 0 && y.Start > 0 && x.Start < y.Start,
			x.End > 0 && y.End > 0 && x.End < y.End:
			o.add(a, b, "clock")
		}
	})
}

// byEqualCounters orders two runs between which no prompt was served: what was
// counted when one ended is what was counted when the other began, and when no
// other ended or began. After a restart the same numbers may come again.
func byEqualCounters(o *Order, runs []*capture.Run) {
	type reading struct {
		engine string
		tokens float64
	}
	ended, began := map[reading][]int{}, map[reading][]int{}
	for i, r := range runs {
		if v, ok := counted(r.After); ok && v > 0 {
			at := reading{r.After.Engine, v}
			ended[at] = append(ended[at], i)
		}
		if v, ok := counted(r.Before); ok {
			at := reading{r.Before.Engine, v}
			began[at] = append(began[at], i)
		}
	}
	for at, a := range ended {
		if b := began[at]; len(a) == 1 && len(b) == 1 && capture.NewDelta(runs[a[0]].After, runs[b[0]].Before).Identity().Same {
			o.add(a[0], b[0], "counters")
		}
	}
}

func counted(s *capture.Snapshot) (float64, bool) {
	if s == nil {
		return 0, false
	}
	return total(s)
}

// byCounters orders runs of one server life: what was counted when a run ended
// had been counted when a later one began. After a restart counters begin anew,
// and a kit that runs again counts the same, so with more than one start only
// readings that name one start prove it.
func byCounters(o *Order, runs []*capture.Run, starts int) {
	pairs(runs, func(a, b int) {
		after, before := runs[a].After, runs[b].Before
		if after == nil || before == nil || after.Engine != before.Engine {
			return
		}
		x, okx := total(after)
		y, oky := total(before)
		if !okx || !oky || x == 0 {
			return
		}
		if x > y {
			return
		}
		if id := capture.NewDelta(after, before).Identity(); id.Same && (id.Proved || starts <= 1) {
			o.add(a, b, "counters")
		}
	})
}

// total is a counter that only grows within a life: prompt tokens finished.
func total(s *capture.Snapshot) (float64, bool) {
	for _, name := range []string{"sglang:prompt_tokens_total", "vllm:prompt_tokens_total"} {
		if v, ok := s.Sum(name); ok {
			return v, true
		}
	}
	return 0, false
}

// byCommands orders runs by the lines of the command file that made them; those
// that it starts side by side may end, and stand on a log, in any order.
func byCommands(o *Order, runs []*capture.Run) {
	pairs(runs, func(a, b int) {
		x, y := runs[a].Command, runs[b].Command
		if x != nil && y != nil && x.At.File == y.At.File && x.At.Line < y.At.Line && (!x.Ahead || x.Waits < y.Waits) {
			o.add(a, b, "commands")
		}
	})
}

func pairs(runs []*capture.Run, f func(a, b int)) {
	for a := range runs {
		for b := range runs {
			if a != b {
				f(a, b)
			}
		}
	}
}
