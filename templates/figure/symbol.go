package figure

import "math"

// symbol is ECharts' name or path of a glyph: the shapes of the still picture.
func symbol(g Glyph) string {
	switch g {
	case Square, Tick:
		return "rect"
	case Diamond:
		return "diamond"
	case Triangle:
		return "path://M0 0L10 0L5 10Z"
	case Cross:
		return "path://M0 2L2 0L5 3L8 0L10 2L7 5L10 8L8 10L5 7L2 10L0 8L3 5Z"
	}
	return "circle"
}

// The disc and the hole of a pie, as paths that ECharts scales to the size of
// the mark. They turn in opposite directions, so that the hole stays empty.
const (
	disc = "M10 0A10 10 0 1 1 9.99 0Z"
	hole = "M10 2A8 8 0 1 0 10.01 2Z"
)

// pieSymbol is a ring filled to a share, clockwise from the top.
func pieSymbol(share float64) string {
	switch {
	case share <= 0:
		return "path://" + disc + hole
	case share >= 1:
		return "path://" + disc
	}
	sin, cos := math.Sincos(2 * math.Pi * share)
	large := "0"
	if share > 0.5 {
		large = "1"
	}
	return "path://" + disc + hole + "M10 10L10 2A8 8 0 " + large + " 1 " + at(10+8*sin, 10-8*cos) + "Z"
}

// ring is the text of the legend for the mark of unreliable points.
const ring = "dashed ring: not reliable"

// sheet is the name of the series that holds the paper behind pies.
const sheet = "paper"
