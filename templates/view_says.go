package templates

import (
	"slices"
	"strings"

	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
)

// OneCap reports whether all runs are known to have had one cap: then no figure
// can move against the load.
func (v *view) OneCap() bool {
	caps := map[int]bool{}
	for _, r := range v.Runs() {
		caps[r.cap0()] = true
	}
	return len(caps) == 1 && !caps[0]
}

// runRange is the range of the median TTFT over the runs of one point and one
// state; runs that were warm do not mix with others.
type runRange struct {
	Point     string
	N         int
	Low, High float64
}

// RangesOfRuns are the ranges of a capture without a sweep, of the points that
// have one.
func (v *view) RangesOfRuns() []runRange {
	var out []runRange
	at := map[string]int{}
	for _, r := range v.Runs() {
		m, ok := r.Figure("median_ttft_ms")
		if r.Kind == "window" || r.cap0() == 0 || !ok {
			continue
		}
		key := latency.WorkloadKey(r.Run) + "|" + capText(r.MaxConcurrency) + "|" + r.Verdict
		i, seen := at[key]
		if !seen {
			i, at[key] = len(out), len(out)
			out = append(out, runRange{Point: "cap " + capText(r.MaxConcurrency) + ", " + r.Verdict, Low: m.Value, High: m.Value})
		}
		out[i].N++
		out[i].Low, out[i].High = min(out[i].Low, m.Value), max(out[i].High, m.Value)
	}
	return slices.DeleteFunc(out, func(r runRange) bool { return r.N < 2 })
}

// Unled says why no cause leads.
func (v *view) Unled() string {
	switch {
	case v.LeadingCause != nil:
		return ""
	case v.Inversion == nil && v.All("clean"):
		return "Nothing needs an explanation: no prompt was cached at start, and no first-token figure moves against the load."
	case v.Inversion == nil && v.Any("contaminated"):
		return "No explanation leads: prompts were cached at start, and the capture does not say who put them there."
	case v.Inversion == nil:
		return "No explanation leads: no first-token figure is known to move against the load, and no measured count says that prompts were cached at start."
	}
	return "No explanation leads: the capture does not decide between those that it cannot test."
}

// LeadingWhy says what the leading cause explains, so that it can be held
// against what needs explaining.
func (v *view) LeadingWhy() string {
	for _, c := range v.Causes {
		if v.LeadingCause == nil || c.Name != *v.LeadingCause {
			continue
		}
		switch {
		case c.Explains != nil:
			return v.Sentence(c.Explains.Text)
		case v.Inversion != nil && c.Name != "warm-cache" && len(whyOf(c)) > 0:
			return v.remarks(whyOf(c))
		case v.Inversion != nil:
			return "How much of it this cause makes cannot be told from the capture."
		}
		return "It explains why prompts were served from the cache. What that did to the times cannot be told from the capture."
	}
	return ""
}

// Leads reports whether a cause is the leading one.
func (v *view) Leads(cause string) bool { return v.LeadingCause != nil && *v.LeadingCause == cause }

// HasSeen reports whether a cause saw more than it says of each run.
func (v *view) HasSeen(c *causes.Cause) bool { return len(c.Seen) > 0 }

// Clauses says a list as one sentence.
func (s speaker) Clauses(list []string) string {
	var out []string
	for _, text := range list {
		out = append(out, s.Say(text))
	}
	return strings.Join(out, "; ") + "."
}

// Sits lists where the printed figures of a run lie. Where all lie in one place
// that is one sentence, and nothing where no place is known: a remark says that.
func (v *view) Sits(list []latency.SitsIn) []string {
	if len(list) == 0 || list[0].Group == "unknown" {
		return nil
	}
	var out []string
	same := true
	for _, s := range list {
		same = same && s.Group == list[0].Group
		out = append(out, statistic(s.Figure)+", "+ms(s.Value)+" ms, sits "+groupName(s.Group)+" (known by: "+s.By+").")
	}
	if same && list[0].Group == "one group" {
		return []string{"All requests lie in one group, and so do the printed figures (known by: " + list[0].By + ")."}
	}
	return out
}

// groupName says where among the groups of first-token times a figure sits.
func groupName(name string) string {
	switch {
	case name == "edge":
		return "on the edge between two groups"
	case strings.HasSuffix(name, "group"):
		return "in " + name
	case strings.HasSuffix(name, "wave"):
		return "in the " + name
	}
	return "in the " + name + " group"
}

// Assumed takes off a prediction's note what the report says in front of it.
func (v *view) Assumed(note string) string {
	return v.Say(strings.TrimPrefix(note, "a prediction of a queue model, not a measurement: "))
}
