package pyrepr

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// stringRun reads one string, or several that follow each other as pprint
// prints long ones. The position is at the opening quote; a prefix lies before
// it.
func (p *parser) stringRun() (any, error) {
	var out []byte
	for {
		s, err := p.oneString()
		out = append(out, s...)
		if err != nil {
			return string(out), err
		}
		mark := p.pos
		p.space()
		if c := p.peek(); c != '\'' && c != '"' {
			p.pos = mark
			return string(out), nil
		}
	}
}

func (p *parser) raw() bool {
	for i := p.pos - 1; i >= 0 && i >= p.pos-2; i-- {
		switch p.src[i] {
		case 'r', 'R':
			return true
		case 'b', 'B', 'u', 'U', 'f', 'F':
		default:
			return false
		}
	}
	return false
}

func (p *parser) oneString() ([]byte, error) {
	quote, raw := p.src[p.pos], p.raw()
	p.pos++
	var out []byte
	for {
		rest := p.src[p.pos:]
		i := bytes.IndexAny(rest, string([]byte{quote, '\\'}))
		if i < 0 {
			p.pos = len(p.src)
			return append(out, rest...), p.incomplete("text ends in a string")
		}
		out = append(out, rest[:i]...)
		p.pos += i
		if p.src[p.pos] == quote {
			p.pos++
			return out, nil
		}
		if p.pos+1 >= len(p.src) {
			return out, p.incomplete("text ends in an escape")
		}
		if raw {
			out = append(out, p.src[p.pos], p.src[p.pos+1])
			p.pos += 2
			continue
		}
		out = p.escape(out)
	}
}

// escapes are those of one letter.
var escapes = map[byte]byte{
	'\\': '\\', '\'': '\'', '"': '"', 'n': '\n', 'r': '\r', 't': '\t',
	'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v',
}

// escape reads one escape; the position is at its backslash. What is no escape
// is kept as it stands, as Python does.
func (p *parser) escape(out []byte) []byte {
	c := p.src[p.pos+1]
	if e, ok := escapes[c]; ok {
		p.pos += 2
		return append(out, e)
	}
	if c == '\n' { // a line that a wrap broke behind a backslash
		p.pos += 2
		return out
	}
	width := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
	start := p.pos + 2
	if width > 0 && start+width <= len(p.src) {
		if n, err := strconv.ParseUint(string(p.src[start:start+width]), 16, 32); err == nil {
			p.pos = start + width
			if c == 'x' && n < 0x80 {
				return append(out, byte(n))
			}
			return utf8.AppendRune(out, rune(n))
		}
	}
	if c >= '0' && c <= '7' {
		end := p.pos + 1
		for end < len(p.src) && end < p.pos+4 && p.src[end] >= '0' && p.src[end] <= '7' {
			end++
		}
		n, _ := strconv.ParseUint(string(p.src[p.pos+1:end]), 8, 32)
		p.pos = end
		return utf8.AppendRune(out, rune(n))
	}
	out = append(out, '\\', c)
	p.pos += 2
	return out
}
