package timeline

import (
	"sort"

	"coldcase/ingest/capture"
)

// Timeline is the capture in time.
type Timeline struct {
	Tracks []*Track
	Order  *Order
	// Sequence lists indexes into Capture.Runs in the order in which the runs
	// ran, as far as that is known.
	Sequence []int
	// Places holds, per run of the capture, every feasible place; empty if
	// the run is on no log.
	Places [][]*Place
	Wants  []Want
	// Windows are the lines with requests that no run claims for certain.
	Windows []*Window
}

// Window is a stretch of log lines that belongs to no known run.
type Window struct {
	Track                 *Track
	From, To              int
	Life                  int
	FirstGroup, LastGroup int
	// FromStart is true if the window begins with the server's start and
	// nothing before it is missing.
	FromStart bool
}

// Build puts a capture into time.
func Build(c *capture.Capture) *Timeline {
	t := &Timeline{}
	starts := 0
	for i, log := range c.Logs {
		t.Tracks = append(t.Tracks, newTrack(i, log))
		starts += len(log.Starts)
	}
	t.Order = orderRuns(c, starts)
	for _, r := range c.Runs {
		t.Wants = append(t.Wants, wantOf(r))
	}
	t.place(c)
	t.sequence(len(c.Runs))
	t.windows()
	return t
}

// place finds the places of all runs.
func (t *Timeline) place(c *capture.Capture) {
	cands := make([][]*Place, len(c.Runs))
	for i := range c.Runs {
		if p := t.stated(c.Runs[i]); p != nil {
			cands[i] = []*Place{p}
			continue
		}
		for _, track := range t.Tracks {
			if len(track.Log.Excerpts) > 0 {
				continue
			}
			cands[i] = append(cands[i], track.candidates(&t.Wants[i])...)
		}
	}
	found, ok := assign(cands, t.Order)
	t.Places = make([][]*Place, len(c.Runs))
	if !ok {
		t.Places = cands
		return
	}
	found = byElapsed(t.Wants, cands, found)
	for i := range cands {
		seen := map[int]bool{}
		for _, a := range found {
			if k := a[i]; k >= 0 && !seen[k] {
				seen[k] = true
				t.Places[i] = append(t.Places[i], cands[i][k])
			}
		}
		for _, a := range found {
			t.Wants[i].Maybe = t.Wants[i].Maybe || a[i] < 0
		}
	}
	t.orderByPlace()
}

// stated is the place that notes name for a run: excerpts of a longer log.
func (t *Timeline) stated(r *capture.Run) *Place {
	for _, track := range t.Tracks {
		for _, e := range track.Log.Excerpts {
			if e.Run == "" || !names(r, e.Run) {
				continue
			}
			from, to := e.FirstLine, e.FirstLine+e.To-e.Line
			p := &Place{
				Track: track, From: from, To: to, Measured: from, Warm: 0, Stated: true,
				FirstGroup: track.groupsFrom(from), LastGroup: track.groupsFrom(to + 1),
			}
			return p
		}
	}
	return nil
}

func names(r *capture.Run, file string) bool {
	if r.ID == file {
		return true
	}
	for _, s := range r.Spans {
		if s.File == file {
			return true
		}
	}
	return false
}

// orderByPlace adds the order that certain places on one log give.
func (t *Timeline) orderByPlace() {
	for a := range t.Places {
		for b := range t.Places {
			if a == b || len(t.Places[a]) == 0 || len(t.Places[b]) == 0 {
				continue
			}
			before := true
			for _, p := range t.Places[a] {
				for _, q := range t.Places[b] {
					before = before && p.Track == q.Track && p.To < q.From
				}
			}
			if before {
				t.Order.add(a, b, "log")
			}
		}
	}
}

// sequence sorts the runs by the known order; runs that it leaves open keep
// the order of the capture.
func (t *Timeline) sequence(n int) {
	waits := make([]int, n) // runs that must come first and have not
	for i := range waits {
		waits[i] = len(t.Order.earlier[i])
	}
	done := make([]bool, n)
	for range n {
		next := 0
		for next < n && (done[next] || waits[next] > 0) {
			next++
		}
		done[next] = true
		t.Sequence = append(t.Sequence, next)
		for _, later := range t.Order.later[next] {
			waits[later]--
		}
	}
}

// windows collects the groups that no run claims in every placement.
func (t *Timeline) windows() {
	for _, track := range t.Tracks {
		claimed := t.claims(track)
		var w *Window
		for i, g := range track.Groups {
			if claimed[i] || g.Own {
				w = nil
				continue
			}
			life := lifeIndex(track.Lives, g.Line)
			if w == nil || w.Life != life {
				w = &Window{Track: track, From: g.Line, Life: life, FirstGroup: i}
				w.FromStart = fromStart(track, i, life)
				t.Windows = append(t.Windows, w)
			}
			w.To, w.LastGroup = g.To, i+1
		}
		t.bareWindow(track)
	}
	sort.SliceStable(t.Windows, func(i, j int) bool {
		a, b := t.Windows[i], t.Windows[j]
		if a.Track.Log.File != b.Track.Log.File {
			return a.Track.Log.File < b.Track.Log.File
		}
		return a.From < b.From
	})
}

// claims marks the groups that lie in some run's place in every placement:
// groups in a place of a run with one place, and groups in the places of
// several runs that are only told apart by permutation.
func (t *Timeline) claims(track *Track) []bool {
	claimed := make([]bool, len(track.Groups))
	type cells struct{ first, last int }
	runs := map[cells]int{}
	for i, ps := range t.Places {
		for _, p := range ps {
			if p.Track != track {
				continue
			}
			if len(ps) == 1 && !t.Wants[i].Maybe {
				claim(claimed, p)
			}
			runs[cells{p.FirstGroup, p.LastGroup}]++
		}
	}
	for _, ps := range t.Places {
		for _, p := range ps {
			// A set of n runs that share the same n places claims them all.
			if p.Track == track && len(ps) > 1 && runs[cells{p.FirstGroup, p.LastGroup}] >= len(ps) {
				claim(claimed, p)
			}
		}
	}
	return claimed
}

func claim(claimed []bool, p *Place) {
	for i := p.FirstGroup; i < p.LastGroup; i++ {
		claimed[i] = true
	}
}

// fromStart reports whether group i is the first of a life whose start the log
// holds, but for the server's own warm-up.
func fromStart(track *Track, i, life int) bool {
	if !track.Lives[life].Started || !track.Log.Complete {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		g := track.Groups[j]
		if g.Line < track.Lives[life].From {
			break
		}
		if !g.Own && !g.Probe {
			return false
		}
	}
	return true
}

// bareWindow makes a window of a log that holds traffic but no prefill line:
// nothing was seen there, so nothing is zero.
func (t *Timeline) bareWindow(track *Track) {
	log := track.Log
	damaged := false
	for _, d := range log.Damaged {
		damaged = damaged || d.Class == "prefill"
	}
	bare := log.Decodes > 0 || damaged || len(log.Stats) > 0 || log.Iterations.Len() > 0 || log.Served.Len() > 0
	if len(track.Groups) > 0 || !bare {
		return
	}
	for _, ps := range t.Places {
		for _, p := range ps {
			if p.Track == track {
				return
			}
		}
	}
	from, to := log.Span.Line, log.Span.To
	t.Windows = append(t.Windows, &Window{Track: track, From: from, To: to, Life: len(track.Lives) - 1})
}
