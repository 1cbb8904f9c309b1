package carryover

import "slices"

// losses collects, per batch of a place, how far each bound of the hits moves
// if requests of somebody else are in that batch. Where in the place they are
// is not told, so a sum gives way in the batches where that costs most.
type losses struct{ full, partial, hits ways }

// ways are the moves of one bound, a batch each.
type ways struct{ down, up []int64 }

func (l *losses) add(alone, mixed hitSet) {
	l.full.add(alone.full, mixed.full)
	l.partial.add(alone.partial, mixed.partial)
	l.hits.add(alone.hits, mixed.hits)
}

func (w *ways) add(alone, mixed span) {
	if d := alone.lo - mixed.lo; d > 0 {
		w.down = append(w.down, d)
	}
	if d := mixed.hi - alone.hi; alone.hi != open && d > 0 {
		w.up = append(w.up, d)
	}
}

// from widens a sum for that many requests of others: no more batches than that
// can hold one.
func (l *losses) from(s hitSet, strangers int64) hitSet {
	if strangers > 0 {
		s.full, s.partial, s.hits = l.full.widen(s.full, strangers), l.partial.widen(s.partial, strangers), l.hits.widen(s.hits, strangers)
	}
	return s
}

func (w *ways) widen(s span, strangers int64) span {
	s.lo = max(0, s.lo-greatest(w.down, strangers))
	if s.hi != open {
		s.hi += greatest(w.up, strangers)
	}
	return s
}

// greatest sums the n greatest values.
func greatest(values []int64, n int64) (sum int64) {
	slices.Sort(values)
	for i := len(values) - 1; i >= 0 && int64(len(values)-i) <= n; i-- {
		sum += values[i]
	}
	return sum
}
