package figure

import (
	"math"
	"strings"

	"coldcase/templates/svg"
)

// SVG draws the figure as a still picture that stands alone.
func (f *Figure) SVG() string { return f.draw(Wide).pic.String() }

// SVGNarrow draws it for a narrow screen. On a page it stands beside the wide
// picture and takes its title and description from there.
func (f *Figure) SVGNarrow() string { return f.draw(Narrow).pic.String() }

// draw lays the figure out and draws it. If labels found no room it is done
// again with a line that says so.
func (f *Figure) draw(size Size) *plot {
	p := f.layout(size, false)
	p.all()
	if p.dropped {
		p = f.layout(size, true)
		p.all()
	}
	return p
}

func (p *plot) all() {
	f := p.fig
	if p.size == Wide {
		p.pic = svg.New("fig-"+f.ID, p.width, p.height, f.Title, f.describe())
	} else {
		p.pic = svg.Described("fig-"+f.ID, p.width, p.height)
	}
	p.pic.Shape("rect", svg.A("class", "sheet"), svg.A("fill", Paper.Light()), svg.N("width", p.width), svg.N("height", p.height))
	p.drawLegend()
	p.bands()
	p.axes()
	p.lines()
	p.layers()
	p.labels()
	for _, k := range p.listed {
		p.text(k.x, k.y, "start", k.lines[0], Muted)
	}
	if p.apology {
		p.text(p.size.edge(), p.height-8, "start", "Some labels had no room. The table has them.", Muted)
	}
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

// fill returns the attributes that paint an area: the class for the page and
// the plain colour for a picture that stands alone.
func fill(c Color) []svg.Attr {
	return []svg.Attr{svg.A("class", "f-"+string(c)), svg.A("fill", c.Light())}
}

func stroke(c Color, w float64) []svg.Attr {
	return []svg.Attr{svg.A("class", "s-"+string(c)), svg.A("stroke", c.Light()), svg.N("stroke-width", w), svg.A("fill", "none")}
}

// both paints an area and its border.
func both(area, border Color, w float64) []svg.Attr {
	return []svg.Attr{svg.A("class", "f-"+string(area)+" s-"+string(border)), svg.A("fill", area.Light()),
		svg.A("stroke", border.Light()), svg.N("stroke-width", w)}
}

func with(attrs []svg.Attr, more ...svg.Attr) []svg.Attr { return append(attrs, more...) }

// text writes a text of both charts.
func (p *plot) text(x, y float64, anchor, s string, c Color) {
	p.texts = append(p.texts, text{x: x, y: y, anchor: anchor, s: s, color: c})
	p.pic.Text(x, y, textSize, anchor, s, fill(c)...)
}

// beside writes a text among the marks: a rim of paper keeps it readable where
// a line runs under it.
func (p *plot) beside(x, y float64, anchor, s string, c Color) {
	p.texts = append(p.texts, text{x: x, y: y, anchor: anchor, s: s, color: c, halo: true})
	p.pic.Text(x, y, textSize, anchor, s, with(both(c, Paper, 3), svg.A("paint-order", "stroke"), svg.A("stroke-linejoin", "round"))...)
}

// still writes a text that the interactive chart has from its own axis.
func (p *plot) still(x, y float64, anchor, s string) {
	p.pic.Text(x, y, textSize, anchor, s, fill(Muted)...)
}

// rule draws a thin lying line beneath the marks.
func (p *plot) rule(y float64, c Color) {
	p.pic.Shape("line", with(stroke(c, 1), svg.N("x1", p.left), svg.N("x2", p.right), svg.N("y1", y), svg.N("y2", y))...)
}

func (p *plot) axes() {
	f := p.fig
	if len(f.Y.Categories) > 0 {
		p.rowNames()
	}
	for _, t := range f.Y.Ticks() {
		if len(f.Y.Categories) == 0 {
			p.rule(p.y(t), Grid)
			p.still(p.left-8, p.y(t)+4, "end", f.Y.TickLabel(t))
		}
	}
	p.rule(p.bottom, Muted)
	p.xTicks()
	if f.Y.Label != "" {
		y := p.top - 14
		if len(f.Bands) > 0 {
			y -= p.bandStrip() - 6
		}
		p.text(p.size.edge(), y, "start", f.Y.Label, Muted)
	}
	if f.X.Label != "" {
		lines := 1
		for _, n := range p.xNames {
			lines = max(lines, len(n))
		}
		p.text((p.left+p.right)/2, p.bottom+24+float64(lines)*lineGap, "middle", f.X.Label, Muted)
	}
}

// rowNames writes the names of the rows beside them or above them, and rules
// where marks alone stand in a row.
func (p *plot) rowNames() {
	for i, name := range p.fig.Y.Categories {
		y := p.y(float64(i))
		if p.heads > 0 {
			at := y - p.rowHalf() - p.headHeight() + 12
			p.text(p.left, at, "start", svg.CutMiddle(name, textSize, p.right-p.left), Ink)
			p.placer.Take(svg.TextBox(p.left, at, textSize, "start", name))
			continue
		}
		if p.dotted() {
			p.rule(y, Grid)
			p.under = append(p.under, shape{svg.Box{X0: p.left, X1: p.right, Y0: y}, Grid, false})
		}
		lines := p.sideName(name, p.left-p.size.edge()-8+0.1)
		for k, line := range lines {
			p.text(p.left-8, y+4+lineGap*(float64(k)-float64(len(lines)-1)/2), "end", line, Muted)
		}
	}
}

// dotted reports whether rows hold dots alone.
func (p *plot) dotted() bool {
	for _, l := range p.fig.Layers {
		if l.Kind != Dots {
			return false
		}
	}
	return true
}

// rowHalf is how far the marks of a row and their labels reach above its middle.
func (p *plot) rowHalf() float64 {
	for _, l := range p.fig.Layers {
		if l.Kind == BarX {
			return 12
		}
	}
	return 52
}

func (p *plot) bands() {
	end := math.Inf(-1)
	for i, b := range p.fig.Bands {
		x0, x1 := p.x(b.From), p.x(b.To)
		if b.Shaded {
			box := svg.Box{X0: x0, X1: x1, Y0: p.top - p.bandStrip(), Y1: p.bottom}
			p.under = append(p.under, shape{box, Stripe, true})
			p.pic.Shape("rect", with(fill(Stripe), svg.N("x", x0), svg.N("y", box.Y0), svg.N("width", x1-x0), svg.N("height", box.Y1-box.Y0))...)
		}
		lines := p.bandNames[i]
		w := widest(lines)
		if x0+4 < end || w > x1-x0 && w > 12 {
			continue
		}
		for k, s := range lines {
			p.text(x0+4, p.top-p.bandStrip()+14+float64(k)*lineGap, "start", s, Muted)
		}
		end = x0 + w + 8
	}
}

// lines draws the marked places of the x axis; the legend says what they are.
func (p *plot) lines() {
	for _, l := range p.fig.Lines {
		x := p.x(l.X)
		p.pic.Shape("line", with(lineStroke(l), svg.N("x1", x), svg.N("x2", x), svg.N("y1", p.top), svg.N("y2", p.bottom))...)
		if l.Glyph != "" {
			drawGlyph(p.pic, l.Glyph, x, p.top-3, 4, Ink)
		}
	}
}

// lineStroke: a line with a glyph is solid, one without is dashed.
func lineStroke(l Line) []svg.Attr {
	if l.Glyph != "" {
		return stroke(Ink, 1.2)
	}
	return with(stroke(Muted, 1.2), svg.A("stroke-dasharray", "4 3"))
}
