package clients

import (
	"math"
	"strconv"
	"strings"
)

// node is a value of a JSON or YAML tree. Clients change the types of their
// keys between versions (a number printed as text, an object where a number
// was), so that a strict decoding would lose a whole document to one key; a
// node answers "not told" for whatever does not fit.
type node struct{ v any }

// at follows names through objects. The zero node is an absent value.
func (n node) at(names ...string) node {
	for _, name := range names {
		m, _ := n.v.(map[string]any)
		n = node{m[name]}
	}
	return n
}

// has reports whether an object names the key, whatever its value.
func (n node) has(name string) bool {
	m, _ := n.v.(map[string]any)
	_, ok := m[name]
	return ok
}

// list returns the elements of an array, nil for anything else.
func (n node) list() []any {
	l, _ := n.v.([]any)
	return l
}

// object returns the members of an object, nil for anything else.
func (n node) object() map[string]any {
	m, _ := n.v.(map[string]any)
	return m
}

// str returns a text, "" for anything else.
func (n node) str() string {
	s, _ := n.v.(string)
	return s
}

// num returns a finite number, also one that was written as text.
func (n node) num() (float64, bool) {
	switch v := n.v.(type) {
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case int:
		return float64(v), true
	case string:
		f, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
	}
	return 0, false
}

// whole returns an integer, nil if the value is none or does not fit.
func (n node) whole() *int64 {
	f, ok := n.num()
	if !ok || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return nil
	}
	i := int64(f)
	return &i
}

// count returns a number of things as capture keeps it: nil if not told.
func (n node) count() *int {
	i := n.whole()
	if i == nil || *i < 0 || *i > math.MaxInt32 {
		return nil
	}
	c := int(*i)
	return &c
}

// tokens returns a number of tokens for a compact array: -1 if not told.
func (n node) tokens() int32 {
	if c := n.count(); c != nil {
		return int32(*c)
	}
	return -1
}

// scaled returns the number times unit, -1 if not told: the form of the
// compact arrays of capture.Requests.
func (n node) scaled(unit float64) float64 {
	if f, ok := n.num(); ok && f >= 0 {
		return f * unit
	}
	return -1
}

// same returns the value that all elements share, the zero node otherwise: a
// list of stages says something about the run only where they agree.
func same(values []node) node {
	if len(values) == 0 {
		return node{}
	}
	first, ok := values[0].num()
	for _, v := range values {
		f, fok := v.num()
		if !ok || !fok || f != first {
			return node{}
		}
	}
	return values[0]
}

// each wraps the elements of an array as nodes, following names in each.
func (n node) each(names ...string) []node {
	var all []node
	for _, v := range n.list() {
		all = append(all, node{v}.at(names...))
	}
	return all
}

// text prints a number or text as it would be written, "" for anything else.
func (n node) text() string {
	if f, ok := n.v.(float64); ok {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return n.str()
}

// firstNode is the first value that is told and is no object.
func firstNode(values ...node) node {
	for _, v := range values {
		if v.v != nil && v.object() == nil {
			return v
		}
	}
	return node{}
}

func first(n node) any {
	if l := n.list(); len(l) > 0 {
		return l[0]
	}
	return nil
}

func firstObject(values ...node) node {
	for _, v := range values {
		if v.object() != nil {
			return v
		}
	}
	return node{}
}
