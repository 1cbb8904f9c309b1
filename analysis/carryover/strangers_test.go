package carryover

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"coldcase/ingest/capture"
)

// A batch of the run's own prompts and of requests of somebody else, which are
// of any length: the bounds are of the own ones alone.
func TestAmongHoldsOwnHits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for i := range 6000 {
		page := []int64{1, 16, 32, 64}[r.IntN(4)]
		own, l := randomBatch(r, page)
		all := append([]prompt(nil), own...)
		for range 1 + r.IntN(3)*r.IntN(6) {
			n := 1 + r.Int64N(4000)
			all = append(all, prompt{n, r.Int64N(n) / page * page})
		}
		holdAmong(t, i, page, l, own, all, len(all))
	}
}

// The same where chunks leave open how many requests there are: as few as there
// are strangers at the most, and yet own ones may be among them.
func TestAmongUncertainRequests(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 15))
	for i := range 60_000 {
		page := []int64{1, 16, 32, 128}[r.IntN(4)]
		l := lens{lo: shortPrompt + r.Int64N(300)}
		l.hi = l.lo + r.Int64N(600)
		var own []prompt
		for range 1 + r.IntN(4) {
			n := l.lo + r.Int64N(l.hi-l.lo+1)
			own = append(own, prompt{n, []int64{(n - 1) / page * page, 0}[r.IntN(2)]})
		}
		all := append([]prompt(nil), own...)
		for range 1 + r.IntN(3) {
			n := 1 + r.Int64N(700)
			all = append(all, prompt{n, r.Int64N(n) / page * page})
		}
		holdAmong(t, i, page, l, own, all, max(1, len(all)-r.IntN(4)))
	}
}

func holdAmong(t *testing.T, i int, page int64, l lens, own, all []prompt, least int) {
	t.Helper()
	k := serverWith(page, exactVersion, "", l)
	full, partial := hits(own, page, true)
	got := among(k.batchOf(lineOf(all, page, false, least, len(all))), int64(len(all)-len(own)))
	what := fmt.Sprintf("batch %d: page %d, %d requests at least, lengths %d to %d, own %v, others %v", i, page, least, l.lo, l.hi, own, all[len(own):])
	if !holds(got.full, full) || !holds(got.partial, partial) || !holds(got.hits, full+partial) {
		t.Fatalf("%s: full %v, partial %v, hits %v; there were %d full and %d partial ones", what, got.full, got.partial, got.hits, full, partial)
	}
}

// Where in a place the strangers are is not told: the sum over its batches
// holds the own hits wherever they stand.
func TestLossesHoldAnyPlaceOfStrangers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 72))
	for i := range 1500 {
		strangers := int64(1 + r.IntN(3))
		left := strangers
		var sum hitSet
		var loss losses
		var full, partial int64
		for range 1 + r.IntN(6) {
			own, l := randomBatch(r, 1)
			if len(own) > 6 {
				own = own[:6]
			}
			k := serverWith(1, exactVersion, "", l)
			all := append([]prompt(nil), own...)
			for left > 0 && r.IntN(2) == 0 {
				n := 1 + r.Int64N(4000)
				all, left = append(all, prompt{n, r.Int64N(n)}), left-1
			}
			f, p := hits(own, 1, true)
			full, partial = full+f, partial+p
			b := k.batchOf(lineOf(all, 1, false, len(all), len(all)))
			alone := feasible(b)
			sum.add(alone)
			loss.add(alone, among(b, strangers))
		}
		if got := loss.from(sum, strangers); !holds(got.full, full) || !holds(got.partial, partial) || !holds(got.hits, full+partial) {
			t.Fatalf("place %d: %v, there were %d full and %d partial ones", i, got, full, partial)
		}
	}
}

// Full hits stay certain beside a stranger: too few new tokens are left for a
// prompt that is none.
func TestAmongDecides(t *testing.T) {
	k := serverWith(1, exactVersion, "", lens{lo: 128, hi: 128})
	ps := []prompt{{128, 127}, {128, 127}, {128, 127}, {900, 899}}
	if got := among(k.batchOf(lineOf(ps, 1, false, 4, 4)), 1); got.hits.lo != 3 || got.full.lo != 3 {
		t.Errorf("at least %d hits, %d of them full, want 3", got.hits.lo, got.full.lo)
	}
}

// The tokens of one long request of another client are no hits of short
// prompts.
func TestCountersBesideLongRequests(t *testing.T) {
	k := serverWith(32, "", "", lens{lo: 128, hi: 128})
	m := metered{requests: 9, cached: 9984, foreign: span{0, 1}}
	if got := k.leastHits(m); got != 0 {
		t.Errorf("one stranger of unknown length among nine: at least %d hits, want 0", got)
	}
	m.foreign = exactly(0)
	m.cached = 8 * 96
	if got := k.leastHits(m); got < 8 {
		t.Errorf("without one, 768 tokens of 9 prompts are at least %d hits, want 8", got)
	}
}

// A short request of another client has few tokens to compute, and is no hit
// that took any: what it seems to have taken is there for prompts.
func TestBucketsBesideShortRequests(t *testing.T) {
	ps := []prompt{{3, 0}}
	for i := range 16 {
		p := prompt{128, 0}
		if i < 4 {
			p.cached = 32
		}
		ps = append(ps, p)
	}
	k := serverWith(32, "", "", lens{lo: 128, hi: 128})
	m := metered{requests: 17, cached: totals(ps), foreign: span{0, 1}}
	got, _ := k.byBuckets(histogramOf(ps, []float64{20, 50, 100, 200}), m)
	if own := got.minus(m.foreign); !holds(own, 4) {
		t.Errorf("%v own hits, there were 4", own)
	}
}

// Sixteen prompts with a declared prefix of 64: what they took beyond it, an
// earlier run must have left.
func TestCountersBeyondThePrefix(t *testing.T) {
	prefix := 64
	k := serverWith(32, "", "", lens{lo: 128, hi: 128})
	k.run.Merged.Workload = capture.Workload{PrefixLen: &prefix, TokenIDs: true}
	for _, c := range []struct{ cached, want int64 }{{16 * 64, 0}, {16 * 96, 16}, {16*64 + 32, 1}, {15 * 64, 0}} {
		if got := k.beyondPrefix(metered{requests: 16, cached: c.cached}); got != c.want {
			t.Errorf("%d cached tokens: %d requests beyond the prefix, want %d", c.cached, got, c.want)
		}
	}
	if got := k.beyondPrefix(metered{requests: 16, cached: 16 * 96, foreign: span{0, 1}}); got != 0 {
		t.Errorf("beside a stranger: %d, want 0", got)
	}
}
