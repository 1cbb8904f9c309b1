package capture

import (
	"fmt"
	"math"
	"sort"
	"strings"
)

// Delta is the difference of two scrapes of one server. Its accessors give one
// figure each, by the names of the server's engine; none of them clamps, fills
// in or guesses: a figure that the pair cannot tell has OK false and says why.
//
// Names and their traps: SGLang v0.3.5 to v0.5.23 (cached_tokens_total is
// absent until the first hit; scheduler series repeat per rank), vLLM v0.8 to
// v0.33 (old and new names of one counter stood side by side with equal values:
// one is taken, never both; _created series are times, not counts).
type Delta struct {
	Before, After *Snapshot
	identity      Identity
}

// Change is how far one figure moved between two scrapes. Value is meaningless
// unless OK; Why is then the reason.
type Change struct {
	Value float64
	OK    bool
	Why   string
	// Series is the series that was read, "" if none of its names was there.
	Series string
	// Before and After are the lines that were added up in each scrape; Before
	// is empty for a counter that did not exist yet.
	Before, After []int
}

// Identity says whether two scrapes are of one server process.
type Identity struct {
	// Same is false when something shows another process or another server.
	Same bool
	// Proved is true when a start time stands in both scrapes and agrees.
	// Same without Proved means only that nothing speaks against it.
	Proved bool
	Why    string
	// Before and After are the lines that decide, 0 if none.
	Before, After int
}

// NewDelta pairs two scrapes. Either may be nil: every figure is then unknown.
func NewDelta(before, after *Snapshot) Delta {
	d := Delta{Before: before, After: after}
	d.identity = d.identify()
	return d
}

// Engine is the engine of the pair, "" if it is not known or differs.
func (d Delta) Engine() string {
	if d.Before == nil || d.After == nil || d.Before.Engine != d.After.Engine {
		return ""
	}
	return d.After.Engine
}

// Identity says whether the pair is of one server process.
func (d Delta) Identity() Identity { return d.identity }

// identify compares process start times, the _created series and the processes
// that the scrapes name, and looks for a counter that fell. A counter only falls
// when its process began anew.
func (d Delta) identify() Identity {
	if d.Before == nil || d.After == nil {
		return Identity{Why: "one of the two scrapes is missing"}
	}
	if d.Before.Engine != d.After.Engine {
		return Identity{Why: fmt.Sprintf("the scrapes are of different engines: %q and %q", d.Before.Engine, d.After.Engine)}
	}
	proved := false
	for _, name := range d.sharedSeries() {
		isTime := name == "process_start_time_seconds" || strings.HasSuffix(name, "_created")
		if !isTime && !isCounter(name) {
			continue
		}
		after := byLabels(d.After.Series[name])
		for _, b := range d.Before.Series[name] {
			a, ok := after[labelKey(b.Labels)]
			switch {
			case !ok:
			case isTime && a.Value != b.Value:
				return Identity{Why: name + " changed: the server was started anew", Before: b.Line, After: a.Line}
			case isTime:
				proved = true
			case a.Value < b.Value:
				return Identity{Why: name + " fell: the server was started anew", Before: b.Line, After: a.Line}
			}
		}
	}
	if before, after, ok := d.strangers(); ok {
		return Identity{Why: "no process of one scrape is in the other: the server was started anew, or is another", Before: before, After: after}
	}
	return Identity{Same: true, Proved: proved}
}

// strangers finds the first line of each scrape that names a process, if they
// have no process in common. SGLang's processes write into a folder of their
// start, where what they wrote stays after them; that two starts share a number,
// as in a container, says nothing.
func (d Delta) strangers() (before, after int, ok bool) {
	was := map[string]bool{}
	before = d.Before.eachProcess(func(pid string) { was[pid] = true })
	both := false
	after = d.After.eachProcess(func(pid string) { both = both || was[pid] })
	return before, after, before > 0 && after > 0 && !both
}

// eachProcess calls f for each process that a sample names, and gives the first
// line that does, 0 if none.
func (s *Snapshot) eachProcess(f func(pid string)) (first int) {
	for _, samples := range s.Series {
		for _, x := range samples {
			if pid := x.Labels["pid"]; pid != "" {
				f(pid)
				if first == 0 || x.Line < first {
					first = x.Line
				}
			}
		}
	}
	return first
}

// sharedSeries are the names in both scrapes, sorted.
func (d Delta) sharedSeries() []string {
	var names []string
	for name := range d.Before.Series {
		if _, ok := d.After.Series[name]; ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

func isCounter(name string) bool {
	for _, suffix := range []string{"_total", "_count", "_bucket"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

func byLabels(samples []Sample) map[string]Sample {
	m := make(map[string]Sample, len(samples))
	for _, x := range samples {
		m[labelKey(x.Labels)] = x
	}
	return m
}

// Counter is the growth of the first of the named counters that the later
// scrape holds. A counter that only the later scrape holds began at 0, if the
// earlier scrape is of the same engine at all: Prometheus clients leave a
// labelled counter out until it is first raised.
func (d Delta) Counter(names ...string) Change {
	return d.counter(nil, names...)
}

// CounterWhere is Counter over the samples whose label has one of the values.
func (d Delta) CounterWhere(name, label string, values ...string) Change {
	return d.counter(func(x Sample) bool {
		for _, v := range values {
			if x.Labels[label] == v {
				return true
			}
		}
		return false
	}, name)
}

func (d Delta) counter(keep func(Sample) bool, names ...string) Change {
	if id := d.identity; !id.Same {
		return Change{Why: id.Why}
	}
	for _, name := range names {
		after, afterLines, ok := d.After.total(name, keep)
		if !ok {
			continue
		}
		before, beforeLines, had := d.Before.total(name, keep)
		c := Change{Series: name, Before: beforeLines, After: afterLines}
		switch {
		case !had && !d.Before.hasPrefix(family(name)):
			c.Why = "the earlier scrape holds no " + family(name) + " series at all"
		case math.IsNaN(after-before) || math.IsInf(after-before, 0):
			c.Why = name + " is not a finite number"
		case after < before:
			c.Why = name + " fell: the server was started anew"
		default:
			c.Value, c.OK = after-before, true
		}
		return c
	}
	return Change{Why: "no series " + strings.Join(names, " or ")}
}

// family is the engine's part of a series name, "sglang:" or the like.
func family(name string) string {
	if i := strings.IndexAny(name, ":_"); i >= 0 {
		return name[:i+1]
	}
	return name
}
