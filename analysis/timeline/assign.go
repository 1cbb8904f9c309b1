package timeline

import "sort"

// maxNodes bounds the search for placements; beyond it every candidate of a
// run counts as feasible, which only widens intervals.
const maxNodes = 60000

// assignment gives each run the index of its candidate, -1 for none.
type assignment []int

// search finds all assignments of runs to places that put the largest number
// of runs on the logs and, of these, use the fewest loose places; two runs never
// stand on the same lines, and never against the known order. ok is false if
// the search was cut short.
type search struct {
	cands [][]*Place
	order *Order
	runs  []int // run indexes in the order in which they are tried
	now   assignment
	best  int // runs placed
	loose int // loose places used by the best
	found []assignment
	nodes int
}

func assign(cands [][]*Place, order *Order) (found []assignment, ok bool) {
	s := &search{cands: cands, order: order, loose: len(cands), now: make(assignment, len(cands))}
	for i := range cands {
		s.now[i] = -1
		if len(cands[i]) > 0 {
			s.runs = append(s.runs, i)
		}
	}
	sort.SliceStable(s.runs, func(a, b int) bool { return len(cands[s.runs[a]]) < len(cands[s.runs[b]]) })
	s.try(0, 0, 0)
	return s.found, s.nodes <= maxNodes
}

func (s *search) try(k, placed, loose int) {
	s.nodes++
	rest := len(s.runs) - k
	if s.nodes > maxNodes || placed+rest < s.best || placed+rest == s.best && loose > s.loose && s.found != nil {
		return
	}
	if k == len(s.runs) {
		if placed > s.best || loose < s.loose {
			s.best, s.loose, s.found = placed, loose, nil
		}
		s.found = append(s.found, append(assignment(nil), s.now...))
		return
	}
	run := s.runs[k]
	for c, p := range s.cands[run] {
		if s.fits(run, p) {
			s.now[run] = c
			s.try(k+1, placed+1, loose+btoi(p.Loose || p.Unasked))
			s.now[run] = -1
		}
	}
	s.try(k+1, placed, loose)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (s *search) fits(run int, p *Place) bool {
	for other, c := range s.now {
		if c < 0 {
			continue
		}
		q := s.cands[other][c]
		if q.Track != p.Track {
			continue
		}
		if q.From <= p.To && p.From <= q.To {
			return false
		}
		if _, ok := s.order.Before(other, run); ok && q.From > p.From {
			return false
		}
		if _, ok := s.order.Before(run, other); ok && p.From > q.From {
			return false
		}
	}
	return true
}
