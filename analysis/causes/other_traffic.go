package causes

import (
	"fmt"
	"slices"

	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

var otherTraffic = definition{
	name: "other-traffic",
	predicts: []string{
		"more requests on the server than the client sent, or requests running before it starts",
		"cached prompts that no run of the capture sent before",
	},
	refutes: []string{
		"every request of the run's time is one of its prompts, its warm-ups or a health check",
	},
	settledBy: "an idle server of one's own: running and queued requests at 0 before each run",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			o := r.Count.Origins.OtherClient
			switch {
			case r.Facts.Foreign > 0 && o.Low > 0:
				return Supported, fmt.Sprintf("%s of others in the run's time; %s prompts were cached by another client", latency.Number(r.Facts.Foreign, "request"), latency.CountText(o.Low, o.High))
			case o.Low > 0:
				return Supported, fmt.Sprintf("%s prompts were cached by another client", latency.CountText(o.Low, o.High))
			case r.Facts.Foreign > 0:
				return Supported, latency.Number(r.Facts.Foreign, "request") + " in the run's time beyond its prompts, its warm-ups and health checks"
			case r.Count.Verdict == "contaminated" && r.Count.Origins.EarlierRun.Low == 0 && r.Count.Predicted != nil && r.Count.Predicted.High != nil && *r.Count.Predicted.High == 0:
				return NotTestable, "prompts were warm that no run of the capture sent before: another client, or a run that the folder does not hold"
			case r.PartOfLog():
				return NotTestable, "the log holds a part of the run's time only"
			case r.Facts.Foreign < 0:
				return NotTestable, "the requests of the run's time cannot be counted"
			}
			text := "every request of the run's time is the run's own"
			if r.Facts.Health > 0 {
				text += " or one of " + latency.Number(r.Facts.Health, "health check")
			}
			return Against, text
		})
		for i, state := range j.runs {
			if state.State == Supported {
				j.seen = append(j.seen, state.Run+": "+state.Why)
				j.evidence = append(j.evidence, TrafficEvidence(v.in.Capture, v.runs[i].Joined)...)
			}
		}
		return j
	},
}

// TrafficEvidence quotes what shows that the server served more than a run
// sent: the counter of requests in the scrapes before and after it, the ends of
// its time on the log, its own number of requests, and the warm prompts where
// another client is what warmed them.
func TrafficEvidence(c *capture.Capture, r *latency.Joined) []capture.Evidence {
	var out []capture.Evidence
	if d := capture.NewDelta(r.Client.Before, r.Client.After); d.Identity().Same {
		if n := d.Requests(); n.OK {
			out = append(out, quoteLines(c, d.Before.File, n.Before)...)
			out = append(out, quoteLines(c, d.After.File, n.After)...)
		}
	}
	for _, s := range r.Count.Source {
		if r.Facts.Log != nil && s.File == r.Facts.Log.File {
			out = append(out, c.Quote(s.File, s.Line), c.Quote(s.File, max(s.Line, s.To)))
		}
	}
	if log, first, last, ok := (&run{r}).spanOf(); ok && !slices.ContainsFunc(r.Count.Source, func(s capture.Span) bool { return s.File == log.File }) {
		out = append(out, c.Quote(log.File, first), c.Quote(log.File, last))
	}
	if r.Count.Origins.OtherClient.Low > 0 {
		out = append(out, r.MeasuredEvidence()...)
	}
	return append(out, sentEvidence(c, r)...)
}

// sentEvidence quotes the client's own number of requests, else its result.
func sentEvidence(c *capture.Capture, r *latency.Joined) []capture.Evidence {
	for _, name := range []string{"completed", "successful_requests"} {
		if e := latency.FigureEvidence(c, r.Client, name); e != nil {
			return []capture.Evidence{*e}
		}
	}
	for _, res := range r.Client.Results {
		return []capture.Evidence{c.Quote(res.Span.File, res.Span.Line)}
	}
	return nil
}

// quoteLines quotes the first lines of a counter, which may have one for each
// rank.
func quoteLines(c *capture.Capture, file string, lines []int) []capture.Evidence {
	var out []capture.Evidence
	for _, l := range lines[:min(2, len(lines))] {
		out = append(out, c.Quote(file, l))
	}
	return out
}
