package latency

import "math"

// sitsIn says into which group each printed quantile falls. By the per-request
// times where they exist, else by its rank among the groups of the summary
// taken apart. Means are left out: they sit in no group.
func sitsIn(r *Run) []SitsIn {
	out := []SitsIn{}
	for _, p := range percentiles {
		name := p.name + "_ttft_ms"
		v, ok := r.Figure(name)
		if !ok || p.q >= 0.999 {
			continue
		}
		s := SitsIn{Figure: name, Value: v, Group: "unknown", By: "neither per-request times nor a summary that can be taken apart"}
		switch {
		case len(r.TTFT) > 0 && len(r.Groups) == 0:
			s.Group, s.By = "one group", "per-request times"
		case len(r.TTFT) > 0:
			s.Group, s.By = groupAt(r.Groups, p.q, r.N), "per-request times"
		case r.Apart != nil:
			s.Group, s.By = groupAt(r.Apart.Groups, p.q, r.N), "rank among the groups of the summary"
		}
		out = append(out, s)
	}
	return out
}

// groupAt returns the group that holds the rank of quantile q, "edge" if the
// rank lies between two groups that differ.
func groupAt(groups []Group, q float64, n int) string {
	rank := q * float64(n-1)
	end := 0
	for i, g := range groups {
		end += g.N
		border := float64(end) - 0.5
		if i+1 < len(groups) && math.Abs(rank-border) < 1 {
			return "edge"
		}
		if rank < border {
			return g.Name
		}
	}
	if len(groups) == 0 {
		return "unknown"
	}
	return groups[len(groups)-1].Name
}
