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
	x, y, r float64 // the mark, and how far the label keeps from it
	lines   []string
	doubt   bool
	kind    Kind
	strokes bool // of printed figures among groups
	color   Color
}

// labels places the texts of all points, those of unreliable points first.
func (p *plot) labels() {
	tags := p.tags()
	for _, doubt := range []bool{true, false} {
		for _, t := range tags {
			if t.doubt == doubt {
				p.label(t, tags)
			}
		}
	}
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
			x, y, r := p.anchor(l, pt)
			c := Ink
			if l.Tinted {
				c = l.Color
			}
			of = append(of, tag{x, y, r, pt.Labels, pt.Doubt, l.Kind, l.Glyph == Tick, c})
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

// joined gives strokes of one row whose labels would touch one label between
// them, in the order of the strokes.
func joined(tags []tag) []tag {
	sort.SliceStable(tags, func(a, b int) bool {
		if tags[a].y != tags[b].y {
			return tags[a].y < tags[b].y
		}
		return tags[a].x < tags[b].x
	})
	var out []tag
	for _, t := range tags {
		if n := len(out); n > 0 && out[n-1].y == t.y {
			last := &out[n-1]
			room := (svg.TextWidth(last.lines[0], textSize) + svg.TextWidth(t.lines[0], textSize)) / 2
			if t.x-last.x < room+6 {
				last.lines = []string{last.lines[0] + ", " + t.lines[0]}
				last.x += (t.x - last.x) / float64(strings.Count(last.lines[0], ",")+1)
				continue
			}
		}
		out = append(out, t)
	}
	return out
}

// label finds a place for a label, if need be of its first line alone.
func (p *plot) label(t tag, all []tag) {
	for n := len(t.lines); n > 0; n-- {
		lines := t.lines[:n]
		w := widest(lines)
		own := svg.Site{X: t.x, Y: t.y}
		var others []svg.Site
		for _, o := range all {
			if o.kind == t.kind && o.strokes == t.strokes && (o.x != t.x || o.y != t.y) {
				others = append(others, svg.Site{X: o.x, Y: o.y})
			}
		}
		box, ok := p.placer.Place(own, others, t.r, w, lineGap*float64(n))
		if !ok {
			p.dropped = true
			continue
		}
		p.write(t, lines, box)
		return
	}
}

// write sets the lines of a label into its box, flush with the mark.
func (p *plot) write(t tag, lines []string, box svg.Box) {
	anchor, tx := "start", box.X0
	if box.X1 <= t.x {
		anchor, tx = "end", box.X1
	} else if box.X0 < t.x-1 && box.X1 > t.x+1 {
		anchor, tx = "middle", (box.X0+box.X1)/2
	}
	for i, s := range lines {
		c := t.color
		if i > 0 {
			c = Muted
		}
		p.beside(tx, box.Y0+lineGap*float64(i)+12.5, anchor, s, c)
	}
}

// anchor is the place that a point's label belongs to, and how far from it the
// label keeps.
func (p *plot) anchor(l Layer, pt Point) (x, y, r float64) {
	switch l.Kind {
	case BarX:
		return p.x(pt.X2), p.y(pt.Y), barClear
	case RunX:
		return (p.x(pt.X) + p.x(pt.X2)) / 2, p.y(pt.Y), runXWidth/2 + 3
	case BarY:
		return p.x(pt.X), p.y(pt.Y2), 5
	case RunY:
		return p.x(pt.X), p.y((pt.Y + pt.Y2) / 2), 12
	}
	r = 10
	switch {
	case pt.pie():
		r = p.pieR + 4
	case l.Glyph == Tick:
		r = 13
	}
	if pt.Doubt {
		r += 4
	}
	return p.x(pt.X), p.y(pt.Y), r
}
