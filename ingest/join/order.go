package join

import (
	"sort"

	"coldcase/ingest/capture"
)

// inOrder leaves, of the commands that each run could have, those that are
// possible if the runs stand in the order of their commands and no two share
// one. Without such an assignment (a loop runs one command several times) all
// stay.
func inOrder(runs []*capture.Run, candidates [][]*capture.Command) [][]*capture.Command {
	n := len(runs)
	if n < 2 {
		return candidates
	}
	for _, cs := range candidates {
		sort.SliceStable(cs, func(i, j int) bool { return precedes(cs[i], cs[j]) })
	}
	// first[i] is the earliest command that run i can have if all runs before
	// it have one; latest the same from the end.
	first := make([]*capture.Command, n)
	for i, cs := range candidates {
		for _, c := range cs {
			if i == 0 || precedes(first[i-1], c) {
				first[i] = c
				break
			}
		}
		if first[i] == nil {
			return candidates
		}
	}
	latest := make([]*capture.Command, n)
	for i := n - 1; i >= 0; i-- {
		cs := candidates[i]
		for k := len(cs) - 1; k >= 0; k-- {
			if i == n-1 || precedes(cs[k], latest[i+1]) {
				latest[i] = cs[k]
				break
			}
		}
	}
	out := make([][]*capture.Command, n)
	for i, cs := range candidates {
		for _, c := range cs {
			if !precedes(c, first[i]) && !precedes(latest[i], c) {
				out[i] = append(out[i], c)
			}
		}
	}
	return out
}

// precedes orders commands by their place.
func precedes(a, b *capture.Command) bool {
	if a.At.File != b.At.File {
		return a.At.File < b.At.File
	}
	return a.Index < b.Index
}
