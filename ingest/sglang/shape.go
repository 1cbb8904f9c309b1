package sglang

// usual is what the usual line of each kind looks like, with the bracket of the
// last line that was parsed: bytes to compare with, many at once.
type usual struct {
	bracket int      // length of the bracket, 0 if nothing is known
	shapes  [4]shape // of decode, access and prefill lines, and of any line
	port    int      // offset of the port within an access line's message
	tail    int      // length of what follows the port, 0 if it is not usual
	// tailText has the first and the last 32 bytes of that.
	tailText [64]byte

	second [stampLen]byte
	access int // which access line
}

// shape is how a line opens: the bytes of text where mask is set.
type shape struct{ text, mask [64]byte }

func newShape(bracket []byte, parts ...string) (s shape) {
	n := copy(s.text[:], bracket)
	for _, p := range parts {
		if n+len(p) > len(s.text) {
			return shape{mask: [64]byte{0xff}} // fits no line: lines start with '['
		}
		n += copy(s.text[n:], p)
	}
	for i := range n {
		s.mask[i] = 0xff
	}
	return s
}

// follow notes the bracket and the access line of the last line that was
// parsed, if they have changed.
func (u *usual) follow(s *section, l *lines) {
	if u.second == s.parser.stamps.text && u.access == s.ev.seen.count {
		return
	}
	if u.bracket > 0 && u.access == s.ev.seen.count {
		u.second = s.parser.stamps.text
		for i := range u.shapes {
			copy(u.shapes[i].text[1:], u.second[:])
		}
		return
	}
	u.second, u.access = s.parser.stamps.text, s.ev.seen.count
	bracket := l.text[l.at:min(len(l.text), l.at+maxBracket)]
	n := 0
	if len(bracket) == maxBracket && bracket[0] == '[' && string(bracket[1:1+stampLen]) == string(u.second[:]) {
		n = s.parser.stamps.tail(bracket, 1+stampLen, &s.ev)
	}
	if n == 0 || bracket[n-1] != ' ' {
		bracket, n = append(append([]byte{'['}, u.second[:]...), ']', ' '), bracketLen
	}
	bracket = bracket[:n]
	seen := &s.ev.seen
	host, tail := seen.whole[:seen.host], seen.whole[seen.host:]
	u.bracket = n
	u.shapes = [...]shape{
		newShape(bracket, decodeHead),
		newShape(bracket, accessHead, string(host), ":"),
		newShape(bracket, prefillHead),
		newShape(bracket),
	}
	u.port, u.tail = len(accessHead)+len(host)+1, 0
	if len(tail) >= 32 && len(tail) <= 64 {
		u.tail = len(tail)
		copy(u.tailText[:32], tail)
		copy(u.tailText[32:], tail[len(tail)-32:])
	}
}
