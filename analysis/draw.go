package analysis

import (
	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// maxLines bounds the prefill lines that are quoted of one run.
const maxLines = 24

// drawn collects the prefill batches of each placed run for the timeline, and
// the quotes of its first lines.
func drawn(c *capture.Capture, d *carryover.Document) (map[string][]TimelineBatch, map[string][]capture.Evidence) {
	batches := map[string][]TimelineBatch{}
	lines := map[string][]capture.Evidence{}
	for _, r := range runsOf(d) {
		f := r.Facts
		if f == nil || f.Log == nil || f.LastBatch <= f.FirstBatch {
			continue
		}
		batches[r.ID] = timelineOf(c, f)
		for i := f.FirstBatch; i < f.LastBatch && len(lines[r.ID]) < maxLines; i++ {
			lines[r.ID] = append(lines[r.ID], c.Quote(f.Log.File, int(f.Log.Batches.At(i).Line)))
		}
	}
	return batches, lines
}

func timelineOf(c *capture.Capture, f *carryover.Facts) []TimelineBatch {
	var out []TimelineBatch
	log := f.Log
	first := log.Batches.At(f.FirstBatch)
	seconds := 0.0
	if log.Batches.Len() > 0 && first.Stamp > 0 && log.Batches.At(0).Stamp > 0 {
		seconds = float64(first.Stamp-log.Batches.At(0).Stamp) / 1000
	}
	flush := flushesAt(log)
	for i := f.FirstBatch; i < f.LastBatch; i++ {
		b, before := log.Batches.At(i), int32(0)
		if i > 0 {
			before = log.Batches.At(i - 1).Line
		}
		if i > f.FirstBatch {
			seconds += sincePrevious(log.Batches.At(i-1), b)
		}
		// A flush between two runs is drawn with the later one, which starts
		// after it.
		for _, line := range flush(before, b.Line) {
			out = append(out, TimelineBatch{Line: line, Kind: "flush", Seconds: seconds, Evidence: c.Quote(log.File, line)})
		}
		t := TimelineBatch{Line: int(b.Line), Kind: "batch", Seqs: int(b.NewSeq), New: int(b.NewToken), Cached: int(b.Cached), Seconds: seconds}
		if i-f.FirstBatch < f.WarmupBatches {
			t.Kind = "warm-up"
		}
		out = append(out, t)
	}
	return out
}

// sincePrevious is the time between two prefill lines: the finer clock of the
// log (new tokens by input throughput) where it is printed, else the stamps.
func sincePrevious(a, b *capture.Batch) float64 {
	if b.Throughput > 0 {
		return float64(b.NewToken) / float64(b.Throughput)
	}
	if a.Stamp > 0 && b.Stamp > a.Stamp {
		return float64(b.Stamp-a.Stamp) / 1000
	}
	return 0
}

// flushesAt finds the proved flushes between two lines.
func flushesAt(log *capture.ServerLog) func(from, to int32) []int {
	return func(from, to int32) []int {
		var out []int
		for _, f := range log.Flushes {
			if f.Kind == capture.FlushDone && f.Line > int(from) && f.Line < int(to) {
				out = append(out, f.Line)
			}
		}
		return out
	}
}
