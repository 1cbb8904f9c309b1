package rules

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"coldcase/analysis/latency"
)

// Rules on how much a number of requests or runs can carry.

// deep lists the percentiles that are judged by the number of requests.
var deep = []struct {
	name string
	q    float64
}{{"p90", 0.9}, {"p95", 0.95}, {"p99", 0.99}, {"p99.9", 0.999}}

// percentileTooDeep (L35) lists printed percentiles that n does not carry at a
// 95 % bound.
func percentileTooDeep(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		var bad, names []string
		seen := false
		for _, p := range deep {
			if _, ok := r.Printed(p.name + "_ttft_ms"); !ok {
				continue
			}
			seen = true
			if need := latency.MinRequests(p.q); r.Lat.N < need {
				bad = append(bad, fmt.Sprintf("%s (needs %d)", strings.ToUpper(p.name), need))
				names = append(names, p.name+"_ttft_ms")
			}
		}
		switch {
		case !seen:
			return none("no tail percentile is printed")
		case r.Lat.N == 0:
			return unknown("the number of requests is not known")
		case len(bad) == 0:
			return pass("the number of requests carries the printed percentiles")
		}
		return answer{state: s.severity, text: fmt.Sprintf("%d requests do not carry %s", r.Lat.N, strings.Join(bad, ", ")), evidence: c.quoteFigures(r, names...), advice: "grey the percentile out, or send more requests"}
	})
}

// percentileImpossible (L36) fires on a P99 of fewer than 100 requests, which
// is interpolated between the top two.
func percentileImpossible(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		if _, ok := r.Printed("p99_ttft_ms"); !ok {
			return none("no P99 is printed")
		}
		if r.Lat.N == 0 {
			return unknown("the number of requests is not known")
		}
		if float64(r.Lat.N) < s.limit("requests") {
			return answer{state: s.severity, text: fmt.Sprintf("a P99 of %d requests is read off between the two slowest", r.Lat.N), evidence: c.quoteFigures(r, "p99_ttft_ms"), advice: "print the maximum instead"}
		}
		return pass("the P99 is of 100 requests or more")
	})
}

// repeatsTooFew (L37) says which words the number of runs allows.
func repeatsTooFew(c *context, s *setting) []answer {
	var ids []string
	least := math.MaxInt
	points := c.points()
	for _, p := range points {
		if float64(len(p.runs)) < s.limit("interval_runs") {
			ids = append(ids, p.ids()...)
			least = min(least, len(p.runs))
		}
	}
	if len(points) == 0 {
		return nil
	}
	if len(ids) == 0 {
		return []answer{pass("every point has enough runs for an interval of its median")}
	}
	words := "too few for a 95 % interval of a median"
	if float64(least) < s.limit("compare_runs") {
		words = "too few to call a difference significant, and for a 95 % interval of a median"
	}
	return []answer{{state: s.severity, runs: ids, text: fmt.Sprintf("%s at a point: %s", latency.Number(least, "run"), words), evidence: c.firstQuotes(ids), advice: "give the range over the runs and call it that"}}
}

// spread (L38) weighs the spread of the median over the runs of one point,
// warm and clean runs apart.
func spread(c *context, s *setting) []answer {
	var out []answer
	judged := false
	for _, p := range latency.Spreads(c.Count, c.Latency, "median_ttft_ms") {
		if len(p.Runs) < 2 {
			continue
		}
		judged = true
		mean := latency.Mean(p.Values)
		far := math.Max(p.High/mean-1, 1-p.Low/mean)
		a := answer{runs: p.Runs, text: fmt.Sprintf("cap %d: median first token %.1f to %.1f ms over %d runs, coefficient of variation %s", p.Cap, p.Low, p.High, len(p.Runs), percent(p.CV)),
			evidence: c.firstQuotes(p.Runs), advice: "run more seeds, and find what differs between them"}
		switch {
		case p.CV > s.limit("block_cv") || far >= s.limit("far_share"):
			a.state = s.high
		case p.CV > s.limit("warn_cv"):
			a.state = s.severity
		default:
			a = answer{state: Pass, runs: p.Runs, text: "the runs of a point agree"}
		}
		out = append(out, a)
	}
	if dark := c.repeatsWithoutMedian(); len(dark) > 0 {
		judged = true
		out = append(out, answer{state: Unknown, runs: dark, text: "no median first token for a repeat: the spread of its point is not known"})
	}
	if !judged && len(c.points()) > 0 {
		return []answer{none("one run a point: no spread")}
	}
	return out
}

// narrowSameSeed (L39) fires where repeats agree because they repeat prompts
// that were cached.
func narrowSameSeed(c *context, s *setting) []answer {
	var out []answer
	repeats := false
	for _, p := range latency.Spreads(c.Count, c.Latency, "median_ttft_ms") {
		if len(p.Runs) < 2 {
			continue
		}
		repeats = true
		shared := 0
		for _, id := range p.Runs {
			if slices.Contains(c.fired["L01"], id) {
				shared++
			}
		}
		if p.CV <= s.limit("narrow_cv") && shared == len(p.Runs) {
			out = append(out, answer{state: s.severity, runs: p.Runs, text: fmt.Sprintf("cap %d: %d repeats agree within %s and all repeat the prompts of runs before them", p.Cap, len(p.Runs), percent(p.CV)),
				evidence: c.firstQuotes(p.Runs), advice: "the precision is that of the cache: use a fresh seed for each repeat"})
		}
	}
	var dark []string
	for _, id := range c.repeatsWithoutMedian() {
		if slices.Contains(c.fired["L01"], id) {
			dark = append(dark, id)
		}
	}
	if len(dark) > 0 {
		out = append(out, answer{state: Unknown, runs: dark, text: "repeats of cached prompts without a median first token: whether they agree is not known"})
	}
	if repeats && len(out) == 0 {
		out = append(out, pass("repeats are not narrow for that reason"))
	}
	return out
}

// drift (L46) fires where repeats of one point move in one direction in the
// order in which they ran.
func drift(c *context, s *setting) []answer {
	var out []answer
	for _, p := range c.points() {
		if float64(len(p.runs)) < s.limit("runs") {
			continue
		}
		runs := slices.Clone(p.runs)
		sort.SliceStable(runs, func(a, b int) bool { return runs[a].Facts.Order < runs[b].Facts.Order })
		if dark := withoutMedian(runs); len(dark) > 0 {
			out = append(out, answer{state: Unknown, runs: dark, text: fmt.Sprintf("cap %d: no median first token for %d of %d repeats: a trend is not excluded", p.cap, len(dark), len(runs))})
			continue
		}
		up, down, ordered := true, true, true
		var first, last float64
		for i, r := range runs {
			v, _ := r.Lat.Figure("median_ttft_ms")
			if i == 0 {
				first = v
			} else {
				up, down = up && v > last, down && v < last
			}
			last = v
			ordered = ordered && r.Ordered()
		}
		if (up || down) && math.Abs(last/first-1) > s.limit("drift_share") {
			out = append(out, answer{state: s.severity, runs: p.ids(), text: fmt.Sprintf("cap %d: the median moves from %.1f to %.1f ms in the order of the runs", p.cap, first, last),
				evidence: c.firstQuotes(p.ids()), advice: "look for heat, a leak, or a cache that fills"})
			continue
		}
		if !ordered {
			out = append(out, answer{state: Unknown, runs: p.ids(), text: "the order in which the repeats ran is not known"})
			continue
		}
		out = append(out, answer{state: Pass, runs: p.ids(), text: "no trend over repeats"})
	}
	return out
}

// withoutMedian names the runs whose median first token is missing or 0.
func withoutMedian(runs []*run) []string {
	var out []string
	for _, r := range runs {
		if v, ok := r.Lat.Figure("median_ttft_ms"); !ok || v <= 0 {
			out = append(out, r.Count.ID)
		}
	}
	return out
}

// repeatsWithoutMedian names the runs of repeated points that no spread can
// take in.
func (c *context) repeatsWithoutMedian() []string {
	var out []string
	for _, p := range c.points() {
		if len(p.runs) > 1 {
			out = append(out, withoutMedian(p.runs)...)
		}
	}
	return out
}

// inversion (L47) fires where a statistic improves as the load rises, in the
// runs or in a stated table.
func inversion(c *context, s *setting) []answer {
	advice := "explain it before publishing: no queue makes the first token faster under more load"
	var out []answer
	if inv := c.Inversion; inv != nil {
		a := answer{state: s.severity, runs: inv.Runs, text: inv.Text, advice: advice}
		for _, r := range c.runs {
			if slices.Contains(inv.Runs, r.Count.ID) {
				a.evidence = append(a.evidence, c.quoteFigures(r, inv.Statistic)...)
			}
		}
		out = append(out, a)
	}
	points := c.Capture.Notes.Points
	for i, a := range points {
		for _, b := range points[i+1:] {
			if a.Label != b.Label || a.Step != "" || b.Step != "" || a.Cap == nil || b.Cap == nil || a.MedianTTFT == nil || b.MedianTTFT == nil || *a.Cap == *b.Cap {
				continue
			}
			low, high := a, b
			if *low.Cap > *high.Cap {
				low, high = b, a
			}
			if *high.MedianTTFT < *low.MedianTTFT {
				out = append(out, answer{state: s.severity, text: fmt.Sprintf("stated (%s): %.2f ms at cap %d, %.2f ms at cap %d", low.Label, *low.MedianTTFT, *low.Cap, *high.MedianTTFT, *high.Cap), advice: advice,
					evidence: append(evidenceOf(low.At), evidenceOf(high.At)...)})
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	runs := c.withCap()
	if countCaps(runs) < 2 {
		return nil
	}
	if dark := withoutMedian(runs); len(dark) > 0 {
		return []answer{{state: Unknown, runs: dark, text: "no median first token to compare"}}
	}
	return []answer{pass("no statistic of the first token improves with the load")}
}
