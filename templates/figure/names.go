package figure

import (
	"math"
	"strconv"
	"strings"

	"coldcase/templates/svg"
)

// nameAxis sets the names of the x axis and returns the number of lines that
// they take. Names that have no room beside each other, even in three lines,
// become numbers, and a list below says what each stands for: no name is cut.
func (p *plot) nameAxis() float64 {
	names := p.fig.X.Categories
	if len(names) == 0 || counted(names) {
		return 1
	}
	room := (p.right - p.left) / float64(len(names))
	set, ok := wrapAll(names, room-6, 3)
	if !ok {
		set = p.number(names)
	}
	p.xNames = set
	most := 1
	for _, lines := range set {
		most = max(most, len(lines))
	}
	return float64(most)
}

// counted reports whether all names are numbers, of which an axis may leave
// some out.
func counted(names []string) bool {
	for _, n := range names {
		if _, err := strconv.Atoi(n); err != nil {
			return false
		}
	}
	return true
}

// nameBands sets the names of the bands, or numbers them.
func (p *plot) nameBands() {
	var names []string
	room := math.Inf(1)
	for _, b := range p.fig.Bands {
		names = append(names, b.Label)
		room = math.Min(room, p.x(b.To)-p.x(b.From)-6)
	}
	if len(names) == 0 {
		return
	}
	fit := true
	for i, b := range p.fig.Bands {
		lines, ok := svg.Wrap(names[i], textSize, p.x(b.To)-p.x(b.From)-6, 2)
		p.bandNames = append(p.bandNames, lines)
		fit = fit && ok
	}
	if !fit {
		p.bandNames = p.number(names)
	}
}

// widest is the width of the longest of some lines.
func widest(lines []string) float64 {
	w := 0.0
	for _, s := range lines {
		w = math.Max(w, svg.TextWidth(s, textSize))
	}
	return w
}

func wrapAll(names []string, most float64, n int) (set [][]string, ok bool) {
	for _, name := range names {
		lines, ok := svg.Wrap(name, textSize, most, n)
		if !ok {
			return nil, false
		}
		set = append(set, lines)
	}
	return set, true
}

// number calls the names by numbers and puts them on the list below the plot.
// Names that only count (wave 1, wave 2) are one entry of it.
func (p *plot) number(names []string) [][]string {
	var set [][]string
	word := names[0]
	if cut := strings.LastIndexByte(word, ' '); cut > 0 {
		word = word[:cut]
	}
	counting := true
	for i, name := range names {
		set = append(set, []string{strconv.Itoa(i + 1)})
		counting = counting && name == word+" "+strconv.Itoa(i+1)
	}
	switch {
	case len(p.listed) > 0:
	case counting:
		p.listed = append(p.listed, placedKey{lines: []string{"1, 2 … = " + word}})
	default:
		for i, name := range names {
			p.listed = append(p.listed, placedKey{lines: []string{strconv.Itoa(i+1) + " = " + name}})
		}
	}
	return set
}

// list places the list of numbered names from y downwards and returns where it
// ends.
func (p *plot) list(y float64) float64 {
	x := p.size.edge()
	most := p.width - 8 - x
	for i := range p.listed {
		k := &p.listed[i]
		name := svg.CutMiddle(k.lines[0], textSize, most)
		w := svg.TextWidth(name, textSize)
		if i == 0 {
			y += lineGap
		} else if x+w > p.width-8 {
			x, y = p.size.edge(), y+lineGap
		}
		k.x, k.y, k.lines = x, y-4, []string{name}
		x += w + 16
	}
	return y
}

// xTicks writes the labels of the x axis.
func (p *plot) xTicks() {
	f := p.fig
	if p.xNames != nil {
		end := math.Inf(-1)
		for i, lines := range p.xNames {
			w := widest(lines)
			if p.x(float64(i))-w/2 < end+2 {
				continue // a number between two that stand there
			}
			end = p.x(float64(i)) + w/2
			for k, line := range lines {
				p.text(p.x(float64(i)), p.bottom+18+float64(k)*lineGap, "middle", line, Muted)
			}
		}
		return
	}
	ticks := f.X.Ticks()
	for i := 0; i < len(ticks); i += p.stride(ticks) {
		label := f.X.TickLabel(ticks[i])
		x := math.Min(p.x(ticks[i]), p.width-4-svg.TextWidth(label, textSize)/2)
		if len(f.X.Categories) == 0 {
			p.still(x, p.bottom+18, "middle", label)
			continue
		}
		p.text(x, p.bottom+18, "middle", label, Muted)
	}
}

// stride is the smallest step from tick to tick at which no two labels touch.
func (p *plot) stride(ticks []float64) int {
	for n := 1; n < len(ticks); n++ {
		end, fits := math.Inf(-1), true
		for i := 0; i < len(ticks) && fits; i += n {
			w := svg.TextWidth(p.fig.X.TickLabel(ticks[i]), textSize)
			x := math.Min(p.x(ticks[i]), p.width-4-w/2)
			fits = x-w/2 >= end+8
			end = x + w/2
		}
		if fits {
			return n
		}
	}
	return max(len(ticks), 1)
}
