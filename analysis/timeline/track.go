package timeline

import (
	"sort"
	"sync"

	"coldcase/ingest/capture"
)

// Track is one server log prepared for placing: its lives, the groups of its
// prefill lines, and the cells between the marks of clients.
type Track struct {
	Index int // into Capture.Logs
	Log   *capture.ServerLog
	Lives []*Life
	Cells []*Cell
	// HasAccess is false if the log shows no request at all: then requests
	// are counted from prefill lines.
	HasAccess bool
	// Ranks is the number of data-parallel ranks that the log shows, 1 if it
	// names none.
	Ranks int

	groups grouping
	posts  posts
}

// Cell is a stretch of a log between two marks: the place of one run, of a
// part of one, or of nothing.
type Cell struct {
	From, To int
	Life     int
	// Start and End say that a client's look-ups open or close the cell.
	Start, End bool
	// Posts is the number of requests by access lines.
	Posts int
	// FirstGroup and LastGroup are the half-open range of groups.
	FirstGroup, LastGroup int
}

// mark is a cut between cells.
type mark struct {
	line int
	end  bool // a client's last look-up; else its first
	life bool // a server start
}

// NewTrack prepares log index of the capture.
func NewTrack(index int, log *capture.ServerLog) *Track {
	t := &Track{Index: index, Log: log, Lives: lives(log)}
	var wg sync.WaitGroup // a large log is walked through by two
	wg.Go(func() { t.groups = groups(log, t.Lives) })
	t.posts = postsOf(log, t.Lives)
	t.HasAccess = t.posts.n > 0
	t.Ranks = dataRanks(log)
	wg.Wait()
	t.cut()
	return t
}

// dataRanks counts the data-parallel ranks that lines name.
func dataRanks(log *capture.ServerLog) int {
	seen := map[int8]bool{}
	last := capture.NoRank.DP
	for _, b := range log.Batches.All() {
		if b.Rank.DP != last { // a map write for each line would cost more than all the rest
			last = b.Rank.DP
			seen[last] = true
		}
	}
	for _, f := range log.Flushes {
		seen[f.Rank.DP] = true
	}
	delete(seen, capture.NoRank.DP)
	return max(1, len(seen))
}

func generation(p capture.Path) bool {
	return p == capture.PathGenerate || p == capture.PathCompletions || p == capture.PathChat
}

// marks lists the cuts of a log in order of line.
func (t *Track) marks() []mark {
	var ms []mark
	for _, a := range t.Log.Access.All() {
		switch a.Path {
		case capture.PathModels, capture.PathModelInfo, capture.PathTokenize:
			ms = append(ms, mark{line: int(a.Line)})
		case capture.PathServerInfo:
			ms = append(ms, mark{line: int(a.To), end: true})
		case capture.PathMetrics, capture.PathFlush:
			// vLLM's client reads the metrics right before and after the
			// measured requests, and a reset is never inside a run there.
			if t.Log.Engine == "vllm" {
				ms = append(ms, mark{line: int(a.To), end: true})
			}
		}
	}
	for _, l := range t.Lives[1:] {
		ms = append(ms, mark{line: l.From, life: true})
	}
	sort.SliceStable(ms, func(i, j int) bool { return ms[i].line < ms[j].line })
	return ms
}

// cut divides the track into cells at its marks.
func (t *Track) cut() {
	from := t.Log.Span.Line
	start := false
	add := func(to int, end bool) {
		if to < from {
			return
		}
		c := &Cell{From: from, To: to, Start: start, End: end}
		t.fill(c)
		t.Cells = append(t.Cells, c)
		from, start = to+1, false
	}
	for _, m := range t.marks() {
		busy := t.requestsBetween(from, m.line-1)
		switch {
		case m.end && busy:
			add(m.line, true)
		case m.end && !start && len(t.Cells) > 0:
			// One more look-up at the end of the same run.
			t.Cells[len(t.Cells)-1].To = m.line
			from = m.line + 1
		case m.end:
			// A client that has announced itself reads before it sends.
		case m.life:
			add(m.line-1, false)
		case busy:
			add(m.line-1, false)
			start = true
		default:
			start = true
		}
	}
	add(t.Log.Span.To, false)
}

func (t *Track) requestsBetween(from, to int) bool {
	return t.PostsIn(from, to) > 0 || t.groupsFrom(from) < t.groupsFrom(to+1)
}

// groupsFrom is the index of the first group that starts at or after a line.
func (t *Track) groupsFrom(line int) int {
	return sort.Search(len(t.groups.first), func(i int) bool {
		return int(t.Log.Batches.At(int(t.groups.first[i])).Line) >= line
	})
}

func (t *Track) fill(c *Cell) {
	c.FirstGroup, c.LastGroup = t.groupsFrom(c.From), t.groupsFrom(c.To+1)
	c.Posts = t.PostsIn(c.From, c.To)
	c.Life = lifeIndex(t.Lives, c.From)
}
