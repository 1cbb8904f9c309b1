package latency

import "math"

// Thresholds of the two-group detection.
const (
	groupRatio  = 1.5  // slowest of the fast group to fastest of the slow one
	groupGap    = 5    // times the median gap between neighbours
	groupShare  = 0.05 // least share of a group
	groupLeast  = 3    // least members of a group
	hitOrBetter = 3    // Hits value from which a prompt counts as warm
)

// splitIndex finds where sorted times fall into two groups: the largest ratio
// between neighbours that leaves enough requests on both sides. ok is false if
// no gap stands out.
func splitIndex(s []float64) (at int, ok bool) {
	n := len(s)
	least := max(groupLeast, int(math.Ceil(groupShare*float64(n))))
	if n < 2*least {
		return 0, false
	}
	gaps := make([]float64, 0, n-1)
	for i := 1; i < n; i++ {
		gaps = append(gaps, s[i]-s[i-1])
	}
	typical := Median(gaps)
	best := 0.0
	for i := least; i <= n-least; i++ {
		if s[i-1] <= 0 || s[i]-s[i-1] <= groupGap*typical {
			continue
		}
		if ratio := s[i] / s[i-1]; ratio >= groupRatio && ratio > best {
			best, at = ratio, i
		}
	}
	return at, best > 0
}

// requestGroups splits per-request times into a fast and a slow group, and
// counts the warm prompts of each where a per-prompt witness exists.
func requestGroups(ttft []float64, hits []uint8) []Group {
	s := Sorted(ttft)
	at, ok := splitIndex(s)
	if !ok {
		return []Group{}
	}
	edge := s[at-1]
	groups := []Group{newGroup("fast", s[:at], len(s)), newGroup("slow", s[at:], len(s))}
	if len(hits) != len(ttft) {
		return groups
	}
	groups[0].Hits, groups[1].Hits = 0, 0
	for i, t := range ttft {
		if math.IsNaN(t) || hits[i] < hitOrBetter {
			continue
		}
		if t <= edge {
			groups[0].Hits++
		} else {
			groups[1].Hits++
		}
	}
	return groups
}

func newGroup(name string, s []float64, n int) Group {
	return Group{
		Name: name, N: len(s), Share: float64(len(s)) / float64(n),
		Low: s[0], High: s[len(s)-1], Median: Quantile(s, 0.5), Hits: -1, By: "per-request",
	}
}

// waves cuts the prompts of a closed loop into waves of the cap. With outputs
// of one length the requests of a wave end together, so the cut is the
// admission order; the caller says so where lengths vary.
func waves(ttft []float64, hits []uint8, limit int) []Wave {
	out := []Wave{}
	if limit < 1 || len(ttft) == 0 {
		return out
	}
	for first := 0; first < len(ttft); first += limit {
		end := min(first+limit, len(ttft))
		w := Wave{Index: len(out), First: first, N: end - first, Median: Median(ttft[first:end]), Hits: -1}
		if math.IsNaN(w.Median) {
			continue // every request of the wave failed
		}
		if len(hits) == len(ttft) {
			w.Hits = 0
			for _, h := range hits[first:end] {
				if h >= hitOrBetter {
					w.Hits++
				}
			}
		}
		out = append(out, w)
	}
	return out
}

// plateauWidth is the relative width within which tail percentiles are taken
// for one prefill batch.
const plateauWidth = 0.02

// plateaus finds stretches of tail percentiles that lie within 2 %: they are
// one prefill batch, and the batch, not the request, is what was sampled.
func plateaus(get func(name string) (float64, bool), n int) []Plateau {
	out := []Plateau{}
	type point struct {
		name string
		q, v float64
	}
	var tail []point
	for _, p := range percentiles {
		if v, ok := get(p.name + "_ttft_ms"); ok && p.q >= 0.9 && p.q < 0.999 && v > 0 {
			tail = append(tail, point{p.name, p.q, v})
		}
	}
	for i := 0; i < len(tail); i++ {
		j := i
		for j+1 < len(tail) && tail[j+1].v <= tail[i].v*(1+plateauWidth) {
			j++
		}
		if j == i {
			continue
		}
		// The printed quantile lies between two requests; those from the upper
		// one to the end of the stretch are on the plateau.
		low := int(math.Ceil(tail[i].q*float64(n-1) - 1e-9))
		out = append(out, Plateau{tail[i].name, tail[j].name, tail[i].v, max(n-low, 1)})
		i = j
	}
	return out
}
