package carryover

import (
	"coldcase/analysis/nesting"
	"coldcase/ingest/capture"
)

// sharing says which hits prompts of one run can owe to each other.
type sharing struct {
	full, partial span // hi == open where the rules do not tell
	by            string
}

// sharingOf applies the rules of the client's dataset, and what the capture's
// own texts show.
func sharingOf(r *capture.Run) sharing {
	m := &r.Merged
	rule := nesting.Inside(m)
	s := sharing{full: span{0, rule.Full}, partial: span{0, rule.Partial}, by: rule.By}
	if chat(m) {
		// A chat template of sixteen tokens or more is a shared opening.
		s.partial.hi = open
	}
	if distinct(m.Requests) {
		s.full.hi = 0
		s.by = "the prompts in the capture are all different"
	}
	return s
}

// distinct reports whether the capture holds the text of every prompt and no
// two are equal.
func distinct(q *capture.Requests) bool {
	if q == nil || len(q.TextHash) == 0 {
		return false
	}
	seen := map[uint64]bool{}
	for _, h := range q.TextHash {
		if h == 0 || seen[h] {
			return false
		}
		seen[h] = true
	}
	return true
}
