package causes

import (
	"fmt"

	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Shares of the token pool in use.
const (
	poolFull = 0.95
	poolEasy = 0.90
)

var poolPressure = definition{
	name: "pool-pressure",
	predicts: []string{
		"retraction, preemption or eviction lines in the run's time",
		"a queue, and a pool that is nearly full",
	},
	refutes: []string{
		"a pool that is never nearly full, and no such line",
	},
	settledBy: "the same runs with a larger token pool or fewer requests in flight",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			log, first, last, ok := r.spanOf()
			if !ok {
				return NotTestable, "the run has no certain place on a server log"
			}
			for _, m := range log.Marks {
				if m.Line < first || m.Line > last || m.Kind != capture.MarkRetract && m.Kind != capture.MarkPreempt && m.Kind != capture.MarkEvict {
					continue
				}
				j.evidence = append(j.evidence, v.in.Capture.Quote(log.File, m.Line))
				return Supported, fmt.Sprintf("line %d of %s says that requests or cache entries had to go", m.Line, log.File)
			}
			usage, queue, cut, line := poolState(r)
			switch {
			case usage >= poolFull && queue > 0:
				j.evidence = append(j.evidence, v.in.Capture.Quote(log.File, line))
				return Supported, fmt.Sprintf("token usage %.2f with %d requests queued", usage, queue)
			case usage < 0:
				return NotTestable, "the prefill lines name no token usage"
			case r.PartOfLog():
				return NotTestable, "the log holds a part of the run's time only"
			case usage < poolEasy:
				chunks := "no prompt"
				if cut > 0 {
					chunks = latency.Number(cut, "prompt")
				}
				return Against, fmt.Sprintf("token usage at most %.2f, no retraction, preemption or eviction; %s cut into chunks", usage, chunks)
			}
			return NotTestable, fmt.Sprintf("token usage up to %.2f, but nothing was seen to be pushed out", usage)
		})
		return j
	},
}

// poolState reads the largest token usage of the run's batches with its line,
// the largest queue, and how many batches left tokens for a next chunk.
func poolState(r *run) (usage float64, queue, cut, line int) {
	usage = -1
	f := r.Facts
	for _, b := range f.Log.Batches.Range(f.FirstBatch, f.LastBatch) {
		if float64(b.Usage) > usage {
			usage, line = float64(b.Usage), int(b.Line)
		}
		queue = max(queue, int(b.Queue))
		if b.Pending > 0 {
			cut++
		}
	}
	return usage, queue, cut, line
}
