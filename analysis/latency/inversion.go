package latency

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"coldcase/analysis/carryover"
)

// inversionLeast is the relative fall from which a statistic counts as better
// under more load, where repeats give no range of their own.
const inversionLeast = 0.05

// inversionStats are tried in this order; the median is what kits publish.
var inversionStats = []string{"median_ttft_ms", "mean_ttft_ms", "p90_ttft_ms"}

// point is what was measured at one cap: all runs of one workload there, the
// warm ones apart from the others.
type point struct {
	cap    int
	warm   bool
	runs   []string
	values []float64
}

// findInversion looks for a statistic that falls from one cap to a higher one
// by more than the runs of each cap spread.
func findInversion(d *carryover.Document, runs []*Run) *Inversion {
	byID := map[string]*carryover.Run{}
	for _, r := range d.Runs {
		byID[r.ID] = r
	}
	for _, stat := range inversionStats {
		for _, points := range workloads(byID, runs, stat) {
			low, high := steepest(points)
			if low == nil {
				continue
			}
			return describeInversion(stat, low, high, points, runs)
		}
	}
	return nil
}

// workloads groups runs that differ in cap and seed only, in order of first
// appearance, each sorted by cap.
func workloads(byID map[string]*carryover.Run, runs []*Run, stat string) [][]*point {
	var keys []string
	groups := map[string][]*point{}
	for _, r := range runs {
		d := byID[r.Run]
		v, ok := r.Figure(stat)
		if d == nil || r.Cap == nil || !ok || v <= 0 || repeatArm(d) {
			continue
		}
		key := WorkloadKey(d)
		if _, seen := groups[key]; !seen {
			keys = append(keys, key)
		}
		warm := d.Verdict == "contaminated"
		i := slices.IndexFunc(groups[key], func(p *point) bool { return p.cap == *r.Cap && p.warm == warm })
		if i < 0 {
			groups[key] = append(groups[key], &point{cap: *r.Cap, warm: warm})
			i = len(groups[key]) - 1
		}
		p := groups[key][i]
		p.runs, p.values = append(p.runs, r.Run), append(p.values, v)
	}
	out := make([][]*point, len(keys))
	for i, k := range keys {
		out[i] = groups[k]
		sort.SliceStable(out[i], func(a, b int) bool { return out[i][a].cap < out[i][b].cap })
	}
	return out
}

// repeatArm reports whether a run belongs to a sweep's arm that is warm on
// purpose.
func repeatArm(d *carryover.Run) bool {
	return d.Facts != nil && d.Facts.Run != nil && d.Facts.Run.Cell != nil && d.Facts.Run.Cell.Arm == "repeat"
}

// WorkloadKey names everything of a run but its cap, seed and number of
// prompts: runs of one key may stand beside each other in a comparison. A run
// that does not tell its request rate is taken for a closed loop, as
// everywhere here: without that a report whose arguments are lost could not
// stand beside its twin.
func WorkloadKey(d *carryover.Run) string {
	rate := d.RequestRate
	if rate == nil {
		rate = "inf"
	}
	key := fmt.Sprintf("%s|%s|%v", str(d.Engine), str(d.Dataset), rate)
	if d.Facts == nil || d.Facts.Run == nil {
		return key
	}
	m := &d.Facts.Run.Merged
	w := m.Workload
	return fmt.Sprintf("%s|%s|%s|%s|%s|%s|%d|%v", key, m.Model, num(w.InputLen), num(w.OutputLen), num(w.SystemLen), num(w.QuestionLen), d.Facts.Run.Capture, prefixOff(d))
}

func prefixOff(d *carryover.Run) bool { return d.PrefixCache == "off" }

func str(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

func num(p *int) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}

// steepest returns the pair of points with the largest fall against the load:
// the slowest run of the higher cap is faster than the fastest of the lower.
func steepest(points []*point) (low, high *point) {
	best := 1 - inversionLeast
	for i, a := range points {
		for _, b := range points[i+1:] {
			if a.cap == b.cap {
				continue
			}
			if ratio := slices.Max(b.values) / slices.Min(a.values); ratio < best {
				low, high, best = a, b, ratio
			}
		}
	}
	return low, high
}

func describeInversion(stat string, low, high *point, points []*point, runs []*Run) *Inversion {
	inv := &Inversion{Statistic: stat, Survives: survives(points, low, high)}
	for _, p := range []*point{low, high} {
		for i := range p.runs {
			inv.Runs = append(inv.Runs, p.runs[i])
			inv.Caps = append(inv.Caps, p.cap)
			inv.Values = append(inv.Values, p.values[i])
		}
	}
	inv.MadeBy = madeBy(stat, inv.Runs, runs)
	inv.Text = fmt.Sprintf("%s falls from %.2f ms at cap %d to %.2f ms at cap %d", stat,
		Median(low.values), low.cap, Median(high.values), high.cap)
	switch inv.Survives {
	case "no":
		inv.Text += "; it is gone among the runs that are not contaminated"
	case "yes":
		inv.Text += "; it is also there among the runs that are not contaminated"
	default:
		inv.Text += "; no clean runs at two caps are left to see whether it stays without the contaminated ones"
	}
	return inv
}

// survives asks whether the fall is also there among points without warm
// prompts. It needs clean points at two caps of at least that distance.
func survives(points []*point, low, high *point) string {
	if !low.warm && !high.warm {
		return "yes"
	}
	var clean []*point
	caps := map[int]bool{}
	for _, p := range points {
		if !p.warm {
			clean = append(clean, p)
			caps[p.cap] = true
		}
	}
	if !caps[low.cap] || !caps[high.cap] {
		return "unknown"
	}
	if a, _ := steepest(clean); a != nil {
		return "yes"
	}
	return "no"
}

// madeBy names the run whose printed figure is farthest from what a clean run
// is predicted to read. Without a prediction it names none.
func madeBy(stat string, ids []string, runs []*Run) string {
	worst, name := 1.25, ""
	for _, r := range runs {
		if !slices.Contains(ids, r.Run) || r.Predicted == nil {
			continue
		}
		v, _ := r.Figure(stat)
		clean := map[string]float64{"median_ttft_ms": r.Predicted.Median, "mean_ttft_ms": r.Predicted.Mean, "p90_ttft_ms": r.Predicted.P90}[stat]
		if v <= 0 || clean <= 0 {
			continue
		}
		if off := math.Max(v/clean, clean/v); off > worst {
			worst, name = off, r.Run
		}
	}
	return name
}
