package sglang

import (
	"encoding/binary"
	"math/bits"
)

// Nearly all lines of a busy log are decode lines, and access lines that repeat
// the one before but for the port. A log of a gigabyte has eight million of
// them, and what is kept of them is a few maxima and counts. skim takes them
// without looking at more than a few bytes each; whatever it does not know at
// sight is left to line, which gives the same result for the lines it takes.

// skimHead is how much of a line is compared before its end is known: the
// bracket and the opening words of a decode line.
const skimHead = bracketLen + len(decodeHead)

const (
	bracketLen = stampLen + 3 // "[2026-11-29 15:21:27] "
	decodeHead = decodeWords + ", " + decodeRunning
	accessHead = "INFO:     "
)

// skim takes lines from the start of text, the first of which is line n, until
// one needs a closer look, and returns how many lines and bytes it took. It
// takes lines that share their second with the line that was parsed last.
func (s *section) skim(n int, text []byte) (lines, size int) {
	stamp := &s.parser.stamps.text
	date, hour, second := word(stamp[0:]), word(stamp[8:]), word(stamp[stampLen-8:])
	accesses, lastAccess := 0, 0
	for {
		b := text[size:]
		if len(b) < skimHead+8 || b[0] != '[' || word(b[1:]) != date || word(b[9:]) != hour || word(b[stampLen-7:]) != second {
			break
		}
		at := bracketLen
		if b[at-2] != ']' || b[at-1] != ' ' {
			at = s.parser.stamps.tail(b[:min(len(b), maxBracket)], stampLen+1, &s.ev)
			if at == 0 || len(b) < at+len(decodeHead) {
				break
			}
		}
		m := b[at:]
		end, access := 0, m[0] == accessHead[0]
		switch {
		case !access:
			end = s.skimDecode(m)
		case s.runOpen:
			end = s.skimAccess(m)
		}
		if end == 0 {
			break
		}
		if access {
			accesses, lastAccess = accesses+1, n+lines
		}
		lines++
		size += at + end
	}
	if lines == 0 {
		return 0, 0
	}
	if accesses > 0 {
		last := &s.access[len(s.access)-1]
		last.To = int32(lastAccess)
		last.N += int32(accesses)
	}
	s.counts[ClassAccess] += accesses
	s.counts[ClassDecode] += lines - accesses
	s.wrapped.kind = ClassOther
	s.claimed(n)
	s.claimed(n + lines - 1)
	return lines, size
}

// maxBracket bounds the length of a bracket with milliseconds and ranks.
const maxBracket = 64

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// skimDecode reads a decode line behind its bracket and returns its length with
// the newline, 0 if it needs a closer look: it has another shape, or a control
// character that only the reader of single lines takes off.
func (s *section) skimDecode(m []byte) int {
	if string(m[:len(decodeHead)]) != decodeHead {
		return 0
	}
	running, i := digits(m, len(decodeHead))
	if i == len(decodeHead) || i >= len(m) || m[i] != ',' {
		return 0
	}
	to := control(m, i)
	end := newline(m, to)
	if end == 0 {
		return 0
	}
	from := to
	for from > i && m[from-1] >= '0' && m[from-1] <= '9' {
		from--
	}
	if from == to || to-from > 9 || i > len(decodeHead)+9 || from-i < len(decodeQueue) || string(m[from-len(decodeQueue):from]) != decodeQueue {
		d, ok := decodeCounters(m[len(decodeHead)-len(decodeRunning) : to])
		if !ok {
			return 0
		}
		s.running, s.queue = max(s.running, d.Running), max(s.queue, d.Queue)
		return end
	}
	queue, _ := digits(m, from)
	s.running, s.queue = max(s.running, int32(running)), max(s.queue, int32(queue))
	return end
}

// control returns the offset of the first control character of m at or behind i,
// a newline among them; len(m) if there is none up to the last few bytes. It
// looks at eight bytes at a time.
func control(m []byte, i int) int {
	const each, high = 0x2020202020202020, 0x8080808080808080
	for ; i+8 <= len(m); i += 8 {
		w := word(m[i:])
		if below := (w - each) &^ w & high; below != 0 {
			return i + bits.TrailingZeros64(below)/8
		}
	}
	return len(m)
}

// newline returns the offset behind the line end that stands at i, 0 if none
// does.
func newline(m []byte, i int) int {
	if i < len(m) && m[i] == '\r' {
		i++
	}
	if i < len(m) && m[i] == '\n' {
		return i + 1
	}
	return 0
}

// skimAccess reads an access line behind its bracket and returns its length with
// the newline, 0 if it is not the last one again.
func (s *section) skimAccess(m []byte) int {
	if string(m[:len(accessHead)]) != accessHead {
		return 0
	}
	n := s.ev.seen.length(m[len(accessHead):])
	if n == 0 {
		return 0
	}
	return newline(m, len(accessHead)+n)
}
