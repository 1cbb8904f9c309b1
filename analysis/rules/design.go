package rules

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Rules on the design of a sweep: repeats, order, equal shares, one
// configuration, and files that belong together.

// point is one cap of one workload with all its runs, warm or not.
type point struct {
	key  string
	cap  int
	runs []*run
}

// points groups the runs that have results by workload and cap, in order of
// appearance.
func (c *context) points() []*point {
	var out []*point
	for _, r := range c.runs {
		if r.Lat.Cap == nil || !r.hasResult() {
			continue
		}
		key := latency.WorkloadKey(r.Count)
		i := slices.IndexFunc(out, func(p *point) bool { return p.key == key && p.cap == *r.Lat.Cap })
		if i < 0 {
			out = append(out, &point{key: key, cap: *r.Lat.Cap})
			i = len(out) - 1
		}
		out[i].runs = append(out[i].runs, r)
	}
	return out
}

func (p *point) ids() []string {
	var out []string
	for _, r := range p.runs {
		out = append(out, r.Count.ID)
	}
	return out
}

// noRepeats (L13) fires where a point stands on one run.
func noRepeats(c *context, s *setting) []answer {
	var single []string
	var caps []string
	points := c.points()
	for _, p := range points {
		if float64(len(p.runs)) < s.limit("runs") {
			single = append(single, p.ids()...)
			if one := fmt.Sprint(p.cap); !slices.Contains(caps, one) {
				caps = append(caps, one)
			}
		}
	}
	switch {
	case len(points) == 0 && len(c.runs) > 0:
		return []answer{{state: Unknown, runs: c.ids(), text: "no run has a known cap and a result"}}
	case len(points) == 0:
		return nil
	case len(single) == 0:
		return []answer{pass("every point has repeats")}
	}
	return []answer{{state: s.severity, runs: single, text: "one run alone at cap " + strings.Join(caps, ", ") + ": no range",
		evidence: c.firstQuotes(single), advice: "run each point with at least three seeds"}}
}

func (c *context) ids() []string {
	var out []string
	for _, r := range c.runs {
		out = append(out, r.Count.ID)
	}
	return out
}

// firstQuotes quotes the result of each of the named runs, at most four.
func (c *context) firstQuotes(ids []string) []capture.Evidence {
	var out []capture.Evidence
	for _, r := range c.runs {
		if slices.Contains(ids, r.Count.ID) && len(out) < 4 {
			out = append(out, c.quoteResult(r)...)
		}
	}
	return out
}

// orderEffect (L14) fires where the caps ran once each, in one direction: what
// changed with time cannot be told from what changed with the cap.
func orderEffect(c *context, s *setting) []answer {
	runs := c.withCap()
	if countCaps(runs) < 2 {
		return nil
	}
	for _, r := range runs {
		if !r.Ordered() {
			return []answer{{state: Unknown, runs: c.ids(), text: "the order in which the runs ran is not known"}}
		}
	}
	sort.SliceStable(runs, func(a, b int) bool { return runs[a].Facts.Order < runs[b].Facts.Order })
	up, down := true, true
	var caps []string
	for i, r := range runs {
		caps = append(caps, fmt.Sprint(*r.Lat.Cap))
		if i > 0 {
			up = up && *r.Lat.Cap > *runs[i-1].Lat.Cap
			down = down && *r.Lat.Cap < *runs[i-1].Lat.Cap
		}
	}
	if !up && !down {
		return []answer{pass("the caps do not run once in one direction")}
	}
	return []answer{{state: s.severity, runs: c.ids(), text: "caps in the order " + strings.Join(caps, ", ") + ", once each: an effect of order cannot be told from one of load",
		evidence: c.firstQuotes(c.ids()), advice: "shuffle caps and seeds, or run the sweep in both directions"}}
}

func (c *context) withCap() []*run {
	var out []*run
	for _, r := range c.runs {
		if r.Lat.Cap != nil && r.hasResult() {
			out = append(out, r)
		}
	}
	return out
}

func countCaps(runs []*run) int {
	caps := map[int]bool{}
	for _, r := range runs {
		caps[*r.Lat.Cap] = true
	}
	return len(caps)
}

// unequalShare (L15) compares N/C over the points: the first wave is C of N.
func unequalShare(c *context, s *setting) []answer {
	low, high := math.Inf(1), 0.0
	var parts []string
	runs := c.withCap()
	if countCaps(runs) < 2 {
		return nil
	}
	for _, r := range runs {
		n := float64(r.Prompts())
		if n == 0 {
			return []answer{{state: Unknown, runs: []string{r.Count.ID}, text: "the number of prompts is not known"}}
		}
		per := n / float64(*r.Lat.Cap)
		low, high = math.Min(low, per), math.Max(high, per)
		part := fmt.Sprintf("%.3g %% at cap %d", 100/per, *r.Lat.Cap)
		if !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if high/low <= s.limit("differ_ratio") {
		return []answer{pass("the first wave is the same share of every run")}
	}
	return []answer{{state: s.severity, runs: c.ids(), text: "the first wave is " + strings.Join(parts, ", ") + " of the requests",
		evidence: c.firstQuotes(c.ids()), advice: "give every cap the same number of prompts per client"}}
}

// mixedConfiguration (L16) lists what differs between compared points beyond
// cap, seed and number of prompts.
func mixedConfiguration(c *context, s *setting) []answer {
	if len(c.runs) < 2 {
		return nil
	}
	var out []answer
	first := c.runs[0]
	known := first.ArgumentsKnown()
	for _, r := range c.runs[1:] {
		known = known && r.ArgumentsKnown()
		keys := append(causes.DiffWorkload(first.Count, r.Count), serverDiff(first, r)...)
		if len(keys) > 0 {
			out = append(out, answer{state: s.severity, runs: []string{first.Count.ID, r.Count.ID}, text: "the runs differ in " + strings.Join(keys, ", "),
				evidence: append(c.quoteArguments(first), c.quoteArguments(r)...), advice: "compare only runs that differ in the swept key; show the others apart"})
		}
	}
	switch {
	case len(out) > 0:
		return out
	case !known:
		return []answer{{state: Unknown, runs: c.ids(), text: "arguments missing or presumed for at least one run"}}
	}
	var counts []*carryover.Run
	for _, r := range c.runs {
		counts = append(counts, r.Count)
	}
	return []answer{pass("the runs " + causes.Swept(counts))}
}

// serverDiff lists the settings in which the servers of two runs differ.
func serverDiff(a, b *run) []string {
	var out []string
	x, y := &a.Facts.Server, &b.Facts.Server
	for _, p := range []struct{ name, a, b string }{
		{"engine", x.Engine, y.Engine}, {"engine_version", x.Version, y.Version},
		{"schedule_policy", x.Policy, y.Policy}, {"cache_kind", x.CacheKind, y.CacheKind},
	} {
		if p.a != "" && p.b != "" && p.a != p.b {
			out = append(out, p.name)
		}
	}
	if !sameModel(x, y) {
		out = append(out, "server_model")
	}
	for _, p := range []struct {
		name string
		a, b *int
	}{{"chunked_prefill_size", x.ChunkedSize, y.ChunkedSize}, {"tp_size", x.TPSize, y.TPSize}, {"dp_size", x.DPSize, y.DPSize}, {"pp_size", x.PPSize, y.PPSize}} {
		if p.a != nil && p.b != nil && *p.a != *p.b {
			out = append(out, p.name)
		}
	}
	return out
}
