package figure

import "strings"

// Color names an entry of the palette: a class in the page, a value in ECharts.
type Color string

// The colours of the charts. Each has at least 3:1 against the page, in both
// schemes; the inks 4.5:1.
const (
	Ink    Color = "ink"
	Muted  Color = "mut"
	Grid   Color = "grid"
	Paper  Color = "paper"
	Stripe Color = "stripe" // every other run, beneath its marks
	Warm   Color = "warm"   // cached, hit
	Cold   Color = "cold"   // computed anew, miss
	Part   Color = "part"   // partial hits, own warm-up
	Other  Color = "other"  // another client
	Open   Color = "open"   // not known
	Good   Color = "good"
	Bad    Color = "bad"
	Line1  Color = "l1"
	Line2  Color = "l2"
	Line3  Color = "l3"
	Line4  Color = "l4"
	Line5  Color = "l5"
	Line6  Color = "l6"
)

// Lines are the colours of runs beside each other, in order.
var Lines = []Color{Line1, Line2, Line3, Line4, Line5, Line6}

// Shade is one colour in the light and in the dark scheme.
type Shade struct {
	Name        Color
	Light, Dark string
}

// Palette lists every colour once: the style sheet, the attributes of the still
// pictures and the interactive options are all made from it.
var Palette = []Shade{
	{Ink, "#16191d", "#e7eaee"},
	{Muted, "#545d69", "#a3adba"},
	{Grid, "#dfe3e8", "#2e353e"},
	{Paper, "#ffffff", "#101316"},
	{Stripe, "#f1f3f6", "#1a1f25"},
	{Warm, "#b45504", "#f0a050"},
	{Cold, "#2865a8", "#6fb1f0"},
	{Part, "#8a6d00", "#d9bd45"},
	{Other, "#86419c", "#cf9be0"},
	{Open, "#6d7683", "#8b95a3"},
	{Good, "#1b6e3c", "#7bd69a"},
	{Bad, "#b3261e", "#ff8a80"},
	{Line1, "#2865a9", "#6fb1f1"},
	{Line2, "#b45505", "#f0a051"},
	{Line3, "#1c7a5a", "#5fcfa4"},
	{Line4, "#86419d", "#cf9be1"},
	{Line5, "#7c6100", "#d6bb4a"},
	{Line6, "#a52e5c", "#f08db2"},
}

// Light returns a colour of the light scheme, which stands alone as well.
func (c Color) Light() string {
	for _, s := range Palette {
		if s.Name == c {
			return s.Light
		}
	}
	return "#16191d"
}

// CSS returns the style rules of the palette: variables for both schemes and
// the classes f-NAME (fill) and s-NAME (stroke) that the still pictures use.
func CSS() string {
	var light, dark, rules strings.Builder
	for _, s := range Palette {
		v := "--c-" + string(s.Name)
		light.WriteString(v + ":" + s.Light + ";")
		dark.WriteString(v + ":" + s.Dark + ";")
		rules.WriteString(".f-" + string(s.Name) + "{fill:var(" + v + ")}.s-" + string(s.Name) + "{stroke:var(" + v + ")}\n")
	}
	return ":root{" + light.String() + "}\n@media (prefers-color-scheme:dark){:root{" + dark.String() + "}}\n" +
		"@media print{:root{" + light.String() + "}}\n" + rules.String()
}
