package carryover

import (
	"testing"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// The run's first request is a warm-up with prompt 1. If it hit, prompt 1 was
// there at start, even where prompts of the run may share without bound; if
// nothing tells what it found, an earlier run may have left prompt 1 in part.
func TestWarmUpThatHit(t *testing.T) {
	for _, c := range []struct {
		what    string
		first   Hit
		warm    span
		flush   bool
		hits    span
		byOne   Hit
		low     int64
		partial int64 // the least high end of partial hits at start
	}{
		{"it hit", FullHit, exactly(1), false, span{12, 12}, HitUnknown, 1, 0},
		{"it hit in part", PartialHit, exactly(1), false, span{12, 12}, HitUnknown, 1, 1},
		{"it missed", Miss, exactly(1), false, span{12, 12}, HitUnknown, 0, 0},
		{"nothing tells", HitUnknown, exactly(1), false, span{12, 12}, HitUnknown, 0, 1},
		{"whether there was one is not told", FullHit, span{0, 1}, false, span{12, 12}, HitUnknown, 0, 0},
		{"a flush after it", FullHit, exactly(1), true, span{12, 12}, HitUnknown, 0, 0},
		{"prompt 1 had gone when it was measured", FullHit, exactly(1), false, span{12, 12}, Miss, 0, 0},
		{"no hit at all", FullHit, exactly(1), false, exactly(0), HitUnknown, 0, 0},
	} {
		k := &runCase{run: &capture.Run{}, warm: c.warm, sent: 32, sharing: sharing{full: span{0, open}, partial: span{0, open}}}
		k.first = warmUp{hit: c.first, cached: anything}
		k.run.Merged.Requests = &capture.Requests{InOrder: true}
		if c.flush {
			k.flush = flushState{state: flushProved, byClient: true}
		}
		f := finding{hits: c.hits, hitFull: c.hits}
		if c.byOne != HitUnknown {
			f.byPrompt = []Hit{c.byOne}
		}
		k.fromHits(&f)
		if f.atStart.lo != c.low {
			t.Errorf("%s: at least %d at start, want %d", c.what, f.atStart.lo, c.low)
		}
		if f.partial.hi < c.partial {
			t.Errorf("%s: at most %d partial hits at start, %d may be", c.what, f.partial.hi, c.partial)
		}
	}
}

// The model of the cache predicts what is left; what earlier runs had sent, it
// does not bound.
func TestOriginBeyondTheForecast(t *testing.T) {
	k := &runCase{run: &capture.Run{}, want: &timeline.Want{}, flush: flushState{state: flushNone}}
	k.predicted = &forecast{prompts: span{0, 2}, nested: 16, from: []string{"earlier"}, leading: 16}
	k.run.Merged.Requests = &capture.Requests{InOrder: true}
	details := &finding{atStart: exactly(3), byPrompt: []Hit{FullHit, FullHit, Miss, FullHit}}
	if earlier, other, _ := k.beforeOrigins(exactly(3), details); earlier != exactly(3) || other != exactly(0) {
		t.Errorf("3 of the 16 prompts that were sent before: %v of an earlier run, %v of another client", earlier, other)
	}
}
