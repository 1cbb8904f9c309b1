package latency

import (
	"fmt"
	"math"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// largeBatch is the number of new tokens from which a prefill batch is taken to
// show the rate rather than its fixed cost.
const largeBatch = 1024

// logRate reads the prefill rate from the run's place on the log. A prefill
// line prints its new tokens over the time since the line before it, so only a
// batch that follows another large one tells its own speed; batches that follow
// the first prompt of a wave are the second choice.
func logRate(c *capture.Capture, f *carryover.Facts) *Rate {
	if f == nil || f.Log == nil {
		return nil
	}
	var back, second []int
	var prev *capture.Batch
	for i, b := range f.Log.Batches.Range(f.FirstBatch, f.LastBatch) {
		large := b.NewToken >= largeBatch && b.Throughput > 0 && b.Running > 0
		if large && prev != nil && prev.NewToken >= b.NewToken/4 {
			back = append(back, i)
		} else if large {
			second = append(second, i)
		}
		prev = b
	}
	from, what := back, "batches that follow another large one"
	if len(from) == 0 {
		from, what = second, "batches that follow the first prompt of a wave"
	}
	if len(from) == 0 {
		return nil
	}
	rates := make([]float64, len(from))
	for k, i := range from {
		rates[k] = float64(f.Log.Batches.At(i).Throughput)
	}
	out := &Rate{TokensPerS: Median(rates), By: fmt.Sprintf("median input throughput of %d %s (%d new tokens and more)", len(from), what, largeBatch)}
	for _, i := range from[:min(3, len(from))] {
		out.Evidence = append(out.Evidence, c.Quote(f.Log.File, int(f.Log.Batches.At(i).Line)))
	}
	return out
}

// waveRate gives the rate that cold waves imply: the tokens of a wave over the
// time of its last request. It needs the hits of each prompt.
func waveRate(ttft []float64, hits []uint8, limit int, length float64) *Rate {
	if limit < 2 || length <= 0 || len(hits) != len(ttft) {
		return nil
	}
	var rates []float64
	for first := 0; first+limit <= len(ttft); first += limit {
		last, cold := 0.0, true
		for i := first; i < first+limit; i++ {
			cold = cold && hits[i] != 0 && hits[i] < hitOrBetter && !math.IsNaN(ttft[i])
			last = math.Max(last, ttft[i])
		}
		if cold && last > 0 {
			rates = append(rates, float64(limit)*length/last*1000)
		}
	}
	if len(rates) == 0 {
		return nil
	}
	rate := Median(rates)
	return &Rate{TokensPerS: rate, wave: float64(limit) * length / rate * 1000, OneWave: len(rates) == 1,
		By: fmt.Sprintf("median of %d cold waves: %d × %.0f tokens over the time of the last first token", len(rates), limit, length)}
}

// apartRate gives the rate of a summary taken apart: a cold wave over the time
// of its last batch.
func apartRate(s *summary, a *Apart) *Rate {
	if s.length <= 0 || s.cap < 2 {
		return nil
	}
	level, by := 0.0, ""
	switch {
	case a != nil && s.tailPlateau && !a.SlowFirstWave:
		level, by = s.tail, "tail plateau"
	case a != nil:
		level, by = a.coldLevel, "cold level solved from the mean"
	case s.warm == 0 && s.tail > 0:
		level, by = s.tail, "tail of a run without warm prompts"
	default:
		return nil
	}
	return &Rate{TokensPerS: float64(s.cap) * s.length / level * 1000,
		By: fmt.Sprintf("a wave of %d × %.0f tokens in %.0f ms (%s)", s.cap, s.length, level, by)}
}

// Agreement compares the rates that the runs imply by their latencies, for caps
// from 4 upwards: below that the fixed cost of a batch, not its tokens, is what
// a first token waits for. spread is largest over smallest, 0 with fewer than
// two rates.
func Agreement(runs []*Run) (low, high, spread float64) {
	for _, r := range runs {
		if r.PrefillRate == nil || r.Cap == nil || *r.Cap < 4 {
			continue
		}
		v := r.PrefillRate.TokensPerS
		if low == 0 {
			low, high = v, v
			continue
		}
		low, high, spread = math.Min(low, v), math.Max(high, v), 1
	}
	if spread > 0 {
		spread = high / low
	}
	return low, high, spread
}
