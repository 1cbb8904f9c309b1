package carryover

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"coldcase/analysis/timeline"
	"coldcase/ingest/capture"
)

// prompt is one request of an invented batch.
type prompt struct{ length, cached int64 }

// printedNew is what a prefill line books for a prompt: the tokens that were
// not cached, in old versions rounded up to whole pages.
func (p prompt) printedNew(page int64, rounded bool) int64 {
	n := p.length - p.cached
	if rounded {
		n = (n + page - 1) / page * page
	}
	return n
}

// hits counts the hits among prompts, by the definitions.
func hits(ps []prompt, page int64, plain bool) (full, partial int64) {
	for _, p := range ps {
		switch classify(p.cached, p.length, page, plain) {
		case FullHit:
			full++
		case PartialHit:
			partial++
		}
	}
	return full, partial
}

// serverWith makes a run on a server with this page size, not known if 0.
func serverWith(page int64, version, kind string, l lens) *runCase {
	k := &runCase{run: &capture.Run{}, lens: l, sent: -1}
	k.server.Version, k.server.CacheKind = version, kind
	if page > 0 {
		n := int(page)
		k.server.PageSize = &n
	}
	k.sizes = sizesOf(l, k.page(), page > 0, kind == "")
	return k
}

// lineOf prints a batch as a group of min to max requests.
func lineOf(ps []prompt, page int64, rounded bool, least, most int) *timeline.Group {
	g := &timeline.Group{Batches: []int{0}, Min: least, Max: most, CachedSure: true}
	for _, p := range ps {
		g.New += p.printedNew(page, rounded)
		g.Cached += p.cached
	}
	return g
}

const (
	exactVersion   = "0.5.22"
	roundedVersion = "0.5.12"
)

func versionFor(rounded bool) string {
	if rounded {
		return roundedVersion
	}
	return exactVersion
}

func checkHolds(t *testing.T, what string, got hitSet, full, partial int64) {
	t.Helper()
	if !got.ok {
		t.Fatalf("%s: no reading fits", what)
	}
	if !holds(got.full, full) || !holds(got.partial, partial) || !holds(got.hits, full+partial) {
		t.Fatalf("%s: full %v, partial %v, hits %v; there were %d full and %d partial ones", what, got.full, got.partial, got.hits, full, partial)
	}
}

// seen bounds the hits of all batches of one size that print the same line.
type seen struct{ full, partial, hits span }

func (s seen) hull(o seen) seen {
	return seen{s.full.hull(o.full), s.partial.hull(o.partial), s.hits.hull(o.hits)}
}

type printedLine struct{ newTokens, cached int64 }

// enumerate lists every line that n prompts of these lengths can print, with
// the hits that any of them may hold. It is slow and knows no arithmetic.
func enumerate(n int, l lens, page int64, rounded bool) map[printedLine]seen {
	type single struct {
		line          printedLine
		full, partial int64
	}
	kinds := map[single]bool{}
	for length := l.lo; length <= l.hi; length++ {
		for cached := int64(0); cached < length; cached += page {
			p := prompt{length, cached}
			full, partial := hits([]prompt{p}, page, true)
			kinds[single{printedLine{p.printedNew(page, rounded), cached}, full, partial}] = true
		}
	}
	type sum struct {
		line          printedLine
		full, partial int64
	}
	sums := map[sum]bool{{}: true}
	for range n {
		next := map[sum]bool{}
		for s := range sums {
			for k := range kinds {
				next[sum{printedLine{s.line.newTokens + k.line.newTokens, s.line.cached + k.line.cached}, s.full + k.full, s.partial + k.partial}] = true
			}
		}
		sums = next
	}
	out := map[printedLine]seen{}
	for s := range sums {
		one := seen{exactly(s.full), exactly(s.partial), exactly(s.full + s.partial)}
		if was, ok := out[s.line]; ok {
			one = was.hull(one)
		}
		out[s.line] = one
	}
	return out
}

// Every line that a few prompts of small lengths can print holds what any of
// the batches behind it had.
func TestFeasibleHoldsEveryBatch(t *testing.T) {
	for _, c := range []struct {
		page    int64
		rounded bool
		l       lens
		most    int
	}{
		{1, false, lens{lo: 18, hi: 18}, 3},
		{1, false, lens{lo: 18, hi: 21}, 3},
		{1, false, lens{lo: 17, hi: 24}, 2},
		{1, false, lens{lo: 20, hi: 60}, 1},
		{4, false, lens{lo: 18, hi: 26}, 3},
		{16, false, lens{lo: 30, hi: 66}, 2},
		{16, false, lens{lo: 48, hi: 48}, 4},
		{16, true, lens{lo: 30, hi: 66}, 2},
		{16, true, lens{lo: 47, hi: 50}, 4},
		{16, true, lens{lo: 33, hi: 33}, 3},
	} {
		k := serverWith(c.page, versionFor(c.rounded), "", c.l)
		for n := 1; n <= c.most; n++ {
			for line, want := range enumerate(n, c.l, c.page, c.rounded) {
				g := &timeline.Group{Min: n, Max: n, New: line.newTokens, Cached: line.cached, CachedSure: true, Batches: []int{0}}
				got := feasible(k.batchOf(g))
				what := fmt.Sprintf("page %d, rounded %v, %d prompts of %d to %d, %d new, %d cached", c.page, c.rounded, n, c.l.lo, c.l.hi, line.newTokens, line.cached)
				for _, pair := range [][2]span{{got.full, want.full}, {got.partial, want.partial}, {got.hits, want.hits}} {
					if !got.ok || pair[0].hull(pair[1]) != pair[0] {
						t.Fatalf("%s: full %v, partial %v, hits %v; the batches have %+v", what, got.full, got.partial, got.hits, want)
					}
				}
				if got.tokens != exactly(line.cached) {
					t.Fatalf("%s: cached tokens %v", what, got.tokens)
				}
			}
		}
	}
}

// How many requests a group of chunks holds is not always certain: then it
// holds the batches of every such number.
func TestFeasibleOverUncertainRequests(t *testing.T) {
	l := lens{lo: 18, hi: 20}
	k := serverWith(1, exactVersion, "", l)
	for n := 1; n <= 3; n++ {
		for line, want := range enumerate(n, l, 1, false) {
			g := &timeline.Group{Min: 1, Max: 3, New: line.newTokens, Cached: line.cached, CachedSure: true, Batches: []int{0, 1, 2}}
			got := feasible(k.batchOf(g))
			if !got.ok || !holds(got.hits, want.hits.lo) || !holds(got.hits, want.hits.hi) {
				t.Fatalf("1 to 3 requests, %+v: hits %v, a batch of %d has %v", line, got.hits, n, want.hits)
			}
		}
	}
}

// Batches as a server makes them: 1 to 40 prompts of up to 700 tokens, each
// cold, hit in part, hit in full, or with a crumb. The numbers of hits are
// always inside, whatever the page, whether it is known, and however the
// version rounds.
func TestFeasibleHoldsRandomBatches(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	for i := range 6000 {
		page := []int64{1, 16, 32, 64, 128}[r.IntN(5)]
		rounded := page > 1 && r.IntN(2) == 0
		known := page == 1 && !rounded || r.IntN(3) > 0
		if rounded && !known {
			continue // the size of a page that is rounded to must be known
		}
		ps, l := randomBatch(r, page)
		told := page
		if !known {
			told = 0
		}
		k := serverWith(told, versionFor(rounded), "", l)
		full, partial := hits(ps, page, true)
		what := fmt.Sprintf("batch %d: page %d, known %v, rounded %v, lengths %d to %d, %v", i, page, known, rounded, l.lo, l.hi, ps)
		checkHolds(t, what, feasible(k.batchOf(lineOf(ps, page, rounded, len(ps), len(ps)))), full, partial)
	}
}

// Cache kinds that keep less than a whole prompt.
func TestFeasibleHoldsOtherCacheKinds(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for i := range 2000 {
		ps, l := randomBatch(r, 1)
		k := serverWith(1, exactVersion, "swa", l)
		full, partial := hits(ps, 1, false)
		checkHolds(t, fmt.Sprintf("batch %d: %v", i, ps), feasible(k.batchOf(lineOf(ps, 1, false, len(ps), len(ps)))), full, partial)
	}
}

// shortPrompt is the least length at which a repeated prompt is a hit at all.
const shortPrompt = 17

// randomBatch draws prompts and bounds on their lengths that hold them all.
func randomBatch(r *rand.Rand, page int64) ([]prompt, lens) {
	shortest := shortPrompt + r.Int64N(600)
	spread := r.Int64N(4) * r.Int64N(40)
	var ps []prompt
	l := lens{lo: open}
	for range 1 + r.IntN(40) {
		length := shortest + r.Int64N(spread+1)
		most := (length - 1) / page * page
		cached := int64(0)
		switch r.IntN(4) {
		case 0:
			cached = most
		case 1:
			cached = r.Int64N(most/page+1) * page
		case 2:
			cached = min(most, r.Int64N(8)/page*page)
		}
		ps = append(ps, prompt{length, cached})
		l.lo, l.hi = min(l.lo, length), max(l.hi, length)
	}
	switch r.IntN(3) {
	case 0: // a plan that the server's own count strays from
		l = widen(l, 0)
	case 1:
		l = lens{lo: max(1, l.lo-r.Int64N(20)), hi: l.hi + r.Int64N(20)}
	}
	return ps, l
}

// A repeated prompt of up to 16 tokens books one new token like a full hit, and
// is none.
func TestFeasibleWithShortPrompts(t *testing.T) {
	k := serverWith(1, exactVersion, "", lens{lo: 1, hi: 512, by: "the arguments"})
	ps := []prompt{{512, 511}, {512, 511}, {512, 511}, {10, 9}}
	full, partial := hits(ps, 1, true)
	checkHolds(t, "three full hits and a prompt of ten tokens", feasible(k.batchOf(lineOf(ps, 1, false, 4, 4))), full, partial)
}

// What the method has to be able to tell, on lines of real servers.
func TestFeasibleDecides(t *testing.T) {
	planned := lens{lo: 384, hi: 648} // 512 asked for, sent as text
	for _, c := range []struct {
		name           string
		k              *runCase
		n, fresh, held int64
		full, hits     span
	}{
		{"n new tokens for n prompts", serverWith(1, exactVersion, "", planned), 14, 14, 6879, exactly(14), exactly(14)},
		{"again, 15", serverWith(1, exactVersion, "", planned), 15, 15, 7634, exactly(15), exactly(15)},
		{"the same without the page size and the lengths", serverWith(0, "", "", lens{lo: 1, hi: open}), 14, 14, 6879, exactly(14), exactly(14)},
		{"a cold batch", serverWith(1, exactVersion, "", planned), 7, 3584, 0, exactly(0), exactly(0)},
		{"a cold batch with a common first token", serverWith(1, exactVersion, "", planned), 7, 3577, 7, exactly(0), exactly(0)},
		{"half and half, or eight prompts cached by half", serverWith(1, exactVersion, "", lens{lo: 512, hi: 512}), 8, 4 + 4*512, 4 * 511, span{0, 4}, span{4, 8}},
		{"full hits of page 64", serverWith(64, exactVersion, "", lens{lo: 665, hi: 665}), 4, 4 * 25, 4 * 640, exactly(4), exactly(4)},
		{"full hits of page 64, rounded up", serverWith(64, roundedVersion, "", lens{lo: 665, hi: 665}), 4, 4 * 64, 4 * 640, exactly(4), exactly(4)},
		{"page 16, all cold", serverWith(16, exactVersion, "", lens{lo: 512, hi: 512}), 8, 4096, 0, exactly(0), exactly(0)},
		{"a probe", serverWith(1, exactVersion, "", planned), 1, 1, 0, exactly(0), exactly(0)},
	} {
		g := &timeline.Group{Min: int(c.n), Max: int(c.n), New: c.fresh, Cached: c.held, CachedSure: true, Batches: []int{0}}
		got := feasible(c.k.batchOf(g))
		if got.full != c.full || got.hits != c.hits {
			t.Errorf("%s: full %v, hits %v, want %v and %v", c.name, got.full, got.hits, c.full, c.hits)
		}
	}
}

// Logs of old versions may print the earlier chunks of a request as cached:
// such a group proves no hit.
func TestFeasibleWithChunksPrintedAsCached(t *testing.T) {
	k := serverWith(1, "0.4.0", "", lens{lo: 1, hi: open})
	g := &timeline.Group{Min: 3, Max: 5, New: 3072, Cached: 1467, CachedSure: false, Batches: []int{0, 1, 2}}
	if got := feasible(k.batchOf(g)); got.hits.lo != 0 || got.full.lo != 0 || got.tokens != (span{0, 1467}) {
		t.Errorf("hits %v, full %v, cached tokens %v, want nothing certain and at most 1467 tokens", got.hits, got.full, got.tokens)
	}
}

// A line that the known lengths do not explain still bounds what needs none.
func TestFeasibleBeyondTheLengths(t *testing.T) {
	k := serverWith(1, exactVersion, "", lens{lo: 500, hi: 520})
	g := &timeline.Group{Min: 2, Max: 2, New: 40, Cached: 20, CachedSure: true, Batches: []int{0}}
	if got := feasible(k.batchOf(g)); got.hits != (span{0, 1}) {
		t.Errorf("hits %v, want at most one of 16 tokens", got.hits)
	}
}
