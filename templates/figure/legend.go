package figure

import "coldcase/templates/svg"

// keys lists the legend: named layers once each, then the extra keys, and the
// mark of unreliable points if the figure has one.
func (f *Figure) keys() []Key {
	var keys []Key
	seen := map[string]bool{}
	doubt := false
	for _, l := range f.Layers {
		for _, p := range l.Points {
			doubt = doubt || p.Doubt
		}
		if l.Name == "" || seen[l.Name] {
			continue
		}
		seen[l.Name] = true
		g := l.Glyph
		if l.Kind != Dots {
			g = Square
		}
		keys = append(keys, Key{Name: l.Name, Glyph: g, Color: l.Color})
	}
	keys = append(keys, f.Keys...)
	if doubt {
		keys = append(keys, Key{Name: ring, Doubt: true, Color: Bad})
	}
	return keys
}

type placedKey struct {
	Key
	x, y float64
	text string
}

// layoutLegend sets the keys in rows from the left.
func layoutLegend(keys []Key) ([]placedKey, int) {
	if len(keys) == 0 {
		return nil, 0
	}
	var out []placedKey
	x, row := 16.0, 0
	for _, k := range keys {
		text := svg.Cut(k.Name, labelSize, 330)
		w := 22 + svg.TextWidth(text, labelSize)
		if x+w > width-8 && x > 16 {
			x, row = 16, row+1
		}
		out = append(out, placedKey{k, x, 12 + float64(row)*20, text})
		x += w + 14
	}
	return out, row + 1
}

func drawLegend(pic *svg.Picture, keys []placedKey) {
	for _, k := range keys {
		if k.Doubt {
			drawDoubt(pic, k.x+6, k.y, 2)
		} else {
			drawGlyph(pic, k.Glyph, k.x+6, k.y, 5, k.Color)
		}
		pic.Text(k.x+18, k.y+4, labelSize, "start", k.text, fill(Ink)...)
	}
}
