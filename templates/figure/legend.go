package figure

import (
	"coldcase/templates/svg"
)

// key is an entry of the legend: the mark as it stands in the plot, and a name.
type key struct {
	name  string
	color Color
	layer *Layer // the layer whose mark it is
	line  *Line  // or the marked place
	doubt bool   // or the ring of a point that is not reliable
}

// keys lists the legend: named layers once each, the marked places, and the
// ring of unreliable points if the figure has one.
func (f *Figure) keys() []key {
	var keys []key
	seen := map[string]bool{}
	doubt := false
	for i := range f.Layers {
		l := &f.Layers[i]
		for _, p := range l.Points {
			doubt = doubt || p.Doubt
		}
		if l.Name == "" || seen[l.Name] {
			continue
		}
		seen[l.Name] = true
		keys = append(keys, key{name: l.Name, color: l.Color, layer: l})
	}
	for i := range f.Lines {
		if l := &f.Lines[i]; l.Label != "" && !seen[l.Label] {
			seen[l.Label] = true
			keys = append(keys, key{name: l.Label, color: Ink, line: l})
		}
	}
	if doubt {
		keys = append(keys, key{name: ring, color: Bad, doubt: true})
	}
	return keys
}

// placedKey is an entry of the legend in its place.
type placedKey struct {
	key
	x, y  float64 // the middle of the mark is at x + keyMark/2, y
	lines []string
}

const (
	keyMark = 18.0 // the width of a mark of the legend
	keyGap  = 16.0 // between two entries
	keyDrop = 10.0 // between two rows
)

// setKeys sets the entries in rows from the left, a long name in several lines.
func (p *plot) setKeys(keys []key, y float64) (out []placedKey, height float64) {
	x, tall := p.size.edge(), 0
	most := p.width - 8 - p.size.edge() - keyMark - 6
	for i, k := range keys {
		lines, ok := svg.Wrap(k.name, textSize, most, 1+2*int(p.size)) // three on a narrow sheet
		if !ok {
			lines = []string{svg.CutMiddle(k.name, textSize, most)}
		}
		w := widest(lines)
		w += keyMark + 6
		if i > 0 && x+w > p.width-8 {
			x, y, tall = p.size.edge(), y+keyDrop+lineGap*float64(tall), 0
		}
		tall = max(tall, len(lines))
		out = append(out, placedKey{k, x, y, lines})
		x += w + keyGap
	}
	if len(keys) == 0 {
		return nil, 0
	}
	return out, y + lineGap*float64(tall)
}

func (p *plot) drawLegend() {
	for _, k := range p.legend {
		p.drawKey(k)
		for i, s := range k.lines {
			p.pic.Text(k.x+keyMark+6, k.y+4.5+lineGap*float64(i), textSize, "start", s, fill(Ink)...)
		}
	}
}

// drawKey draws the mark of an entry as the plot has it.
func (p *plot) drawKey(k placedKey) {
	x, y := k.x+keyMark/2, k.y
	lying := []svg.Attr{svg.N("x1", k.x), svg.N("x2", k.x+keyMark), svg.N("y1", y), svg.N("y2", y)}
	standing := []svg.Attr{svg.N("x1", x), svg.N("x2", x), svg.N("y1", y-6), svg.N("y2", y+6)}
	switch {
	case k.doubt:
		drawDoubt(p.pic, x, y, 2)
	case k.line != nil:
		p.pic.Shape("line", with(lineStroke(*k.line), standing...)...)
		if k.line.Glyph != "" {
			drawGlyph(p.pic, k.line.Glyph, x, y-5, 4, Ink)
		}
	case k.layer.Kind == Path || k.layer.Kind == Step:
		attrs := stroke(k.color, 2.4)
		if k.layer.Dashed {
			attrs = append(attrs, svg.A("stroke-dasharray", "6 4"))
		}
		p.pic.Shape("line", with(attrs, lying...)...)
		if k.layer.Glyph != "" {
			drawMark(p.pic, k.layer.Glyph, x, y, 4.5, k.color)
		}
	case k.layer.Kind == RunX:
		p.pic.Shape("line", with(stroke(k.color, 8), lying...)...)
	case k.layer.Kind == RunY:
		p.pic.Shape("line", with(stroke(k.color, runYWidth), standing...)...)
	case k.layer.Kind != Dots:
		drawGlyph(p.pic, Square, x, y, 6, k.color)
	case k.layer.Glyph == Tick:
		p.pic.Shape("line", with(stroke(k.color, 2.4), standing...)...)
	case k.layer.pie():
		drawPie(p.pic, x, y, 6, 0.4*k.layer.filled(), k.color)
	default:
		drawGlyph(p.pic, k.layer.Glyph, x, y, 5, k.color)
	}
}

// pie reports whether the marks of a layer are pies.
func (l *Layer) pie() bool { return len(l.Points) > 0 && l.Points[0].pie() }

// filled is 1 if any pie of the layer is filled in part, else 0: the legend
// shows a pie as the plot has it.
func (l *Layer) filled() float64 {
	for _, p := range l.Points {
		if p.Share != nil && *p.Share > 0 {
			return 1
		}
	}
	return 0
}
