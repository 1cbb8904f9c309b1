package timeline

import "slices"

// candidates lists the places of a track that fit a run.
func (t *Track) candidates(w *Want) []*Place {
	if !w.placeable() || (w.Engine != "" && t.Log.Engine != "" && w.Engine != t.Log.Engine) {
		return nil
	}
	if !t.HasAccess {
		return t.stretches(w)
	}
	var exact, loose []*Place
	for i := range t.Cells {
		requests := 0
		for j := i; j < len(t.Cells); j++ {
			if j > i && !t.joins(j-1, requests <= w.MaxWarm) {
				break
			}
			requests += t.requests(t.Cells[j])
			if requests > w.MaxSent+w.MaxWarm {
				if j == i {
					if p := t.fit(w, i, j, requests); p != nil {
						loose = append(loose, p)
					}
				}
				break
			}
			if requests < w.MinSent+w.MinWarm || t.requests(t.Cells[i]) == 0 || t.requests(t.Cells[j]) == 0 {
				continue
			}
			if p := t.fit(w, i, j, requests); p != nil {
				exact = append(exact, p)
			}
		}
	}
	exact = framed(bounded(exact))
	if w.Unfinished {
		// A client that has sent everything and read the server's settings at
		// the end prints its result: those are the lines of another run.
		exact, loose = slices.DeleteFunc(exact, (*Place).framed), nil
	}
	for _, p := range exact {
		p.Unasked = p.unasked(w)
	}
	crowded := w.crowded()
	for _, p := range framedOnly(loose) {
		p.Loose, p.Unasked = !crowded, p.unasked(w)
		exact = append(exact, p)
	}
	return exact
}

// maxStretches bounds the places of one run on a log without access lines.
const maxStretches = 400

// stretches lists the places on a log that shows no request but in its prefill
// lines: any run of groups with as many sequences, that starts while nothing
// else runs, and as many tokens. More than one may fit, and each is kept. How
// many requests an interrupted client sent nothing tells, so that any stretch
// would do, and it would take the lines of others.
func (t *Track) stretches(w *Want) []*Place {
	if w.Unfinished {
		return nil
	}
	var out []*Place
	for i, g := range t.GroupsOf(0, t.NumGroups()) {
		if g.Own || g.Probe || g.Running > 0 {
			continue
		}
		least, most := 0, 0
		var tokens int64
		for j, h := range t.GroupsOf(i, t.NumGroups()) {
			if len(out) == maxStretches {
				return out
			}
			if lifeIndex(t.Lives, h.Line) != lifeIndex(t.Lives, g.Line) || least > w.MaxSent+w.MaxWarm {
				break
			}
			if h.Own || h.Probe {
				continue
			}
			least, most = least+h.Min, most+h.Max
			tokens += h.New + h.Cached
			if most < w.MinSent+w.MinWarm || least > w.MaxSent+w.MaxWarm || tokens < w.MinTokens {
				continue
			}
			p := &Place{
				Track: t, From: g.Line, To: h.To, Life: lifeIndex(t.Lives, g.Line), FirstGroup: i, LastGroup: j + 1,
				Posts: min(most, w.MaxSent+w.MaxWarm), Whole: true,
			}
			if p = p.fitted(w); p != nil {
				out = append(out, p)
			}
		}
	}
	return out
}

// joins reports whether cells j and j+1 may hold one run. A client's last
// look-up ends a run, unless only warm-ups came before it: vLLM's client reads
// the metrics between warm-up and measured requests.
func (t *Track) joins(j int, onlyWarmups bool) bool {
	a, b := t.Cells[j], t.Cells[j+1]
	return a.Life == b.Life && (!a.End || onlyWarmups && !b.Start)
}

// bounded keeps the places whose two ends are seen: without them a part of a
// longer run may fit by chance.
func bounded(ps []*Place) []*Place {
	var out []*Place
	for _, p := range ps {
		if p.Track.opens(p.FirstCell) && p.Track.closes(p.LastCell) {
			out = append(out, p)
		}
	}
	return out
}

// opens reports whether the log shows that nothing of a run lies before a
// cell: a client's first look-up, the end of the run before, a server start; or
// the log has no marks at all, and begins there.
func (t *Track) opens(i int) bool {
	c := t.Cells[i]
	switch {
	case c.Start:
		return true
	case i == 0:
		return t.Lives[0].Started || !t.marked()
	}
	return t.Cells[i-1].End || t.Cells[i-1].Life != c.Life
}

// closes reports the same for the end of a cell.
func (t *Track) closes(j int) bool {
	c := t.Cells[j]
	return c.End || j == len(t.Cells)-1 || t.Cells[j+1].Start || t.Cells[j+1].Life != c.Life
}

// starts reports whether clients leave a mark at their start on this log.
func (t *Track) starts() bool {
	for _, c := range t.Cells {
		if c.Start {
			return true
		}
	}
	return false
}

// marked reports whether clients left marks on this log.
func (t *Track) marked() bool {
	for _, c := range t.Cells {
		if c.Start || c.End {
			return true
		}
	}
	return false
}

// framed keeps the places that client marks frame, if there are any: a client
// that leaves marks leaves them around each of its runs.
func framed(ps []*Place) []*Place {
	if out := framedOnly(ps); out != nil {
		return out
	}
	return ps
}

// framedOnly keeps nothing else: a place that holds more requests than the run
// sent is only believed between a client's own marks.
func framedOnly(ps []*Place) []*Place {
	var out []*Place
	for _, p := range ps {
		c := p.Track.Cells
		begins := c[p.FirstCell].Start || !p.Track.starts() && p.FirstCell > 0 && c[p.FirstCell-1].End
		if p.FirstCell == p.LastCell && begins && c[p.LastCell].End {
			out = append(out, p)
		}
	}
	return out
}
