// Package join makes runs of the results, commands, scrapes and notes of a
// capture: which files describe one invocation of a client, which command made
// it, which scrapes stand around it.
//
// A join that is wrong is worse than one that is missing: a record never holds
// its seed, so that a record joined to the wrong text or command swaps the seeds
// of two runs. Every rule therefore has its own file or function, says what it
// relies on, and joins nothing where two readings are left.
//
// Out of scope: the order in which runs ran, and their place on a log.
package join

import (
	"sort"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

// Runs replaces the runs of c, which come in as one result each, by the joined
// runs, in the order of the capture.
func Runs(c *capture.Capture) {
	var sets []*set
	for _, r := range c.Runs {
		sets = append(sets, &set{results: r.Results, capture: r.Capture})
	}
	sets = byGroup(sets)
	sets = byFigures(sets)
	sets = byOutputFile(sets)
	c.Runs = nil
	for _, s := range sets {
		if s.onlyPartial() {
			continue
		}
		c.Runs = append(c.Runs, s.run())
	}
	sortRuns(c.Runs)
	c.Runs = append(c.Runs, commands(c)...)
	distinct(c.Runs)
	cells(c)
	stated(c)
	presume(c.Runs)
	scrapes(c)
	sortRuns(c.Runs)
}

// set is the results of what is taken for one run.
type set struct {
	results []*capture.Result
	capture int
}

func (s *set) add(t *set) { s.results = append(s.results, t.results...) }

// onlyPartial tells sets of files that only add facts to a run which is not
// there.
func (s *set) onlyPartial() bool {
	for _, r := range s.results {
		if !r.Partial {
			return false
		}
	}
	return true
}

// run builds the run of a set: its results in their order, and all their facts
// once.
func (s *set) run() *capture.Run {
	sort.SliceStable(s.results, func(i, j int) bool {
		a, b := s.results[i], s.results[j]
		if x, y := rank(a), rank(b); x != y {
			return x < y
		}
		if a.Span.File != b.Span.File {
			return a.Span.File < b.Span.File
		}
		return a.Span.Line < b.Span.Line
	})
	r := &capture.Run{Results: s.results, Capture: s.capture}
	first := s.results[0].Span
	r.ID = first.File + ":" + strconv.Itoa(first.Line)
	for _, x := range s.results {
		r.Spans = append(r.Spans, x.Span)
	}
	r.Merged = merge(s.results)
	conversations(&r.Merged)
	return r
}

// conversations corrects the number of prompts that a client was told where it
// counted conversations: of each it sent several requests. How many of the first
// were warm-ups is then not known either.
func conversations(m *capture.Result) {
	if m.Completed == nil || m.Workload.Prompts == nil || *m.Completed <= *m.Workload.Prompts {
		return
	}
	n := *m.Completed
	if m.Failed != nil {
		n += *m.Failed
	}
	m.Workload.Prompts = &n
	if w := m.Workload.Warmups; w != nil && *w > 0 {
		m.Workload.Warmups, m.Workload.WarmupsFrom = nil, ""
	}
}

// distinct tells runs apart whose records stand on one line, such as the
// benchmarks of a sweep that a client writes as one JSON document: the second
// gets "#2" behind its file and line. Everything that follows knows a run by its
// name.
func distinct(runs []*capture.Run) {
	seen := map[string]int{}
	for _, r := range runs {
		id := r.ID
		if seen[id]++; seen[id] > 1 {
			r.ID = id + "#" + strconv.Itoa(seen[id])
		}
	}
}

// rank orders the results of a run: records, texts, other files, and last the
// files that only add facts.
func rank(r *capture.Result) int {
	kind := string(r.Kind)
	switch {
	case r.Partial:
		return 3
	case strings.HasSuffix(kind, "-jsonl"), strings.HasSuffix(kind, "-json"):
		return 0
	case isText(r):
		return 1
	}
	return 2
}

// isText tells what a client printed for people.
func isText(r *capture.Result) bool { return strings.HasSuffix(string(r.Kind), "-text") }

// sortRuns orders runs by capture, path and line.
func sortRuns(runs []*capture.Run) {
	sort.SliceStable(runs, func(i, j int) bool {
		a, b := runs[i], runs[j]
		if a.Capture != b.Capture {
			return a.Capture < b.Capture
		}
		x, y := a.Spans[0], b.Spans[0]
		if x.File != y.File {
			return x.File < y.File
		}
		return x.Line < y.Line
	})
}
