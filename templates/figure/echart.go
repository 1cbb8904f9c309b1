package figure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"

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
	option, err := f.option(Wide)
	if err != nil {
		return nil, err
	}
	return json.Marshal(option)
}

// NarrowOptions returns what an option object for a narrow sheet has different
// from that of Options: whole entries, and of its series those that differ, by
// their place. It is null where the still picture is better left alone.
func (f *Figure) NarrowOptions() ([]byte, error) {
	if f.draw(Narrow).longNames() {
		return []byte("null"), nil
	}
	wide, err := f.option(Wide)
	if err != nil {
		return nil, err
	}
	narrow, err := f.option(Narrow)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for key, value := range narrow {
		if key != "series" && !same(value, wide[key]) {
			out[key] = value
		}
	}
	series := map[string]any{}
	before, _ := wide["series"].([]any)
	after, _ := narrow["series"].([]any)
	if len(before) != len(after) {
		return nil, fmt.Errorf("figure %s: %d series on a narrow sheet, %d on a wide one", f.ID, len(after), len(before))
	}
	for i := range after {
		if !same(after[i], before[i]) {
			series[fmt.Sprint(i)] = after[i]
		}
	}
	if len(series) > 0 {
		out["series"] = series
	}
	return json.Marshal(out)
}

// same compares two values by their JSON.
func same(a, b any) bool {
	x, err := json.Marshal(a)
	y, other := json.Marshal(b)
	return err == nil && other == nil && bytes.Equal(x, y)
}

// option is the option object for a sheet.
func (f *Figure) option(size Size) (map[string]any, error) {
	p := f.draw(size)
	chart := charts.NewLine()
	chart.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: "chart-" + f.ID, Renderer: "svg"}),
		charts.WithTitleOpts(opts.Title{Show: opts.Bool(false)}),
		charts.WithAnimation(false),
		charts.WithXAxisOpts(f.xOption()),
		charts.WithYAxisOpts(f.yOption()),
		charts.WithGridOpts(opts.Grid{Left: svg.Number(p.left), Right: svg.Number(p.width - p.right),
			Top: svg.Number(p.top), Bottom: svg.Number(p.height - p.bottom)}),
	)
	for i, l := range f.Layers {
		chart.MultiSeries = append(chart.MultiSeries, p.series(i, l))
	}
	if backs := f.backs(p); len(backs) > 0 {
		chart.MultiSeries = append(chart.MultiSeries, charts.SingleSeries{Name: sheet, Type: "scatter", Symbol: "circle", Data: backs,
			ItemStyle: &opts.ItemStyle{Color: Paper.Light(), Opacity: opts.Float(1)}})
	}
	if rings := f.rings(p); len(rings) > 0 {
		chart.MultiSeries = append(chart.MultiSeries, charts.SingleSeries{Name: ring, Type: "scatter", Symbol: "circle", Data: rings,
			ItemStyle: &opts.ItemStyle{Color: "transparent", BorderColor: Bad.Light(), BorderWidth: 1.6, Opacity: opts.Float(1)}})
	}
	chart.MultiSeries = append(chart.MultiSeries, f.marked()...)
	chart.Validate()
	option := chart.JSON()
	option["legend"] = p.legendOption()
	option["graphic"] = map[string]any{"elements": p.graphics()}
	option["tooltip"] = tooltip{Show: true, Trigger: "item", RenderMode: "richText", Formatter: "{b}", Confine: true, Z: 2000, // above all texts
		Background: Paper.Light(), TextStyle: opts.TextStyle{Color: Ink.Light()}}
	option["aria"] = map[string]any{"enabled": true, "label": map[string]string{"description": f.Title + ". " + f.describe()}}
	out, err := f.finish(option)
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return out, nil
}

// finish turns an option into plain values and adds the few keys for which
// go-echarts has no field: the exact plot area, axis lines, half sizes of
// text, dashed borders.
func (f *Figure) finish(option map[string]any) (map[string]any, error) {
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
				axis["containShape"] = false // else bars push the ends of the axis out
				axis["axisTick"] = map[string]any{"show": false}
				if label, ok := axis["axisLabel"].(map[string]any); ok {
					label["fontSize"], label["fontFamily"] = textSize, "system-ui, sans-serif"
				}
				line := map[string]any{"show": key == "xAxis", "onZero": false, "lineStyle": map[string]any{"color": Muted.Light()}}
				axis["axisLine"] = line
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
	for i, one := range series {
		s, ok := one.(map[string]any)
		if !ok {
			continue
		}
		s["z"] = f.depth(i, s["name"])
		if s["name"] != ring && s["name"] != sheet {
			continue
		}
		s["silent"] = true // what lies around or under a mark is not the mark
		if style, ok := s["itemStyle"].(map[string]any); ok && s["name"] == ring {
			style["borderType"] = "dashed"
		}
	}
	return all, nil
}

// depth sets the series above each other in the order of the still picture: on
// its own ECharts draws every line over every mark.
func (f *Figure) depth(i int, name any) int {
	const step = 10
	if name == sheet { // under the first layer that has pies
		for k := range f.Layers {
			if f.Layers[k].pie() {
				return (k+1)*step - 1
			}
		}
	}
	return (i + 1) * step
}

// tooltip has the fields that go-echarts' structure lacks.
type tooltip struct {
	Show       bool           `json:"show"`
	Trigger    string         `json:"trigger"`
	RenderMode string         `json:"renderMode"`
	Formatter  string         `json:"formatter"`
	Confine    bool           `json:"confine"`
	Z          int            `json:"z"`
	Background string         `json:"backgroundColor"`
	TextStyle  opts.TextStyle `json:"textStyle"`
}

// xOption is the x axis. Categories become a value axis of the same ends, on
// which marks may stand beside the middle of a category; their names are among
// the texts of the picture.
func (f *Figure) xOption() opts.XAxis {
	x := opts.XAxis{Type: "value", Min: f.X.Min, Max: f.X.Max, MinInterval: f.X.Step, MaxInterval: f.X.Step,
		AxisLabel: axisLabel(f.X), SplitLine: &opts.SplitLine{Show: opts.Bool(false)}}
	if len(f.X.Categories) > 0 {
		x.AxisLabel.Show = opts.Bool(false)
	}
	return x
}

func (f *Figure) yOption() opts.YAxis {
	y := opts.YAxis{Type: "value", AxisLabel: axisLabel(f.Y),
		SplitLine: &opts.SplitLine{Show: opts.Bool(true), LineStyle: &opts.LineStyle{Color: Grid.Light()}}}
	if len(f.Y.Categories) > 0 {
		y.Type, y.Data, y.Inverse = "category", f.Y.Categories, opts.Bool(true)
		y.SplitLine.Show, y.AxisLabel.Show = opts.Bool(false), opts.Bool(false)
		return y
	}
	y.Min, y.Max, y.MinInterval, y.MaxInterval = f.Y.Min, f.Y.Max, f.Y.Step, f.Y.Step
	return y
}

// axisLabel labels the ticks that the still picture labels: an end that is none
// stays bare.
func axisLabel(a Axis) *opts.AxisLabel {
	on := math.Abs(math.Remainder(a.Max-a.Min, math.Max(a.Step, 1e-9))) < 1e-6*(a.Max-a.Min)
	return &opts.AxisLabel{Show: opts.Bool(true), Color: Muted.Light(), HideOverlap: opts.Bool(true), ShowMinLabel: opts.Bool(true), ShowMaxLabel: opts.Bool(on)}
}
