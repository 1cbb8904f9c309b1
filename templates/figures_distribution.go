package templates

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/latency"
	"coldcase/templates/figure"
)

const (
	maxSplit  = 3 // runs whose hits and misses are drawn apart
	maxOnLine = 4 // lines that bear their name beside the legend's
)

// ecdfFigures draws the share of requests answered below a time: all runs
// beside each other, then hits and misses apart where a witness names them.
func ecdfFigures(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	f := &figure.Figure{
		ID: "ecdf", Title: "Distribution of the time to first token",
		Shows: distributionSentence(rows),
		Read:  "Follow a line to the right: at each step one request gets its first token. Where it is flat no request falls; a median on a flat stretch can jump from one group to the other.",
		Y:     figure.Axis{Label: "share of requests", Min: 0, Max: 1, Step: 0.2},
		Table: quantileTable(),
	}
	top := 0.0
	var marks []figure.Layer
	for _, r := range withTimes(rows) {
		f.Table.Rows = append(f.Table.Rows, quantileRow(r))
		if len(f.Layers) == maxDrawn {
			f.Note = partOfRuns
			continue
		}
		values := sorted(r.Latency.TTFT, nil)
		top = math.Max(top, values[len(values)-1])
		l := stairs(values)
		l.Name, l.Color = r.Label+", n "+r.N(), figure.Lines[len(f.Layers)%len(figure.Lines)]
		if m, ok := r.Figure("median_ttft_ms"); ok {
			l.Name += ", median " + ms(m.Value) + " ms"
			l.Glyph = lineGlyphs[len(f.Layers)%len(lineGlyphs)]
			marks = append(marks, figure.Layer{Color: l.Color, Tinted: true, Kind: figure.Dots, Glyph: l.Glyph, Points: []figure.Point{
				{X: m.Value, Y: 0.5, Labels: []string{r.Label}, Tip: r.Label + ": median " + ms(m.Value) + " ms, n " + r.N()}}})
			top = math.Max(top, m.Value)
		}
		l.Dashed = len(f.Layers) >= len(figure.Lines)
		f.Layers = append(f.Layers, l)
	}
	if len(f.Layers) == 0 {
		return nil
	}
	if len(marks) > maxOnLine { // the legend has their names
		for i := range marks {
			marks[i].Points[0].Labels = nil
		}
	}
	f.Layers = append(f.Layers, marks...)
	f.N = "n stands in the legend, and the mark on a line is its median; failed requests have no first token and are not drawn."
	f.X = figure.ValueAxis("time to first token, ms", 0, top)
	out := []*figure.Figure{f}
	for _, r := range byConcern(withTimes(rows)) {
		if s := splitFigure(r); s != nil && len(out) <= maxSplit && r.Verdict != "clean" {
			out = append(out, s)
		}
	}
	return out
}

// lineGlyphs are the marks of the medians: with seven of them and six colours
// no two of the lines that are drawn look alike.
var lineGlyphs = []figure.Glyph{figure.Ring, figure.Square, figure.Diamond, figure.Disc, figure.Triangle, figure.Cross, figure.Tick}

// splitFigure draws the hits and the misses of one run apart; nil if no
// witness tells them per prompt, or if there is only one kind.
func splitFigure(r *row) *figure.Figure {
	hits := sorted(r.Latency.TTFT, func(i int) bool { return isHit(r.Latency, i) })
	misses := sorted(r.Latency.TTFT, func(i int) bool { return hitClass(r.Latency, i) != hitUnknown && !isHit(r.Latency, i) })
	if len(hits) == 0 || len(misses) == 0 {
		return nil
	}
	warm, cold := stairs(hits), stairs(misses)
	warm.Name, warm.Color = "hits (full or partial)", figure.Warm
	cold.Name, cold.Color, cold.Dashed = "misses", figure.Cold, true
	return &figure.Figure{
		ID: "ecdf-split-" + strconv.Itoa(r.Index+1), Title: "Hits and misses apart, " + r.Label,
		Shows:  splitSentence(r),
		N:      "n " + r.N() + " requests; the witness names the tokens of each prompt (grade per prompt).",
		Read:   "If the two lines stand apart, hits and misses differ in time. If they lie on each other or are swapped, the cache did not make the groups. A few fast misses are no contradiction: the first request of a wave finds the server idle, waits for nobody and is prefilled alone.",
		X:      figure.ValueAxis("time to first token, ms", 0, math.Max(hits[len(hits)-1], misses[len(misses)-1])),
		Y:      figure.Axis{Label: "share of hits, and of misses", Min: 0, Max: 1, Step: 0.2},
		Height: 200, Layers: []figure.Layer{warm, cold}, Table: groupTable(r),
	}
}

const hitUnknown = 0

func hitClass(l *latency.Run, i int) uint8 {
	if i >= len(l.Hits) {
		return hitUnknown
	}
	return l.Hits[i]
}

// isHit reports a partial or a full hit; a trace is none.
func isHit(l *latency.Run, i int) bool { return hitClass(l, i) >= 3 }

func withTimes(rows []*row) []*row {
	var out []*row
	for _, r := range rows {
		if r.Latency != nil && len(sorted(r.Latency.TTFT, nil)) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// sorted returns the finite values of the requests that keep accepts, rising.
func sorted(values []float64, keep func(i int) bool) []float64 {
	var out []float64
	for i, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) && (keep == nil || keep(i)) {
			out = append(out, v)
		}
	}
	sort.Float64s(out)
	return out
}

// stairs is the empirical distribution of sorted values: it starts at share 0
// at the smallest value and steps up at each.
func stairs(values []float64) figure.Layer {
	l := figure.Layer{Kind: figure.Step, Points: []figure.Point{{X: values[0], Y: 0}}}
	n := float64(len(values))
	for i, v := range values {
		if i+1 < len(values) && values[i+1] == v {
			continue // equal values are one step
		}
		l.Points = append(l.Points, figure.Point{X: v, Y: float64(i+1) / n})
	}
	return l
}

func quantileTable() figure.Table {
	return figure.Table{Head: []string{"run", "n", "median", "mean", "P90", "P99"}, Right: []bool{false, true, true, true, true, true}}
}

func quantileRow(r *row) []string {
	return []string{r.Label, r.N(), r.Ms("median_ttft_ms"), r.Ms("mean_ttft_ms"), r.Allowed("p90_ttft_ms"), r.Allowed("p99_ttft_ms")}
}

func groupTable(r *row) figure.Table {
	t := figure.Table{Head: []string{"group", "n", "from, ms", "to, ms", "median, ms", "hits"}, Right: []bool{false, true, true, true, true, true}}
	for _, g := range r.Latency.Groups {
		t.Rows = append(t.Rows, []string{g.Name, integer(int64(g.N)), ms(g.Low), ms(g.High), ms(g.Median), hits(g.Hits)})
	}
	return t
}

func hits(n int) string {
	if n < 0 {
		return unknown
	}
	return integer(int64(n))
}

// apartFigure draws the groups of first-token times and where the printed
// figures fall among them.
func apartFigure(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	f := &figure.Figure{
		ID: "apart", Title: "In which group each printed figure sits",
		Shows: apartSentence(rows),
		N:     "n of each group stands at it.",
		Read:  "A band is one group, from its fastest to its slowest request; a diamond is a group that lies on one time. A stroke is a figure that the client printed. A median on the edge of a group says little about either.",
		Table: figure.Table{Head: []string{"run", "printed figure", "ms", "sits in", "known by"}, Right: []bool{false, false, true, false, false}},
	}
	bands := figure.Layer{Name: "group of requests", Color: figure.Open, Kind: figure.RunX}
	ticks := figure.Layer{Name: "printed figure", Color: figure.Ink, Kind: figure.Dots, Glyph: figure.Tick}
	var names, whole []string
	top := 0.0
	for _, r := range byConcern(rows) {
		groups := groupsOf(r)
		if len(groups) == 0 {
			if r.Latency != nil {
				whole = append(whole, r.Label)
			}
			continue
		}
		for _, s := range r.Latency.SitsIn {
			f.Table.Rows = append(f.Table.Rows, []string{r.Label, statistic(s.Figure), ms(s.Value), s.Group, s.By})
		}
		if len(names) == maxDrawn/2 {
			f.Note = partOfRuns
			continue
		}
		y := float64(len(names))
		names = append(names, r.Label)
		for _, g := range groups {
			bands.Points = append(bands.Points, figure.Point{X: g.Low, X2: g.High, Y: y,
				Labels: []string{g.Name + ", n " + integer(int64(g.N))},
				Tip:    r.Label + ": " + g.Name + ", n " + integer(int64(g.N)) + ", " + ms(g.Low) + " to " + ms(g.High) + " ms (" + g.By + ")"})
			top = math.Max(top, g.High)
		}
		for _, s := range r.Latency.SitsIn {
			if !ttft(s.Figure) {
				continue
			}
			ticks.Points = append(ticks.Points, figure.Point{X: s.Value, Y: y, In: s.Group, Labels: []string{short(s.Figure)},
				Tip: r.Label + ": " + statistic(s.Figure) + " " + ms(s.Value) + " ms sits in " + s.Group})
			top = math.Max(top, s.Value)
		}
	}
	if len(names) == 0 {
		return nil
	}
	if len(whole) > 0 && len(whole) <= maxDrawn {
		f.Note = strings.TrimSpace(f.Note + " Not drawn, since no groups are told apart: " + strings.Join(whole, ", ") + ".")
	}
	f.Height = 76 * float64(len(names))
	f.X, f.Y = figure.ValueAxis("time to first token, ms", 0, top*1.05), figure.CategoryAxis("", names)
	f.Layers = []figure.Layer{bands, ticks}
	return []*figure.Figure{f}
}

func groupsOf(r *row) []latency.Group {
	if r.Latency == nil {
		return nil
	}
	if len(r.Latency.Groups) == 0 && r.Latency.Apart != nil {
		return r.Latency.Apart.Groups
	}
	return r.Latency.Groups
}
