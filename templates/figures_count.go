package templates

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/confirm"
	"coldcase/templates/figure"
)

// graded words an interval with its grade.
func graded(i carryover.Interval) string {
	if i.High == nil && i.Low == 0 {
		return unknown
	}
	return count(i.Low, i.High) + " (" + grade(i.Grade) + ")"
}

// originFigure draws where the cached prompts of each run came from.
func originFigure(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	parts := []figure.Layer{
		{Name: "earlier run", Color: figure.Warm}, {Name: "another client", Color: figure.Other},
		{Name: "own warm-up", Color: figure.Part}, {Name: "same run", Color: figure.Good},
		{Name: "cached, origin not known", Color: figure.Bad},
		{Name: "not cached", Color: figure.Cold}, {Name: "possible, not known", Color: figure.Open},
	}
	for i := range parts {
		parts[i].Kind = figure.BarX
	}
	f := &figure.Figure{
		ID: "origins", Title: "Prompts of each run by where their prefix was",
		Shows: originSentence(rows),
		N:     barsOf(rows) + " what was cached at start stands at its end, with n and grade.",
		Read:  "Only proved hits are drawn as cached, and only proved misses as not cached. What no evidence decides is drawn as possible, which is neither.",
		Table: figure.Table{Head: []string{"run", "cached at start", "earlier run", "other client", "warm-up", "same run", "origin open", "possible", "not cached"},
			Right: []bool{false, true, true, true, true, true, true, true, true}},
	}
	var names []string
	top := 0.0
	for _, r := range runsOrWindows(rows) {
		o, s := r.Origins, r.Segments
		f.Table.Rows = append(f.Table.Rows, []string{r.Label, r.AtStart(), bounds(o.EarlierRun), bounds(o.OtherClient), bounds(o.WarmUp), bounds(o.InRun), bounds(o.Unknown),
			integer(s.Possible), integer(s.NotCached)})
		if s.Total == 0 {
			continue
		}
		if len(names) == maxDrawn {
			f.Note = partOfRuns
			continue
		}
		y := float64(len(names))
		names = append(names, r.Label)
		lows := []int64{s.EarlierRun, s.OtherClient, s.WarmUp, s.InRun, s.Unknown, s.NotCached, s.Possible}
		at := 0.0
		for i, v := range lows {
			if v == 0 {
				continue
			}
			p := figure.Point{X: at, X2: at + float64(v), Y: y, Inside: integer(v), Tip: fmt.Sprintf("%s: %d %s", r.Label, v, parts[i].Name)}
			at += float64(v)
			parts[i].Points = append(parts[i].Points, p)
		}
		top = math.Max(top, at)
		for i := len(parts) - 1; i >= 0; i-- { // the label stands at the end of the bar
			if n := len(parts[i].Points); n > 0 && parts[i].Points[n-1].Y == y {
				parts[i].Points[n-1].Labels = []string{atStartWords(r)}
				break
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	f.X, f.Y = figure.ValueAxis("prompts", 0, top), figure.CategoryAxis("", names)
	for _, l := range parts {
		if len(l.Points) > 0 {
			f.Layers = append(f.Layers, l)
		}
	}
	return []*figure.Figure{f}
}

// barsOf says what the length of a bar is.
func barsOf(rows []*row) string {
	for _, r := range runsOrWindows(rows) {
		if r.Kind == "window" {
			return "Each bar is as long as the window has sequences;"
		}
	}
	return "Each bar is as long as the run has prompts;"
}

// seedFigure draws what each seed gave at each cap, the kit's runs beside it.
func seedFigure(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	c := nb.Confirmation
	if c == nil || len(c.Ranges) == 0 {
		return nil
	}
	f := &figure.Figure{
		ID: "seeds", Title: "Seeds and caps, with the kit's runs beside them",
		Shows:  seedSentence(byCap(c.Ranges, c.Repeat)),
		N:      "n in the labels is runs, not requests.",
		Read:   "The bar is the range over the runs of one cap, from lowest to highest; with so few runs a range is all that can be said. Hollow marks are single runs.",
		Height: 240,
		Table: figure.Table{Head: []string{"cap", "arm", "n runs", "requests", "lowest, ms", "median, ms", "highest, ms"},
			Right: []bool{true, false, true, true, true, true, true}},
	}
	var names []string
	top := 0.0
	for _, r := range byCap(c.Ranges, c.Repeat) {
		if r.Stat != "median_ttft_ms" {
			continue
		}
		a, known := arms[r.Arm]
		if !known {
			a = look{r.Arm, figure.Open, figure.Disc}
		}
		x := float64(len(names))
		names = append(names, "cap "+strconv.Itoa(r.Cap)+", "+r.Arm)
		tip := fmt.Sprintf("cap %d, %s: median %s ms, %s to %s, n %d", r.Cap, r.Arm, ms(r.Median), ms(r.Low), ms(r.High), r.N)
		f.Table.Rows = append(f.Table.Rows, []string{strconv.Itoa(r.Cap), r.Arm, strconv.Itoa(r.N), number(r.Requests), ms(r.Low), ms(r.Median), ms(r.High)})
		bar := figure.Layer{Color: a.color, Kind: figure.RunY, Points: []figure.Point{{X: x, Y: r.Low, Y2: r.High, Tip: tip}}}
		mid := figure.Layer{Name: a.name, Color: a.color, Kind: figure.Dots, Glyph: a.glyph,
			Points: []figure.Point{{X: x, Y: r.Median, Tip: tip, Doubt: r.Arm == "kit" || r.Arm == "repeat",
				Labels: []string{ms(r.Median) + " ms", spread(r.Low, r.High, r.N)}}}}
		each := figure.Layer{Color: a.color, Kind: figure.Dots, Glyph: figure.Ring}
		for _, v := range r.Values {
			if len(r.Values) > 1 {
				each.Points = append(each.Points, figure.Point{X: x - 0.14, Y: v, Tip: "cap " + strconv.Itoa(r.Cap) + ", " + r.Arm + ": " + ms(v) + " ms"})
			}
		}
		f.Layers = append(f.Layers, bar, each, mid)
		top = math.Max(top, r.High)
	}
	if len(names) == 0 {
		return nil
	}
	f.X, f.Y = figure.CategoryAxis("", names), figure.ValueAxis("median TTFT, ms", 0, top*1.15)
	return []*figure.Figure{f}
}

// byCap puts what is to be compared side by side: the arms of one cap, the kit
// first.
func byCap(ranges, repeat []confirm.Range) []confirm.Range {
	out := append(append([]confirm.Range(nil), ranges...), repeat...)
	order := map[string]int{"kit": 0, "repeat": 1, "fresh": 2, "stated": 3}
	sort.SliceStable(out, func(a, b int) bool {
		if out[a].Cap != out[b].Cap {
			return out[a].Cap < out[b].Cap
		}
		return order[out[a].Arm] < order[out[b].Arm]
	})
	return out
}

func spread(low, high float64, n int) string {
	if n == 1 {
		return "n 1 run, no range"
	}
	return ms(low) + " to " + ms(high) + ", n " + strconv.Itoa(n) + " runs"
}

func number(n int) string {
	if n == 0 {
		return unknown
	}
	return integer(int64(n))
}

// onPurpose is said where the runs of a sweep's repeat arm are left out.
const onPurpose = "Runs that a sweep made warm on purpose are not tested."

// causeFigure draws every cause against every run.
func causeFigure(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	if len(nb.Causes) == 0 {
		return nil
	}
	layers := map[string]*figure.Layer{
		causes.Supported:   {Name: "supported", Color: figure.Bad, Kind: figure.Dots, Glyph: figure.Square},
		causes.Against:     {Name: "against", Color: figure.Muted, Kind: figure.Dots, Glyph: figure.Ring},
		causes.NotTestable: {Name: "not testable here", Color: figure.Part, Kind: figure.Dots, Glyph: figure.Cross},
	}
	f := &figure.Figure{
		ID: "causes", Title: "Every explanation, tested in every run",
		Shows: causeSentence(nb),
		N:     "One mark for each explanation in each run.",
		Read:  "A cross is not an acquittal: the capture does not hold what a test would need.",
		Table: figure.Table{Head: []string{"explanation", "state", "seen"}, Right: []bool{false, false, false}},
	}
	tested := map[string]bool{}
	for _, c := range nb.Causes {
		for _, s := range c.Runs {
			tested[s.Run] = true
		}
	}
	column := map[string]int{}
	var runs, names []string
	for _, r := range rows {
		if r.Kind == "run" && r.Arm == "repeat" && !tested[r.ID] {
			f.Note = onPurpose
			continue
		}
		if r.Kind == "run" && len(runs) < maxDrawn {
			column[r.ID] = len(runs)
			runs = append(runs, r.Label)
		} else if r.Kind == "run" {
			f.Note = strings.TrimSpace(strings.TrimPrefix(f.Note, partOfRuns) + " " + partOfRuns)
		}
	}
	if len(runs) == 0 {
		return nil
	}
	speak := newSpeaker(rows, maxDrawn)
	for i, c := range nb.Causes {
		names = append(names, words(c.Name))
		f.Table.Rows = append(f.Table.Rows, []string{words(c.Name), sign(c.State), speak.Seen(c)})
		for _, s := range c.Runs {
			x, drawn := column[s.Run]
			if l := layers[s.State]; l != nil && drawn {
				l.Points = append(l.Points, figure.Point{X: float64(x), Y: float64(i), Tip: words(c.Name) + ", " + runs[x] + ": " + words(s.State)})
			}
		}
	}
	f.Height = 24 * float64(len(names))
	f.X, f.Y = figure.CategoryAxis("", runs), figure.CategoryAxis("", names)
	for _, s := range []string{causes.Supported, causes.Against, causes.NotTestable} {
		if len(layers[s].Points) > 0 {
			f.Layers = append(f.Layers, *layers[s])
		}
	}
	if len(f.Layers) == 0 {
		return nil
	}
	return []*figure.Figure{f}
}
