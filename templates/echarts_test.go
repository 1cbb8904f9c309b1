package templates

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coldcase/templates/figure"

	"modernc.org/quickjs"
)

// library starts ECharts in an engine without a browser, or skips the test.
func library(t *testing.T) *quickjs.VM {
	t.Helper()
	source := builtinECharts()
	if source == nil {
		t.Skip("no ECharts in this build: run make echarts")
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { vm.Close() })
	// The library waits for frames when it animates; nothing here does.
	evaluate(t, vm, "var setTimeout = function () { return 0; }, clearTimeout = function () {};")
	evaluate(t, vm, string(source))
	return vm
}

func evaluate(t *testing.T, vm *quickjs.VM, source string) any {
	t.Helper()
	out, err := vm.Eval(source, quickjs.EvalGlobal)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// drawnSVG is what ECharts draws of a figure, on a sheet of the still picture's
// size.
func drawnSVG(t *testing.T, vm *quickjs.VM, f *figure.Figure) (svg string, option chartOption) {
	t.Helper()
	raw, err := f.Options()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &option); err != nil {
		t.Fatal(err)
	}
	size := viewBox.FindStringSubmatch(f.SVG())
	option.width, option.height = number64(t, size[1]), number64(t, size[2])
	out := evaluate(t, vm, fmt.Sprintf(`(function () {
		var chart = echarts.init(null, null, {renderer: "svg", ssr: true, width: %s, height: %s});
		chart.setOption(%s);
		var svg = chart.renderToSVGString();
		chart.dispose();
		return svg;
	})()`, size[1], size[2], raw))
	s, ok := out.(string)
	if !ok {
		t.Fatalf("%s: ECharts returned %v", f.ID, out)
	}
	return s, option
}

var viewBox = regexp.MustCompile(`viewBox="0 0 ([\d.]+) ([\d.]+)"`)

// chartOption is what the test reads of an option: the plot area.
type chartOption struct {
	Grid []struct{ Left, Right, Top, Bottom string }

	width, height float64
}

// place is the position of a value on the sheet.
func (o chartOption) place(t *testing.T, f *figure.Figure, x, y float64) (float64, float64) {
	t.Helper()
	g := o.Grid[0]
	left, right := number64(t, g.Left), o.width-number64(t, g.Right)
	top, bottom := number64(t, g.Top), o.height-number64(t, g.Bottom)
	return left + (x-f.X.Min)/(f.X.Max-f.X.Min)*(right-left), bottom - (y-f.Y.Min)/(f.Y.Max-f.Y.Min)*(bottom-top)
}

func number64(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

var (
	pathElement = regexp.MustCompile(`<path d="([^"]*)" fill="none"[^>]*?stroke="([^"]*)"`)
	coordinates = regexp.MustCompile(`[ML]\s*(-?[\d.]+)[ ,](-?[\d.]+)`)
)

// TestEChartsDrawsTheSteps: for each distribution of every sample the line that
// ECharts draws has as many steps as the data, and starts and ends where the
// data do.
func TestEChartsDrawsTheSteps(t *testing.T) {
	vm := library(t)
	lines := 0
	for name, nb := range sampleNotebooks(t) {
		for _, f := range figuresOf(nb) {
			if !strings.HasPrefix(f.ID, "ecdf") {
				continue
			}
			svg, option := drawnSVG(t, vm, f)
			for _, l := range f.Layers {
				if l.Kind != figure.Step {
					continue
				}
				lines++
				where := name + ", " + f.ID + ", " + l.Name
				drawn := linesOf(t, svg, l.Color.Light())
				if !slicesHold(drawn, func(points [][2]float64) bool { return sameStairs(t, option, f, l, points) }) {
					t.Errorf("%s: none of %d lines of this colour has %d steps and the ends of the data", where, len(drawn), steps64(l))
				}
			}
		}
	}
	if lines == 0 {
		t.Error("no distribution was drawn")
	}
}

// linesOf are the corners of each line of a colour.
func linesOf(t *testing.T, svg, color string) [][][2]float64 {
	t.Helper()
	var out [][][2]float64
	for _, m := range pathElement.FindAllStringSubmatch(svg, -1) {
		if !strings.EqualFold(m[2], color) {
			continue
		}
		var points [][2]float64
		for _, c := range coordinates.FindAllStringSubmatch(m[1], -1) {
			points = append(points, [2]float64{number64(t, c[1]), number64(t, c[2])})
		}
		out = append(out, points)
	}
	return out
}

func slicesHold[T any](list []T, is func(T) bool) bool {
	for _, v := range list {
		if is(v) {
			return true
		}
	}
	return false
}

// steps64 is the number of rises of a layer.
func steps64(l figure.Layer) int {
	n := 0
	for i := 1; i < len(l.Points); i++ {
		if l.Points[i].Y > l.Points[i-1].Y {
			n++
		}
	}
	return n
}

func sameStairs(t *testing.T, o chartOption, f *figure.Figure, l figure.Layer, points [][2]float64) bool {
	t.Helper()
	if len(points) < 2 {
		return false
	}
	rises := 0
	for i := 1; i < len(points); i++ {
		if points[i][1] < points[i-1][1] { // upwards on the sheet
			rises++
		}
	}
	near := func(p [2]float64, d figure.Point) bool {
		x, y := o.place(t, f, d.X, d.Y)
		return math.Abs(p[0]-x) < 0.6 && math.Abs(p[1]-y) < 0.6
	}
	return rises == steps64(l) && near(points[0], l.Points[0]) && near(points[len(points)-1], l.Points[len(l.Points)-1])
}
