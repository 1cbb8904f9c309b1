package carryover

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"coldcase/ingest/capture"
)

func totals(ps []prompt) (cached int64) {
	for _, p := range ps {
		cached += p.cached
	}
	return cached
}

// For every sum of cached tokens that a few requests can give, the bounds hold
// the fewest and the most hits that any of them has.
func TestByTokensHoldsEverySum(t *testing.T) {
	for _, c := range []struct {
		page int64
		l    lens
	}{{1, lens{lo: 18, hi: 22}}, {1, lens{lo: 40, hi: 40}}, {16, lens{lo: 33, hi: 70}}, {16, lens{lo: 10, hi: 40}}, {1, lens{lo: 2, hi: 30}}} {
		k := serverWith(c.page, exactVersion, "", c.l)
		for n := 1; n <= 3; n++ {
			for line, want := range enumerate(n, c.l, c.page, false) {
				got := k.byTokens(line.cached, int64(n))
				if got.lo > want.hits.lo || got.hi < want.hits.hi {
					t.Fatalf("page %d, %d requests of %d to %d, %d cached tokens: %v hits, some have %v", c.page, n, c.l.lo, c.l.hi, line.cached, got, want.hits)
				}
			}
		}
	}
}

func TestByTokensHoldsRandomRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for i := range 4000 {
		page := []int64{1, 16, 32, 64}[r.IntN(4)]
		ps, l := randomBatch(r, page)
		k := serverWith(page, exactVersion, "", l)
		full, partial := hits(ps, page, true)
		if got := k.byTokens(totals(ps), int64(len(ps))); !holds(got, full+partial) {
			t.Fatalf("run %d, page %d: %v hits, there were %d: %v", i, page, got, full+partial, ps)
		}
	}
}

// What token totals can decide, by hand.
func TestByTokensDecides(t *testing.T) {
	fixed := lens{lo: 512, hi: 512}
	for _, c := range []struct {
		name      string
		k         *runCase
		cached, n int64
		want      span
	}{
		{"nothing cached", serverWith(1, exactVersion, "", fixed), 0, 65, exactly(0)},
		{"a first token each is no hit", serverWith(1, exactVersion, "", fixed), 65 / 5, 65, exactly(0)},
		// A miss holds at most 25 tokens, a hit at most 511: 16 x 511 need at
		// least (8176 - 65 x 25) / 486 = 13.5 hits; each hit takes 26, so the
		// total would do for 314 of them.
		{"sixteen full hits among 65", serverWith(1, exactVersion, "", fixed), 16 * 511, 65, span{14, open}},
		// A cache of 32-token pages hands out whole pages, and a page of 128
		// tokens is a hit: nothing smaller can have taken it.
		{"one page", serverWith(32, exactVersion, "", lens{lo: 128, hi: 128}), 32, 48, exactly(1)},
		{"every request in full", serverWith(32, exactVersion, "", lens{lo: 128, hi: 128}), 48 * 96, 48, exactly(48)},
		{"lengths that reach no page", serverWith(64, exactVersion, "", lens{lo: 20, hi: 60}), 0, 48, exactly(0)},
	} {
		got := c.k.byTokens(c.cached, c.n)
		if got.lo != c.want.lo || got.hi != c.want.hi && !(c.want.hi == c.n && got.hi == open) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// histogramOf counts requests by their uncached tokens as the servers do.
func histogramOf(ps []prompt, bounds []float64) capture.Histogram {
	h := capture.Histogram{OK: true, Count: float64(len(ps))}
	for i, le := range append(append([]float64{}, bounds...), math.Inf(1)) {
		b := capture.Bucket{LE: le, After: i + 1}
		for _, p := range ps {
			if float64(p.length-p.cached) <= le {
				b.N++
			}
		}
		h.Buckets = append(h.Buckets, b)
	}
	return h
}

// The hits of any requests are inside what their histogram gives, whatever the
// bounds of its buckets are.
func TestByBucketsHoldsRandomRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 6))
	bounds := [][]float64{
		{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000},
		{8, 16, 32, 64, 128, 256, 512, 1024},
		{100, 300, 500, 700},
		{64, 100, 256},
		{2000},
	}
	for i := range 4000 {
		page := []int64{1, 16, 32, 64}[r.IntN(4)]
		ps, l := randomBatch(r, page)
		k := serverWith(page, exactVersion, "", l)
		full, partial := hits(ps, page, true)
		b := bounds[r.IntN(len(bounds))]
		m := metered{requests: int64(len(ps)), cached: totals(ps)}
		if got, _ := k.byBuckets(histogramOf(ps, b), m); !holds(got, full+partial) {
			t.Fatalf("run %d, page %d, buckets %v, lengths %d to %d: %v hits, there were %d: %v", i, page, b, l.lo, l.hi, got, full+partial, ps)
		}
	}
}

// Twelve of 48 prompts of 128 tokens cached but for one block of 32: the bucket
// of up to 50 tokens names them.
func TestByBucketsDecides(t *testing.T) {
	var ps []prompt
	for i := range 48 {
		p := prompt{128, 0}
		if i < 12 {
			p.cached = 96
		}
		ps = append(ps, p)
	}
	k := serverWith(32, "", "", lens{lo: 128, hi: 128})
	m := metered{requests: 48, cached: totals(ps)}
	got, lines := k.byBuckets(histogramOf(ps, []float64{20, 50, 100, 200}), m)
	if got != exactly(12) || len(lines) == 0 {
		t.Errorf("%v hits by lines %v, want 12", got, lines)
	}
}

// What a run's own warm-up left is told by what that warm-up found.
func TestPromptOne(t *testing.T) {
	for _, c := range []struct {
		name    string
		warm    span
		first   Hit
		flushed bool // between warm-up and prompts, proved
		empty   bool
		want    span
	}{
		{"no warm-up", exactly(0), HitUnknown, false, false, exactly(0)},
		{"no warm-up, an empty cache", exactly(0), HitUnknown, false, true, exactly(0)},
		{"the warm-up missed: it left prompt 1", exactly(1), Miss, false, false, exactly(1)},
		{"the warm-up hit: prompt 1 was there", exactly(1), FullHit, false, false, exactly(0)},
		{"the warm-up hit in part", exactly(1), PartialHit, false, false, exactly(0)},
		{"a flush took it away", exactly(1), Miss, true, false, exactly(0)},
		{"an empty cache: whatever is a hit was left by it", exactly(1), HitUnknown, false, true, exactly(1)},
		{"nothing known", exactly(1), HitUnknown, false, false, span{0, 1}},
		{"perhaps a warm-up", span{0, 4}, HitUnknown, false, false, span{0, 1}},
		{"several, all missed", exactly(3), Miss, false, false, exactly(1)},
	} {
		k := &runCase{run: &capture.Run{}, warm: c.warm, first: warmUp{hit: c.first}, empty: proof{ok: c.empty}}
		if c.flushed {
			k.flush = flushState{state: flushProved, byClient: true}
		}
		if got := k.promptOne(); got != c.want {
			t.Errorf("%s: prompt 1 owes %v to the warm-up, want %v", c.name, got, c.want)
		}
	}
}

// With one warm-up that sends prompt 1 and no flush after it, hits at start
// are the hits of all requests less one, whether the warm-up hit or missed.
func TestWarmUpIdentity(t *testing.T) {
	no := false
	for _, warmUpHit := range []bool{false, true} {
		for atStart := int64(0); atStart <= 5; atStart++ {
			if warmUpHit && atStart == 0 {
				continue // then prompt 1 was there
			}
			// All requests: the warm-up, and the prompts, of which prompt 1 is
			// always a hit.
			all := atStart + 1
			for _, first := range []Hit{HitUnknown, map[bool]Hit{true: FullHit, false: Miss}[warmUpHit]} {
				k := &runCase{run: &capture.Run{}, warm: exactly(1), sent: 64, first: warmUp{hit: first, cached: anything}}
				k.run.Merged.Workload.FlushAsked = &no
				var f finding
				k.fromAll(&f, exactly(all), exactly(0))
				if !holds(f.atStart, atStart) {
					t.Errorf("warm-up hit %v, told %v: %d hits of all requests give %v at start, there were %d", warmUpHit, first, all, f.atStart, atStart)
				}
				if f.atStart != exactly(atStart) {
					t.Errorf("warm-up hit %v, told %v: %v at start, want exactly %d", warmUpHit, first, f.atStart, atStart)
				}
			}
		}
	}
}

// Every history of a small run, played through: what an earlier run left,
// whether the warm-up ran, what the client flushed, and which requests of
// others hit. The counters' bounds hold the truth in each.
func TestFromAllHoldsEveryHistory(t *testing.T) {
	for left := int64(0); left <= 3; left++ {
		for warm := int64(0); warm <= 2; warm++ {
			for foreign := int64(0); foreign <= 2; foreign++ {
				for foreignHits := int64(0); foreignHits <= foreign; foreignHits++ {
					for _, flushed := range []bool{false, true} {
						holdHistory(t, left, warm, foreign, foreignHits, flushed)
					}
				}
			}
		}
	}
}

func holdHistory(t *testing.T, left, warm, foreign, foreignHits int64, flushed bool) {
	t.Helper()
	all, first := foreignHits, HitUnknown
	here := map[int]bool{}
	for i := range left {
		here[int(i)] = true
	}
	for range warm {
		if first == HitUnknown {
			first = Miss
			if here[0] {
				first = FullHit
			}
		}
		if here[0] {
			all++
		}
		here[0] = true
	}
	atStart := left
	if flushed {
		clear(here)
		atStart = 0
	}
	all += int64(len(here))
	for _, told := range []bool{false, true} {
		k := &runCase{run: &capture.Run{}, warm: exactly(warm), sent: 8, first: warmUp{hit: HitUnknown, cached: anything}}
		k.run.Merged.Workload.FlushAsked = &flushed
		if flushed {
			k.flush = flushState{state: flushProved, byClient: true}
		}
		if told {
			k.first.hit = first
		}
		var f finding
		k.fromAll(&f, exactly(all), exactly(foreign))
		what := fmt.Sprintf("%d left, %d warm-ups, %d of %d foreign hits, flushed %v, warm-up told %v", left, warm, foreignHits, foreign, flushed, told)
		if !holds(f.atStart, atStart) {
			t.Errorf("%s: %v at start, there were %d", what, f.atStart, atStart)
		}
		if !holds(f.hits, int64(len(here))) {
			t.Errorf("%s: %v hits of prompts, there were %d", what, f.hits, len(here))
		}
	}
}
