// Package pyrepr reads what Python's repr() prints: the Namespace(...) line of
// a benchmark client, the ServerArgs(...) or dict of a server's start line, the
// out={...} of a request line.
//
// The idea is a small recursive parser over one byte slice with a bound on
// depth and on the number of values, which always says where it stopped. It
// reads values, not programs: names, calls, containers, strings and numbers.
// What has no literal form, such as <function f at 0x7f00>, is kept as its
// text. A value that is cut off gives an error that is marked Incomplete,
// together with everything that was whole before the cut, so that a clipped
// start line still names its page size.
//
// Out of scope: evaluation, operators, comprehensions, triple-quoted strings,
// and the joining of lines that a terminal wrapped, which is the caller's.
package pyrepr

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Bounds of a parse. SGLang's server_args has some 500 values at depth 3; a
// request line holds one value for each output token.
const (
	MaxDepth  = 64
	MaxValues = 1 << 20
)

// A value is one of: nil (None), bool, int64, float64 (also integers that do
// not fit), string (also bytes), List, Tuple, Set, *Dict, *Call, Opaque.
type (
	// List is [a, b].
	List []any
	// Tuple is (a, b).
	Tuple []any
	// Set is {a, b}.
	Set []any
	// Opaque is text without a literal form: <object at 0x7f00>, torch.float16.
	Opaque string
)

// Item is one entry of a Dict.
type Item struct{ Key, Value any }

// Dict is {k: v} in the order printed.
type Dict struct {
	Items []Item
	// Truncated is set if the text said "..." in place of entries.
	Truncated bool
}

// Arg is one argument of a Call; Name is empty for a positional one.
type Arg struct {
	Name  string
	Value any
}

// Call is Name(args), with the arguments in the order printed.
type Call struct {
	Name string
	Args []Arg
	// Truncated is set if the text said "..." in place of arguments.
	Truncated bool
}

// SyntaxError says where and why a parse stopped.
type SyntaxError struct {
	Offset int // bytes from the start of the text
	Msg    string
	// Incomplete is set if the text ended inside a value, so that more text
	// might complete it.
	Incomplete bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("python repr: offset %d: %s", e.Offset, e.Msg)
}

// Incomplete reports whether err says that the text ended inside a value.
func Incomplete(err error) bool {
	e, ok := err.(*SyntaxError)
	return ok && e.Incomplete
}

// Parse reads the value that is all of src.
func Parse(src []byte) (any, error) {
	v, n, err := Prefix(src)
	if err != nil {
		return v, err
	}
	p := parser{src: src, pos: n}
	p.space()
	if p.pos < len(src) {
		return v, p.fail("text after the value")
	}
	return v, nil
}

// Prefix reads the value at the start of src and returns the number of bytes
// that it takes. On an error the value holds what was read whole before it.
func Prefix(src []byte) (any, int, error) {
	p := parser{src: src}
	p.space()
	v, err := p.value(0)
	return v, p.pos, err
}

// Get returns the last argument of that name.
func (c *Call) Get(name string) (any, bool) {
	for i := len(c.Args) - 1; i >= 0; i-- {
		if c.Args[i].Name == name {
			return c.Args[i].Value, true
		}
	}
	return nil, false
}

// Map returns the named arguments as plain values (see Plain).
func (c *Call) Map() map[string]any {
	m := make(map[string]any, len(c.Args))
	for _, a := range c.Args {
		if a.Name != "" {
			m[a.Name] = Plain(a.Value)
		}
	}
	return m
}

// Map returns the entries as plain values; keys that are not strings are
// printed as Python prints them.
func (d *Dict) Map() map[string]any {
	m := make(map[string]any, len(d.Items))
	for _, it := range d.Items {
		k, ok := it.Key.(string)
		if !ok {
			k = Format(it.Key)
		}
		m[k] = Plain(it.Value)
	}
	return m
}

// Plain turns a value into the kinds that JSON knows, with int64 and float64
// for numbers: nil, bool, int64, float64, string, []any, map[string]any. A
// call with named arguments becomes a map, any other call its text.
func Plain(v any) any {
	switch v := v.(type) {
	case List:
		return plainList(v)
	case Tuple:
		return plainList(v)
	case Set:
		return plainList(v)
	case *Dict:
		return v.Map()
	case *Call:
		if len(v.Args) > 0 && v.Args[0].Name != "" {
			return v.Map()
		}
		return Format(v)
	case Opaque:
		return string(v)
	}
	return v
}

func plainList(list []any) []any {
	out := make([]any, len(list))
	for i, v := range list {
		out[i] = Plain(v)
	}
	return out
}

// Format prints a value as Python would, near enough to be read.
func Format(v any) string {
	var b strings.Builder
	format(&b, v)
	return b.String()
}

func format(b *strings.Builder, v any) {
	switch v := v.(type) {
	case nil:
		b.WriteString("None")
	case bool:
		if v {
			b.WriteString("True")
		} else {
			b.WriteString("False")
		}
	case int64:
		b.WriteString(strconv.FormatInt(v, 10))
	case float64:
		b.WriteString(formatFloat(v))
	case string:
		b.WriteString(quote(v))
	case Opaque:
		b.WriteString(string(v))
	case List:
		formatList(b, "[", v, "]")
	case Set:
		formatList(b, "{", v, "}")
	case Tuple:
		if len(v) == 1 {
			formatList(b, "(", v, ",)")
			return
		}
		formatList(b, "(", v, ")")
	case *Dict:
		formatDict(b, v)
	case *Call:
		formatCall(b, v)
	}
}

func formatFloat(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0" // an integer that is printed bare would read back as an int
	}
	return s
}

func formatList(b *strings.Builder, open string, list []any, end string) {
	b.WriteString(open)
	for i, v := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		format(b, v)
	}
	b.WriteString(end)
}

func formatDict(b *strings.Builder, d *Dict) {
	b.WriteByte('{')
	for i, it := range d.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		format(b, it.Key)
		b.WriteString(": ")
		format(b, it.Value)
	}
	b.WriteByte('}')
}

func formatCall(b *strings.Builder, c *Call) {
	b.WriteString(c.Name)
	b.WriteByte('(')
	for i, a := range c.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		if a.Name != "" {
			b.WriteString(a.Name)
			b.WriteByte('=')
		}
		format(b, a.Value)
	}
	b.WriteByte(')')
}

// quote prints a string in single quotes with the escapes that the parser
// reads back.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('\'')
	return b.String()
}
