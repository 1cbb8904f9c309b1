package figure

import (
	"math"

	"coldcase/templates/svg"
)

// drawGlyph draws a mark of radius r.
func drawGlyph(pic *svg.Picture, g Glyph, x, y, r float64, c Color) {
	switch g {
	case Ring:
		pic.Shape("circle", with(stroke(c, 2), svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
	case Square:
		pic.Shape("rect", with(fill(c), svg.N("x", x-r), svg.N("y", y-r), svg.N("width", 2*r), svg.N("height", 2*r))...)
	case Cross:
		d := "M" + at(x-r, y-r) + "L" + at(x+r, y+r) + "M" + at(x-r, y+r) + "L" + at(x+r, y-r)
		pic.Shape("path", with(stroke(c, 2.2), svg.A("d", d))...)
	case Diamond:
		d := "M" + at(x, y-1.3*r) + "L" + at(x+1.3*r, y) + "L" + at(x, y+1.3*r) + "L" + at(x-1.3*r, y) + "Z"
		pic.Shape("path", with(fill(c), svg.A("d", d))...)
	case Tick:
		pic.Shape("path", with(stroke(c, 2.4), svg.A("d", "M"+at(x, y-2.2*r)+"L"+at(x, y+2.2*r)))...)
	default:
		pic.Shape("circle", with(fill(c), svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
	}
}

// drawPie draws a ring filled to a share, clockwise from the top.
func drawPie(pic *svg.Picture, x, y, r, share float64, c Color) {
	pic.Shape("circle", with([]svg.Attr{svg.A("class", "f-paper s-"+string(c)), svg.A("fill", Paper.Light()), svg.A("stroke", c.Light()), svg.N("stroke-width", 2)},
		svg.N("cx", x), svg.N("cy", y), svg.N("r", r))...)
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

// drawUnknown draws a ring around a question mark: a share that is not known
// must not look like a share of zero.
func drawUnknown(pic *svg.Picture, x, y, r float64, c Color) {
	drawPie(pic, x, y, r, 0, c)
	pic.Text(x, y+4.5, labelSize, "middle", "?", fill(Ink)...)
}

// drawDoubt marks an unreliable point: a dashed ring around it.
func drawDoubt(pic *svg.Picture, x, y, r float64) {
	pic.Shape("circle", with(stroke(Bad, 1.6), svg.A("stroke-dasharray", "3 2.5"), svg.N("cx", x), svg.N("cy", y), svg.N("r", r+4))...)
}

func at(x, y float64) string { return svg.Number(x) + " " + svg.Number(y) }
