package figure

import (
	"sort"
	"strings"

	"coldcase/templates/svg"
)

// barClear is how far a label keeps from the end of a lying bar.
const barClear = 8

// tag is a label that waits for its place.
type tag struct {
	x, y, r float64 // the mark and its radius
	gap     float64 // how far the label keeps from it
	in      string
	lines   []string
	doubt   bool
	kind    Kind
	strokes bool // of printed figures among groups
	near    bool // close by or not at all
	rows    int  // rings that stay in the row
	color   Color
}

// labels places the texts of all points. Which label comes first decides what
// room is left for the others: of a few orders that loses the fewest lines
// which puts the labels nearest.
func (p *plot) labels() {
	tags := p.tags()
	var best []placed
	var state svg.Placer
	fewest, least := 0, 0.0
	for _, order := range orders(tags) {
		placer := p.placer.Clone()
		out, lost := placeAll(&placer, order, tags)
		if best == nil || lost < fewest || lost == fewest && placer.Cost < least {
			best, state, fewest, least = out, placer, lost, placer.Cost
		}
	}
	if best == nil {
		return
	}
	p.placer, p.dropped = state, p.dropped || fewest > 0
	for _, l := range best {
		p.write(l.tag, l.lines, l.box)
	}
}

// orders are those that are tried: unreliable points first, from left to right,
// from right to left, from the lowest up.
func orders(tags []tag) [][]tag {
	var out [][]tag
	for _, before := range []func(a, b tag) bool{
		func(a, b tag) bool { return a.doubt && !b.doubt },
		func(a, b tag) bool { return a.x < b.x },
		func(a, b tag) bool { return a.x > b.x },
		func(a, b tag) bool { return a.y > b.y },
	} {
		order := append([]tag(nil), tags...)
		sort.SliceStable(order, func(i, j int) bool { return before(order[i], order[j]) })
		out = append(out, order)
	}
	return out
}

// placed is a label in its place.
type placed struct {
	tag
	lines []string
	box   svg.Box
}

// placeAll places labels in an order and counts the lines that found no room.
func placeAll(placer *svg.Placer, order, all []tag) (out []placed, lost int) {
	for _, t := range order {
		var others []svg.Site
		for _, o := range all {
			if o.kind == t.kind && o.strokes == t.strokes && (o.x != t.x || o.y != t.y) {
				others = append(others, o.site())
			}
		}
		n := len(t.lines)
		for ; n > 0; n-- { // if need be its first line alone
			w, h := widest(t.lines[:n]), lineGap*float64(n)
			l := svg.Label{Own: t.site(), Others: others, Side: t.side(), Gap: t.gap, W: w, H: h, Rings: t.rings()}
			if box, ok := placer.Place(l); ok {
				out = append(out, placed{t, t.lines[:n], box})
				break
			}
		}
		if !t.near { // the legend has its name
			lost += len(t.lines) - n
		}
	}
	return out, lost
}

func (t tag) site() svg.Site { return svg.Site{X: t.x, Y: t.y, R: t.r} }

// rings: a label that only repeats the legend stands close by or not at all, and
// one of a row does not leave it.
func (t tag) rings() int {
	switch {
	case t.near:
		return 2
	case t.strokes || t.kind == RunX:
		return t.rows
	}
	return 0
}

// side: groups and the figures among them keep to their sides.
func (t tag) side() svg.Side {
	switch {
	case t.kind == RunX:
		return svg.Below
	case t.strokes:
		return svg.Above
	}
	return svg.Around
}

// tags collects the labels of all layers. Those at the end of a lying bar stand
// above it where its name does; those of strokes that are too close for a label
// each share one.
func (p *plot) tags() []tag {
	var out []tag
	for _, l := range p.fig.Layers {
		var of []tag
		for _, pt := range l.Points {
			if len(pt.Labels) == 0 {
				continue
			}
			if l.Kind == BarX && p.heads > 0 {
				p.headLabel(pt)
				continue
			}
			x, y, r, gap := p.anchor(l, pt)
			c := Ink
			if l.Tinted {
				c = l.Color
			}
			of = append(of, tag{x, y, r, gap, pt.In, pt.Labels, pt.Doubt, l.Kind, l.Glyph == Tick, l.Tinted, 3 + min(p.heads, 1), c})
		}
		if l.Glyph == Tick {
			of = joined(of)
		}
		out = append(out, of...)
	}
	return out
}

// headLabel writes the label of a bar on the lines above it.
func (p *plot) headLabel(pt Point) {
	y := p.y(pt.Y) - p.rowHalf() - 6
	x, anchor := p.right, "end"
	if p.heads == 2 {
		x, anchor = p.left, "start"
	}
	p.text(x, y, anchor, svg.CutMiddle(pt.Labels[0], textSize, p.right-p.left), Muted)
}

// joined gives strokes of one row and one group that stand too close for a
// label each one label between them, in the order of the strokes.
func joined(tags []tag) []tag {
	sort.SliceStable(tags, func(a, b int) bool {
		if tags[a].y != tags[b].y {
			return tags[a].y < tags[b].y
		}
		return tags[a].x < tags[b].x
	})
	var out []tag
	for _, t := range tags {
		if n := len(out); n > 0 && out[n-1].y == t.y && out[n-1].in == t.in {
			last := &out[n-1]
			if t.x-last.x < textSize+svg.TextWidth(last.lines[0], textSize)/2 {
				last.lines = []string{last.lines[0] + ", " + t.lines[0]}
				last.x += (t.x - last.x) / float64(strings.Count(last.lines[0], ",")+1)
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// write sets the lines of a label into its box, flush with the mark.
func (p *plot) write(t tag, lines []string, box svg.Box) {
	// A box bounds its text from above: the text goes to the side of the mark.
	const near = 24
	anchor, tx := "middle", (box.X0+box.X1)/2
	switch {
	case box.X1 < t.x+near:
		anchor, tx = "end", box.X1
	case box.X0 > t.x-near:
		anchor, tx = "start", box.X0
	}
	for i, s := range lines {
		c := t.color
		if i > 0 {
			c = Muted
		}
		p.beside(tx, box.Y0+lineGap*float64(i)+12.5, anchor, s, c)
	}
}

// anchor is the place that a point's label belongs to, with the radius of the
// mark and the gap that the label keeps from it.
func (p *plot) anchor(l Layer, pt Point) (x, y, r, gap float64) {
	switch l.Kind {
	case BarX:
		return p.x(pt.X2), p.y(pt.Y), 0, barClear
	case RunX:
		return (p.x(pt.X) + p.x(pt.X2)) / 2, p.y(pt.Y), runXWidth / 2, 3
	case BarY:
		return p.x(pt.X), p.y(pt.Y2), 0, 5
	case RunY:
		return p.x(pt.X), p.y((pt.Y + pt.Y2) / 2), 0, 12
	}
	r, gap = 5, 5
	switch {
	case pt.pie():
		r, gap = p.pieR, 4
	case l.Glyph == Tick:
		r, gap = 11, 2
	}
	if pt.Doubt {
		r += 4
	}
	return p.x(pt.X), p.y(pt.Y), r, gap
}
