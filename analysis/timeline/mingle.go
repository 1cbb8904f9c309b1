package timeline

import "path"

// mingle weighs what no access line tells: on a log that shows requests in its
// prefill lines alone, a stretch with as many sequences as a run sent may still
// hold somebody else's, in the place of some of the run's own further on. Where
// the log holds more sequences than the runs placed on it sent, or a stretch
// ends while requests are running, that many of a place are in doubt, and more
// of the run may follow.
func (t *Timeline) mingle(cells cellFolders) {
	t.strangers(cells)
	for _, track := range t.Tracks {
		if !silent(track, cells) {
			continue
		}
		surplus := track.sequences()
		var here []*Place
		var sent []int
		for i, ps := range t.Places {
			placed := false
			for _, p := range ps {
				if p.Track == track && !p.Stated {
					placed = true
					here = append(here, p)
					sent = append(sent, t.Wants[i].MaxSent)
				}
			}
			if placed {
				surplus -= t.Wants[i].MinSent + t.Wants[i].MinWarm
			}
		}
		for i, p := range here {
			doubt := max(0, surplus)
			if !p.closed() {
				doubt = sent[i]
			}
			if doubt > 0 {
				p.Doubt, p.Whole = max(p.Doubt, min(doubt, sent[i])), false
			}
		}
	}
}

// strangers looks at all logs without access lines together. If they show more
// sequences than all runs can have sent, some run may have had company, and
// then fits nowhere; what fits in its place may be another run's.
func (t *Timeline) strangers(cells cellFolders) {
	surplus := 0
	for _, track := range t.Tracks {
		if silent(track, cells) {
			surplus += track.sequences()
		}
	}
	for i := range t.Wants {
		if t.Wants[i].placeable() {
			surplus -= t.Wants[i].MaxSent + t.Wants[i].MaxWarm
		}
	}
	if surplus <= 0 {
		return
	}
	for i, ps := range t.Places {
		for _, p := range ps {
			t.Wants[i].Maybe = t.Wants[i].Maybe || silent(p.Track, cells) && !p.Stated
		}
	}
}

// silent reports whether a log shows no request but in its prefill lines. The
// slice of a sweep's cell holds one run by its making.
func silent(track *Track, cells cellFolders) bool {
	return !track.HasAccess && !cells[path.Dir(track.Log.File)]
}

// sequences is the least number of requests that a log's prefill lines show,
// the server's own and health checks left out.
func (t *Track) sequences() int {
	n := 0
	for _, g := range t.GroupsOf(0, t.NumGroups()) {
		if !g.Own && !g.Probe {
			n += g.Min
		}
	}
	return n
}

// closed reports whether nothing was running when the next request after the
// place was prefilled.
func (p *Place) closed() bool {
	for _, g := range p.Track.GroupsOf(p.LastGroup, p.Track.NumGroups()) {
		if g.Own || g.Probe {
			continue
		}
		return g.Running == 0 || lifeIndex(p.Track.Lives, g.Line) != p.Life
	}
	return true
}
