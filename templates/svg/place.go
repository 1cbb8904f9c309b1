package svg

import "math"

// Box is a rectangle in user units, y growing downwards.
type Box struct{ X0, Y0, X1, Y1 float64 }

// Overlaps reports whether two boxes share an area.
func (b Box) Overlaps(c Box) bool {
	return b.X0 < c.X1 && c.X0 < b.X1 && b.Y0 < c.Y1 && c.Y0 < b.Y1
}

// Inside reports whether b lies within c.
func (b Box) Inside(c Box) bool {
	return b.X0 >= c.X0 && b.X1 <= c.X1 && b.Y0 >= c.Y0 && b.Y1 <= c.Y1
}

// Grow returns b with d added on every side.
func (b Box) Grow(d float64) Box { return Box{b.X0 - d, b.Y0 - d, b.X1 + d, b.Y1 + d} }

// TextWidth bounds the width of a line of text from above for the sans-serif
// faces that systems use for system-ui. Real text is a little narrower, so that
// what does not collide here does not collide on a screen.
func TextWidth(s string, size float64) float64 {
	var em float64
	for _, r := range s {
		em += runeWidth(r)
	}
	return em * size
}

func runeWidth(r rune) float64 {
	switch {
	case r == 'i' || r == 'j' || r == 'l' || r == '\'' || r == '|' || r == '.' || r == ',' || r == ':' || r == ';' || r == '!':
		return 0.36
	case r == 'f' || r == 't' || r == 'r' || r == '(' || r == ')' || r == ' ' || r == '/' || r == '-' || r == '·':
		return 0.44
	case r == 'm' || r == 'w' || r == 'M' || r == 'W' || r == '%' || r == '@' || r == '…' || r == '—':
		return 1.0
	case r >= 'A' && r <= 'Z':
		return 0.74
	case r < 0x250:
		return 0.64
	default:
		return 1.05
	}
}

// TextBox bounds the box of a text as Picture.Text draws it.
func TextBox(x, y, size float64, anchor, s string) Box {
	w := TextWidth(s, size)
	switch anchor {
	case "middle":
		x -= w / 2
	case "end":
		x -= w
	}
	return Box{x, y - 0.82*size, x + w, y + 0.24*size}
}

// Segment is a straight piece of a drawn line, which labels rather avoid.
type Segment struct{ X0, Y0, X1, Y1 float64 }

// Placer finds room for labels: none overlaps another or a taken box, and
// among the free places the one that crosses the fewest lines wins.
type Placer struct {
	Within Box
	Cost   float64 // of all labels placed so far
	taken  []Box
	lines  []Segment
}

// Clone returns a placer in the same state that goes its own way.
func (p *Placer) Clone() Placer {
	c := *p
	c.taken = append([]Box(nil), p.taken...)
	return c
}

// Take marks a box as occupied.
func (p *Placer) Take(b Box) { p.taken = append(p.taken, b) }

// Avoid notes a line that labels should not lie on if there is a choice.
func (p *Placer) Avoid(s Segment) { p.lines = append(p.lines, s) }

// Site is the place of a mark that has a label, and the mark's radius.
type Site struct{ X, Y, R float64 }

// distance is how far the nearest edge of a box is from the edge of the mark.
func (s Site) distance(b Box) float64 {
	dx := math.Max(0, math.Max(b.X0-s.X, s.X-b.X1))
	dy := math.Max(0, math.Max(b.Y0-s.Y, s.Y-b.Y1))
	return math.Hypot(dx, dy) - s.R
}

// Side is where a label may stand.
type Side int

// The sides of a mark.
const (
	Around Side = iota
	Above
	Below
)

func (s Side) has(b Box, y float64) bool {
	return s == Around || s == Above && b.Y1 <= y || s == Below && b.Y0 >= y
}

// Label is what looks for its place: a w × h text beside the mark at Own.
type Label struct {
	Own    Site
	Others []Site // the marks that it must not be read as belonging to
	Side   Side
	Gap    float64 // off the mark
	W, H   float64
	Rings  int // how far off the place may be, in steps of 10 units; 0 is 6
}

// Place finds room for a label and takes it. A place that lies nearer to another
// site is none: the label would be read as that one's. ok is false, and nothing
// is taken, if there is no room nearby.
func (p *Placer) Place(l Label) (box Box, ok bool) {
	own, rings := l.Own, l.Rings
	if rings == 0 {
		rings = 6
	}
	best := math.Inf(1)
	for ring := 0; ring < rings; ring++ {
		d := own.R + l.Gap + float64(ring)*10
		for i, c := range candidates(own.X, own.Y, d, l.W, l.H) {
			if !l.Side.has(c, own.Y) || !c.Inside(p.Within) || p.blocked(c) {
				continue
			}
			nearest := math.Inf(1)
			for _, o := range l.Others {
				nearest = math.Min(nearest, o.distance(c))
			}
			mine := own.distance(c)
			if nearest < mine-1 {
				continue
			}
			cost := float64(ring)*4 + float64(i)*0.1 + 5*float64(p.crossings(c))
			if nearest < mine+4 {
				cost += 8
			}
			if cost < best {
				best, box, ok = cost, c, true
			}
		}
	}
	if ok {
		p.Take(box)
		p.Cost += best
	}
	return box, ok
}

// candidates lists the places around a point at distance d, preferred first.
func candidates(x, y, d, w, h float64) []Box {
	at := func(x0, y0 float64) Box { return Box{x0, y0, x0 + w, y0 + h} }
	return []Box{
		at(x+d, y-h/2), at(x-d-w, y-h/2), at(x-w/2, y-d-h), at(x-w/2, y+d),
		at(x+d*0.7, y-d*0.7-h), at(x-d*0.7-w, y-d*0.7-h), at(x+d*0.7, y+d*0.7), at(x-d*0.7-w, y+d*0.7),
		at(x-4, y-d-h), at(x-4, y+d), at(x+4-w, y-d-h), at(x+4-w, y+d),
	}
}

func (p *Placer) blocked(b Box) bool {
	b = b.Grow(1)
	for _, t := range p.taken {
		if b.Overlaps(t) {
			return true
		}
	}
	return false
}

func (p *Placer) crossings(b Box) int {
	n := 0
	for _, s := range p.lines {
		if s.crosses(b) {
			n++
		}
	}
	return n
}

// crosses reports whether the segment enters the box (Liang and Barsky).
func (s Segment) crosses(b Box) bool {
	t0, t1 := 0.0, 1.0
	dx, dy := s.X1-s.X0, s.Y1-s.Y0
	for _, e := range [4][2]float64{{-dx, s.X0 - b.X0}, {dx, b.X1 - s.X0}, {-dy, s.Y0 - b.Y0}, {dy, b.Y1 - s.Y0}} {
		if e[0] == 0 {
			if e[1] < 0 {
				return false
			}
			continue
		}
		t := e[1] / e[0]
		if e[0] < 0 {
			t0 = max(t0, t)
		} else {
			t1 = min(t1, t)
		}
		if t0 > t1 {
			return false
		}
	}
	return true
}
