package join

import (
	"path"
	"strings"
)

// byGroup joins the files that a client's own layout ties together, such as
// the folder that it makes for each run.
func byGroup(sets []*set) []*set {
	type key struct {
		capture int
		group   string
	}
	groups := map[key]*set{}
	var out []*set
	for _, s := range sets {
		g := s.results[0].Group
		if g == "" {
			out = append(out, s)
			continue
		}
		k := key{s.capture, g}
		if first := groups[k]; first != nil {
			first.add(s)
			continue
		}
		groups[k] = s
		out = append(out, s)
	}
	return out
}

// byFigures joins sets whose printed figures are the same measurement: a record
// and the text report of one run agree in every figure that both have, to the
// digits printed, and no two runs do. Nothing that differs may be in the set:
// two texts with the same figures and different seeds stay apart, and so does
// a record that fits both.
func byFigures(sets []*set) []*set {
	n := len(sets)
	twins := make([][]int, n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			if sets[i].same(sets[j]) {
				twins[i] = append(twins[i], j)
				twins[j] = append(twins[j], i)
			}
		}
	}
	seen := make([]bool, n)
	var out []*set
	for i, s := range sets {
		if seen[i] {
			continue
		}
		members := component(i, twins, seen)
		if !compatible(sets, members) {
			for _, m := range members {
				out = append(out, sets[m])
			}
			continue
		}
		for _, m := range members[1:] {
			s.add(sets[m])
		}
		out = append(out, s)
	}
	return out
}

// component gives all sets that are linked to set i.
func component(i int, twins [][]int, seen []bool) []int {
	members := []int{i}
	seen[i] = true
	for k := 0; k < len(members); k++ {
		for _, j := range twins[members[k]] {
			if !seen[j] {
				seen[j] = true
				members = append(members, j)
			}
		}
	}
	return members
}

// compatible tells whether nothing differs between any two of the sets.
func compatible(sets []*set, members []int) bool {
	for i, m := range members {
		for _, k := range members[i+1:] {
			if _, ok := sets[m].agreement(sets[k]); !ok {
				return false
			}
		}
	}
	return true
}

// same tells whether two sets are of one run, by every pair of their results.
func (s *set) same(t *set) bool {
	best, ok := s.agreement(t)
	if !ok {
		return false
	}
	return best >= sureFigures || best >= someFigures && s.capture == t.capture && sharesStem(s, t)
}

// agreement is the best agreement of any two results of the sets; ok is false
// if any two differ.
func (s *set) agreement(t *set) (best int, ok bool) {
	for _, a := range s.results {
		for _, b := range t.results {
			n, ok := agreement(a, b)
			if !ok {
				return 0, false
			}
			best = max(best, n)
		}
	}
	return best, true
}

const (
	// sureFigures is how many figures must agree for two results to be one run
	// without any other sign. Four figures of three digits or more do not meet
	// by chance.
	sureFigures = 4
	// someFigures is enough for files of one folder and one stem, such as a
	// text that was cut after its first lines.
	someFigures = 2
)

// sharesStem tells whether two sets have files in one folder whose names
// differ in the ending alone.
func sharesStem(s, t *set) bool {
	for _, a := range s.results {
		for _, b := range t.results {
			if a.Span.File != b.Span.File && stem(a.Span.File) == stem(b.Span.File) {
				return true
			}
		}
	}
	return false
}

// stem is a path without the endings of its last element, and without what
// people put in front of them for a client's console.
func stem(p string) string {
	p = trimPacking(p)
	p = strings.TrimSuffix(p, path.Ext(p))
	for _, end := range []string{".stdout", ".stderr", ".console", ".out", ".log"} {
		p = strings.TrimSuffix(p, end)
	}
	return p
}

// byOutputFile joins a text that holds a client's arguments but no result (its
// end was lost, or only standard output's end was kept) with the record whose
// file these arguments name. Both must be alone: a file of several records does
// not say which of them the arguments made.
func byOutputFile(sets []*set) []*set {
	records := map[string][]*set{}
	for _, s := range sets {
		if r := s.results[0]; len(s.results) == 1 && r.Completed != nil && r.Workload.Form != "namespace" {
			records[path.Base(r.Span.File)] = append(records[path.Base(r.Span.File)], s)
		}
	}
	wanting := map[string][]*set{}
	for _, s := range sets {
		if name := outputOf(s); name != "" {
			wanting[name] = append(wanting[name], s)
		}
	}
	gone := map[*set]bool{}
	for name, texts := range wanting {
		found := records[name]
		if len(found) != 1 || len(texts) != 1 || found[0].capture != texts[0].capture {
			continue
		}
		if _, ok := agreement(found[0].results[0], texts[0].results[0]); ok {
			found[0].add(texts[0])
			gone[texts[0]] = true
		}
	}
	var out []*set
	for _, s := range sets {
		if !gone[s] {
			out = append(out, s)
		}
	}
	return out
}

// outputOf is the name of the file that the arguments of a text without a
// result name, "" if it is none.
func outputOf(s *set) string {
	r := s.results[0]
	if len(s.results) != 1 || r.Completed != nil || r.Workload.Form != "namespace" {
		return ""
	}
	for _, k := range []string{"output_file", "result_filename"} {
		if f, ok := r.Workload.Args[k].(string); ok && f != "" {
			return path.Base(f)
		}
	}
	return ""
}
