package analysis

import (
	"slices"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// A flush is drawn with the run that follows it: inside a run where it happened,
// before its first batch where it lies between two runs.
func TestTimelineFlushes(t *testing.T) {
	batch := func(line int32) capture.Batch {
		return capture.Batch{Line: line, NewSeq: 1, NewToken: 512, Pending: -1, Throughput: -1, Rank: capture.NoRank}
	}
	flush := func(line int, kind capture.FlushKind) capture.Flush { return capture.Flush{Line: line, Kind: kind} }
	log := &capture.ServerLog{
		File: "server.log", Batches: capture.ListOf(batch(10), batch(12), batch(30), batch(34)),
		Flushes: []capture.Flush{flush(11, capture.FlushDone), flush(20, capture.FlushDone), flush(22, capture.FlushRefused), flush(40, capture.FlushDone)},
	}
	for _, tt := range []struct {
		first, last int
		want        []int
	}{
		{0, 2, []int{10, -11, 12}},
		{2, 4, []int{-20, 30, 34}},
	} {
		var got []int
		for _, b := range timelineOf(&capture.Capture{}, &carryover.Facts{Log: log, FirstBatch: tt.first, LastBatch: tt.last}) {
			line := b.Line
			if b.Kind == "flush" {
				line = -line
			}
			got = append(got, line)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("batches %d to %d: %v, want %v (flushes below 0)", tt.first, tt.last, got, tt.want)
		}
	}
}
