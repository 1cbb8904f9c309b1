package sglang

import "coldcase/ingest/capture"

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
	// skimmed: what is compared or loaded before its end is known.
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

// skim takes lines from the start of text, the first of which is line n, until
// one needs a closer look, and returns how many lines and bytes it took. It
// takes lines that share their second with the line that was parsed last.
func (s *section) skim(n int, text []byte) (lines, size int) {
	var head [bracketLen]byte
	head[0], head[bracketLen-2], head[bracketLen-1] = '[', ']', ' '
	copy(head[1:], s.parser.stamps.text[:])
	first, middle, last := word(head[:]), word(head[8:]), word(head[bracketLen-8:])
	second := word(head[bracketLen-10:])
	stamp := s.parser.stamps.value
	var decodes, accesses, prefills, others int
	wrapped := wrap{kind: ClassOther}
	for len(text)-size >= skimRoom {
		b := (*[maxBracket]byte)(text[size:])
		if (word(b[:])^first)|(word(b[8:])^middle) != 0 {
			break
		}
		s.ev.Stamp, s.ev.Rank = stamp, capture.NoRank
		at := bracketLen
		if word(b[bracketLen-8:]) != last {
			if word(b[bracketLen-10:]) != second {
				break
			}
			if at = s.parser.stamps.tail(b[:], stampLen+1, &s.ev); at == 0 {
				break
			}
		}
		m := text[size+at:]
		end := 0
		switch c := m[0]; {
		case c == 'D':
			if end = s.skimDecode(m); end > 0 {
				decodes++
				wrapped.kind = ClassOther
			}
		case c == 'I':
			if end = s.skimAccess(n+lines, m); end > 0 {
				accesses++
				wrapped.kind = ClassOther
			}
		case c == 'P':
			if end = s.skimPrefill(n+lines, m); end > 0 {
				prefills++
				wrapped = wrap{kind: ClassPrefill, n: n + lines}
			}
		case !speaks[c]:
			if end = lineEnd(m, 0); end > 0 {
				others++
				wrapped.kind = ClassOther
			}
		}
		if end == 0 {
			break
		}
		lines++
		size += at + end
	}
	if lines == 0 {
		return 0, 0
	}
	s.counts[ClassDecode] += decodes
	s.counts[ClassAccess] += accesses
	s.counts[ClassPrefill] += prefills
	s.counts[ClassOther] += others
	s.wrapped = wrapped
	s.claimed(n)
	s.claimed(n + lines - 1)
	return lines, size
}
