package command

import "strings"

// lexer splits the text of a script into words and operators.
type lexer struct {
	src  []byte
	pos  int
	line int
}

// token is a word without its quotes, or an operator: a control operator, a
// redirection with its descriptor in front, the end of a line, or a comment
// with its "#".
type token struct {
	text string
	op   bool
	line int
}

// next gives the next word or operator.
func (lx *lexer) next() (token, bool) {
	for lx.pos < len(lx.src) {
		switch c := lx.src[lx.pos]; {
		case c <= ' ' && c != '\n': // blanks, and controls, which no word holds
			lx.pos++
		case c == '\\' && lx.continued():
		case c == '\n':
			lx.pos++
			lx.line++
			return token{"\n", true, lx.line - 1}, true
		case c == '#':
			return lx.comment(), true
		case strings.IndexByte(";&|<>()", c) >= 0:
			if t, ok := lx.operator(""); ok {
				return t, true
			}
		default:
			t := lx.word()
			if isDescriptor(t.text) && lx.pos < len(lx.src) && (lx.src[lx.pos] == '>' || lx.src[lx.pos] == '<') {
				if t, ok := lx.operator(t.text); ok {
					return t, true
				}
				continue
			}
			return t, true
		}
	}
	return token{}, false
}

func (lx *lexer) comment() token {
	start := lx.pos
	for lx.pos < len(lx.src) && lx.src[lx.pos] != '\n' {
		lx.pos++
	}
	return token{strings.TrimRight(string(lx.src[start:lx.pos]), "\r"), true, lx.line}
}

// continued skips a backslash at the end of a line.
func (lx *lexer) continued() bool {
	rest := lx.src[lx.pos+1:]
	switch {
	case len(rest) > 0 && rest[0] == '\n':
		lx.pos += 2
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		lx.pos += 3
	default:
		return false
	}
	lx.line++
	return true
}

var operators = []string{"&>>", "&>", "&&", "||", "|&", ";;", "<<<", "<<-", "<<", ">>", ">&", ">|", "<&", ";", "&", "|", "<", ">", "(", ")"}

// operator reads an operator behind a descriptor. It gives none for a
// duplication of descriptors such as 2>&1, which names no file.
func (lx *lexer) operator(descriptor string) (token, bool) {
	rest := string(lx.src[lx.pos:min(lx.pos+3, len(lx.src))])
	op := rest[:1]
	for _, o := range operators {
		if strings.HasPrefix(rest, o) {
			op = o
			break
		}
	}
	lx.pos += len(op)
	if op == ">&" || op == "<&" {
		start := lx.pos
		for lx.pos < len(lx.src) && (lx.src[lx.pos] >= '0' && lx.src[lx.pos] <= '9' || lx.src[lx.pos] == '-') {
			lx.pos++
		}
		if lx.pos > start {
			return token{}, false
		}
		op = op[:1] // ">& file" is the older form of "&> file"
	}
	return token{descriptor + op, true, lx.line}, true
}

// isDescriptor tells whether a word in front of a redirection is its number.
func isDescriptor(s string) bool { return len(s) == 1 && s[0] >= '0' && s[0] <= '9' }

// word reads a word and takes its quotes off. Substitutions stay as they are
// written.
func (lx *lexer) word() token {
	var b strings.Builder
	line := lx.line
	for lx.pos < len(lx.src) {
		c := lx.src[lx.pos]
		switch {
		case c == '\'':
			lx.quoted(&b, '\'')
		case c == '"':
			lx.quoted(&b, '"')
		case c == '\\':
			if lx.continued() {
				continue
			}
			lx.pos++
			if lx.pos < len(lx.src) {
				b.WriteByte(lx.src[lx.pos])
				lx.pos++
			}
		case c == '`':
			lx.substitution(&b, 1, '`')
		case c == '$' && lx.at(1) == '(':
			lx.substitution(&b, 2, ')')
		case c == '$' && lx.at(1) == '{':
			lx.substitution(&b, 2, '}')
		case c <= ' ' || strings.IndexByte(";&|<>()", c) >= 0:
			return token{b.String(), false, line}
		default:
			b.WriteByte(c)
			lx.pos++
		}
	}
	return token{b.String(), false, line}
}

func (lx *lexer) at(n int) byte {
	if lx.pos+n < len(lx.src) {
		return lx.src[lx.pos+n]
	}
	return 0
}

// quoted reads up to the closing quote. Inside double quotes a backslash
// escapes what a shell lets it escape.
func (lx *lexer) quoted(b *strings.Builder, quote byte) {
	for lx.pos++; lx.pos < len(lx.src); lx.pos++ {
		c := lx.src[lx.pos]
		switch {
		case c == quote:
			lx.pos++
			return
		case c == '\\' && quote == '"' && strings.IndexByte("\"\\$`\n", lx.at(1)) >= 0:
			lx.pos++
			if c = lx.src[lx.pos]; c == '\n' {
				lx.line++
				continue
			}
		case c == '\n':
			lx.line++
		}
		b.WriteByte(c)
	}
}

// substitution copies $(...), ${...} or `...` as it stands.
func (lx *lexer) substitution(b *strings.Builder, opening int, closing byte) {
	open := lx.src[lx.pos+opening-1]
	depth := 0
	for i := 0; lx.pos < len(lx.src); i++ {
		c := lx.src[lx.pos]
		b.WriteByte(c)
		lx.pos++
		switch {
		case c == '\n':
			lx.line++
		case i == opening-1:
			depth++
		case i < opening:
		case c == closing:
			if depth--; depth == 0 {
				return
			}
		case c == open:
			depth++
		}
	}
}

// skipHereDocument skips the lines of a here document: they are data.
func (lx *lexer) skipHereDocument(end string) {
	for lx.pos < len(lx.src) && lx.src[lx.pos] != '\n' {
		lx.pos++
	}
	for lx.pos < len(lx.src) {
		lx.pos++ // the end of the line before
		lx.line++
		start := lx.pos
		for lx.pos < len(lx.src) && lx.src[lx.pos] != '\n' {
			lx.pos++
		}
		if strings.TrimSpace(string(lx.src[start:lx.pos])) == end {
			return
		}
	}
}
