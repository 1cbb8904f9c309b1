package confirm

import (
	"cmp"
	"fmt"
	"slices"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/plan"
)

// Bounds within which a sweep counts as the kit's workload.
const (
	sameLength = 0.05 // relative difference of mean prompt or answer lengths
	sameRate   = 1.5  // ratio of implied prefill rates
)

// sameWorkload holds lengths and implied prefill rates of the sweep against
// the kit's. Without a kit among the runs there is nothing to differ from.
func (r *reading) sameWorkload() bool {
	if len(r.runs[armKit]) == 0 {
		return true
	}
	same := true
	for _, l := range []struct {
		name string
		of   func(*carryover.Run) float64
	}{{"prompt", inputLen}, {"answer", outputLen}} {
		kit, fresh := r.meanLen(armKit, l.of), r.meanLen(plan.Fresh, l.of)
		if kit == 0 || fresh == 0 {
			continue
		}
		if d := fresh/kit - 1; d > sameLength || d < -sameLength {
			r.say("another workload: the mean %s has %.0f tokens in the sweep and %.0f in the kit", l.name, fresh, kit)
			same = false
		}
	}
	kit, fresh := r.rates()
	if kit > 0 && fresh > 0 {
		ratio := max(kit/fresh, fresh/kit)
		if ratio > sameRate {
			r.say("another workload or another server state: the kit's runs imply %.0f prefill tokens/s, the sweep's %.0f", kit, fresh)
			same = false
		} else {
			r.say("the prefill rates agree: %.0f tokens/s in the kit, %.0f in the sweep", kit, fresh)
		}
	}
	return same
}

// meanLen is the mean length over the runs of an arm, 0 if no run tells it.
func (r *reading) meanLen(arm string, of func(*carryover.Run) float64) float64 {
	var v []float64
	for _, d := range r.runs[arm] {
		if n := of(d); n > 0 && r.planned(runCap(d)) {
			v = append(v, n)
		}
	}
	if len(v) == 0 {
		return 0
	}
	return latency.Mean(v)
}

// planned reports whether the plan has the cap.
func (r *reading) planned(cap int) bool { return r.plan == nil || r.plan.HasCap(cap) }

func inputLen(d *carryover.Run) float64 {
	m := &d.Facts.Run.Merged
	if q := m.Requests; q != nil && len(q.Input) > 0 {
		return mean32(q.Input)
	}
	return perRequest(m.InputTokens, m.Completed)
}

func outputLen(d *carryover.Run) float64 {
	m := &d.Facts.Run.Merged
	return perRequest(m.OutputTokens, m.Completed)
}

func mean32(v []int32) float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x)
	}
	return sum / float64(len(v))
}

func perRequest(total *int64, n *int) float64 {
	if total == nil || n == nil || *n == 0 {
		return 0
	}
	return float64(*total) / float64(*n)
}

// rates are the median implied prefill rates of kit and fresh cells, at the
// highest cap at which both have one that does not rest on a single wave: the
// more requests in flight, the less the fixed costs of a batch weigh. Without
// such a cap each is that of its own highest cap.
func (r *reading) rates() (kit, fresh float64) {
	caps := r.caps(armKit)
	for _, cap := range slices.Backward(caps) {
		if kit, fresh = r.rateAt(armKit, cap, false), r.rateAt(plan.Fresh, cap, false); kit > 0 && fresh > 0 {
			return kit, fresh
		}
	}
	return r.rate(armKit), r.rate(plan.Fresh)
}

func (r *reading) rate(arm string) float64 {
	for _, cap := range slices.Backward(r.caps(arm)) {
		if v := r.rateAt(arm, cap, true); v > 0 {
			return v
		}
	}
	return 0
}

// rateAt is the median implied prefill rate of an arm at a cap, 0 if no run has
// one.
func (r *reading) rateAt(arm string, cap int, oneWave bool) float64 {
	var v []float64
	for _, d := range r.runs[arm] {
		l := r.lat[d.ID]
		if l != nil && l.PrefillRate != nil && (oneWave || !l.PrefillRate.OneWave) && runCap(d) == cap && r.planned(cap) {
			v = append(v, l.PrefillRate.TokensPerS)
		}
	}
	if len(v) == 0 {
		return 0
	}
	return latency.Median(v)
}

// movedTheWrongWay names figures of the kit that fell when the cache was
// emptied. An empty cache can only slow a first token down: then something
// else differs.
func (r *reading) movedTheWrongWay() {
	for _, cap := range r.caps(plan.Fresh) {
		kit, fresh := r.values(armKit, cap, medianTTFT), r.values(plan.Fresh, cap, medianTTFT)
		if len(kit) == 0 || len(fresh) == 0 {
			continue
		}
		if slices.Max(fresh) < slices.Min(kit)*(1-wrongWay) {
			r.say("cap %d moved the wrong way: %s in the kit, %s without cached prompts. Taking cached prompts away cannot make a first token faster; something else differs", cap, span(kit), span(fresh))
		}
	}
}

// wrongWay is the relative fall from which a figure counts as moved.
const wrongWay = 0.05

func span(v []float64) string {
	lo, hi := slices.Min(v), slices.Max(v)
	if lo == hi {
		return fmt.Sprintf("%.2f ms", lo)
	}
	return fmt.Sprintf("%.2f to %.2f ms", lo, hi)
}

// stated reads a table of results that a person wrote down without its files.
// It can be set beside the kit and never decides anything.
func (r *reading) stated() *Confirmation {
	r.out.Outcome = NotComparable
	r.out.Ranges = append(r.out.Ranges, r.ranges(armKit)...)
	for _, p := range r.c.Notes.Points {
		seeds := p.Seeds
		if seeds == nil {
			seeds = []int64{}
		}
		r.out.Stated = append(r.out.Stated, Stated{
			Label: p.Label, Step: p.Step, Engine: p.Engine, Model: p.Model, Hardware: p.Hardware,
			Cap: p.Cap, Requests: p.Requests, Seeds: seeds, MedianTTFT: p.MedianTTFT, Low: p.Low, High: p.High, Evidence: p.At,
		})
		r.out.Evidence = append(r.out.Evidence, p.At)
		if p.Cap == nil || p.MedianTTFT == nil {
			continue
		}
		g := Range{Cap: *p.Cap, Arm: armStated, Stat: medianTTFT, N: len(p.Seeds), Median: *p.MedianTTFT, Low: *p.MedianTTFT, High: *p.MedianTTFT,
			Requests: deref(p.Requests), Values: []float64{}, Runs: []string{}, Cached: []int64{}}
		if p.Low != nil {
			g.Low = *p.Low
		}
		if p.High != nil {
			g.High = *p.High
		}
		r.out.Ranges = append(r.out.Ranges, g)
	}
	r.say("a table of results without its files: it cannot be checked that these runs sent the kit's workload, nor that they started cold")
	r.statedInversion()
	for _, s := range r.out.Stated {
		if s.Cap == nil || s.MedianTTFT == nil {
			continue
		}
		kit := r.values(armKit, *s.Cap, medianTTFT)
		if len(kit) > 0 && cmp.Or(deref64(s.High), *s.MedianTTFT) < slices.Min(kit)*(1-wrongWay) {
			r.say("cap %d moved the wrong way: %s in the kit, %.2f ms stated. Taking cached prompts away cannot make a first token faster; something else differs", *s.Cap, span(kit), *s.MedianTTFT)
		}
	}
	return r.out
}

func deref64(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// statedInversion compares the rows that share everything but their cap.
func (r *reading) statedInversion() {
	for i, a := range r.out.Stated {
		for _, b := range r.out.Stated[i+1:] {
			if a.Cap == nil || b.Cap == nil || a.MedianTTFT == nil || b.MedianTTFT == nil || *a.Cap == *b.Cap ||
				a.Label != b.Label || a.Engine != b.Engine || a.Model != b.Model || a.Hardware != b.Hardware || a.Step != b.Step {
				continue
			}
			if *a.Cap > *b.Cap {
				a, b = b, a
			}
			if *b.MedianTTFT < *a.MedianTTFT {
				r.out.Inversion = "yes"
				return
			}
			r.out.Inversion = "no"
		}
	}
}
