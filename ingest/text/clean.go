package text

import (
	"strings"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// Clean drops terminal sequences and byte order marks, and replaces invalid
// UTF-8, control characters except newline and tab, line separators and the
// characters that change the direction of text, which can make a log line read
// as another.
func Clean(s string) string {
	if plainASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if n := sequence(s[i:]); n > 0 {
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r == utf8.RuneError && n == 1:
			b.WriteString(replacement)
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r', r == 0x2028, r == 0x2029, r == 0x85:
			// Ends of lines for some reader, never for this one.
			b.WriteByte(' ')
		case r == 0xFEFF:
		case r < 0x20, r >= 0x7f && r < 0xa0, directional(r):
			b.WriteString(replacement)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; (c < 0x20 && c != '\n' && c != '\t') || c >= 0x7f {
			return false
		}
	}
	return true
}

// directional tells the marks, embeddings, overrides and isolates of the
// bidirectional algorithm.
func directional(r rune) bool {
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200e || r == 0x200f || r == 0x061c
}

// sequence gives the length of a terminal sequence at the start of s, 0 if
// there is none.
func sequence(s string) int {
	switch {
	case strings.HasPrefix(s, "\u009b"): // CSI as one character
		return csi(s, len("\u009b"))
	case len(s) < 2 || s[0] != 0x1b:
		return 0
	}
	switch c := s[1]; {
	case c == '[':
		return csi(s, 2)
	case c == ']', c == 'P', c == 'X', c == '^', c == '_':
		return controlString(s)
	case c >= 0x30 && c <= 0x7e:
		return 2
	case c >= 0x20 && c <= 0x2f && len(s) > 2 && s[2] >= 0x30 && s[2] <= 0x7e:
		return 3 // a character set
	}
	return 0
}

// csi gives the length of a control sequence whose parameters start at i. What
// is cut off before its final byte is dropped as far as it goes.
func csi(s string, i int) int {
	for i < len(s) && s[i] >= 0x20 && s[i] <= 0x3f {
		i++
	}
	if i < len(s) && s[i] >= 0x40 && s[i] <= 0x7e {
		i++
	}
	return i
}

// controlString gives the length of a title, a hyperlink or the like. Without
// its end only the introducer is dropped: it must not hide the rest of a line.
func controlString(s string) int {
	for i := 2; i < len(s) && s[i] != '\n'; i++ {
		if s[i] == '\a' {
			return i + 1
		}
		if s[i] == 0x1b && i+1 < len(s) && s[i+1] == '\\' {
			return i + 2
		}
	}
	return 2
}
