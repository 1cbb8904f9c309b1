package confirm

import (
	"fmt"

	"coldcase/ingest/plan"
)

// medianTTFT is the statistic that kits publish and that a plan tests.
const medianTTFT = "median_ttft_ms"

// expect writes the expectation and what would refute it, before anything is
// sent. With an inversion in the kit the expectation is that it goes away;
// without one, that more load does not make the first token faster.
func (p *draft) expect(kit *plan.Kit) {
	points := p.Points()
	low, high := points[0].Cap, points[len(points)-1].Cap
	p.Test = plan.Test{Kind: plan.OrderHolds, Statistic: medianTTFT, LowCap: low, HighCap: high}
	var was string
	if kit != nil {
		if a, b := inverted(kit.Points); a != nil && p.HasCap(a.Cap) && p.HasCap(b.Cap) {
			p.Test = plan.Test{Kind: plan.InversionGone, Statistic: medianTTFT, LowCap: a.Cap, HighCap: b.Cap}
			was = fmt.Sprintf(" (the kit printed %.2f ms at cap %d and %.2f ms at cap %d)", *a.MedianTTFT, a.Cap, *b.MedianTTFT, b.Cap)
		}
	}
	t := p.Test
	const cold = "In every fresh cell no prompt is cached at start"
	if t.LowCap == t.HighCap {
		p.Expectation = cold + ", and the runs of the one cap agree within their range."
		p.RefutedIf = "A fresh cell behind a proved flush still finds its prompts in the cache."
	} else {
		p.Expectation = fmt.Sprintf("%s, and the median TTFT at cap %d is not below that at cap %d%s.", cold, t.HighCap, t.LowCap, was)
		p.RefutedIf = fmt.Sprintf("With no prompt cached at start, every median TTFT at cap %d lies below every median TTFT at cap %d: then the cache did not make the inversion.", t.HighCap, t.LowCap)
	}
	for _, c := range p.Cells {
		if c.Arm == plan.Repeat {
			p.Expectation += " Each repeat cell finds the prompts of the cell before it in the cache."
			p.RefutedIf += " Or: a repeat cell, sent without a flush, finds nothing in the cache; then the fault was not reproduced."
			break
		}
	}
}

// inverted finds the steepest fall of the median from a lower to a higher cap.
func inverted(points []plan.KitPoint) (low, high *plan.KitPoint) {
	best := 1.0
	for i := range points {
		for j := range points {
			a, b := &points[i], &points[j]
			if a.Cap >= b.Cap || a.MedianTTFT == nil || b.MedianTTFT == nil || *a.MedianTTFT <= 0 {
				continue
			}
			if r := *b.MedianTTFT / *a.MedianTTFT; r < best {
				low, high, best = a, b, r
			}
		}
	}
	return low, high
}
