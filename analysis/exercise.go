package analysis

import (
	"fmt"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// exerciseLines is how many prefill lines a reader is asked to count.
const exerciseLines = 6

// exercise picks prefill lines of the run with the most prompts cached at start
// for the reader to count, and says what these lines alone prove.
func exercise(c *capture.Capture, d *carryover.Document) *Exercise {
	var best *carryover.Run
	for _, r := range d.Runs {
		f := r.Facts
		if f == nil || f.Log == nil || f.LastBatch-f.FirstBatch < 2 {
			continue
		}
		if best == nil || r.AtStart.Low > best.AtStart.Low {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	f := best.Facts
	from := min(f.FirstBatch+f.WarmupBatches, f.LastBatch-1)
	from = window(f, from)
	e := &Exercise{Run: best.ID, Lines: []capture.Evidence{}}
	seqs, news := 0, 0
	for i := from; i < f.LastBatch && i < from+exerciseLines; i++ {
		b := f.Log.Batches.At(i)
		e.Lines = append(e.Lines, c.Quote(f.Log.File, int(b.Line)))
		seqs += int(b.NewSeq)
		news += int(b.NewToken)
	}
	e.FullHits = f.FullHits(from, min(from+exerciseLines, f.LastBatch))
	e.Why = fmt.Sprintf("the lines hold %d sequences and %d new tokens. A full hit adds one new token to its line, or at most one page; a miss adds its whole prompt. Where a line has no more new tokens than its sequences would add as full hits, all of them are full hits; elsewhere count how many misses its new tokens pay for, and the rest are hits", seqs, news)
	if h := e.FullHits.High; h == nil || *h != e.FullHits.Low {
		e.Why += ". The count is a range because no line names the lengths of its prompts: a few cached tokens could be the full hit of a very short prompt"
	}
	return e
}

// window moves the start so that the lines hold both hits and misses where the
// run has both.
func window(f *carryover.Facts, from int) int {
	for i := from; i+1 < f.LastBatch; i++ {
		a, b := f.FullHits(i, i+1), f.FullHits(i+1, i+2)
		if a.Low > 0 && b.High != nil && *b.High == 0 || b.Low > 0 && a.High != nil && *a.High == 0 {
			return max(from, i-exerciseLines/2+1)
		}
	}
	return from
}
