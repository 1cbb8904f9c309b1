package figure

import (
	"fmt"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"

	"coldcase/templates/svg"
)

// series is one layer. Layers without a name still need one that is their own,
// or ECharts would merge them.
func (p *plot) series(i int, l Layer) charts.SingleSeries {
	s := charts.SingleSeries{Name: l.Name, Color: l.Color.Light(),
		ItemStyle: &opts.ItemStyle{Color: l.Color.Light(), Opacity: opts.Float(1)}, LineStyle: &opts.LineStyle{Color: l.Color.Light(), Width: 2}}
	if s.Name == "" {
		s.Name = fmt.Sprintf("%s %d", p.fig.ID, i)
	}
	switch l.Kind {
	case Path, Step:
		s.Type, s.ShowSymbol, s.Data = "line", opts.Bool(false), lineData(l.Points)
		s.Symbol = "circle"
		if l.Kind == Step {
			s.Step = "end"
		}
		if l.Dashed {
			s.LineStyle.Type = "dashed"
		}
	case RunX, RunY:
		s.Type, s.ShowSymbol, s.Data = "line", opts.Bool(true), p.spanData(l)
		s.Symbol = "rect"
		s.LineStyle.Width = runXWidth
		if l.Kind == RunY {
			s.LineStyle.Width = runYWidth
		}
	case BarX, BarY:
		s.Type, s.Stack, s.Data = "bar", "all", p.barData(l)
		s.BarWidth = svg.Number(p.barWidth())
		if l.Kind == BarX {
			s.BarWidth = svg.Number(p.barHeight())
			s.ItemStyle.BorderColor, s.ItemStyle.BorderWidth = Paper.Light(), 1
		}
	case Dots:
		s.Type, s.Data = "scatter", p.scatterData(l)
		s.Symbol = symbol(l.Glyph)
		switch {
		case l.pie():
		case l.Glyph == Ring:
			s.ItemStyle.Color, s.ItemStyle.BorderColor, s.ItemStyle.BorderWidth = Paper.Light(), l.Color.Light(), 2
		case l.Glyph != Cross && l.Glyph != Tick && !p.many():
			s.ItemStyle.BorderColor, s.ItemStyle.BorderWidth = Paper.Light(), rim
		}
	}
	return s
}

func lineData(points []Point) []opts.LineData {
	out := make([]opts.LineData, 0, len(points))
	for _, p := range points {
		out = append(out, opts.LineData{Name: p.Tip, Value: []float64{p.X, p.Y}})
	}
	return out
}

// spanEnd is an end of a span, with a size that go-echarts' structure writes
// only if it is not 0.
type spanEnd struct {
	opts.LineData
	SymbolSize any `json:"symbolSize"`
}

// spanData writes each span as two points and a gap ("-" is ECharts' gap). The
// first has a mark to hover over.
func (p *plot) spanData(l Layer) []spanEnd {
	out := []spanEnd{}
	for _, pt := range l.Points {
		x2, y2 := pt.X2, pt.Y
		if l.Kind == RunY {
			x2, y2 = pt.X, pt.Y2
		}
		size := []float64{3, runXWidth}
		if l.Kind == RunY {
			size = []float64{runYWidth, 3}
		}
		from := spanEnd{opts.LineData{Name: pt.Tip, Value: []float64{pt.X, pt.Y}}, size}
		if p.pointed(l, pt) {
			from.Symbol, from.SymbolSize = "diamond", 1.3*runXWidth
		}
		out = append(out, from,
			spanEnd{opts.LineData{Name: pt.Tip, Value: []float64{x2, y2}}, size},
			spanEnd{opts.LineData{Value: "-"}, 0})
	}
	return out
}

// barData writes lengths: ECharts stacks them in the order of the layers, as
// the figure's positions do. Lying bars are listed by category, with a gap where
// there is none; standing bars by their x.
func (p *plot) barData(l Layer) []opts.BarData {
	if l.Kind == BarY {
		out := []opts.BarData{}
		for _, pt := range l.Points {
			out = append(out, opts.BarData{Name: pt.Tip, Value: []float64{pt.X, pt.Y2 - pt.Y}})
		}
		return out
	}
	out := make([]opts.BarData, len(p.fig.Y.Categories))
	for i := range out {
		out[i].Value = "-"
	}
	for _, pt := range l.Points {
		out[int(pt.Y)] = opts.BarData{Name: pt.Tip, Value: pt.X2 - pt.X}
	}
	return out
}

// datum is a point with the fields that go-echarts' structure lacks.
type datum struct {
	opts.ScatterData
	SymbolSize any `json:"symbolSize"`
}

func (p *plot) scatterData(l Layer) []datum {
	out := make([]datum, 0, len(l.Points))
	for _, pt := range l.Points {
		d := datum{ScatterData: opts.ScatterData{Name: pt.Tip, Value: []float64{pt.X, pt.Y}}, SymbolSize: 10}
		switch {
		case pt.Unknown:
			d.Symbol, d.SymbolSize = pieSymbol(0), 2*p.pieR+2
		case pt.Share != nil:
			d.Symbol, d.SymbolSize = pieSymbol(*pt.Share), 2*p.pieR+2
		case l.Glyph == Diamond:
			d.SymbolSize = 13
		case p.many():
			d.SymbolSize = 5.2
		case l.Glyph == Tick:
			d.SymbolSize = []float64{2.4, 22}
		}
		out = append(out, d)
	}
	return out
}

// backs are the sheets behind pies: the symbol of a pie is a line drawing, and
// what runs under it would show through.
func (f *Figure) backs(p *plot) []datum {
	var out []datum
	for _, l := range f.Layers {
		for _, pt := range l.Points {
			if l.Kind == Dots && pt.pie() {
				out = append(out, datum{opts.ScatterData{Value: []float64{pt.X, pt.Y}}, 2 * p.pieR})
			}
		}
	}
	return out
}

// rings are the marks around the points that are not reliable.
func (f *Figure) rings(p *plot) []datum {
	var out []datum
	for _, l := range f.Layers {
		for _, pt := range l.Points {
			if !pt.Doubt || l.Kind != Dots {
				continue
			}
			size := 18.0
			if pt.pie() {
				size = 2*p.pieR + 8
			}
			out = append(out, datum{opts.ScatterData{Value: []float64{pt.X, pt.Y}}, size})
		}
	}
	return out
}

// marked are the marked places of the x axis, one series for each label, so
// that the legend can name it.
func (f *Figure) marked() []charts.SingleSeries {
	var out []charts.SingleSeries
	at := map[string]int{}
	for _, l := range f.Lines {
		i, ok := at[l.Label]
		if !ok {
			i = len(out)
			at[l.Label] = i
			m := &opts.MarkLines{MarkLineStyle: opts.MarkLineStyle{Symbol: []string{"none", "none"}, Label: &opts.Label{Show: opts.Bool(false)},
				LineStyle: &opts.LineStyle{Color: Muted.Light(), Type: "dashed", Width: 1.2}}}
			if l.Glyph != "" {
				m.Symbol[1] = symbol(l.Glyph)
				m.SymbolSize = 8
				m.LineStyle = &opts.LineStyle{Color: Ink.Light(), Type: "solid", Width: 1.2}
			}
			out = append(out, charts.SingleSeries{Name: l.Label, Type: "scatter", Data: []datum{}, MarkLines: m,
				ItemStyle: &opts.ItemStyle{Color: Ink.Light()}})
		}
		out[i].MarkLines.Data = append(out[i].MarkLines.Data, opts.MarkLineNameXAxisItem{Name: l.Label, XAxis: l.X})
	}
	return out
}
