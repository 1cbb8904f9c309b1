package timeline

import (
	"math"
	"slices"
	"sort"

	"coldcase/ingest/capture"
)

// Place is one feasible place of a run on a log: a range of lines between two
// cuts, with the requests seen there.
type Place struct {
	Track               *Track
	FirstCell, LastCell int
	From, To            int // lines
	Life                int
	FirstGroup          int // half-open range of groups
	LastGroup           int
	Posts               int
	// Warm is the number of requests before the measured ones; -1 unknown.
	Warm int
	// Foreign is the number of requests beyond the run's own, by access lines
	// or by sequences; 0 if all are accounted for.
	Foreign int
	// Doubt is the number of further requests that may be another client's:
	// in the place of prompts that were not answered, or of warm-ups whose
	// number nothing tells.
	Doubt int
	// Measured is the first line that can belong to a measured request: what
	// stands before it is warm-up. From Surely on nothing is warm-up; the two
	// differ where the number of warm-ups is not known.
	Measured, Surely int
	// Whole is true if every request of the run has its lines here: counts
	// then have an upper bound.
	Whole bool
	// Loose is true if the place holds more requests than the run sent and
	// nothing else tells of them: it is weighed against places that fit exactly.
	Loose bool
	// Unasked is true if the place holds a flush that the run's client was told
	// not to ask for.
	Unasked bool
	// Stated is true if a person named the place (an excerpt).
	Stated bool

	groups []*Group // built when they are looked at
}

// Groups returns the groups of the place.
func (p *Place) Groups() []*Group {
	if len(p.groups) != p.LastGroup-p.FirstGroup {
		p.groups = make([]*Group, 0, p.LastGroup-p.FirstGroup)
		for i := p.FirstGroup; i < p.LastGroup; i++ {
			p.groups = append(p.groups, p.Track.Group(i))
		}
	}
	return p.groups
}

// requests is the number of requests of a cell: by access lines where the log
// has them, else by sequences.
func (t *Track) requests(c *Cell) int {
	if t.HasAccess {
		return c.Posts
	}
	n := 0
	for _, g := range t.GroupsOf(c.FirstGroup, c.LastGroup) {
		if !g.Probe && !g.Own {
			n += g.Max
		}
	}
	return n
}

// fit builds the place of cells i to j for a run, nil if something speaks
// against it.
func (t *Track) fit(w *Want, i, j, requests int) *Place {
	a, b := t.Cells[i], t.Cells[j]
	p := &Place{
		Track: t, FirstCell: i, LastCell: j, From: a.From, To: b.To, Life: a.Life,
		FirstGroup: a.FirstGroup, LastGroup: b.LastGroup, Posts: requests, Whole: true,
	}
	if life := t.Lives[a.Life]; life.Ready > p.From && life.Ready < p.To {
		// The server's own warm-up is nobody's run.
		p.From = life.Ready
		p.FirstGroup = t.groupsFrom(p.From)
	}
	return p.fitted(w)
}

// fitted draws what follows from the place's lines, and gives nil if they
// speak against the run.
func (p *Place) fitted(w *Want) *Place {
	p.warmups(w)
	p.measured(w)
	p.whole()
	if !p.lasts(w) || !p.flushes(w) || !p.framed() && p.interrupted() {
		return nil
	}
	return p
}

// warmups derives how many of the place's requests came before the measured,
// and how many may be somebody else's.
func (p *Place) warmups(w *Want) {
	p.Warm = -1
	if w.MinWarm == w.MaxWarm {
		p.Warm = w.MinWarm
	} else if p.Posts == w.MinSent {
		p.Warm = 0
	}
	p.Foreign = max(0, p.Posts-w.MaxSent-w.MaxWarm)
	p.Doubt = max(0, p.Posts-p.Foreign-w.MinSent-w.MinWarm)
}

// measured finds the lines from which on requests can be, and must be, measured
// ones.
func (p *Place) measured(w *Want) {
	least, most := w.MinWarm, min(w.MaxWarm, max(w.MinWarm, p.Posts-w.MinSent))
	p.Measured = p.after(w, least)
	p.Surely = p.Measured
	if most > least {
		p.Surely = p.after(w, most)
	}
	if line, ok := p.flushLine(w); ok && p.Warm != 0 {
		p.Measured, p.Surely = line, max(line, p.Surely)
	}
}

// after is the line of the first request after so many others, by access lines
// and by groups.
func (p *Place) after(w *Want, requests int) int {
	if requests == 0 {
		return p.FirstRequest()
	}
	post, ok := p.Track.post(p.From, p.To, requests)
	if !ok {
		post = p.To + 1
	}
	seen := 0
	for _, g := range p.Groups() {
		if g.Own || (g.Probe && !p.shortPrompts(w)) {
			continue
		}
		if seen >= requests {
			// An access line can come late: the group decides.
			return min(post, g.Line)
		}
		seen += g.Max
	}
	return post
}

// FirstRequest is the line of the place's first request, To if it has none.
func (p *Place) FirstRequest() int {
	line, ok := p.Track.post(p.From, p.To, 0)
	if !ok {
		line = p.To
	}
	for _, g := range p.Groups() {
		if !g.Own && !g.Probe {
			return min(line, g.Line)
		}
	}
	return line
}

// LastRequest is the line of the place's last request, From if it has none.
func (p *Place) LastRequest() int {
	line, ok := p.Track.post(p.From, p.To, p.Track.PostsIn(p.From, p.To)-1)
	if !ok {
		line = p.From
	}
	for _, g := range slices.Backward(p.Groups()) {
		if !g.Own && !g.Probe {
			return max(line, g.To)
		}
	}
	return line
}

// shortPrompts reports whether the run's own prompts may look like probes.
func (p *Place) shortPrompts(w *Want) bool {
	in := w.Run.Merged.Workload.InputLen
	return in != nil && *in <= 2
}

// flushLine is the line of a flush inside the place, after its first request,
// where the client was told to flush: the measured requests come after it.
func (p *Place) flushLine(w *Want) (int, bool) {
	if w.FlushAsked == nil || !*w.FlushAsked {
		return 0, false
	}
	for _, f := range p.Track.Log.Flushes {
		if f.Line > p.From && f.Line < p.To && p.Track.requestsBetween(p.From, f.Line-1) {
			return f.Line + 1, true
		}
	}
	return 0, false
}

// whole compares requests with sequences: fewer sequences than requests means
// that lines are missing, more that something else was served.
func (p *Place) whole() {
	log := p.Track.Log
	if !log.Complete {
		p.Whole = false
	}
	for _, d := range log.Damaged {
		if d.Class == "prefill" && d.Line >= p.From && d.Line <= p.To {
			p.Whole = false
		}
	}
	if log.Batches.Len() == 0 || !p.Track.HasAccess {
		return
	}
	least, most := 0, 0
	for _, g := range p.Groups() {
		if g.Own {
			continue
		}
		most += g.Max
		if !g.Probe {
			least += g.Min
		}
	}
	if most < p.Posts {
		p.Whole = false
	}
	if extra := least - p.Posts; extra > 0 && !p.retracted() {
		p.Foreign += extra
	}
}

// retracted reports whether requests were put back and prefilled again.
func (p *Place) retracted() bool {
	for _, m := range p.Track.Log.Marks {
		if m.Kind == capture.MarkRetract && m.Line >= p.From && m.Line <= p.To {
			return true
		}
	}
	return false
}

// lasts holds the place's stamps against the client's duration. Stamps are
// whole seconds; the client's clock runs from before the first send, whose
// access line comes at once, to after the last answer, before its last look-up.
// Look-ups of others, such as a scrape, may follow that one much later.
func (p *Place) lasts(w *Want) bool {
	last, to := p.Track.stampTo(p.LastRequest()), p.Track.stampTo(p.To)
	from, slack := p.Track.postStamp(p.Measured, p.To), 2.0
	if from == 0 {
		// The first prefill line is written after its batch.
		from, slack = p.Track.stampFrom(p.Measured), 4.0
	}
	if w.Duration <= 0 || from == 0 || to == 0 || to < from {
		return true
	}
	slack += 0.1 * w.Duration
	least, most := float64(last-from)/1000, float64(to-from)/1000
	if !p.Track.HasAccess {
		// Of the end nothing is seen but the last prefill; the answers go on,
		// at most until the next request comes.
		most = math.Inf(1)
		if next := p.Track.nextPrefill(p.LastGroup); next != 0 {
			most = float64(next-from) / 1000
		}
	}
	return least-slack <= w.Duration && w.Duration <= most+slack
}

// nextPrefill is the stamp of the first group from i on that is a request, 0 if
// there is none.
func (t *Track) nextPrefill(i int) capture.Stamp {
	for _, g := range t.GroupsOf(i, t.NumGroups()) {
		if !g.Own && !g.Probe {
			return t.stampFrom(g.Line)
		}
	}
	return 0
}

// flushes reports whether the place agrees with what the client was told: a
// client that flushes leaves a line if the log shows flush lines at all.
func (p *Place) flushes(w *Want) bool {
	if w.FlushAsked == nil || !*w.FlushAsked || len(p.Track.Log.Flushes) == 0 {
		return true
	}
	_, ok := p.flushLine(w)
	return ok
}

// framed reports whether one client's own marks open and close the place.
func (p *Place) framed() bool {
	c := p.Track.Cells
	return p.Track.HasAccess && p.FirstCell == p.LastCell && c[p.FirstCell].Start && c[p.LastCell].End
}

// interrupted reports whether a flush that was done lies between measured
// requests: no client flushes there, so these are two runs.
func (p *Place) interrupted() bool {
	for _, f := range p.Track.Log.Flushes {
		if f.Kind == capture.FlushDone && f.Line >= p.Measured && f.Line <= p.To &&
			p.Track.requestsBetween(p.Measured, f.Line-1) && p.Track.requestsBetween(f.Line+1, p.To) {
			return true
		}
	}
	return false
}

// stampFrom is the first stamp of a prefill line at or after a line, stampTo the
// last of any line at or before it; 0 if the log has none.
func (t *Track) stampFrom(line int) capture.Stamp {
	b := &t.Log.Batches
	for i := sort.Search(b.Len(), func(i int) bool { return int(b.At(i).Line) >= line }); i < b.Len(); i++ {
		if s := b.At(i).Stamp; s > 0 {
			return s
		}
	}
	return 0
}

func (t *Track) stampTo(line int) capture.Stamp {
	var at capture.Stamp
	a, b := &t.Log.Access, &t.Log.Batches
	for i := sort.Search(a.Len(), func(i int) bool { return int(a.At(i).Line) > line }) - 1; i >= 0 && at == 0; i-- {
		at = a.At(i).Stamp
	}
	for i := sort.Search(b.Len(), func(i int) bool { return int(b.At(i).Line) > line }) - 1; i >= 0; i-- {
		if s := b.At(i).Stamp; s > 0 {
			return max(at, s)
		}
	}
	return at
}
