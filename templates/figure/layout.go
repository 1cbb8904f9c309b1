package figure

import (
	"math"

	"coldcase/templates/svg"
)

// Size is the sheet that a figure is drawn for.
type Size int

// The sizes: a page on a desk or on paper, and a telephone held upright. The
// page shows the one that fits, each at its own size, so that text stays as
// large as it was set.
const (
	Wide Size = iota
	Narrow
)

// Width is the width of the sheet in user units.
func (s Size) Width() float64 {
	if s == Narrow {
		return 340
	}
	return 860
}

// edge is the free margin at the left of the sheet.
func (s Size) edge() float64 {
	if s == Narrow {
		return 4
	}
	return 16
}

const (
	textSize = 12.5
	lineGap  = 16.0
)

// plot maps the values of a figure onto a sheet.
type plot struct {
	fig                      *Figure
	size                     Size
	pic                      *svg.Picture
	width, height            float64 // of the sheet
	left, right, top, bottom float64 // edges of the plot area
	placer                   svg.Placer
	legend                   []placedKey
	heads                    int         // lines of text above each row, 0 if names stand in the gutter
	xNames                   [][]string  // lines of each name of the x axis; nil where numbers are counted off
	listed                   []placedKey // names that the picture calls by a number
	bandNames                [][]string
	pieR                     float64
	apology                  bool // a line says that labels are left out
	dropped                  bool // a label found no room
	texts                    []text
	under                    []shape
}

// text is a text of the picture, shape an area or a rule beneath its marks: the
// interactive chart has them at the same places.
type text struct {
	x, y   float64 // of the anchor, on the baseline
	anchor string
	s      string
	color  Color
	halo   bool
}

type shape struct {
	box   svg.Box
	color Color
	area  bool // else the rule along its top
}

// layout finds the room for everything around the plot area.
func (f *Figure) layout(size Size, apology bool) *plot {
	p := &plot{fig: f, size: size, width: size.Width(), apology: apology}
	var legendHeight float64
	p.legend, legendHeight = p.setKeys(f.keys(), 12)
	p.heads = p.headLines()
	p.left = size.edge()
	if p.heads == 0 {
		p.left += p.gutter() + 8
	}
	p.right = p.endsOfBars(p.width - 20)
	p.nameBands()
	p.top = 10 + legendHeight
	if f.Y.Label != "" {
		p.top += 22
	}
	if len(f.Bands) > 0 {
		p.top += p.bandStrip()
	}
	if p.heads > 0 { // the text above the first row
		p.top += math.Max(0, p.headHeight()-(f.rowHeight()-24)) / 2
	}
	p.bottom = p.top + f.height() + float64(len(f.Y.Categories))*(p.headHeight()+p.extraHeight())
	p.height = p.bottom + 10 + p.nameAxis()*lineGap
	if f.X.Label != "" {
		p.height += 20
	}
	p.height = p.list(p.height)
	if apology {
		p.height += 18
	}
	p.height += 4
	p.pieR = p.pieRadius()
	p.placer.Within = svg.Box{X0: math.Min(p.left+2, 40), Y0: p.top - 2, X1: p.width - 4, Y1: p.bottom - 2}
	if p.heads == 0 {
		p.placer.Within.X0 = p.left + 2
	}
	return p
}

// bandStrip is the height of the strip above the plot area that holds the names
// of its bands, and below them the marks on the ends of lines.
func (p *plot) bandStrip() float64 {
	most := 1
	for _, lines := range p.bandNames {
		most = max(most, len(lines))
	}
	return 10 + lineGap*float64(most)
}

// height of the plot area without the names above its rows.
func (f *Figure) height() float64 {
	switch {
	case f.Height > 0:
		return f.Height
	case len(f.Y.Categories) > 0:
		return 40 * float64(len(f.Y.Categories))
	}
	return 270
}

func (f *Figure) rowHeight() float64 { return f.height() / float64(max(len(f.Y.Categories), 1)) }

// headLines is the number of lines above each row of a narrow sheet: names
// beside the rows would leave little room for what they name. A small matrix
// keeps them beside, or nobody could follow its rows.
func (p *plot) headLines() int {
	if p.size != Narrow || len(p.fig.Y.Categories) == 0 || p.fig.rowHeight() < 36 {
		return 0
	}
	for _, l := range p.fig.Layers {
		for _, pt := range l.Points {
			if l.Kind != BarX || len(pt.Labels) == 0 {
				continue
			}
			w := svg.TextWidth(p.fig.Y.Categories[int(pt.Y)], textSize) + svg.TextWidth(pt.Labels[0], textSize)
			if w+12 > p.width-20-p.size.edge() {
				return 2
			}
		}
	}
	return 1
}

// extraHeight is what a row of groups needs more on a narrow sheet, where their
// labels stand closer.
func (p *plot) extraHeight() float64 {
	for _, l := range p.fig.Layers {
		if l.Kind == RunX && p.heads > 0 {
			return 56
		}
	}
	return 0
}

func (p *plot) headHeight() float64 {
	if p.heads == 0 {
		return 0
	}
	return float64(p.heads)*lineGap + 2
}

// gutter is the room left of the plot for the labels of the y axis.
func (p *plot) gutter() float64 {
	most := 230.0
	if p.size == Narrow {
		most = 140
	}
	w := 0.0
	for _, t := range p.fig.Y.Ticks() {
		for _, line := range p.sideName(p.fig.Y.TickLabel(t), most) {
			w = math.Max(w, svg.TextWidth(line, textSize))
		}
	}
	return w
}

// sideName sets a name beside its row: in one line, in two, or cut.
func (p *plot) sideName(name string, most float64) []string {
	n := 1
	if len(p.fig.Y.Categories) > 0 && p.fig.rowHeight() >= 2*lineGap {
		n = 2
	}
	if lines, ok := svg.Wrap(name, textSize, most, n); ok {
		return lines
	}
	return []string{svg.CutMiddle(name, textSize, most)}
}

// endsOfBars pulls the right edge in until the labels at the ends of lying bars
// have their room.
func (p *plot) endsOfBars(right float64) float64 {
	if p.heads > 0 {
		return right
	}
	x := p.fig.X
	for _, l := range p.fig.Layers {
		for _, pt := range l.Points {
			if l.Kind != BarX || len(pt.Labels) == 0 || pt.X2 <= x.Min {
				continue
			}
			part := (pt.X2 - x.Min) / (x.Max - x.Min)
			room := p.width - 6 - barClear - svg.TextWidth(pt.Labels[0], textSize) - p.left
			right = math.Min(right, p.left+math.Max(room/part, 60))
		}
	}
	return right
}

// pieRadius is what the closest two pies have room for.
func (p *plot) pieRadius() float64 {
	r := 10.0
	var seen [][2]float64
	for _, l := range p.fig.Layers {
		for _, pt := range l.Points {
			if l.Kind != Dots || !pt.pie() {
				continue
			}
			x, y := p.x(pt.X), p.y(pt.Y)
			for _, o := range seen {
				if d := math.Hypot(x-o[0], y-o[1]); d > 0 {
					r = math.Min(r, d/2-1)
				}
			}
			seen = append(seen, [2]float64{x, y})
		}
	}
	return math.Max(r, 5)
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
