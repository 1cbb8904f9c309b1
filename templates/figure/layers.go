package figure

import (
	"math"
	"strings"

	"coldcase/templates/svg"
)

func (p *plot) layers() {
	for _, l := range p.fig.Layers {
		switch l.Kind {
		case Path, Step:
			p.path(l)
		case BarX, BarY:
			p.bars(l)
		case RunX, RunY:
			p.spans(l)
		case Dots:
			p.dots(l)
		}
	}
}

// path draws a line through the points. Where several points fall into one half
// unit of x only their first, lowest, highest and last y are kept: the picture
// is the same, the file is not a megabyte.
func (p *plot) path(l Layer) {
	attrs := stroke(l.Color, 2)
	if l.Dashed {
		attrs = append(attrs, svg.A("stroke-dasharray", "6 4"))
	}
	var d strings.Builder
	var px, py float64
	for i, pt := range l.Points {
		x, y := p.x(pt.X), p.y(pt.Y)
		switch {
		case i == 0:
			d.WriteString("M" + svg.Number(x) + " " + svg.Number(y))
		case l.Kind == Step && i+1 < len(l.Points) && math.Abs(p.x(l.Points[i+1].X)-px) < 0.5 && math.Abs(x-px) < 0.5:
			continue // the next point stands in the same column and says more
		case l.Kind == Step:
			d.WriteString("H" + svg.Number(x) + "V" + svg.Number(y))
			p.placer.Avoid(svg.Segment{X0: px, Y0: py, X1: x, Y1: py})
			p.placer.Avoid(svg.Segment{X0: x, Y0: py, X1: x, Y1: y})
		default:
			d.WriteString("L" + svg.Number(x) + " " + svg.Number(y))
			p.placer.Avoid(svg.Segment{X0: px, Y0: py, X1: x, Y1: y})
		}
		px, py = x, y
	}
	p.pic.Shape("path", append(attrs, svg.A("d", d.String()))...)
}

// barHeight is that of a lying bar, barWidth that of a standing one.
func (p *plot) barHeight() float64 { return math.Min(24, p.fig.rowHeight()*0.6) }

func (p *plot) barWidth() float64 { return math.Min((p.x(1)-p.x(0))*0.8, 56) }

func (p *plot) bars(l Layer) {
	attrs := fill(l.Color)
	if l.Kind == BarX { // parts that lie end to end are kept apart by a seam
		attrs = both(l.Color, Paper, 1)
	}
	p.pic.Open("g", attrs...)
	for _, pt := range l.Points {
		var b svg.Box
		if l.Kind == BarX {
			h := p.barHeight()
			b = svg.Box{X0: p.x(pt.X), X1: p.x(pt.X2), Y0: p.y(pt.Y) - h/2, Y1: p.y(pt.Y) + h/2}
		} else {
			w := p.barWidth()
			b = svg.Box{X0: p.x(pt.X) - w/2, X1: p.x(pt.X) + w/2, Y0: p.y(pt.Y2), Y1: p.y(pt.Y)}
		}
		if b.X1-b.X0 <= 0 || b.Y1-b.Y0 <= 0 {
			continue
		}
		if l.Kind == BarX {
			p.placer.Take(b)
		}
		p.pic.Shape("rect", svg.N("x", b.X0), svg.N("y", b.Y0), svg.N("width", b.X1-b.X0), svg.N("height", b.Y1-b.Y0))
	}
	p.pic.End()
	for _, pt := range l.Points {
		if p.insideFits(pt) {
			p.text((p.x(pt.X)+p.x(pt.X2))/2, p.y(pt.Y)+4.5, "middle", pt.Inside, Paper)
		}
	}
}

func (p *plot) insideFits(pt Point) bool {
	return pt.Inside != "" && svg.TextWidth(pt.Inside, textSize)+6 <= p.x(pt.X2)-p.x(pt.X)
}

// Widths of the spans: groups along x, ranges along y.
const (
	runXWidth = 12.0
	runYWidth = 5.0
)

// spans draws thick pieces. A group of equal times has no length: it is a
// diamond, which no stroke looks like.
func (p *plot) spans(l Layer) {
	w := runXWidth
	if l.Kind == RunY {
		w = runYWidth
	}
	var points []Point
	p.pic.Open("g", with(stroke(l.Color, w), svg.A("stroke-linecap", "butt"))...)
	for _, pt := range l.Points {
		x0, y0, x1, y1 := p.x(pt.X), p.y(pt.Y), p.x(pt.X2), p.y(pt.Y)
		if l.Kind == RunY {
			x1, y1 = x0, p.y(pt.Y2)
			p.placer.Take(svg.Box{X0: x0 - w/2, X1: x0 + w/2, Y0: math.Min(y0, y1), Y1: math.Max(y0, y1)})
		} else {
			p.placer.Take(svg.Box{X0: x0 - 3, X1: x1 + 3, Y0: y0 - w/2, Y1: y0 + w/2})
		}
		if p.pointed(l, pt) {
			points = append(points, pt)
			continue
		}
		p.pic.Shape("line", svg.N("x1", x0), svg.N("y1", y0), svg.N("x2", x1), svg.N("y2", y1))
	}
	p.pic.End()
	for _, pt := range points {
		drawGlyph(p.pic, Diamond, p.x(pt.X), p.y(pt.Y), runXWidth/2, l.Color)
	}
}

// pointed reports whether a span is too short to be seen as one.
func (p *plot) pointed(l Layer, pt Point) bool {
	return l.Kind == RunX && p.x(pt.X2)-p.x(pt.X) < 3
}

// many reports whether the points along a value axis are so many for the sheet
// that their marks are small, those of all layers alike.
func (p *plot) many() bool {
	if len(p.fig.X.Categories) > 0 || len(p.fig.Y.Categories) > 0 {
		return false
	}
	most := 60
	if p.size == Narrow {
		most = 24
	}
	for _, l := range p.fig.Layers {
		if l.Kind == Dots && len(l.Points) > most {
			return true
		}
	}
	return false
}

func (p *plot) dots(l Layer) {
	many := p.many()
	for _, pt := range l.Points {
		x, y := p.x(pt.X), p.y(pt.Y)
		r := 5.0
		switch {
		case pt.pie():
			r = p.pieR
		case many:
			r = 2.6
		}
		switch {
		case pt.Unknown: // a share that is not known must not look like zero
			drawPie(p.pic, x, y, r, 0, l.Color)
			p.text(x, y+4.5, "middle", "?", Ink)
		case pt.Share != nil:
			drawPie(p.pic, x, y, r, *pt.Share, l.Color)
		case many:
			drawGlyph(p.pic, l.Glyph, x, y, r, l.Color)
		default:
			drawMark(p.pic, l.Glyph, x, y, r, l.Color)
		}
		if pt.Doubt {
			drawDoubt(p.pic, x, y, r)
			r += 4
		}
		switch {
		case l.Glyph == Tick:
			p.placer.Take(svg.Box{X0: x - 2, X1: x + 2, Y0: y - 2.2*r, Y1: y + 2.2*r})
		case !many || len(pt.Labels) > 0:
			p.placer.Take(svg.Box{X0: x - r, X1: x + r, Y0: y - r, Y1: y + r})
		}
	}
}
