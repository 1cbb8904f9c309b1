package figure

import (
	"math"
	"strings"

	"coldcase/templates/svg"
)

// Sizes of the still picture in user units. On a screen of 390 px the page lets
// the figure scroll instead of shrinking its text.
const (
	width     = 860.0
	tickSize  = 12.5
	labelSize = 12.5
	lineGap   = 16.0
)

// plot maps the values of a figure onto the picture.
type plot struct {
	fig                      *Figure
	pic                      *svg.Picture
	left, right, top, bottom float64 // edges of the plot area
	height                   float64 // of the whole picture
	placer                   svg.Placer
	notes                    []note
}

// note is a text that found its place beside a mark: the interactive chart
// puts it at the same place.
type note struct {
	x, y   float64 // the mark, in the units of the axes
	tx, ty float64 // the text's anchor and the top of its first line, in the picture
	anchor string
	lines  []string
}

// SVG draws the figure as a still picture.
func (f *Figure) SVG() string { return f.draw().pic.String() }

// draw lays the figure out and draws it.
func (f *Figure) draw() *plot {
	legend, legendRows := layoutLegend(f.keys())
	p := &plot{fig: f}
	p.left = 16 + f.yGutter()
	p.right = width - 20
	p.top = 20 + float64(legendRows)*20
	if f.Y.Label != "" {
		p.top += 22
	}
	p.bottom = p.top + f.height()
	p.height = p.bottom + 26
	if f.X.Label != "" {
		p.height += 20
	}
	p.pic = svg.New("fig-"+f.ID, width, p.height, f.Title, f.describe())
	p.pic.Shape("rect", svg.A("class", "sheet"), svg.A("fill", Paper.Light()), svg.N("width", width), svg.N("height", p.height))
	p.placer.Within = svg.Box{X0: p.left + 2, Y0: p.top - 2, X1: width - 4, Y1: p.bottom - 2}
	drawLegend(p.pic, legend)
	p.bands()
	p.axes()
	p.layers()
	p.lines()
	p.labels()
	return p
}

func (f *Figure) height() float64 {
	switch {
	case f.Height > 0:
		return f.Height
	case len(f.Y.Categories) > 0:
		return 40 * float64(len(f.Y.Categories))
	}
	return 270
}

// describe is the text for a screen reader: what it shows and every label.
func (f *Figure) describe() string {
	parts := []string{f.Shows}
	for _, l := range f.Layers {
		for _, p := range l.Points {
			if p.Tip != "" && len(parts) < 25 {
				parts = append(parts, p.Tip)
			}
		}
	}
	return strings.Join(parts, " · ")
}

// yGutter is the room left of the plot for the labels of the y axis.
func (f *Figure) yGutter() float64 {
	w := 0.0
	for _, t := range f.Y.Ticks() {
		w = math.Max(w, svg.TextWidth(f.Y.TickLabel(t), tickSize))
	}
	return math.Min(w, 230) + 8
}

func (p *plot) x(v float64) float64 {
	a := p.fig.X
	return p.left + (v-a.Min)/(a.Max-a.Min)*(p.right-p.left)
}

func (p *plot) y(v float64) float64 {
	a := p.fig.Y
	if len(a.Categories) > 0 { // from the top downwards
		return p.top + (v-a.Min)/(a.Max-a.Min)*(p.bottom-p.top)
	}
	return p.bottom - (v-a.Min)/(a.Max-a.Min)*(p.bottom-p.top)
}

// fill returns the attributes that paint an area: the class for the page and
// the plain colour for a picture that stands alone.
func fill(c Color) []svg.Attr {
	return []svg.Attr{svg.A("class", "f-"+string(c)), svg.A("fill", c.Light())}
}

func stroke(c Color, w float64) []svg.Attr {
	return []svg.Attr{svg.A("class", "s-"+string(c)), svg.A("stroke", c.Light()), svg.N("stroke-width", w), svg.A("fill", "none")}
}

func with(attrs []svg.Attr, more ...svg.Attr) []svg.Attr { return append(attrs, more...) }

func (p *plot) axes() {
	f := p.fig
	for _, t := range f.Y.Ticks() {
		y := p.y(t)
		if len(f.Y.Categories) == 0 {
			p.pic.Shape("line", with(stroke(Grid, 1), svg.N("x1", p.left), svg.N("x2", p.right), svg.N("y1", y), svg.N("y2", y))...)
		}
		label := svg.Cut(f.Y.TickLabel(t), tickSize, 230)
		p.pic.Text(p.left-8, y+4, tickSize, "end", label, fill(Muted)...)
	}
	p.pic.Shape("line", with(stroke(Muted, 1), svg.N("x1", p.left), svg.N("x2", p.right), svg.N("y1", p.bottom), svg.N("y2", p.bottom))...)
	p.xTicks()
	if f.Y.Label != "" {
		p.pic.Text(16, p.top-14, tickSize, "start", svg.Cut(f.Y.Label, tickSize, 400), fill(Muted)...)
	}
	if f.X.Label != "" {
		p.pic.Text((p.left+p.right)/2, p.bottom+40, tickSize, "middle", svg.Cut(f.X.Label, tickSize, 600), fill(Muted)...)
	}
}

// xTicks writes the labels of the x axis that fit beside each other.
func (p *plot) xTicks() {
	f := p.fig
	room := math.Inf(1)
	if n := len(f.X.Categories); n > 0 && n <= 12 {
		room = (p.right - p.left) / float64(n)
	}
	end := math.Inf(-1)
	for _, t := range f.X.Ticks() {
		x := p.x(t)
		label := svg.Cut(f.X.TickLabel(t), tickSize, math.Min(room-8, 220))
		w := svg.TextWidth(label, tickSize)
		x = math.Min(x, width-4-w/2)
		if x-w/2 < end+8 || label == "…" {
			continue
		}
		end = x + w/2
		p.pic.Text(x, p.bottom+18, tickSize, "middle", label, fill(Muted)...)
	}
}

func (p *plot) bands() {
	end := math.Inf(-1)
	for _, b := range p.fig.Bands {
		x0, x1 := p.x(b.From), p.x(b.To)
		if b.Shaded {
			p.pic.Shape("rect", with(fill(Grid), svg.A("opacity", "0.45"), svg.N("x", x0), svg.N("y", p.top), svg.N("width", x1-x0), svg.N("height", p.bottom-p.top))...)
		}
		label := svg.Cut(b.Label, tickSize, x1-x0-6)
		if label == "…" || label == "" || x0+3 < end {
			continue
		}
		p.pic.Text(x0+3, p.top+12, tickSize, "start", label, fill(Muted)...)
		box := svg.TextBox(x0+3, p.top+12, tickSize, "start", label)
		end = box.X1
		p.placer.Take(box)
		p.notes = append(p.notes, note{math.Ceil(b.From), p.fig.Y.Max, x0 + 3, p.top, "start", []string{label}})
	}
}

// lines draws the marked places of the x axis, each with its label where there
// is room for it.
func (p *plot) lines() {
	for _, l := range p.fig.Lines {
		x := p.x(l.X)
		p.pic.Shape("line", with(stroke(Muted, 1.2), svg.A("stroke-dasharray", "4 3"), svg.N("x1", x), svg.N("x2", x), svg.N("y1", p.top), svg.N("y2", p.bottom))...)
		w := svg.TextWidth(l.Label, labelSize)
		if box, ok := p.placer.Place(x, p.top+28, 4, w, lineGap); ok {
			p.pic.Text(box.X0, box.Y1-4, labelSize, "start", l.Label, fill(Ink)...)
		}
	}
}

// labels places the texts of all points, those of unreliable points first.
func (p *plot) labels() {
	for _, doubt := range []bool{true, false} {
		for _, l := range p.fig.Layers {
			for _, pt := range l.Points {
				if pt.Doubt == doubt && len(pt.Labels) > 0 {
					p.label(l, pt)
				}
			}
		}
	}
}

func (p *plot) label(l Layer, pt Point) {
	x, y, r := p.anchor(l, pt)
	w := 0.0
	for _, s := range pt.Labels {
		w = math.Max(w, svg.TextWidth(s, labelSize))
	}
	box, ok := p.placer.Place(x, y, r, w, lineGap*float64(len(pt.Labels)))
	if !ok {
		return
	}
	anchor, tx := "start", box.X0
	if box.X1 <= x {
		anchor, tx = "end", box.X1
	} else if box.X0 < x-1 && box.X1 > x+1 {
		anchor, tx = "middle", (box.X0+box.X1)/2
	}
	mx, my := l.mark(pt)
	p.notes = append(p.notes, note{mx, my, tx, box.Y0, anchor, pt.Labels})
	for i, s := range pt.Labels {
		c := Ink
		if i > 0 {
			c = Muted
		}
		p.pic.Text(tx, box.Y0+lineGap*float64(i)+12.5, labelSize, anchor, s, fill(c)...)
	}
}

// mark is the place that a point's label belongs to, in the units of the axes.
func (l Layer) mark(pt Point) (x, y float64) {
	switch l.Kind {
	case BarX, RunX:
		return pt.X2, pt.Y
	case BarY:
		return pt.X, pt.Y2
	case RunY:
		return pt.X, (pt.Y + pt.Y2) / 2
	}
	return pt.X, pt.Y
}

// anchor is that place in the picture, and how far from it a label keeps.
func (p *plot) anchor(l Layer, pt Point) (x, y, r float64) {
	mx, my := l.mark(pt)
	clear := map[Kind]float64{BarX: 8, RunX: 8, BarY: 5, RunY: 12, Dots: 14}[l.Kind]
	return p.x(mx), p.y(my), clear
}
