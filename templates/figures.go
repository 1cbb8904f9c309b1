package templates

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"coldcase/analysis"
	"coldcase/templates/figure"
)

// maxDrawn bounds the runs drawn side by side in one chart; its table and the
// sections hold all of them, and the chart says so.
const maxDrawn = 12

// figuresOf builds every chart of a notebook, in the order of the walkthrough.
func figuresOf(nb *analysis.Notebook) []*figure.Figure {
	return buildFigures(nb, rows(nb))
}

func buildFigures(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	var out []*figure.Figure
	for _, build := range []func(*analysis.Notebook, []*row) []*figure.Figure{
		medianFigure, ecdfFigures, apartFigure, indexFigures, timelineFigure, originFigure, seedFigure, causeFigure,
	} {
		out = append(out, build(nb, rows)...)
	}
	return out
}

const partOfRuns = "Only the first runs are drawn; the table has every run."

// medianFigure draws the median TTFT over the cap, each run's mark filled to
// the share of its prompts that was proved cached at start.
func medianFigure(nb *analysis.Notebook, rows []*row) []*figure.Figure {
	names, index := caps(rows)
	if len(names) == 0 {
		return nil
	}
	f := &figure.Figure{
		ID: "medians", Title: "Median time to first token by concurrency cap",
		Read: "Each mark is one run. Its fill is the share of prompts proved to be cached at start; a question mark is a share that is not known, which is not zero.",
		X:    figure.CategoryAxis("concurrency cap", names),
		Table: figure.Table{Head: []string{"run", "n", "median TTFT, ms", "cached at start", "state"},
			Right: []bool{false, true, true, true, false}},
	}
	marks := map[string]*figure.Layer{
		"clean":        {Name: "clean run", Color: figure.Cold, Kind: figure.Dots, Glyph: figure.Ring},
		"contaminated": {Name: "contaminated run, filled to its cached share", Color: figure.Warm, Kind: figure.Dots},
		"repeat":       {Name: "warm on purpose, filled to its cached share", Color: figure.Other, Kind: figure.Dots},
		"unknown":      {Name: "run not known to be clean", Color: figure.Open, Kind: figure.Dots, Glyph: figure.Ring},
	}
	thread := figure.Layer{Kind: figure.Path, Dashed: true, Color: figure.Open}
	perCap := map[int][]*row{}
	for _, r := range rows {
		if _, ok := r.Figure("median_ttft_ms"); ok {
			at := index[r.cap0()]
			perCap[at] = append(perCap[at], r)
		}
	}
	top, drawn, single := 0.0, 0, true
	for at := range names {
		single = single && len(perCap[at]) == 1
		for k, r := range perCap[at] {
			m, _ := r.Figure("median_ttft_ms")
			p := figure.Point{X: float64(at) + beside(k, len(perCap[at])), Y: m.Value, Share: r.Share(), Doubt: r.Verdict == "contaminated",
				Tip: r.Label + ": median TTFT " + ms(m.Value) + " ms, n " + r.N() + ", cached at start " + r.AtStart()}
			p.Unknown = p.Share == nil
			if len(rows) <= maxLabelled {
				p.Labels = []string{ms(m.Value) + " ms, n " + r.N(), cachedShort(r)}
				if len(perCap[at]) > 1 { // say which of the runs of this cap
					p.Labels = []string{p.Labels[0], strings.TrimPrefix(r.Label, "cap "+capText(r.MaxConcurrency)+" "), p.Labels[1]}
				}
			}
			l := marks[r.Verdict]
			if l == nil {
				l = marks["unknown"]
			}
			if r.Arm == "repeat" && p.Doubt {
				l, p.Doubt = marks["repeat"], false
			}
			l.Points = append(l.Points, p)
			thread.Points = append(thread.Points, figure.Point{X: p.X, Y: p.Y})
			top = math.Max(top, m.Value)
			drawn++
			f.Table.Rows = append(f.Table.Rows, []string{r.Label, r.N(), ms(m.Value), r.AtStart(), r.State()})
		}
	}
	if drawn == 0 {
		return nil
	}
	if len(rows) > maxLabelled {
		f.Note = "Too many runs for a label at each; the table has every run."
	}
	if single && drawn > 1 {
		f.Layers = append(f.Layers, thread)
	}
	fresh, high := rangeLayers(nb, index, perCap)
	f.Layers = append(f.Layers, fresh...)
	for _, verdict := range []string{"clean", "unknown", "repeat", "contaminated"} {
		if len(marks[verdict].Points) > 0 {
			f.Layers = append(f.Layers, *marks[verdict])
		}
	}
	f.Y = figure.ValueAxis("median TTFT, ms", 0, math.Max(top, high)*1.22)
	f.N = "One mark a run; n is the number of requests behind its median."
	f.Shows = medianSentence(nb, names, perCap)
	return []*figure.Figure{f}
}

// maxLabelled bounds the runs that get a label of their own.
const maxLabelled = 40

// beside sets the k-th of n marks of one cap beside the others, in order.
func beside(k, n int) float64 {
	step := math.Min(0.24, 0.84/float64(n))
	return step * (float64(k) - float64(n-1)/2)
}

// inversionFact is the fact of an inversion without what is thought of it.
func inversionFact(nb *analysis.Notebook) string {
	i := nb.Inversion
	if len(i.Values) != 2 || len(i.Caps) != 2 { // several runs a cap: the text has their ranges
		fact, _, _ := strings.Cut(i.Text, ";")
		return sentence(speaker{}.Say(fact))
	}
	return fmt.Sprintf("The %s falls from %s ms at cap %d to %s ms at cap %d.",
		statistic(i.Statistic), ms(i.Values[0]), i.Caps[0], ms(i.Values[1]), i.Caps[1])
}

func cachedShort(r *row) string {
	if r.AtStart0() == nil {
		s := "cached: " + unknown
		if len(r.Claims) > 0 {
			s += "; " + integer(int64(r.Claims[0].Prompts)) + " claimed"
		}
		return s
	}
	return count(r.Run.AtStart.Low, r.Run.AtStart.High) + of(r.Run) + " cached"
}

// noCap names the place of runs whose cap is not known.
const noCap = "no cap known"

// caps lists the caps of the runs in rising order, as names and by value.
func caps(rows []*row) ([]string, map[int]int) {
	seen := map[int]bool{}
	var values []int
	for _, r := range rows {
		if _, ok := r.Figure("median_ttft_ms"); ok && !seen[r.cap0()] {
			seen[r.cap0()] = true
			values = append(values, r.cap0())
		}
	}
	sort.Ints(values)
	var names []string
	index := map[int]int{}
	for i, v := range values {
		index[v] = i
		if v == 0 {
			names = append(names, noCap)
		} else {
			names = append(names, fmt.Sprint(v))
		}
	}
	return names, index
}

// rangeLayers draws the ranges of a confirmation's fresh and stated points
// beside the runs.
func rangeLayers(nb *analysis.Notebook, index map[int]int, perCap map[int][]*row) ([]figure.Layer, float64) {
	if nb.Confirmation == nil {
		return nil, 0
	}
	var out []figure.Layer
	top := 0.0
	for k, arm := range []string{"fresh", "stated"} {
		a := arms[arm]
		single := hasArm(perCap, arm) // its runs stand there one by one
		bars := figure.Layer{Name: a.name + ", lowest to highest", Color: a.color, Kind: figure.RunY}
		mids := figure.Layer{Name: a.name + ", median", Color: a.color, Kind: figure.Dots, Glyph: a.glyph}
		line := figure.Layer{Color: a.color, Kind: figure.Path}
		for _, r := range nb.Confirmation.Ranges {
			at, ok := index[r.Cap]
			if !ok || r.Stat != "median_ttft_ms" || r.Arm != arm || single && r.N == 1 {
				continue
			}
			n := len(perCap[at])
			x := float64(at) + math.Min(beside(n-1, n)+0.2+0.1*float64(k), 0.46)
			tip := fmt.Sprintf("cap %d, %s: median %s ms, %s to %s ms, n %d runs", r.Cap, r.Arm, ms(r.Median), ms(r.Low), ms(r.High), r.N)
			bars.Points = append(bars.Points, figure.Point{X: x, Y: r.Low, Y2: r.High, Tip: tip})
			top = math.Max(top, r.High)
			if single {
				continue
			}
			mids.Points = append(mids.Points, figure.Point{X: x, Y: r.Median, Tip: tip, Labels: []string{ms(r.Median) + " ms", spread(r.Low, r.High, r.N)}})
			line.Points = append(line.Points, figure.Point{X: x, Y: r.Median})
		}
		if len(bars.Points) > 0 {
			sort.SliceStable(line.Points, func(a, b int) bool { return line.Points[a].X < line.Points[b].X })
			out = append(out, bars)
		}
		if len(mids.Points) > 0 {
			out = append(out, line, mids)
		}
	}
	return out, top
}

func hasArm(perCap map[int][]*row, arm string) bool {
	for _, rows := range perCap {
		for _, r := range rows {
			if r.Arm == arm {
				return true
			}
		}
	}
	return false
}

// look is how the runs of a sweep's arm are drawn, on every chart.
type look struct {
	name  string
	color figure.Color
	glyph figure.Glyph
}

var arms = map[string]look{
	"kit":    {"the kit", figure.Warm, figure.Square},
	"fresh":  {"fresh prompts", figure.Cold, figure.Diamond},
	"stated": {"fresh prompts, as stated", figure.Line3, figure.Disc},
	"repeat": {"repeat without a flush", figure.Other, figure.Cross},
}

// slug makes a run id fit for an id of the page.
func slug(s string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, s), "-")
}
