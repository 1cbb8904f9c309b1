package clients

import (
	"bytes"
	"io"
)

// pythonJSON turns what Python's json module prints for numbers that JSON has
// not (NaN, Infinity, -Infinity) into null, outside of strings. All other
// bytes, newlines above all, pass unchanged.
type pythonJSON struct {
	r        io.Reader
	buf      []byte // filtered, not yet handed out
	word     []byte // letters and sign of a bare word that is still open
	inString bool
	escaped  bool
	err      error
	chunk    [16 << 10]byte
}

func newPythonJSON(r io.Reader) io.Reader { return &pythonJSON{r: r} }

func (p *pythonJSON) Read(dst []byte) (int, error) {
	for len(p.buf) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		n, err := p.r.Read(p.chunk[:])
		p.filter(p.chunk[:n])
		if err != nil {
			p.flush()
			p.err = err
		}
	}
	n := copy(dst, p.buf)
	p.buf = p.buf[n:]
	return n, nil
}

func (p *pythonJSON) filter(b []byte) {
	p.buf = p.buf[:0]
	for _, c := range b {
		switch {
		case p.inString:
			p.buf = append(p.buf, c)
			switch {
			case p.escaped:
				p.escaped = false
			case c == '\\':
				p.escaped = true
			case c == '"':
				p.inString = false
			}
		case c == '-' && len(p.word) == 0, 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			if len(p.word) > len("-Infinity") {
				p.flush() // no word of ours is as long
			}
			p.word = append(p.word, c)
		default:
			p.flush()
			p.buf = append(p.buf, c)
			p.inString = c == '"'
		}
	}
}

// flush ends a bare word. The exponent of a number (1e5) is such a word too
// and passes like any other.
func (p *pythonJSON) flush() {
	switch {
	case bytes.Equal(p.word, []byte("NaN")), bytes.Equal(p.word, []byte("Infinity")), bytes.Equal(p.word, []byte("-Infinity")):
		p.buf = append(p.buf, "null"...)
	default:
		p.buf = append(p.buf, p.word...)
	}
	p.word = p.word[:0]
}
