package templates

import (
	"fmt"
	"math"
	"strconv"

	"coldcase/analysis"
	"coldcase/templates/figure"
)

const (
	maxIndexed  = 4   // runs drawn prompt by prompt
	maxRequests = 600 // requests of a run drawn one by one
	maxColumns  = 160 // columns of the prefill timeline
)

// indexFigures draws the TTFT of each prompt in the order of the prompt list:
// it shows at once that the first 64 were warm, or that a warm wave was slow.
func indexFigures(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	var out []*figure.Figure
	for _, r := range byConcern(withTimes(rows)) {
		if len(out) == maxIndexed || len(out) > 0 && r.Verdict == "clean" {
			break // clean runs come last, and one of them shows what they look like
		}
		out = append(out, indexFigure(r))
	}
	return out
}

func indexFigure(r *row) *figure.Figure {
	layers := []figure.Layer{
		{Name: "hit or miss not told", Color: figure.Open, Kind: figure.Dots, Glyph: figure.Disc},
		{Name: "miss", Color: figure.Cold, Kind: figure.Dots, Glyph: figure.Cross},
		{Name: "partial hit", Color: figure.Part, Kind: figure.Dots, Glyph: figure.Diamond},
		{Name: "full hit", Color: figure.Warm, Kind: figure.Dots, Glyph: figure.Square},
	}
	which := []int{0, 1, 1, 2, 3} // unknown, miss, trace, partial, full
	top, left := 0.0, ""
	for i, v := range r.Latency.TTFT {
		if i >= maxRequests {
			left = "The first prompts are drawn; the figures and groups are over all of them."
			break
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		l := &layers[which[min(int(hitClass(r.Latency, i)), 4)]]
		l.Points = append(l.Points, figure.Point{X: float64(i + 1), Y: v, Tip: "prompt " + strconv.Itoa(i+1) + ": " + ms(v) + " ms, " + l.Name})
		top = math.Max(top, v)
	}
	f := &figure.Figure{
		ID: "index-" + strconv.Itoa(r.Index+1), Title: "First token by prompt, " + r.Label,
		Shows: indexSentence(r),
		N:     "n " + r.N() + " requests.", Note: left,
		Read:   "Left is prompt 1, the first one sent. Where a run sends the prompts of a shorter run first, what the shorter one left in the cache stands at the left. Requests that start together, one wave, show as a group of the size of the cap." + waveTable(r),
		Height: 210,
		X:      figure.ExactAxis("prompt, in the client's order", 0, float64(min(len(r.Latency.TTFT), maxRequests)+1)),
		Bands:  waveBands(r),
		Y:      figure.ValueAxis("TTFT, ms", 0, top*1.12),
		Table:  figure.Table{Head: []string{"wave", "first prompt", "n", "median, ms", "hits"}, Right: []bool{true, true, true, true, true}},
	}
	for _, w := range r.Latency.Waves {
		f.Table.Rows = append(f.Table.Rows, []string{strconv.Itoa(w.Index + 1), strconv.Itoa(w.First + 1), strconv.Itoa(w.N), ms(w.Median), hits(w.Hits)})
	}
	for _, l := range layers {
		if len(l.Points) > 0 {
			f.Layers = append(f.Layers, l)
		}
	}
	return f
}

// waveBands shades every other wave, where the waves are few and follow each
// other in the client's list.
func waveBands(r *row) []figure.Band {
	var out []figure.Band
	next := 0
	for i, w := range r.Latency.Waves {
		if w.First != next || len(r.Latency.Waves) > maxDrawn {
			return nil
		}
		next = w.First + w.N
		out = append(out, figure.Band{From: float64(w.First) + 0.5, To: float64(min(next, maxRequests)) + 0.5, Label: "wave " + strconv.Itoa(w.Index+1), Shaded: i%2 == 0})
		if next > maxRequests {
			break
		}
	}
	return out
}

// waveTable says what the table below the chart has, or why it has none.
func waveTable(r *row) string {
	switch {
	case len(r.Latency.Waves) > 0:
		return " The table has one row for each wave, not for each prompt."
	case r.cap0() == 1:
		return " At cap 1 each request is sent alone: there are no waves to list."
	}
	return " No waves can be told apart in this run, so there is no table of them."
}

// column is one column of the timeline: a batch, or several drawn together.
type column struct {
	name        string
	fresh, warm int
}

// timelineFigure draws what each prefill batch computed and what it found in
// the cache, run after run.
func timelineFigure(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	total := 0
	for _, r := range rows {
		total += len(nb.Timeline[r.ID])
	}
	if total == 0 {
		return nil
	}
	f := &figure.Figure{
		ID: "timeline", Title: "Prefill batches: tokens computed and tokens found",
		Shows:  timelineSentence(rows),
		N:      "One column a batch.",
		Read:   "Time runs to the right, in the order of the log's lines; the number below a column is its line. A run that starts on an empty cache begins with computed tokens only.",
		Height: 230,
		Table:  figure.Table{Head: []string{"run", "sequences", "tokens from the cache", "cached at start"}, Right: []bool{false, true, true, true}},
	}
	group := (total + maxColumns - 1) / maxColumns
	if group > 1 {
		f.N = "One column is several neighbouring batches of a run, drawn together."
	}
	var names []string
	fresh := figure.Layer{Name: "computed", Color: figure.Cold, Kind: figure.BarY}
	warm := figure.Layer{Name: "found in the cache", Color: figure.Warm, Kind: figure.BarY}
	top := 0.0
	for k, r := range rows {
		columns, marks := timelineColumns(nb.Timeline[r.ID], group)
		if len(columns) == 0 {
			continue
		}
		first := float64(len(names))
		for _, c := range columns {
			x := float64(len(names))
			names = append(names, c.name)
			tip := fmt.Sprintf("%s, line %s: %d computed, %d found in the cache", r.Label, c.name, c.fresh, c.warm)
			fresh.Points = append(fresh.Points, figure.Point{X: x, Y2: float64(c.fresh), Tip: tip})
			warm.Points = append(warm.Points, figure.Point{X: x, Y: float64(c.fresh), Y2: float64(c.fresh + c.warm), Tip: tip})
			top = math.Max(top, float64(c.fresh+c.warm))
		}
		f.Bands = append(f.Bands, figure.Band{From: first - 0.5, To: float64(len(names)) - 0.5, Label: r.Label, Shaded: k%2 == 0})
		for _, m := range marks {
			f.Lines = append(f.Lines, figure.Line{X: first + m.at - 0.5, Label: m.label, Glyph: markGlyphs[m.label]})
		}
		f.Table.Rows = append(f.Table.Rows, []string{r.Label, graded(r.Sequences), graded(r.CachedTokens), r.AtStart()})
	}
	f.X, f.Y = figure.CategoryAxis("line of the log", names), figure.ValueAxis("tokens", 0, top*1.15)
	f.Layers = []figure.Layer{fresh, warm}
	return []*figure.Figure{f}
}

// markGlyphs stand on what empties the cache; a warm-up does not.
var markGlyphs = map[string]figure.Glyph{"flush": figure.Triangle, "start": figure.Square}

type mark struct {
	at    float64
	label string
}

func timelineColumns(batches []analysis.TimelineBatch, group int) (columns []column, marks []mark) {
	inColumn := 0
	for _, b := range batches {
		switch b.Kind {
		case "flush", "start":
			marks = append(marks, mark{float64(len(columns)), b.Kind})
			inColumn = 0
			continue
		case "warm-up":
			marks = append(marks, mark{float64(len(columns)), "warm-up"})
			inColumn = 0
		}
		if inColumn == 0 {
			columns = append(columns, column{name: strconv.Itoa(b.Line)})
		}
		c := &columns[len(columns)-1]
		c.fresh += b.New
		c.warm += b.Cached
		inColumn = (inColumn + 1) % group
		if b.Kind == "warm-up" {
			inColumn = 0
		}
	}
	return columns, marks
}
