package carryover

import (
	"runtime"
	"sync"

	"coldcase/analysis/timeline"
)

// windowSum is what the prefill lines of a window come to.
type windowSum struct {
	hits   hitSet
	seqs   span
	lines  int
	probes bool // nothing but health checks and the server's own warm-up
	quotes *quotes
}

// sumShare is how many groups are worth a goroutine of their own.
const sumShare = 1 << 14

// sumWindow adds up the groups of a window, those of a large log in several
// shares at once: sums and the first lines to quote do not depend on how it is
// cut.
func (k *runCase) sumWindow(w *timeline.Window) *windowSum {
	n := w.LastGroup - w.FirstGroup
	shares := make([]*windowSum, max(1, min(runtime.GOMAXPROCS(0), n/sumShare)))
	var wg sync.WaitGroup
	for i := range shares {
		lo, hi := w.FirstGroup+n*i/len(shares), w.FirstGroup+n*(i+1)/len(shares)
		wg.Go(func() { shares[i] = k.sumGroups(w.Track, lo, hi) })
	}
	wg.Wait()
	sum := shares[0]
	for _, s := range shares[1:] {
		sum.hits.add(s.hits)
		sum.seqs = sum.seqs.plus(s.seqs)
		sum.lines += s.lines
		sum.probes = sum.probes && s.probes
		sum.quotes.join(s.quotes)
	}
	return sum
}

func (k *runCase) sumGroups(t *timeline.Track, lo, hi int) *windowSum {
	sum := &windowSum{probes: true, quotes: newQuotes(k, t.Log.File)}
	for _, g := range t.GroupsOf(lo, hi) {
		sum.seqs = sum.seqs.plus(span{int64(g.Min), int64(g.Max)})
		sum.lines += len(g.Batches)
		sum.probes = sum.probes && (g.Probe || g.Own)
		h := feasible(k.batchOf(g))
		if g.Probe {
			h = hitSet{}
		}
		sum.hits.add(h)
		sum.quotes.offer(g, h)
	}
	return sum
}
