package figure

import (
	"math"

	"coldcase/templates/svg"
)

// drawGlyph draws a mark of radius r.
func drawGlyph(pic *svg.Picture, g Glyph, x, y, r float64, c Color) {
	drawRimmed(pic, g, x, y, r, fill(c), c)
}

// drawMark draws a mark with a rim of paper, which parts it from a range or a
// line that it stands on.
func drawMark(pic *svg.Picture, g Glyph, x, y, r float64, c Color) {
	drawRimmed(pic, g, x, y, r, both(c, Paper, rim), c)
}

// rim is the width of the paper around a mark.
const rim = 1.5

func drawRimmed(pic *svg.Picture, g Glyph, x, y, r float64, area []svg.Attr, c Color) {
	switch g {
	case Ring:
		pic.Shape("circle", with(both(Paper, c, 2), svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
	case Square:
		pic.Shape("rect", with(area, svg.N("x", x-r), svg.N("y", y-r), svg.N("width", 2*r), svg.N("height", 2*r))...)
	case Cross:
		d := "M" + at(x-r, y-r) + "L" + at(x+r, y+r) + "M" + at(x-r, y+r) + "L" + at(x+r, y-r)
		pic.Shape("path", with(stroke(c, 2.2), svg.A("d", d))...)
	case Diamond:
		d := "M" + at(x, y-1.3*r) + "L" + at(x+1.3*r, y) + "L" + at(x, y+1.3*r) + "L" + at(x-1.3*r, y) + "Z"
		pic.Shape("path", with(area, svg.A("d", d))...)
	case Triangle:
		d := "M" + at(x-r, y-r) + "L" + at(x+r, y-r) + "L" + at(x, y+r) + "Z"
		pic.Shape("path", with(area, svg.A("d", d))...)
	case Tick:
		pic.Shape("path", with(stroke(c, 2.4), svg.A("d", "M"+at(x, y-2.2*r)+"L"+at(x, y+2.2*r)))...)
	default:
		pic.Shape("circle", with(area, svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
	}
}

// drawPie draws a ring filled to a share, clockwise from the top.
func drawPie(pic *svg.Picture, x, y, r, share float64, c Color) {
	pic.Shape("circle", with(both(Paper, c, 2), svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
	if share <= 0 {
		return
	}
	if share >= 1 {
		pic.Shape("circle", with(fill(c), svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
		return
	}
	sin, cos := math.Sincos(2 * math.Pi * share)
	large := "0"
	if share > 0.5 {
		large = "1"
	}
	d := "M" + at(x, y) + "L" + at(x, y-r) + "A" + at(r, r) + " 0 " + large + " 1 " + at(x+r*sin, y-r*cos) + "Z"
	pic.Shape("path", with(fill(c), svg.A("d", d))...)
}

// drawDoubt marks an unreliable point: a dashed ring around it.
func drawDoubt(pic *svg.Picture, x, y, r float64) {
	pic.Shape("circle", with(stroke(Bad, 1.6), svg.A("stroke-dasharray", "3 2.5"), svg.N("cx", x), svg.N("cy", y), svg.N("r", r+4))...)
}

func at(x, y float64) string { return svg.Number(x) + " " + svg.Number(y) }
