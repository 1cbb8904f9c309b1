package sglang

import "math"

// Nearly all lines of a busy log are of four kinds: decode lines, access lines
// that repeat the one before but for the port, prefill lines of the current
// form, and lines that say nothing about the cache. A log of a gigabyte has
// eight million of them. skim takes those by their opening words and counters;
// whatever it does not know at sight is left to line, which gives the same
// result for the lines that skim takes.

const (
	bracketLen = stampLen + 3 // "[2026-11-29 15:21:27] "
	accessHead = "INFO:     "
	// maxBracket bounds the length of a bracket with milliseconds and ranks.
	maxBracket = 64
	// skimRoom is how much text is left behind the start of a line that is
	// skimmed, so that what is loaded need not be measured first.
	skimRoom = maxBracket + 64
)

// speaks is set for the first bytes of all messages that Parse knows (message,
// rare). A line with a stamp and any other byte behind it is ClassOther.
var speaks = func() (set [256]bool) {
	for _, c := range []byte("CDFGIKLPRSTikms/{") {
		set[c] = true
	}
	return set
}()

// lines are the lines of a text that are still to be read. What ends them was
// looked for in advance, in as much of the text as an index covers.
type lines struct {
	text   []byte
	at     int      // start of the next line
	ends   []uint32 // control characters from there on
	strays []uint32 // '[' within lines
}

// next returns the next line without its newline and moves behind it; false if
// its end is not in the index.
func (l *lines) next() ([]byte, bool) {
	for k, e := range l.ends {
		if l.text[e] == '\n' {
			line := l.text[l.at:e]
			l.at, l.ends = int(e)+1, l.ends[k+1:]
			return line, true
		}
	}
	l.ends = nil
	return nil, false
}

// stray returns the offset of the first '[' within a line from an offset on.
func (l *lines) stray(from int) int {
	for len(l.strays) > 0 && int(l.strays[0]) < from {
		l.strays = l.strays[1:]
	}
	if len(l.strays) == 0 {
		return math.MaxInt
	}
	return int(l.strays[0])
}

// skim takes the next lines, the first of which is line n, until one needs a
// closer look, and returns how many it took. It takes lines that share their
// minute with the line that was parsed last.
//
// The lines are sorted by kind, and each kind is read in a loop of its own: the
// kinds of a log follow no pattern, and a processor that goes from line to line
// guesses wrong at every other one.
func (s *section) skim(n int, l *lines, x *sheaf) int {
	taken := 0
	for {
		if x.sort(s, l); x.n == 0 {
			if s.parser.stamps.advance(l.text[l.at:]) {
				continue
			}
			return taken
		}
		sorted := x.n
		for known := x.known(s, l.text, n+taken); known < x.n; known = x.known(s, l.text, n+taken) {
			x.cut(known, l)
		}
		if x.n > 0 {
			x.take(s, n+taken, l)
			taken += x.n
		}
		if x.n < sorted {
			x.most = sheafLeast
			return taken
		}
		x.most = min(2*x.most, sheafMost)
	}
}
