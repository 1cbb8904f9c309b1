package timeline

import (
	"testing"

	"coldcase/ingest/capture"
)

// On a log without access lines a run stands where as many requests and tokens
// were prefilled: chunks let the requests of some lines be many, and then the
// tokens tell. An interrupted client sent nobody knows how many.
func TestStretches(t *testing.T) {
	log := &capture.ServerLog{Engine: "sglang", Complete: true}
	log.Span.Line, log.Span.To = 1, 100
	for i, b := range []capture.Batch{
		{NewSeq: 1, NewToken: 128, Pending: 72}, {NewSeq: 2, NewToken: 72}, // of two requests, or of three
		{NewSeq: 1, NewToken: 128, Pending: 72}, {NewSeq: 2, NewToken: 72},
		{NewSeq: 3, NewToken: 600},
	} {
		b.Line, b.Rank = int32(10*(i+1)), capture.NoRank
		log.Batches.Append(b)
	}
	track := NewTrack(0, log)
	for _, c := range []struct {
		what string
		want Want
		from []int
	}{
		{"three requests", Want{MinSent: 3, MaxSent: 3}, []int{10, 30, 50}},
		{"three requests of 200 tokens", Want{MinSent: 3, MaxSent: 3, MinTokens: 450}, []int{50}},
		{"an interrupted client", Want{MaxSent: 3, Unfinished: true}, nil},
	} {
		c.want.Run = &capture.Run{}
		starts := map[int]bool{}
		for _, p := range track.candidates(&c.want) {
			starts[p.From] = true
		}
		for _, line := range c.from {
			if !starts[line] {
				t.Errorf("%s: no place from line %d", c.what, line)
			}
		}
		if len(starts) != len(c.from) {
			t.Errorf("%s: places from %v, want %v", c.what, starts, c.from)
		}
	}
}
