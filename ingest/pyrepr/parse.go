package pyrepr

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

type parser struct {
	src    []byte
	pos    int
	values int
}

func (p *parser) fail(msg string) *SyntaxError { return &SyntaxError{Offset: p.pos, Msg: msg} }

func (p *parser) incomplete(msg string) *SyntaxError {
	return &SyntaxError{Offset: p.pos, Msg: msg, Incomplete: true}
}

func (p *parser) space() {
	for p.pos < len(p.src) {
		switch p.src[p.pos] {
		case ' ', '\t', '\n', '\r':
			p.pos++
		default:
			return
		}
	}
}

// peek returns the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

func (p *parser) value(depth int) (any, error) {
	if depth > MaxDepth {
		return nil, p.fail("nested too deeply")
	}
	if p.values++; p.values > MaxValues {
		return nil, p.fail("too many values")
	}
	if p.pos >= len(p.src) {
		return nil, p.incomplete("no value")
	}
	switch c := p.src[p.pos]; {
	case c == '[':
		list, err := p.list(']', depth)
		return List(list), err
	case c == '(':
		return p.paren(depth)
	case c == '{':
		return p.brace(depth)
	case c == '\'' || c == '"':
		return p.stringRun()
	case c == '<':
		return p.angle()
	case c == '-' || c == '+' || c == '.' || c >= '0' && c <= '9':
		return p.number()
	case isNameStart(c):
		return p.name(depth)
	}
	return nil, p.fail("no value starts with " + strconv.QuoteRune(rune(p.src[p.pos])))
}

// ellipsis skips "..." or "…" and reports whether one was there.
func (p *parser) ellipsis() bool {
	rest := p.src[p.pos:]
	for _, e := range []string{"...", "…"} {
		if bytes.HasPrefix(rest, []byte(e)) {
			p.pos += len(e)
			return true
		}
	}
	return false
}

// next moves past the comma between two elements. done is set at the closing
// byte, which is consumed.
func (p *parser) next(end byte) (done bool, err error) {
	p.space()
	switch {
	case p.pos >= len(p.src):
		return false, p.incomplete("text ends before " + strconv.QuoteRune(rune(end)))
	case p.src[p.pos] == end:
		p.pos++
		return true, nil
	case p.src[p.pos] == ',':
		p.pos++
		p.space()
		if p.peek() == end {
			p.pos++
			return true, nil
		}
		return false, nil
	}
	return false, p.fail("neither a comma nor " + strconv.QuoteRune(rune(end)))
}

// open moves past the opening byte and reports whether the container is empty,
// in which case the closing byte is consumed.
func (p *parser) open(end byte) (empty bool) {
	p.pos++
	p.space()
	if p.peek() == end {
		p.pos++
		return true
	}
	return false
}

func (p *parser) list(end byte, depth int) ([]any, error) {
	list := []any{}
	if p.open(end) {
		return list, nil
	}
	for {
		if !p.ellipsis() {
			v, err := p.value(depth + 1)
			if err != nil {
				return list, err
			}
			list = append(list, v)
		}
		if done, err := p.next(end); done || err != nil {
			return list, err
		}
	}
}

// paren reads a tuple, or a value in parentheses.
func (p *parser) paren(depth int) (any, error) {
	start := p.pos
	list, err := p.list(')', depth)
	if err != nil {
		return Tuple(list), err
	}
	inner := bytes.TrimRight(p.src[start:p.pos-1], " \t\r\n")
	if len(list) == 1 && inner[len(inner)-1] != ',' {
		return list[0], nil
	}
	return Tuple(list), nil
}

// brace reads a dict or a set.
func (p *parser) brace(depth int) (any, error) {
	d := &Dict{}
	var set Set
	if p.open('}') {
		return d, nil
	}
	for {
		if p.ellipsis() {
			d.Truncated = true
		} else {
			k, err := p.value(depth + 1)
			if err != nil {
				return d, err
			}
			p.space()
			if p.peek() == ':' && set == nil {
				p.pos++
				p.space()
				v, err := p.value(depth + 1)
				if err != nil {
					return d, err
				}
				d.Items = append(d.Items, Item{k, v})
			} else {
				if len(d.Items) > 0 {
					if p.pos >= len(p.src) {
						return d, p.incomplete("text ends after a key")
					}
					return d, p.fail("no colon after a key")
				}
				set = append(set, k)
			}
		}
		done, err := p.next('}')
		if done && set != nil {
			return set, nil
		}
		if done || err != nil {
			return d, err
		}
	}
}

func isNameStart(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func isName(c byte) bool { return isNameStart(c) || c == '.' || c >= '0' && c <= '9' }

// name reads what starts with a letter: a constant, a prefixed string, a call,
// or a bare name such as torch.bfloat16.
func (p *parser) name(depth int) (any, error) {
	start := p.pos
	for p.pos < len(p.src) && isName(p.src[p.pos]) {
		p.pos++
	}
	name := string(p.src[start:p.pos])
	switch c := p.peek(); {
	case (c == '\'' || c == '"') && isPrefix(name):
		return p.stringRun()
	case c == '(':
		return p.call(name, depth)
	case c == '[':
		_, err := p.list(']', depth)
		return Opaque(p.src[start:p.pos]), err
	}
	switch name {
	case "None":
		return nil, nil
	case "True":
		return true, nil
	case "False":
		return false, nil
	case "inf":
		return math.Inf(1), nil
	case "nan":
		return math.NaN(), nil
	}
	if p.pos >= len(p.src) {
		// "Tru" at the end of a clipped line is not a name.
		return nil, p.incomplete("text ends in a name")
	}
	return Opaque(name), nil
}

func isPrefix(name string) bool {
	return len(name) <= 2 && strings.Trim(name, "rRbBuUfF") == ""
}

func (p *parser) call(name string, depth int) (any, error) {
	c := &Call{Name: name}
	if p.open(')') {
		return c, nil
	}
	for {
		if p.ellipsis() {
			c.Truncated = true
		} else if err := p.argument(c, depth); err != nil {
			return c, err
		}
		if done, err := p.next(')'); done || err != nil {
			return c, err
		}
	}
}

// argument reads one argument of a call and appends it if it is whole.
func (p *parser) argument(c *Call, depth int) error {
	start, end := p.pos, p.pos
	for end < len(p.src) && isName(p.src[end]) {
		end++
	}
	name := ""
	if end > start && end < len(p.src) && p.src[end] == '=' {
		name = string(p.src[start:end])
		p.pos = end + 1
		p.space()
	}
	v, err := p.value(depth + 1)
	if err != nil {
		return err
	}
	if p.pos >= len(p.src) {
		if _, ok := v.(string); !ok {
			// A number at the end of a clipped line may have lost digits.
			return p.incomplete("text ends in an argument")
		}
	}
	c.Args = append(c.Args, Arg{name, v})
	return nil
}

// angle reads <...> with nested brackets, as in <function <lambda> at 0x7f00>.
func (p *parser) angle() (any, error) {
	start, open := p.pos, 0
	for ; p.pos < len(p.src); p.pos++ {
		switch p.src[p.pos] {
		case '<':
			open++
		case '>':
			if open--; open == 0 {
				p.pos++
				return Opaque(p.src[start:p.pos]), nil
			}
		}
	}
	return Opaque(p.src[start:p.pos]), p.incomplete("text ends before '>'")
}

func (p *parser) number() (any, error) {
	start := p.pos
	if c := p.src[p.pos]; c == '-' || c == '+' {
		p.pos++
	}
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		exponent := (c == '-' || c == '+') && (p.src[p.pos-1] == 'e' || p.src[p.pos-1] == 'E')
		if !exponent && !(c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			break
		}
		p.pos++
	}
	text := strings.ReplaceAll(string(p.src[start:p.pos]), "_", "")
	if n, err := strconv.ParseInt(text, 0, 64); err == nil {
		return n, nil
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil // a leading zero is not octal in a repr
	}
	switch text {
	case "-inf":
		return math.Inf(-1), nil
	case "+inf":
		return math.Inf(1), nil
	case "-nan":
		return math.NaN(), nil
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil || f != 0 && math.IsInf(f, 0) {
		return f, nil
	}
	p.pos = start
	if p.pos+len(text) >= len(p.src) {
		return nil, p.incomplete("text ends in a number")
	}
	return nil, p.fail("not a number: " + strconv.Quote(text))
}
