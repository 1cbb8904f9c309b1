package command

import (
	"strings"
)

// statement is one simple command with the redirections of its pipeline.
type statement struct {
	line    int // of its first word
	words   []string
	stdout  []string // files that its output goes to, by > or through tee
	comment bool     // stands in a comment that names it as the server's
	ahead   bool     // the script goes on while it runs
}

// split gives the statements of a script in order. Text that is no shell gives
// statements too, which nobody will recognise.
func split(src []byte) []statement {
	lx := &lexer{src: src, line: 1}
	var out []statement
	var cur statement
	piped := false // the statement reads from the one before it
	var open []int // where the subshells begin that are open
	group := -1    // where the one begins that was just closed
	end := func(pipe bool) {
		if len(cur.words) > 0 {
			if piped && len(out) > 0 {
				out[len(out)-1].absorb(cur)
			} else {
				out = append(out, cur)
			}
		}
		piped = pipe && len(out) > 0
		cur = statement{}
	}
	for {
		t, ok := lx.next()
		if !ok {
			break
		}
		switch {
		case !t.op:
			if len(cur.words) == 0 {
				cur.line = t.line
			}
			cur.words = append(cur.words, t.text)
			group = -1
		case strings.HasPrefix(t.text, "#"):
			end(false)
			if s, ok := serverComment(t); ok {
				out = append(out, s)
			}
		case t.text == "|" || t.text == "|&":
			end(true)
		case t.text == "<<" || t.text == "<<-":
			if w, ok := lx.next(); ok && !w.op {
				lx.skipHereDocument(w.text)
			}
		case strings.ContainsAny(t.text, "<>"):
			cur.redirect(lx, t.text)
		case t.text == "(":
			end(false)
			open = append(open, len(out))
		case t.text == ")":
			end(false)
			if n := len(open); n > 0 {
				group, open = open[n-1], open[:n-1]
			}
		case t.text == "&":
			from := group
			if len(cur.words) > 0 {
				end(false)
				from = len(out) - 1
			}
			for i := max(0, from); from >= 0 && i < len(out); i++ {
				out[i].ahead = true
			}
			group = -1
		default: // ; && || newline
			end(false)
			group = -1
		}
	}
	end(false)
	return out
}

// redirect takes the target of a redirection.
func (s *statement) redirect(lx *lexer, op string) {
	w, ok := lx.next()
	if ok && !w.op && !strings.Contains(op, "<") && !strings.HasPrefix(op, "2") && w.text != "/dev/null" {
		s.stdout = append(s.stdout, w.text)
	}
}

// absorb adds the next command of a pipeline: what tee writes is output of the
// first command, as is what the last one sends to a file.
func (s *statement) absorb(next statement) {
	if next.words[0] == "tee" {
		for _, w := range next.words[1:] {
			if !strings.HasPrefix(w, "-") {
				s.stdout = append(s.stdout, w)
			}
		}
	}
	s.stdout = append(s.stdout, next.stdout...)
}

// serverComment reads "# server: COMMAND": kits that start the server by hand
// note its command so. Other comments state nothing.
func serverComment(t token) (statement, bool) {
	label, rest, ok := strings.Cut(t.text, ":")
	if !ok || len(label) > 40 || !strings.Contains(strings.ToLower(label), "server") {
		return statement{}, false
	}
	inner := split([]byte(rest))
	if len(inner) == 0 {
		return statement{}, false
	}
	s := inner[0]
	s.line, s.comment = t.line, true
	return s, true
}
