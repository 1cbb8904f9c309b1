package timeline

import (
	"coldcase/analysis/nesting"
	"coldcase/ingest/capture"
)

// Want is what a run must look like on a log.
type Want struct {
	Run    *capture.Run
	Engine string
	// Sent bounds the measured requests that were sent; MaxSent -1 unknown.
	MinSent, MaxSent int
	// MinWarm and MaxWarm bound the requests that the client sent before.
	MinWarm, MaxWarm int
	Duration         float64 // s, 0 unknown
	// MinTokens is the least that the measured prompts hold for the server.
	MinTokens  int64
	FlushAsked *bool
	// Unfinished is true if the client's own text begins and prints no figure.
	Unfinished bool
	// Maybe is true if some feasible placement leaves the run off the logs.
	Maybe bool
}

// maxUnknownWarmups bounds the warm-ups of a client whose arguments are not
// known: none of the clients read here sends more by default.
const maxUnknownWarmups = 4

func wantOf(r *capture.Run) Want {
	m := &r.Merged
	w := Want{Run: r, Engine: r.Merged.Engine, FlushAsked: m.Workload.FlushAsked, MaxSent: -1}
	switch {
	case m.Workload.Prompts != nil:
		w.MinSent, w.MaxSent = *m.Workload.Prompts, *m.Workload.Prompts
	case m.Requests != nil && m.Requests.N > 0:
		w.MinSent, w.MaxSent = m.Requests.N, m.Requests.N
	case m.Completed != nil && m.Failed != nil:
		w.MinSent, w.MaxSent = *m.Completed+*m.Failed, *m.Completed+*m.Failed
	case m.Completed != nil:
		w.MinSent, w.MaxSent = *m.Completed, *m.Completed
	}
	if m.Completed != nil && w.MaxSent >= 0 {
		w.MinSent = min(w.MinSent, *m.Completed) // failed ones may never have reached the server
	}
	w.Unfinished = len(r.Results) > 0 && m.Completed == nil && m.Duration == nil && len(m.Printed) == 0
	if m.InputTokens != nil {
		w.MinTokens = *m.InputTokens * 3 / 4 // a text may have fewer tokens than the ids that it was made of
	}
	w.MinWarm, w.MaxWarm = Warmups(r)
	if m.Duration != nil {
		w.Duration = *m.Duration
	}
	return w
}

// Warmups bounds the requests that a run's client sends before the measured
// ones, all of them prompt 1: warm-ups and ready checks.
func Warmups(r *capture.Run) (low, high int) {
	wl := &r.Merged.Workload
	if wl.Warmups == nil {
		if nesting.For(r.Merged.Client).ColdStart {
			return 0, 0
		}
		return 0, maxUnknownWarmups
	}
	low, high = *wl.Warmups, *wl.Warmups
	switch {
	case wl.ReadyCheck == nil:
	case *wl.ReadyCheck:
		low, high = low+1, high+1
	}
	return low, high
}

// Extras is how many requests at most a run's client sends of its own that hold
// none of its prompts: EvalScope tests its connection unless it is told not to.
// They are met as strangers by the count, whose tokens they bound like anybody's,
// but they are no traffic of another client.
func Extras(r *capture.Run) int {
	switch n := r.Merged.Workload.ExtraRequests; {
	case n != nil:
		return *n
	case nesting.For(r.Merged.Client).TestsConnection:
		return 1
	}
	return 0
}

// placeable reports whether anything is known to look for.
func (w *Want) placeable() bool { return w.MaxSent > 0 }
