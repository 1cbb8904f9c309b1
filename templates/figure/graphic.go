package figure

import "math"

// font is that of the still picture.
const font = "12.5px system-ui, sans-serif"

// graphics are the texts, areas and rules of the still picture at their places:
// both charts have the same plot area, so that a text that collides with
// nothing in the one collides with nothing in the other.
func (p *plot) graphics() []any {
	out := []any{}
	for _, s := range p.under {
		b := s.box
		if s.area {
			out = append(out, graphic{Type: "rect", Z: -2, Silent: true, Shape: map[string]float64{
				"x": round(b.X0), "y": round(b.Y0), "width": round(b.X1 - b.X0), "height": round(b.Y1 - b.Y0)},
				Style: map[string]any{"fill": s.color.Light()}})
			continue
		}
		out = append(out, graphic{Type: "line", Z: -1, Silent: true, Shape: map[string]float64{
			"x1": round(b.X0), "x2": round(b.X1), "y1": round(b.Y0), "y2": round(b.Y0)},
			Style: map[string]any{"stroke": s.color.Light(), "lineWidth": 1}})
	}
	align := map[string]string{"start": "left", "middle": "center", "end": "right"}
	for _, t := range p.texts {
		style := map[string]any{"text": t.s, "fill": t.color.Light(), "font": font, "textAlign": align[t.anchor], "textVerticalAlign": "middle"}
		if t.halo {
			style["stroke"], style["lineWidth"] = Paper.Light(), 3
		}
		out = append(out, graphic{Type: "text", Z: 1000, Silent: true, X: round(t.x), Y: round(t.y - 0.35*textSize), Style: style})
	}
	return out
}

type graphic struct {
	Type   string             `json:"type"`
	Z      int                `json:"z"`
	Silent bool               `json:"silent"`
	X      float64            `json:"x,omitempty"`
	Y      float64            `json:"y,omitempty"`
	Shape  map[string]float64 `json:"shape,omitempty"`
	Style  map[string]any     `json:"style"`
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// legendOption is the legend: each entry with the mark that it has in the plot.
func (p *plot) legendOption() map[string]any {
	data := []any{}
	for _, k := range p.legend {
		entry := map[string]any{"name": k.name}
		if icon := keyIcon(k); icon != "" {
			entry["icon"] = icon
		}
		if k.doubt { // the icon is an area: a border would close its gaps
			entry["itemStyle"] = map[string]any{"color": Bad.Light(), "borderWidth": 0}
		}
		data = append(data, entry)
	}
	return map[string]any{"show": true, "padding": 0, "top": 4, "left": p.size.edge(), "right": 0, "data": data, "selectedMode": true,
		"itemWidth": keyMark, "itemHeight": 12, "itemGap": keyDrop, "align": "left",
		"textStyle": map[string]any{"color": Ink.Light(), "fontSize": textSize, "fontFamily": "system-ui, sans-serif"}}
}

// longNames reports whether the legend has names of several lines, which ECharts
// would set over each other.
func (p *plot) longNames() bool {
	for _, k := range p.legend {
		if len(k.lines) > 1 {
			return true
		}
	}
	return false
}

// keyIcon is the mark of an entry where ECharts would not show the right one.
func keyIcon(k placedKey) string {
	switch {
	case k.doubt:
		return dashedRing()
	case k.line != nil && k.line.Glyph == "":
		return "path://M4 0L6 0L6 4L4 4ZM4 7L6 7L6 11L4 11Z"
	case k.line != nil:
		return "path://M1 0L9 0L5 7ZM4.5 7L5.5 7L5.5 14L4.5 14Z"
	case k.layer.Kind == Path || k.layer.Kind == Step:
		return "path://" + lineIcon(k.layer.Dashed, k.layer.Glyph)
	case k.layer.Kind == RunX:
		return "path://M0 2L18 2L18 10L0 10Z"
	case k.layer.Kind == RunY || k.layer.Glyph == Tick:
		return "path://M0 0L3 0L3 12L0 12Z"
	case k.layer.Kind != Dots || k.layer.Glyph == Square:
		return "path://M0 0L12 0L12 12L0 12Z"
	case k.layer.pie():
		return pieSymbol(0.4 * k.layer.filled())
	}
	return symbol(k.layer.Glyph)
}

// lineIcon is a piece of a line, 18 units wide, with a glyph in its middle. The
// specks at its corners keep all icons of lines the same size: ECharts scales a
// path to its box.
func lineIcon(dashed bool, g Glyph) string {
	const specks = "M0 0L0.1 0L0.1 0.1L0 0.1ZM17.9 11.9L18 11.9L18 12L17.9 12Z"
	switch {
	case dashed && g == "":
		return specks + "M0 5L4 5L4 7L0 7ZM7 5L11 5L11 7L7 7ZM14 5L18 5L18 7L14 7Z"
	case dashed:
		return specks + "M0 5L2 5L2 7L0 7ZM16 5L18 5L18 7L16 7Z" + glyphIcon[g]
	case g == "":
		return specks + "M0 5L18 5L18 7L0 7Z"
	}
	return specks + "M0 5L4 5L4 7L0 7ZM14 5L18 5L18 7L14 7Z" + glyphIcon[g]
}

// glyphIcon are the glyphs in the middle of such a piece.
var glyphIcon = map[Glyph]string{
	Disc:     "M14 6A5 5 0 1 1 13.99 5.9Z",
	Ring:     "M14 6A5 5 0 1 1 13.99 5.9ZM12 6A3 3 0 1 0 12 6.1Z",
	Square:   "M4.5 1.5L13.5 1.5L13.5 10.5L4.5 10.5Z",
	Diamond:  "M9 0L15 6L9 12L3 6Z",
	Triangle: "M4 1.5L14 1.5L9 11Z",
	Cross:    "M4 3L6 1L9 4L12 1L14 3L11 6L14 9L12 11L9 8L6 11L4 9L7 6Z",
	Tick:     "M8 0L10 0L10 12L8 12Z",
}

// dashedRing is the ring of a point that is not reliable: pieces of a band
// between two circles.
func dashedRing() string {
	const pieces = 7
	out := "path://"
	for i := range pieces {
		from, to := 2*math.Pi*float64(i)/pieces, 2*math.Pi*(float64(i)+0.6)/pieces
		for k, c := range [][2]float64{{from, 10}, {to, 10}, {to, 7.4}, {from, 7.4}} {
			sin, cos := math.Sincos(c[0])
			out += []string{"M", "L", "L", "L"}[k] + at(10+c[1]*sin, 10-c[1]*cos)
		}
		out += "Z"
	}
	return out
}
