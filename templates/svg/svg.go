// Package svg writes small, still SVG pictures: elements, attributes and
// classes only. No inline style is ever written, so that a page with a strict
// content policy can hold the picture and its style sheet can recolour it for a
// dark screen or for print. The same calls give the same bytes.
//
// Out of scope: reading SVG, transforms, gradients, animation, and anything
// that needs the metrics of a real font (see TextWidth).
package svg

import (
	"math"
	"strconv"
	"strings"
)

// Attr is one attribute.
type Attr struct{ Name, Value string }

// A names an attribute with a text value.
func A(name, value string) Attr { return Attr{name, value} }

// N names an attribute with a number, in user units, to a tenth.
func N(name string, v float64) Attr { return Attr{name, Number(v)} }

// Picture collects one SVG picture. The zero Picture is not usable; see New.
type Picture struct {
	b     strings.Builder
	open  []string
	Texts []Box // the boxes of all texts written, in order
}

// New starts a picture of w × h user units. The title and the description are
// what a screen reader says of it; id makes their references unique on a page.
func New(id string, w, h float64, title, desc string) *Picture {
	p := Described(id, w, h)
	p.element("title", title, A("id", id+"-t"))
	p.element("desc", desc, A("id", id+"-d"))
	return p
}

// Described starts a picture that takes its title and description from the one
// that New made with the same id, which stands on the same page.
func Described(id string, w, h float64) *Picture {
	p := &Picture{}
	p.Open("svg", A("xmlns", "http://www.w3.org/2000/svg"),
		A("viewBox", "0 0 "+Number(w)+" "+Number(h)), A("role", "img"),
		A("aria-labelledby", id+"-t "+id+"-d"), A("font-family", "system-ui, sans-serif"))
	return p
}

// Open starts an element that End closes.
func (p *Picture) Open(name string, attrs ...Attr) {
	p.start(name, attrs)
	p.b.WriteByte('>')
	p.open = append(p.open, name)
}

// End closes the element opened last.
func (p *Picture) End() {
	last := len(p.open) - 1
	p.b.WriteString("</" + p.open[last] + ">")
	p.open = p.open[:last]
}

// Shape writes an empty element: rect, line, path, circle.
func (p *Picture) Shape(name string, attrs ...Attr) {
	p.start(name, attrs)
	p.b.WriteString("/>")
}

// Text writes one line of text whose baseline starts, is centred on or ends at
// x, by anchor ("start", "middle", "end"), and remembers its box.
func (p *Picture) Text(x, y, size float64, anchor, s string, attrs ...Attr) {
	attrs = append([]Attr{N("x", x), N("y", y), N("font-size", size)}, attrs...)
	if anchor != "start" {
		attrs = append(attrs, A("text-anchor", anchor))
	}
	p.element("text", s, attrs...)
	p.Texts = append(p.Texts, TextBox(x, y, size, anchor, s))
}

// String closes what is open and returns the picture.
func (p *Picture) String() string {
	for len(p.open) > 0 {
		p.End()
	}
	return p.b.String()
}

func (p *Picture) start(name string, attrs []Attr) {
	p.b.WriteString("<" + name)
	for _, a := range attrs {
		p.b.WriteString(" " + a.Name + `="` + Escape(a.Value) + `"`)
	}
}

func (p *Picture) element(name, text string, attrs ...Attr) {
	p.start(name, attrs)
	p.b.WriteString(">" + Escape(text) + "</" + name + ">")
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

// Escape makes s safe as text and as an attribute value. Control characters,
// which no XML may hold, become U+FFFD.
func Escape(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	return escaper.Replace(s)
}

// Number formats a coordinate to a tenth of a unit, without a negative zero.
func Number(v float64) string {
	v = math.Round(v*10) / 10
	if v == 0 {
		v = 0 // drops the sign of a negative zero
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
