// Package figure holds a chart as one value and draws that value twice: as a
// still SVG picture, which is always there, and as options for Apache ECharts,
// which a page may lay over it. Both take their scales, colours, points and
// labels from the same layout, so they cannot tell different stories. Each is
// drawn for a wide and for a narrow sheet: a telephone gets a chart of its own
// and not the small print of the wide one.
//
// Out of scope: deciding what is shown. A figure holds positions and words; it
// computes ticks and places, never a statistic.
package figure

// Figure is one chart with what a reader needs to read it.
type Figure struct {
	ID    string // unique on a page: letters, digits and hyphens
	Title string
	Shows string // one sentence: what is to be seen
	N     string // how many runs or requests stand behind it
	Read  string // how to read it
	Note  string // what is left out or drawn together, "" if nothing
	// Height of the plot area in user units; 0 for the default of its kind.
	Height float64
	X, Y   Axis
	Layers []Layer
	Lines  []Line
	Bands  []Band
	Table  Table
}

// Axis is a value axis, or a category axis if Categories is not empty.
// Categories stand at 0, 1, 2 ... (on a y axis from the top downwards).
type Axis struct {
	Label      string
	Categories []string
	Min, Max   float64
	Step       float64 // between ticks of a value axis
}

// Kind is how the points of a layer are drawn.
type Kind string

// The kinds of layer.
const (
	Path Kind = "path" // straight pieces between the points
	Step Kind = "step" // to the next x first, then to its y
	Dots Kind = "dots" // a glyph at each point
	BarX Kind = "barx" // a lying bar from X to X2 at category Y
	BarY Kind = "bary" // a standing bar from Y to Y2 at category X
	RunX Kind = "runx" // a thick lying line from X to X2: a span on the x axis
	RunY Kind = "runy" // a standing line from Y to Y2: a range on the y axis
)

// Layer is a series of points of one kind, name and colour.
type Layer struct {
	Name   string // legend text; "" keeps the layer out of the legend
	Color  Color
	Kind   Kind
	Dashed bool
	Glyph  Glyph
	Tinted bool // labels bear the colour of the layer, and repeat the legend
	Points []Point
}

// Point is one mark. Which of X2 and Y2 is used depends on the kind.
type Point struct {
	X, Y, X2, Y2 float64
	Labels       []string // lines of text beside the mark, first one strong
	Inside       string   // text in a lying bar, where it fits
	In           string   // what a stroke sits in: close strokes of one thing share a label
	Tip          string   // what a hover says
	Share        *float64 // 0..1: the glyph is a pie of this share
	Doubt        bool     // the point is not reliable: marked on the chart
	Unknown      bool     // a pie whose share is not known: a question mark
}

// pie reports whether the mark is a pie or the question mark in its place.
func (p Point) pie() bool { return p.Share != nil || p.Unknown }

// Glyph is the shape of a dot.
type Glyph string

// The glyphs; Disc is the default. Shapes differ, so that colour is never the
// only sign.
const (
	Disc     Glyph = "disc"
	Ring     Glyph = "ring"
	Square   Glyph = "square"
	Cross    Glyph = "cross"
	Diamond  Glyph = "diamond"
	Triangle Glyph = "triangle" // on its tip
	Tick     Glyph = "tick"
)

// Line is a marked place on the x axis: a standing line. Lines of one label are
// one entry of the legend; Glyph, if any, stands on their upper end.
type Line struct {
	X     float64
	Label string
	Glyph Glyph
}

// Band is a marked stretch of the x axis.
type Band struct {
	From, To float64
	Label    string
	Shaded   bool
}

// Table is the figure in words.
type Table struct {
	Head  []string
	Right []bool // columns set flush right
	Rows  [][]string
}
