package timeline

import (
	"slices"
	"sort"

	"coldcase/ingest/capture"
)

// windows collects the groups, and the damaged prefill lines, that no run
// claims in every placement.
func (t *Timeline) windows() {
	for _, track := range t.Tracks {
		w := &windower{t: t, track: track, claimed: t.claims(track)}
		damaged := damagedPrefills(track.Log)
		for i := 0; i < track.NumGroups(); {
			from, _ := track.edges(i)
			for len(damaged) > 0 && damaged[0] < from {
				w.damaged(damaged[0], i)
				damaged = damaged[1:]
			}
			next := w.alike(i, from, damaged)
			w.groups(i, next)
			i = next
		}
		for _, line := range damaged {
			w.damaged(line, track.NumGroups())
		}
		t.bareWindow(track)
	}
	for _, w := range t.Windows {
		w.Perhaps = t.maybeAt(w)
	}
	sort.SliceStable(t.Windows, func(i, j int) bool {
		a, b := t.Windows[i], t.Windows[j]
		if a.Track.Log.File != b.Track.Log.File {
			return a.Track.Log.File < b.Track.Log.File
		}
		return a.From < b.From
	})
}

// windower builds the windows of one track from its prefill lines, in order.
type windower struct {
	t       *Timeline
	track   *Track
	claimed []bool // by group
	open    *Window
}

// alike returns the end of the groups from i on that belong together with group
// i, which starts at a line: in one life, claimed or not, before or behind its
// ready line, with no damaged line between them.
func (w *windower) alike(i, line int, damaged []int) int {
	life := lifeIndex(w.track.Lives, line)
	last := w.track.Log.Span.To
	if life+1 < len(w.track.Lives) {
		last = w.track.Lives[life+1].From - 1
	}
	if ready := w.track.Lives[life].Ready; line < ready {
		last = min(last, ready-1)
	}
	if len(damaged) > 0 {
		last = min(last, damaged[0])
	}
	end := w.track.groupsFrom(last + 1)
	next := i + 1
	for next < end && w.claimed[next] == w.claimed[i] {
		next++
	}
	return next
}

// groups takes groups that belong together.
func (w *windower) groups(i, next int) {
	from, _ := w.track.edges(i)
	_, to := w.track.edges(next - 1)
	if life := lifeAt(w.track.Lives, from); w.claimed[i] || from < life.Ready {
		w.open = nil
		return
	}
	w.extend(from, to, i)
	w.open.LastGroup = next
}

// damaged takes a damaged line in front of group next.
func (w *windower) damaged(line, next int) {
	if w.t.claimedLine(w.track, line) {
		w.open = nil
		return
	}
	w.extend(line, line, next)
}

func (w *windower) extend(from, to, next int) {
	life := lifeIndex(w.track.Lives, from)
	if w.open == nil || w.open.Life != life {
		w.open = &Window{Track: w.track, From: from, Life: life, FirstGroup: next, LastGroup: next}
		w.open.FromStart = fromStart(w.track, next, life)
		w.t.Windows = append(w.t.Windows, w.open)
	}
	w.open.To = to
}

// damagedPrefills are the lines of damaged prefill lines, in order.
func damagedPrefills(log *capture.ServerLog) []int {
	var out []int
	for _, d := range log.Damaged {
		if d.Class == "prefill" {
			out = append(out, d.Line)
		}
	}
	sort.Ints(out)
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

// maybeAt names the runs whose lines a window may hold: one of their feasible
// places meets it, or no line of any log fits them.
func (t *Timeline) maybeAt(w *Window) []string {
	var out []string
	for i, ps := range t.Places {
		meets := slices.ContainsFunc(ps, func(p *Place) bool {
			return p.Track == w.Track && p.From <= w.To && p.To >= w.From
		})
		engine, here := t.Wants[i].Engine, w.Track.Log.Engine
		if meets || len(ps) == 0 && (engine == "" || here == "" || engine == here) {
			out = append(out, t.Wants[i].Run.ID)
		}
	}
	return out
}

// claims marks the groups that lie in some run's place in every placement:
// groups in a place of a run with one place, and groups in the places of
// several runs that are only told apart by permutation.
func (t *Timeline) claims(track *Track) []bool {
	claimed := make([]bool, track.NumGroups())
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
		g := track.Group(j)
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
	if track.NumGroups() > 0 || len(damagedPrefills(log)) > 0 {
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
