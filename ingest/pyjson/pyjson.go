// Package pyjson lets a JSON decoder read what Python's json module writes:
// numbers that JSON does not have (NaN, Infinity, -Infinity) stand bare in its
// output, and a strict decoder refuses the whole record for one of them. Nearly
// every record of a run without a request rate holds an Infinity.
//
// They are quoted, not nulled, on the way through: an unlimited rate and a mean
// of nothing must not become "not stated". All other bytes pass unchanged, so
// that line numbers stay true. Comments, single quotes and trailing commas are
// out of scope: Python does not write them.
package pyjson

import (
	"bytes"
	"io"
	"math"
	"slices"
	"strings"
)

// words are the bare numbers that are quoted.
var words = [...]string{"NaN", "Infinity", "-Infinity"}

// IsNumber reports whether a text is a number that was quoted on the way. A text
// of the same letters cannot be told apart from it.
func IsNumber(s string) bool { return slices.Contains(words[:], s) }

// NewReader returns r with its bare numbers quoted, "Infinity" for Infinity.
// Memory is bounded, whatever the length of a line.
func NewReader(r io.Reader) io.Reader { return &reader{r: r} }

// Float is the value of a quoted bare number, or of a plain one as a decoder
// gives it; ok is false for anything else.
func Float(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case int64:
		return float64(v), true
	case string:
		switch v {
		case "NaN":
			return math.NaN(), true
		case "Infinity", "inf":
			return math.Inf(1), true
		case "-Infinity", "-inf":
			return math.Inf(-1), true
		}
	}
	return 0, false
}

type reader struct {
	r        io.Reader
	out      []byte // filtered, not yet handed out
	word     []byte // start of a bare number that is still open
	inString bool
	escaped  bool
	err      error
	chunk    [32 << 10]byte
	filtered []byte
}

// Read implements io.Reader.
func (p *reader) Read(dst []byte) (int, error) {
	for len(p.out) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		n, err := p.r.Read(p.chunk[:])
		p.filtered = p.filtered[:0]
		p.filter(p.chunk[:n])
		if err != nil {
			p.flush()
			p.err = err
		}
		p.out = p.filtered
	}
	n := copy(dst, p.out)
	p.out = p.out[n:]
	return n, nil
}

func (p *reader) filter(b []byte) {
	for len(b) > 0 {
		if p.inString {
			b = b[p.str(b):]
			continue
		}
		if len(p.word) == 0 {
			n := plain(b)
			p.filtered = append(p.filtered, b[:n]...)
			if b = b[n:]; len(b) == 0 {
				return
			}
		}
		c := b[0]
		b = b[1:]
		if p.extend(c) {
			continue
		}
		p.flush()
		if p.extend(c) {
			continue
		}
		p.filtered = append(p.filtered, c)
		p.inString = c == '"'
	}
}

// telling are the bytes outside of strings that can start one or a bare number.
var telling = [256]bool{'"': true, 'N': true, 'I': true, '-': true}

// plain returns the length of the text at the start of b that passes as it is.
func plain(b []byte) int {
	for i, c := range b {
		if telling[c] {
			return i
		}
	}
	return len(b)
}

// str copies string content up to and with the closing quote.
func (p *reader) str(b []byte) int {
	n, quote := 0, -1
	for n < len(b) {
		if p.escaped {
			p.escaped = false
			n++
			continue
		}
		if quote < n { // none looked for yet, or it was escaped
			if quote = bytes.IndexByte(b[n:], '"'); quote < 0 {
				quote = len(b)
			} else {
				quote += n
			}
		}
		if slash := bytes.IndexByte(b[n:quote], '\\'); slash >= 0 {
			p.escaped = true
			n += slash + 1
			continue
		}
		if n = quote; n < len(b) {
			p.inString = false
			n++
			break
		}
	}
	p.filtered = append(p.filtered, b[:n]...)
	return n
}

// extend adds c to the open word if it can still become a bare number, and
// emits the word once it is one.
func (p *reader) extend(c byte) bool {
	if len(p.word) == 0 && c != 'N' && c != 'I' && c != '-' {
		return false
	}
	word := append(p.word, c)
	for _, w := range words {
		if w == string(word) {
			p.filtered = append(p.filtered, '"')
			p.filtered = append(p.filtered, w...)
			p.filtered = append(p.filtered, '"')
			p.word = word[:0]
			return true
		}
		if strings.HasPrefix(w, string(word)) {
			p.word = word
			return true
		}
	}
	return false
}

// flush hands on a word that did not become a bare number.
func (p *reader) flush() {
	p.filtered = append(p.filtered, p.word...)
	p.word = p.word[:0]
}

// Quote is NewReader over bytes in memory.
func Quote(b []byte) []byte {
	if !bytes.Contains(b, []byte("NaN")) && !bytes.Contains(b, []byte("Infinity")) {
		return b
	}
	p := reader{filtered: make([]byte, 0, len(b)+16)}
	p.filter(b)
	p.flush()
	return p.filtered
}
