package templates

import (
	"fmt"
	"math"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/causes"
	"coldcase/analysis/confirm"
)

// The sentences below the charts. Each says what is to be seen in this capture,
// with numbers of the notebook alone; where that says nothing sure, a sentence
// says what is drawn.

// medianSentence is the inversion, or else the medians at the lowest and the
// highest cap.
func medianSentence(nb *analysis.Notebook, names []string, perCap map[int][]*row) string {
	if nb.Inversion != nil && nb.Inversion.Statistic == "median_ttft_ms" {
		s := inversionFact(nb)
		if nb.Confirmation != nil {
			for _, arm := range []string{"fresh", "stated"} {
				if ends := armEnds(nb.Confirmation.Ranges, arm); ends != "" {
					s += " With " + arms[arm].name + ", it is " + ends + "."
				}
			}
		}
		return s
	}
	ends := []int{0}
	if len(names) > 1 {
		ends = append(ends, len(names)-1)
	}
	var parts []string
	for _, at := range ends {
		low, high := math.Inf(1), math.Inf(-1)
		for _, r := range perCap[at] {
			m, _ := r.Figure("median_ttft_ms")
			low, high = math.Min(low, m.Value), math.Max(high, m.Value)
		}
		s := ms(low) + " ms"
		if low != high {
			s = ms(low) + " to " + ms(high) + " ms"
		}
		if names[at] != noCap {
			s += " at cap " + names[at]
		}
		parts = append(parts, s)
	}
	told := "The median TTFT is " + strings.Join(parts, " and ") + "."
	if nb.Inversion != nil { // the chart does not show it, and says so
		told += " What falls with the load here is the " + statistic(nb.Inversion.Statistic) + "."
	}
	return told
}

// distributionSentence says of the run that matters most how its requests part.
func distributionSentence(rows []*row) string {
	for _, r := range byConcern(withTimes(rows)) {
		if g := r.Latency.Groups; len(g) == 2 && g[0].N+g[1].N == r.Latency.N && g[0].High < g[1].Low {
			return sentence(fmt.Sprintf("%s: %s of %s requests had their first token within %s ms, the others not before %s ms; the flat stretch lies between.",
				r.Label, integer(int64(g[0].N)), r.N(), ms(g[0].High), ms(g[1].Low)))
		}
	}
	return "How many requests of each run had their first token by a given time. No run is told apart into two groups."
}

// splitSentence holds the hits of a run against its groups.
func splitSentence(r *row) string {
	if g := r.Latency.Groups; len(g) == 2 && g[0].Hits >= 0 && g[1].Hits >= 0 {
		return sentence(fmt.Sprintf("%s: of the %s fast requests %s were hits, of the %s slow ones %s.",
			r.Label, integer(int64(g[0].N)), integer(int64(g[0].Hits)), integer(int64(g[1].N)), integer(int64(g[1].Hits))))
	}
	return "The same requests of " + r.Label + ", those whose prompt was cached apart from those whose prompt was computed."
}

// apartSentence says where the figures of the run that matters most sit.
func apartSentence(rows []*row) string {
	for _, r := range byConcern(rows) {
		if len(groupsOf(r)) == 0 {
			continue
		}
		sits := map[string]string{}
		for _, s := range r.Latency.SitsIn {
			sits[s.Figure] = s.Group
		}
		median, high := sits["median_ttft_ms"], sits["p90_ttft_ms"]
		switch {
		case !groupNamed(r, median) || !groupNamed(r, high):
		case median == high:
			return sentence(r.Label + ": the median and the P90 both sit in the group “" + median + "”.")
		default:
			return sentence(r.Label + ": the median sits in the group “" + median + "”, the P90 in “" + high + "”.")
		}
	}
	return "The groups that the first-token times of each run fall into, and where its printed figures lie among them."
}

func groupNamed(r *row, name string) bool {
	for _, g := range groupsOf(r) {
		if g.Name == name {
			return true
		}
	}
	return false
}

// indexSentence names the prompts that were hits.
func indexSentence(r *row) string {
	told := "The first-token time of each prompt of " + r.Label + ", in the client's order"
	hits := r.Hits()
	switch {
	case hits == "" && r.Latency != nil && allMissed(r):
		return told + ": no prompt was a hit."
	case hits == "" || len(hits) > 60:
		return told + "."
	case strings.Contains(hits, "prompts"):
		return told + ": " + hits + " were hits."
	}
	return told + ": " + hits + " was a hit."
}

func allMissed(r *row) bool {
	for i := range r.Latency.TTFT {
		if c := hitClass(r.Latency, i); c == hitUnknown || c >= 3 {
			return false
		}
	}
	return true
}

// timelineSentence says what the run that matters most took from the cache.
func timelineSentence(rows []*row) string {
	told := "What each prefill batch of the server's log computed, and what it found in the cache"
	for _, r := range byConcern(rows) {
		if i := r.CachedTokens; r.Verdict == "contaminated" && i.Low > 0 {
			return told + ": the prompts of " + r.Label + " took " + count(i.Low, i.High) + " tokens from it (" + grade(i.Grade) + ")."
		}
	}
	return told + "."
}

// originSentence is the count of the run that matters most.
func originSentence(rows []*row) string {
	of := byConcern(runsOrWindows(rows))
	if len(of) == 0 {
		return ""
	}
	r := of[0]
	switch r.Verdict {
	case "contaminated":
		s := r.Label + ": " + atStartWords(r)
		if by := r.HitsBy(); by != "" {
			s += ", " + by
		}
		return sentence(s + ".")
	case "clean":
		for _, one := range of {
			if h := one.Run.AtStart.High; h == nil || *h > 0 {
				return "All are clean; the few prompts that may have been cached at start are drawn."
			}
		}
		if r.Kind == "window" {
			return "No window of the log began with cached prompts."
		}
		return "No run found a prompt in the cache when it started."
	}
	if r.Run.AtStart.High != nil {
		return sentence(r.Label + ": " + atStartWords(r) + ", which decides nothing.")
	}
	return sentence(r.Label + ": how many prompts were cached at start is not known, which is not none.")
}

// atStartWords words the count as a label of a chart.
func atStartWords(r *row) string {
	i := r.Run.AtStart
	if i.High == nil && i.Low == 0 {
		return "cached: " + unknown + strings.Replace(of(r.Run), " of ", ", n ", 1)
	}
	n := of(r.Run)
	if q := r.Sequences; n == "" && r.Kind == "window" {
		n = " of " + count(q.Low, q.High)
	}
	return count(i.Low, i.High) + n + " cached (" + grade(i.Grade) + ")"
}

// seedSentence says which way each arm goes from the lowest cap to the highest.
func seedSentence(ranges []confirm.Range) string {
	var parts []string
	for _, arm := range []string{"kit", "repeat", "fresh", "stated"} {
		if ends := armEnds(ranges, arm); ends != "" {
			parts = append(parts, arms[arm].name+" "+ends)
		}
	}
	if len(parts) == 0 {
		return "What the runs with fresh prompts gave at each cap, beside what the kit had reported."
	}
	return "The median TTFT: " + strings.Join(parts, "; ") + "."
}

// armEnds are the medians of an arm at its lowest and its highest cap, "" if it
// has none.
func armEnds(ranges []confirm.Range, arm string) string {
	var first, last *confirm.Range
	for i := range ranges {
		r := &ranges[i]
		if r.Stat != "median_ttft_ms" || r.Arm != arm {
			continue
		}
		if first == nil || r.Cap < first.Cap {
			first = r
		}
		if last == nil || r.Cap > last.Cap {
			last = r
		}
	}
	switch {
	case first == nil:
		return ""
	case first.Cap == last.Cap:
		return fmt.Sprintf("%s ms at cap %d", ms(first.Median), first.Cap)
	}
	return fmt.Sprintf("%s ms at cap %d and %s ms at cap %d", ms(first.Median), first.Cap, ms(last.Median), last.Cap)
}

// causeSentence names what the capture supports.
func causeSentence(nb *analysis.Notebook) string {
	var names []string
	for _, c := range nb.Causes {
		if c.State == causes.Supported {
			names = append(names, words(c.Name))
		}
	}
	if len(names) == 0 {
		return "The capture supports none of these explanations: it speaks against some, and cannot test the others."
	}
	return "Supported: " + strings.Join(names, ", ") + ". The capture speaks against the others, or cannot test them."
}
