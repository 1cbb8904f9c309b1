package figure

import (
	"encoding/json"
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Options returns the figure as an ECharts option object in JSON. Only the
// option structures of go-echarts are used: its own rendering leaves text
// unescaped and hides errors. A value that JSON cannot hold (NaN) is an error.
//
// Tooltips are drawn as rich text, since those in HTML set inline styles, and
// no function is ever emitted.
func (f *Figure) Options() ([]byte, error) {
	chart := charts.NewLine()
	chart.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: "chart-" + f.ID, Renderer: "svg"}),
		charts.WithTitleOpts(opts.Title{Show: opts.Bool(false)}),
		charts.WithAnimation(false),
		charts.WithXAxisOpts(f.xOption()),
		charts.WithYAxisOpts(f.yOption()),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Top: "0", Left: "8", Data: f.legendNames(),
			TextStyle: &opts.TextStyle{Color: Ink.Light()}}),
		charts.WithGridOpts(opts.Grid{Left: "16", Right: "24", Top: "64", Bottom: "36", ContainLabel: opts.Bool(true)}),
	)
	if len(f.X.Categories) > 0 {
		chart.SetXAxis(f.X.Categories)
	}
	for i, l := range f.Layers {
		chart.MultiSeries = append(chart.MultiSeries, f.series(i, l))
	}
	chart.Validate()
	option := chart.JSON()
	option["tooltip"] = tooltip{Show: true, Trigger: "item", RenderMode: "richText", Formatter: "{b}", Confine: true,
		Background: Paper.Light(), TextStyle: opts.TextStyle{Color: Ink.Light()}}
	option["aria"] = map[string]any{"enabled": true, "label": map[string]string{"description": f.Title + ". " + f.describe()}}
	out, err := json.Marshal(option)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return out, nil
}

// tooltip has the fields that go-echarts' structure lacks.
type tooltip struct {
	Show       bool           `json:"show"`
	Trigger    string         `json:"trigger"`
	RenderMode string         `json:"renderMode"`
	Formatter  string         `json:"formatter"`
	Confine    bool           `json:"confine"`
	Background string         `json:"backgroundColor"`
	TextStyle  opts.TextStyle `json:"textStyle"`
}

func (f *Figure) xOption() opts.XAxis {
	x := opts.XAxis{Type: "value", Name: f.X.Label, NameLocation: "middle", NameGap: 28,
		AxisLabel: axisLabel(), SplitLine: &opts.SplitLine{Show: opts.Bool(false)}}
	if len(f.X.Categories) > 0 {
		x.Type = "category"
		return x
	}
	x.Min, x.Max, x.MinInterval, x.MaxInterval = f.X.Min, f.X.Max, f.X.Step, f.X.Step
	return x
}

func (f *Figure) yOption() opts.YAxis {
	y := opts.YAxis{Type: "value", Name: f.Y.Label, AxisLabel: axisLabel(),
		SplitLine: &opts.SplitLine{Show: opts.Bool(true), LineStyle: &opts.LineStyle{Color: Grid.Light()}}}
	if len(f.Y.Categories) > 0 {
		y.Type, y.Data, y.Inverse = "category", f.Y.Categories, opts.Bool(true)
		y.SplitLine.Show = opts.Bool(false)
		return y
	}
	y.Min, y.Max, y.MinInterval, y.MaxInterval = f.Y.Min, f.Y.Max, f.Y.Step, f.Y.Step
	return y
}

func axisLabel() *opts.AxisLabel {
	return &opts.AxisLabel{Color: Muted.Light(), HideOverlap: opts.Bool(true), ShowMinLabel: opts.Bool(true), ShowMaxLabel: opts.Bool(true)}
}

func (f *Figure) legendNames() []string {
	names := []string{}
	seen := map[string]bool{}
	for _, l := range f.Layers {
		if l.Name != "" && !seen[l.Name] {
			seen[l.Name] = true
			names = append(names, l.Name)
		}
	}
	return names
}

// series is one layer. Layers without a name still need one that is their own,
// or ECharts would merge them.
func (f *Figure) series(i int, l Layer) charts.SingleSeries {
	s := charts.SingleSeries{Name: l.Name, Color: l.Color.Light(),
		ItemStyle: &opts.ItemStyle{Color: l.Color.Light()}, LineStyle: &opts.LineStyle{Color: l.Color.Light(), Width: 2}}
	if s.Name == "" {
		s.Name = fmt.Sprintf("%s %d", f.ID, i)
	}
	switch l.Kind {
	case Path, Step:
		s.Type, s.ShowSymbol, s.Data = "line", opts.Bool(len(l.Points) < 20), lineData(l.Points)
		if l.Kind == Step {
			s.Step, s.ShowSymbol = "end", opts.Bool(false)
		}
		if l.Dashed {
			s.LineStyle.Type = "dashed"
		}
		if i == 0 || len(f.Lines) > 0 && f.firstPath() == i {
			s.MarkLines = f.markLines()
		}
	case RunX, RunY:
		s.Type, s.ShowSymbol, s.Data = "line", opts.Bool(false), spanData(l)
		s.LineStyle.Width, s.LineStyle.Opacity = 8, opts.Float(0.55)
	case BarX, BarY:
		s.Type, s.Stack, s.Data = "bar", "all", f.barData(l)
		s.BarMaxWidth = "24"
	case Dots:
		s.Type, s.Data = "scatter", scatterData(l)
		s.Symbol = symbol(l.Glyph)
	}
	return s
}

func (f *Figure) firstPath() int {
	for i, l := range f.Layers {
		if l.Kind == Path || l.Kind == Step {
			return i
		}
	}
	return -1
}

func (f *Figure) markLines() *opts.MarkLines {
	if len(f.Lines) == 0 {
		return nil
	}
	m := &opts.MarkLines{}
	for _, l := range f.Lines {
		m.Data = append(m.Data, opts.MarkLineNameXAxisItem{Name: l.Label, XAxis: l.X})
	}
	return m
}

func lineData(points []Point) []opts.LineData {
	out := make([]opts.LineData, 0, len(points))
	for _, p := range points {
		out = append(out, opts.LineData{Name: p.Tip, Value: []float64{p.X, p.Y}})
	}
	return out
}

// spanData writes each span as two points and a gap ("-" is ECharts' gap).
func spanData(l Layer) []opts.LineData {
	out := []opts.LineData{}
	for _, p := range l.Points {
		x2, y2 := p.X2, p.Y
		if l.Kind == RunY {
			x2, y2 = p.X, p.Y2
		}
		out = append(out, opts.LineData{Name: p.Tip, Value: []float64{p.X, p.Y}},
			opts.LineData{Name: p.Tip, Value: []float64{x2, y2}}, opts.LineData{Value: "-"})
	}
	return out
}

// barData writes lengths: ECharts stacks them in the order of the layers, as
// the figure's positions do. Categories without a bar hold a gap.
func (f *Figure) barData(l Layer) []opts.BarData {
	n := max(len(f.X.Categories), len(f.Y.Categories))
	out := make([]opts.BarData, n)
	for i := range out {
		out[i].Value = "-"
	}
	for _, p := range l.Points {
		at, length := int(p.Y), p.X2-p.X
		if l.Kind == BarY {
			at, length = int(p.X), p.Y2-p.Y
		}
		out[at] = opts.BarData{Name: p.Tip, Value: length}
	}
	return out
}

func scatterData(l Layer) []opts.ScatterData {
	out := make([]opts.ScatterData, 0, len(l.Points))
	for _, p := range l.Points {
		d := opts.ScatterData{Name: p.Tip, Value: []float64{p.X, p.Y}, SymbolSize: 10}
		if len(l.Points) > 60 {
			d.SymbolSize = 5
		}
		if p.Share != nil {
			d.SymbolSize = 18
		}
		if p.Doubt {
			d.Symbol = "triangle"
		}
		out = append(out, d)
	}
	return out
}

func symbol(g Glyph) string {
	switch g {
	case Square:
		return "rect"
	case Diamond, Cross:
		return "diamond"
	case Ring:
		return "emptyCircle"
	case Tick:
		return "roundRect"
	}
	return "circle"
}
