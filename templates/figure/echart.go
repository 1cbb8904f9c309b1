package figure

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"coldcase/templates/svg"
)

// Options returns the figure as an ECharts option object in JSON. Only the
// option structures of go-echarts are used: its own rendering leaves text
// unescaped and hides errors. A value that JSON cannot hold (NaN) is an error.
//
// Tooltips are drawn as rich text, since those in HTML set inline styles, and
// no function is ever emitted.
func (f *Figure) Options() ([]byte, error) {
	p := f.draw()
	chart := charts.NewLine()
	chart.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: "chart-" + f.ID, Renderer: "svg"}),
		charts.WithTitleOpts(opts.Title{Show: opts.Bool(false)}),
		charts.WithAnimation(false),
		charts.WithXAxisOpts(f.xOption()),
		charts.WithYAxisOpts(f.yOption()),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Top: "0", Left: "8", Data: f.legendNames(),
			TextStyle: &opts.TextStyle{Color: Ink.Light()}}),
		charts.WithGridOpts(opts.Grid{Left: svg.Number(p.left), Right: svg.Number(width - p.right),
			Top: svg.Number(p.top), Bottom: svg.Number(p.height - p.bottom)}),
	)
	if len(f.X.Categories) > 0 {
		chart.SetXAxis(f.xNames())
	}
	for i, l := range f.Layers {
		chart.MultiSeries = append(chart.MultiSeries, f.series(i, l))
	}
	if rings := f.rings(); len(rings) > 0 {
		chart.MultiSeries = append(chart.MultiSeries, charts.SingleSeries{Name: ring, Type: "scatter", Symbol: "circle", Data: rings,
			ItemStyle: &opts.ItemStyle{Color: "transparent", BorderColor: Bad.Light(), BorderWidth: 1.6}})
	}
	chart.MultiSeries = append(chart.MultiSeries, f.notes(p))
	chart.Validate()
	option := chart.JSON()
	option["tooltip"] = tooltip{Show: true, Trigger: "item", RenderMode: "richText", Formatter: "{b}", Confine: true,
		Background: Paper.Light(), TextStyle: opts.TextStyle{Color: Ink.Light()}}
	option["aria"] = map[string]any{"enabled": true, "label": map[string]string{"description": f.Title + ". " + f.describe()}}
	out, err := finish(option)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return out, nil
}

// finish marshals an option and adds the few keys for which go-echarts has no
// field: the colour of axis names, the exact plot area, dashed borders and the
// size of legend marks.
func finish(option map[string]any) ([]byte, error) {
	raw, err := json.Marshal(option)
	if err != nil {
		return nil, err
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		return nil, err
	}
	for _, key := range []string{"xAxis", "yAxis"} {
		axes, _ := all[key].([]any)
		for _, axis := range axes {
			if axis, ok := axis.(map[string]any); ok {
				style := map[string]any{"color": Muted.Light()}
				if key == "yAxis" {
					style["align"] = "left"
				}
				axis["nameTextStyle"] = style
				axis["axisTick"] = map[string]any{"show": false}
				if label, ok := axis["axisLabel"].(map[string]any); ok && label["interval"] == "0" {
					label["interval"] = 0 // a number; go-echarts only knows text
				}
			}
		}
	}
	grids, _ := all["grid"].([]any)
	for _, grid := range grids {
		if grid, ok := grid.(map[string]any); ok {
			grid["outerBoundsMode"] = "none" // else a wide label narrows the plot
		}
	}
	series, _ := all["series"].([]any)
	for _, one := range series {
		if s, ok := one.(map[string]any); ok && s["name"] == ring {
			if style, ok := s["itemStyle"].(map[string]any); ok {
				style["borderType"] = "dashed"
			}
		}
	}
	if legend, ok := all["legend"].(map[string]any); ok {
		legend["itemWidth"], legend["itemHeight"] = 13, 13
	}
	return json.Marshal(all)
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
		if f.fractional() {
			x.AxisLabel.Interval = "0"
		}
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
	if len(f.rings()) > 0 {
		names = append(names, ring)
	}
	return names
}

// rings are the marks around the points that are not reliable.
func (f *Figure) rings() []datum {
	var out []datum
	for _, l := range f.Layers {
		for _, p := range l.Points {
			if !p.Doubt || l.Kind != Dots {
				continue
			}
			size := 18
			if p.Share != nil || p.Unknown {
				size = 28
			}
			out = append(out, datum{ScatterData: opts.ScatterData{Name: p.Tip, Value: []float64{f.slot(p.X), p.Y}}, SymbolSize: size})
		}
	}
	return out
}

// series is one layer. Layers without a name still need one that is their own,
// or ECharts would merge them.
func (f *Figure) series(i int, l Layer) charts.SingleSeries {
	s := charts.SingleSeries{Name: l.Name, Color: l.Color.Light(),
		ItemStyle: &opts.ItemStyle{Color: l.Color.Light()}, LineStyle: &opts.LineStyle{Color: l.Color.Light(), Width: 2}}
	if s.Name == "" {
		s.Name = fmt.Sprintf("%s %d", f.ID, i)
	}
	if l.Kind != Dots {
		s.Symbol = "rect" // the mark of the legend
	}
	switch l.Kind {
	case Path, Step:
		s.Type, s.ShowSymbol, s.Data = "line", opts.Bool(false), f.lineData(l.Points)
		if l.Kind == Step {
			s.Step = "end"
		}
		if l.Dashed {
			s.LineStyle.Type = "dashed"
		}
	case RunX, RunY:
		s.Type, s.ShowSymbol, s.Data = "line", opts.Bool(true), f.spanData(l)
		s.LineStyle.Width, s.LineStyle.Opacity = 8, opts.Float(0.55)
	case BarX, BarY:
		s.Type, s.Stack, s.Data = "bar", "all", f.barData(l)
		s.BarMaxWidth = "56"
	case Dots:
		s.Type, s.Data = "scatter", f.scatterData(l)
		s.Symbol = symbol(l.Glyph)
		if l.Glyph == Ring {
			s.ItemStyle = &opts.ItemStyle{Color: "transparent", BorderColor: l.Color.Light(), BorderWidth: 2}
		}
	}
	return s
}

func (f *Figure) markLines() *opts.MarkLines {
	if len(f.Lines) == 0 {
		return nil
	}
	m := &opts.MarkLines{MarkLineStyle: opts.MarkLineStyle{Symbol: []string{"none"}, Label: &opts.Label{Show: opts.Bool(false)},
		LineStyle: &opts.LineStyle{Color: Muted.Light(), Type: "dashed"}}}
	for _, l := range f.Lines {
		m.Data = append(m.Data, opts.MarkLineNameXAxisItem{Name: l.Label, XAxis: math.Ceil(l.X)})
	}
	return m
}

func (f *Figure) lineData(points []Point) []opts.LineData {
	out := make([]opts.LineData, 0, len(points))
	for _, p := range points {
		out = append(out, opts.LineData{Name: p.Tip, Value: []float64{f.slot(p.X), p.Y}})
	}
	return out
}

// spanEnd is an end of a span, with a size that go-echarts' structure writes
// only if it is not 0.
type spanEnd struct {
	opts.LineData
	SymbolSize any `json:"symbolSize"`
}

// spanData writes each span as two points and a gap ("-" is ECharts' gap).
func (f *Figure) spanData(l Layer) []spanEnd {
	out := []spanEnd{}
	for _, p := range l.Points {
		x2, y2 := p.X2, p.Y
		if l.Kind == RunY {
			x2, y2 = p.X, p.Y2
		}
		from := spanEnd{opts.LineData{Name: p.Tip, Value: []float64{f.slot(p.X), p.Y}}, 0}
		if p.X == x2 && p.Y == y2 { // a line without length is not drawn
			from.SymbolSize = []float64{3, 12}
		}
		out = append(out, from, spanEnd{opts.LineData{Name: p.Tip, Value: []float64{f.slot(x2), y2}}, 0},
			spanEnd{opts.LineData{Value: "-"}, 0})
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

// datum is a point with the fields that go-echarts' structure lacks.
type datum struct {
	opts.ScatterData
	SymbolSize any             `json:"symbolSize"`
	Label      *label          `json:"label,omitempty"`
	ItemStyle  *opts.ItemStyle `json:"itemStyle,omitempty"`
}

// label is a text at a fixed distance from the top left corner of its mark.
type label struct {
	Show          bool       `json:"show"`
	Position      [2]float64 `json:"position"`
	Formatter     string     `json:"formatter"`
	Color         string     `json:"color"`
	FontSize      float64    `json:"fontSize"`
	LineHeight    float64    `json:"lineHeight"`
	Align         string     `json:"align"`
	VerticalAlign string     `json:"verticalAlign"`
}

// notes are the texts of the still picture as one series of invisible marks:
// both charts have the same plot area, so that a text that collides with
// nothing in the one collides with nothing in the other.
func (f *Figure) notes(p *plot) charts.SingleSeries {
	const size = 2
	data := []datum{}
	align := map[string]string{"start": "left", "middle": "center", "end": "right"}
	for _, n := range p.notes {
		at := [2]float64{round(n.tx - p.x(n.x) + size/2), round(n.ty - p.y(n.y) + size/2)}
		data = append(data, datum{ScatterData: opts.ScatterData{Value: []float64{f.slot(n.x), n.y}}, SymbolSize: size,
			Label: &label{true, at, strings.Join(n.lines, "\n"), Ink.Light(), labelSize - 0.5, lineGap, align[n.anchor], "top"}})
	}
	return charts.SingleSeries{Name: f.ID + " notes", Type: "scatter", Symbol: "rect", Data: data,
		ItemStyle: &opts.ItemStyle{Color: "transparent"}, MarkLines: f.markLines()}
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

func (f *Figure) scatterData(l Layer) []datum {
	out := make([]datum, 0, len(l.Points))
	for _, p := range l.Points {
		d := datum{ScatterData: opts.ScatterData{Name: p.Tip, Value: []float64{f.slot(p.X), p.Y}}, SymbolSize: 10}
		switch {
		case p.Share != nil || p.Unknown:
			d.SymbolSize = 20
		case len(l.Points) > 60:
			d.SymbolSize = 5
		case l.Glyph == Tick:
			d.SymbolSize = []int{3, 22}
		}
		switch {
		case p.Unknown:
			d.Symbol = pieSymbol(0)
			d.ItemStyle = &opts.ItemStyle{Color: l.Color.Light()}
			d.Label = &label{Show: true, Position: [2]float64{6, 4}, Formatter: "?", Color: Ink.Light(), FontSize: labelSize, LineHeight: labelSize, Align: "left", VerticalAlign: "top"}
		case p.Share != nil:
			d.Symbol = pieSymbol(*p.Share)
			d.ItemStyle = &opts.ItemStyle{Color: l.Color.Light()}
		}
		out = append(out, d)
	}
	return out
}

// slots is the number of places inside a category when marks stand beside its
// middle: ECharts would move a fraction to the middle.
const slots = 51

// fractional reports whether a mark stands beside the middle of a category.
func (f *Figure) fractional() bool {
	if len(f.X.Categories) == 0 {
		return false
	}
	for _, l := range f.Layers {
		for _, p := range l.Points {
			if p.X != math.Trunc(p.X) {
				return true
			}
		}
	}
	return false
}

// slot maps an x on the picture's axis to ECharts' axis.
func (f *Figure) slot(x float64) float64 {
	if !f.fractional() {
		return x
	}
	return math.Round((x+0.5)*slots - 0.5)
}

// xNames are the categories of ECharts' axis: the middle slot bears the name.
func (f *Figure) xNames() []string {
	if !f.fractional() {
		return f.X.Categories
	}
	names := make([]string, slots*len(f.X.Categories))
	for i, name := range f.X.Categories {
		names[i*slots+slots/2] = name
	}
	return names
}
