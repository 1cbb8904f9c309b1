package causes

import (
	"fmt"
	"math"
)

// Thresholds for clocks.
const (
	lowClock  = 0.8  // of the maximum, under load
	sameClock = 0.03 // relative difference between compared runs
	sameTPOT  = 0.05 // relative difference of time per output token
)

var clockOrPower = definition{
	name: "clock-or-power",
	predicts: []string{
		"prefill speed and time per output token move together",
		"a lower SM clock, or a throttle reason, in samples taken during the slow run",
	},
	refutes: []string{
		"the same clock under load in all compared runs",
	},
	settledBy: "the same runs with nvidia-smi samples beside them, clocks locked if possible",
	judge: func(v *view) judgement {
		j := judgement{seen: tpotSeen(v)}
		low, high := math.Inf(1), 0.0
		clocks := map[string]Clock{}
		for _, r := range v.runs {
			for _, k := range Clocks(v.in.Capture, r.Count) {
				// Of several devices the one that is held down decides.
				if worst, ok := clocks[r.Count.ID]; !ok || k.SM*worst.Max < worst.SM*k.Max {
					clocks[r.Count.ID] = k
				}
				low, high = math.Min(low, k.SM), math.Max(high, k.SM)
				j.evidence = append(j.evidence, k.Evidence...)
			}
		}
		j.runs = v.each(func(r *run) (string, string) {
			k, ok := clocks[r.Count.ID]
			switch {
			case !ok:
				return NotTestable, "no clock samples that can be joined with the run: the clock is not excluded"
			case k.SM < lowClock*k.Max:
				return Supported, fmt.Sprintf("median SM clock %.0f MHz under load, %.0f %% of %.0f MHz", k.SM, 100*k.SM/k.Max, k.Max)
			case len(clocks) > 1 && high > low*(1+sameClock) && k.SM < high/(1+sameClock):
				return Supported, fmt.Sprintf("median SM clock %.0f MHz under load, %.0f MHz in another run", k.SM, high)
			}
			return Against, fmt.Sprintf("median SM clock %.0f MHz of %.0f MHz under load (%d samples)", k.SM, k.Max, k.Samples)
		})
		return j
	},
}

// tpotSeen notes whether the time per output token moved with the first token.
// It does not clear the cache by itself: hits also take prefill work from
// between the decode steps.
func tpotSeen(v *view) []string {
	inv := v.in.Inversion
	if inv == nil || len(inv.Runs) < 2 {
		return nil
	}
	a, b := v.byID(inv.Runs[0]), v.byID(inv.Runs[len(inv.Runs)-1])
	if a == nil || b == nil {
		return nil
	}
	ta, okA := a.Lat.Figure("median_tpot_ms")
	tb, okB := b.Lat.Figure("median_tpot_ms")
	if !okA || !okB || ta <= 0 {
		return nil
	}
	if math.Abs(tb/ta-1) <= sameTPOT {
		return []string{fmt.Sprintf("median time per output token: %.2f and %.2f ms, the same within %.0f %%: a clock would have moved it too", ta, tb, 100*sameTPOT)}
	}
	return []string{fmt.Sprintf("median time per output token: %.2f and %.2f ms: it moved as well, which neither names nor clears a clock", ta, tb)}
}
