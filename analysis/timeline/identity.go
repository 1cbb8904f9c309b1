package timeline

import (
	"fmt"
	"slices"

	"coldcase/ingest/capture"
)

// ownArgs are settings of a server process that its log's start line and its
// answer to /server_info both print. SGLang draws random_seed anew at each
// start unless it is told one, so that it tells two processes of one command
// apart.
var ownArgs = []string{"random_seed", "port"}

// atServer drops places in the life of a server other than the one that the
// client asked for its settings. A router answers for one of several workers,
// so that this says nothing where prefill and decode are served apart.
func atServer(r *capture.Run, ps []*Place) []*Place {
	told := r.Merged.Server
	if told == nil {
		return ps
	}
	return slices.DeleteFunc(ps, func(p *Place) bool {
		here := p.Track.Lives[p.Life].Info.Args
		if mode, ok := here["disaggregation_mode"].(string); ok && mode != "null" && mode != "" {
			return false
		}
		return slices.ContainsFunc(ownArgs, func(arg string) bool {
			a, b := told.Args[arg], here[arg]
			return a != nil && b != nil && number(a) != number(b)
		})
	})
}

// number prints a setting alike whether JSON or Python's repr gave it.
func number(v any) string {
	if f, ok := v.(float64); ok {
		return fmt.Sprintf("%.0f", f)
	}
	return fmt.Sprint(v)
}

// unasked reports whether a flush between the place's warm-up and its measured
// requests shows a client that was told to flush, where this run's was told not
// to. SGLang's client flushes all the same where it thinks that it is tested
// (SGLANG_IS_IN_CI), which its arguments do not show.
func (p *Place) unasked(w *Want) bool {
	if w.FlushAsked == nil || *w.FlushAsked {
		return false
	}
	return slices.ContainsFunc(p.Track.Log.Flushes, func(f capture.Flush) bool {
		return f.Kind == capture.FlushDone && f.Line > p.From && f.Line < p.To && p.Track.requestsBetween(p.From, f.Line-1) && p.Track.requestsBetween(f.Line+1, p.To)
	})
}

// crowded reports whether the counters around a run show more requests than its
// client sent: somebody else's then lie among the run's own, and a place that
// holds them fits as well as one that does not.
func (w *Want) crowded() bool {
	if w.Run.Before == nil || w.Run.After == nil {
		return false
	}
	d := capture.NewDelta(w.Run.Before, w.Run.After)
	n := d.Requests()
	return d.Identity().Same && n.OK && n.Value > float64(w.MaxSent+w.MaxWarm)
}
