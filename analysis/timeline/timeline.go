package timeline

import (
	"iter"
	"slices"
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

	starts int // server starts that the logs show
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
	// Perhaps names the runs of which one of several feasible places meets
	// the window: its lines may be theirs.
	Perhaps []string
}

// Groups yields the groups of the window.
func (w *Window) Groups() iter.Seq2[int, *Group] { return w.Track.GroupsOf(w.FirstGroup, w.LastGroup) }

// Build puts a capture into time.
func Build(c *capture.Capture) *Timeline {
	t := &Timeline{}
	starts := 0
	for i, log := range c.Logs {
		t.Tracks = append(t.Tracks, NewTrack(i, log))
		starts += len(log.Starts)
	}
	t.starts = starts
	t.Order = orderRuns(c, starts, true)
	for _, r := range c.Runs {
		t.Wants = append(t.Wants, wantOf(r))
	}
	t.place(c)
	t.mingle(foldersOf(c))
	t.sequence(len(c.Runs))
	t.windows()
	return t
}

// place finds the places of all runs.
func (t *Timeline) place(c *capture.Capture) {
	cands := make([][]*Place, len(c.Runs))
	cells := foldersOf(c)
	for i := range c.Runs {
		if p := t.stated(c.Runs[i]); p != nil {
			cands[i] = []*Place{p}
			continue
		}
		for _, track := range t.Tracks {
			if len(track.Log.Excerpts) > 0 || !cells.holds(track.Log, c.Runs[i]) {
				continue
			}
			cands[i] = append(cands[i], track.candidates(&t.Wants[i])...)
		}
		cands[i] = atTime(c.Runs[i], atServer(c.Runs[i], t.atTarget(c.Runs[i], cands[i])))
	}
	found, ok := t.assigned(c, cands)
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
	bySameFile(t.Order, c.Runs) // of files that the logs do not contradict
	byCommands(t.Order, c.Runs)
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
