package carryover

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// The sum of a large window does not depend on how many shares it is cut into.
func TestSumWindowInShares(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	r := rand.New(rand.NewPCG(4, 4))
	var batches []capture.Batch
	for i := range 3*sumShare + 77 {
		b := capture.Batch{
			Line: int32(i + 1), Pending: 0, NewSeq: 1 + r.Int32N(4), NewToken: 1 + r.Int32N(2000), Cached: r.Int32N(3) * r.Int32N(2000),
			Running: -1, Queue: -1, Replay: -1, Throughput: -1, Usage: -1, HitRate: -1, Rank: capture.NoRank, Graph: -1,
		}
		if r.IntN(5) == 0 {
			b.Pending = 100 // the next line goes on with a request of this one
		}
		batches = append(batches, b)
	}
	log := &capture.ServerLog{
		Engine: "sglang", File: "server.log", Batches: capture.ListOf(batches...),
		Span: capture.Span{File: "server.log", Line: 1, To: len(batches)}, Complete: true, MaxRunning: -1, MaxQueue: -1,
	}
	track := timeline.NewTrack(0, log)
	w := &timeline.Window{Track: track, LastGroup: track.NumGroups()}
	if w.LastGroup < 2*sumShare {
		t.Fatalf("%d groups are not cut", w.LastGroup)
	}
	k := serverWith(1, exactVersion, "", lens{lo: 1, hi: open})
	got, want := k.sumWindow(w), k.sumGroups(track, 0, w.LastGroup)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("in shares %+v, quotes %+v\nin one %+v, quotes %+v", got, got.quotes, want, want.quotes)
	}
	if want.hits.hits.lo == 0 || want.lines != len(batches) || len(want.quotes.hits) == 0 {
		t.Errorf("the window holds too little: %+v", want)
	}
}
