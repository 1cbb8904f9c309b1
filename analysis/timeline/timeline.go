package timeline

import (
	"slices"
	"sort"
	"strings"

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
		cands[i] = t.atTarget(c.Runs[i], cands[i])
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

// atTarget drops places on a server of another port than the one that the
// client talked to, if the capture shows a server of that port. Ports alone
// prove nothing: a container may map them.
func (t *Timeline) atTarget(r *capture.Run, ps []*Place) []*Place {
	target := r.Merged.Workload.Target
	port := target[strings.LastIndexByte(target, ':')+1:]
	if port == "" || port == target {
		return ps
	}
	seen := false
	for _, track := range t.Tracks {
		for _, l := range track.Lives {
			seen = seen || l.port() == port
		}
	}
	if !seen {
		return ps
	}
	return slices.DeleteFunc(ps, func(p *Place) bool {
		own := p.Track.Lives[p.Life].port()
		return own != "" && own != port
	})
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
				Track: track, From: from, To: to, Measured: from, Surely: from, Warm: 0, Stated: true,
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

// windows collects the groups, and the damaged prefill lines, that no run
// claims in every placement.
func (t *Timeline) windows() {
	for _, track := range t.Tracks {
		claimed := t.claims(track)
		var w *Window
		for _, e := range track.prefills() {
			if e.group >= 0 && (claimed[e.group] || track.Groups[e.group].Own) || e.group < 0 && t.claimedLine(track, e.from) {
				w = nil
				continue
			}
			life := lifeIndex(track.Lives, e.from)
			if w == nil || w.Life != life {
				w = &Window{Track: track, From: e.from, Life: life, FirstGroup: e.next, LastGroup: e.next}
				w.FromStart = fromStart(track, e.next, life)
				t.Windows = append(t.Windows, w)
			}
			w.To = e.to
			if e.group >= 0 {
				w.LastGroup = e.group + 1
			}
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

// prefill is a group, or a damaged prefill line (group -1); next is the index
// of the first group at or after it.
type prefill struct{ from, to, group, next int }

// prefills lists groups and damaged prefill lines in order of lines.
func (t *Track) prefills() []prefill {
	var out []prefill
	for i, g := range t.Groups {
		out = append(out, prefill{g.Line, g.To, i, i})
	}
	for _, d := range t.Log.Damaged {
		if d.Class == "prefill" {
			out = append(out, prefill{d.Line, d.Line, -1, t.groupsFrom(d.Line)})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

// claimedLine reports whether a line lies in the one place of some run.
func (t *Timeline) claimedLine(track *Track, line int) bool {
	for i, ps := range t.Places {
		if len(ps) == 1 && !t.Wants[i].Maybe && ps[0].Track == track && line >= ps[0].From && line <= ps[0].To {
			return true
		}
	}
	return false
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
	if len(track.prefills()) > 0 {
		return
	}
	bare := log.Decodes > 0 || len(log.Stats) > 0 || log.Iterations.Len() > 0 || log.Served.Len() > 0
	if !bare {
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
