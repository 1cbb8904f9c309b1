package causes

import (
	"slices"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// run is one run with all its sides.
type run struct{ *latency.Joined }

// view is the input with its runs joined. Runs of a sweep's repeat arm are warm
// on purpose and are no part of the differential.
type view struct {
	in   Input
	runs []*run
}

func newView(in Input) *view {
	v := &view{in: in}
	for _, j := range latency.Join(in.Count, in.Latency) {
		if !j.RepeatArm() {
			v.runs = append(v.runs, &run{j})
		}
	}
	return v
}

// counts lists the counts of the runs.
func (v *view) counts() []*carryover.Run {
	var out []*carryover.Run
	for _, r := range v.runs {
		out = append(out, r.Count)
	}
	return out
}

// each judges every run by itself.
func (v *view) each(f func(r *run) (state, why string)) []RunState {
	var out []RunState
	for _, r := range v.runs {
		state, why := f(r)
		out = append(out, RunState{Run: r.Count.ID, State: state, Why: why})
	}
	return out
}

// all gives every run the same answer: for causes that are about a comparison.
func (v *view) all(state, why string) []RunState {
	return v.each(func(*run) (string, string) { return state, why })
}

// supportedRuns picks the runs that a list of states supports.
func (v *view) supportedRuns(states []RunState) []*run {
	var out []*run
	for i, s := range states {
		if s.State == Supported {
			out = append(out, v.runs[i])
		}
	}
	return out
}

// byID returns the run of an id, nil if there is none.
func (v *view) byID(id string) *run {
	i := slices.IndexFunc(v.runs, func(r *run) bool { return r.Count.ID == id })
	if i < 0 {
		return nil
	}
	return v.runs[i]
}

// caps lists the distinct caps of the runs that have one.
func (v *view) caps() []int {
	var out []int
	for _, r := range v.runs {
		if r.Lat.Cap != nil && !slices.Contains(out, *r.Lat.Cap) {
			out = append(out, *r.Lat.Cap)
		}
	}
	slices.Sort(out)
	return out
}

// figureEvidence quotes the lines of printed figures.
func (v *view) figureEvidence(r *run, names ...string) []capture.Evidence {
	var out []capture.Evidence
	for _, n := range names {
		if e := latency.FigureEvidence(v.in.Capture, r.Client, n); e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// resultEvidence quotes the first line of the run's first result: per-request
// figures stand there or below it.
func (v *view) resultEvidence(r *run) []capture.Evidence {
	for _, res := range r.Client.Results {
		return []capture.Evidence{v.in.Capture.Quote(res.Span.File, res.Span.Line)}
	}
	return nil
}

// figureOrResult quotes the line of a printed figure, else that of the result
// from whose requests it was computed.
func (v *view) figureOrResult(r *run, name string) []capture.Evidence {
	if out := v.figureEvidence(r, name); len(out) > 0 {
		return out
	}
	return v.resultEvidence(r)
}

// spanOf returns the lines that the run's batches take on its log, ok false if
// it has no certain place there.
func (r *run) spanOf() (log *capture.ServerLog, first, last int, ok bool) {
	f := r.Facts
	if f.Log == nil || f.LastBatch <= f.FirstBatch || f.LastBatch > f.Log.Batches.Len() {
		return nil, 0, 0, false
	}
	return f.Log, int(f.Log.Batches.At(f.FirstBatch).Line), int(f.Log.Batches.At(f.LastBatch - 1).Line), true
}
