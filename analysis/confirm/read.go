package confirm

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
	"coldcase/ingest/plan"
)

// Outcomes of a confirmation.
const (
	Confirmed     = "confirmed"
	Refuted       = "refuted"
	NotComparable = "not-comparable"
	Incomplete    = "incomplete"
)

// The states of a cell that a plan lists.
const (
	cellDone = "done"
	cellLeft = "not run"
)

// Read holds what a plan expected against what came: from a sweep's cells and
// their runs, or, without a plan, from a table of results that a person
// stated. It returns nil if the capture holds neither.
func Read(c *capture.Capture, doc *carryover.Document, lat []*latency.Run) *Confirmation {
	if len(c.Plans) > 0 {
		return newReading(c, doc, lat).sweep()
	}
	if len(c.Notes.Points) > 0 {
		return newReading(c, doc, lat).stated()
	}
	return nil
}

// reading collects the runs by arm and builds the answer.
type reading struct {
	c    *capture.Capture
	doc  *carryover.Document
	lat  map[string]*latency.Run
	out  *Confirmation
	plan *plan.Plan
	runs map[string][]*carryover.Run // by arm: kit, fresh, repeat
}

// The arms of ranges beside those of a plan.
const (
	armKit    = "kit"
	armStated = "stated"
)

// rangeStats are the statistics of which a range is given.
var rangeStats = []string{medianTTFT, "mean_ttft_ms", "p90_ttft_ms"}

func newReading(c *capture.Capture, doc *carryover.Document, lat []*latency.Run) *reading {
	r := &reading{c: c, doc: doc, lat: map[string]*latency.Run{}, runs: map[string][]*carryover.Run{}}
	r.out = &Confirmation{Ranges: []Range{}, Repeat: []Range{}, Text: []string{}, Evidence: []capture.Evidence{}, Inversion: "unknown"}
	for _, l := range lat {
		r.lat[l.Run] = l
	}
	for _, d := range doc.Runs {
		if d.Kind != "run" {
			continue
		}
		arm := armKit
		if cell := cellOf(d); cell != nil {
			arm = cell.Arm
		}
		r.runs[arm] = append(r.runs[arm], d)
	}
	return r
}

func cellOf(d *carryover.Run) *capture.Cell {
	if d.Facts == nil || d.Facts.Run == nil {
		return nil
	}
	return d.Facts.Run.Cell
}

func (r *reading) say(format string, args ...any) {
	r.out.Text = append(r.out.Text, fmt.Sprintf(format, args...))
}

// sweep reads a plan and its cells.
func (r *reading) sweep() *Confirmation {
	first := r.c.Plans[0]
	r.out.Plan = first.JSON
	if r.c.Quoter != nil {
		r.out.Evidence = append(r.out.Evidence, r.c.Quoter.Quote(first.File, 1))
	}
	p, err := planOf(first)
	if err != nil {
		r.out.Outcome = Incomplete
		r.say("%s cannot be read as a plan: %v", first.File, err)
		return r.out
	}
	r.plan = p
	r.out.Expectation, r.out.RefutedIf = p.Expectation, p.RefutedIf
	r.out.Ranges = append(r.ranges(armKit), r.ranges(plan.Fresh)...)
	r.out.Repeat = append(r.out.Repeat, r.ranges(plan.Repeat)...)
	if other := r.otherPlan(); other != "" {
		r.out.Outcome = NotComparable
		r.say("%s holds another plan than %s: read each sweep by itself", other, first.File)
		return r.out
	}
	r.out.Outcome = r.judge()
	r.readRepeat()
	r.movedTheWrongWay()
	return r.out
}

// otherPlan names a plan of the capture that is not this one. A sweep that was
// parted over several servers leaves one plan in each of its folders.
func (r *reading) otherPlan() string {
	for _, p := range r.c.Plans[1:] {
		if other, err := planOf(p); err != nil || !r.plan.Same(other) {
			return p.File
		}
	}
	return ""
}

func planOf(p *capture.Plan) (*plan.Plan, error) {
	b, err := json.Marshal(p.JSON)
	if err != nil {
		return nil, err
	}
	return plan.Decode(b)
}

// judge applies the tests of a result in the order in which they forbid it:
// missing cells, then cells that were not cold, then another workload, then
// the statistic itself.
func (r *reading) judge() string {
	if missing := r.missing(plan.Fresh); len(missing) > 0 {
		r.say("fresh cells without a result: %s", strings.Join(missing, "; "))
		return Incomplete
	}
	var warm, open []string
	for _, d := range r.runs[plan.Fresh] {
		switch d.Verdict {
		case "clean":
		case "contaminated":
			warm = append(warm, d.ID)
		default:
			open = append(open, d.ID)
		}
	}
	if len(warm) > 0 {
		r.say("prompts were cached at the start of fresh cells: %s", strings.Join(warm, ", "))
		return NotComparable
	}
	if len(open) > 0 {
		r.say("nothing proves that these fresh cells started cold: %s", strings.Join(open, ", "))
		return Incomplete
	}
	r.say("every fresh cell started with no prompt in the cache")
	r.out.Inversion = r.inversion()
	if !r.sameWorkload() {
		return NotComparable
	}
	t := r.plan.Test
	if t.LowCap == t.HighCap {
		return Confirmed
	}
	switch r.out.Inversion {
	case "yes":
		r.say("the %s still falls from cap %d to cap %d, in every run: the cache did not make the inversion", t.Statistic, t.LowCap, t.HighCap)
		return Refuted
	case "no":
		r.say("the %s does not fall from cap %d to cap %d", t.Statistic, t.LowCap, t.HighCap)
		return Confirmed
	}
	r.say("the ranges of caps %d and %d overlap against the expected order: more seeds are needed", t.LowCap, t.HighCap)
	return Incomplete
}

// missing lists the cells of an arm that have no finished run.
func (r *reading) missing(arm string) (list []string) {
	states := map[string]*capture.Cell{}
	for _, p := range r.c.Plans {
		for _, cell := range p.Cells {
			if old := states[cell.ID]; old == nil || old.State != cellDone {
				states[cell.ID] = cell
			}
		}
	}
	for _, cell := range r.plan.Cells {
		if cell.Arm != arm {
			continue
		}
		got := states[cell.ID]
		switch {
		case got == nil:
			list = append(list, cell.ID+" ("+cellLeft+")")
		case got.State != cellDone:
			list = append(list, fmt.Sprintf("%s (%s: %s)", cell.ID, got.State, got.Why))
		case !r.hasRun(cell.ID):
			list = append(list, cell.ID+" (done, but its result could not be read)")
		}
	}
	return list
}

func (r *reading) hasRun(id string) bool {
	for _, arm := range []string{plan.Fresh, plan.Repeat} {
		if slices.ContainsFunc(r.runs[arm], func(d *carryover.Run) bool { return cellOf(d).ID == id }) {
			return true
		}
	}
	return false
}

// inversion compares the statistic of the plan's two caps over fresh runs:
// "yes" if all runs of the higher cap are below all of the lower, "no" if the
// median run is not below, else "unknown".
func (r *reading) inversion() string {
	t := r.plan.Test
	low, high := r.values(plan.Fresh, t.LowCap, t.Statistic), r.values(plan.Fresh, t.HighCap, t.Statistic)
	if len(low) == 0 || len(high) == 0 || t.LowCap == t.HighCap {
		return "unknown"
	}
	switch {
	case slices.Max(high) < slices.Min(low):
		return "yes"
	case latency.Median(high) >= latency.Median(low):
		return "no"
	}
	return "unknown"
}

// readRepeat says what the repeat arm showed.
func (r *reading) readRepeat() {
	planned := 0
	for _, cell := range r.plan.Cells {
		if cell.Arm == plan.Repeat {
			planned++
		}
	}
	if planned == 0 {
		return
	}
	if missing := r.missing(plan.Repeat); len(missing) > 0 {
		r.say("repeat cells without a result: %s", strings.Join(missing, "; "))
	}
	warm := 0
	for _, d := range r.runs[plan.Repeat] {
		if d.AtStart.Low > 0 && d.Verdict == "contaminated" {
			warm++
			r.say("%s, sent again without a flush: at least %d of %s prompts cached at start", d.ID, d.AtStart.Low, count(d.Prompts))
		}
	}
	if warm == 0 && len(r.runs[plan.Repeat]) > 0 {
		r.say("the repeat arm did not bring the fault back: no repeat cell is proved warm")
		if r.out.Outcome == Confirmed {
			r.out.Outcome = Refuted
		}
	}
}

func count(n *int) string {
	if n == nil {
		return "an unknown number of"
	}
	return fmt.Sprint(*n)
}

// ranges gives the range of each statistic over the runs of each cap of an
// arm.
func (r *reading) ranges(arm string) []Range {
	out := []Range{}
	for _, cap := range r.caps(arm) {
		for _, stat := range rangeStats {
			g := Range{Cap: cap, Arm: arm, Stat: stat, Values: []float64{}, Runs: []string{}, Cached: []int64{}}
			for _, d := range r.runs[arm] {
				v, ok := r.figure(d, stat)
				if runCap(d) != cap || !ok {
					continue
				}
				g.Values = append(g.Values, v)
				g.Runs = append(g.Runs, d.ID)
				g.Cached = append(g.Cached, d.AtStart.Low)
				if d.Completed != nil {
					g.Requests += *d.Completed
				}
			}
			if g.N = len(g.Values); g.N > 0 {
				g.Low, g.Median, g.High = slices.Min(g.Values), latency.Median(g.Values), slices.Max(g.Values)
				out = append(out, g)
			}
		}
	}
	return out
}

func (r *reading) caps(arm string) (caps []int) {
	for _, d := range r.runs[arm] {
		if c := runCap(d); c > 0 && !slices.Contains(caps, c) {
			caps = append(caps, c)
		}
	}
	slices.Sort(caps)
	return caps
}

func (r *reading) values(arm string, cap int, stat string) (v []float64) {
	for _, d := range r.runs[arm] {
		if f, ok := r.figure(d, stat); ok && runCap(d) == cap {
			v = append(v, f)
		}
	}
	return v
}

func (r *reading) figure(d *carryover.Run, stat string) (float64, bool) {
	l := r.lat[d.ID]
	if l == nil {
		return 0, false
	}
	v, ok := l.Figure(stat)
	return v, ok && v > 0 && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// runCap is the cap of a run, 0 if it is not a number.
func runCap(d *carryover.Run) int {
	if n, ok := d.MaxConcurrency.(int); ok {
		return n
	}
	return 0
}
