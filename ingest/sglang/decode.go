package sglang

import (
	"bytes"
	"math"
)

// The first two words of a decode line, and the two counters that are read.
const (
	decodeWords   = "Decode batch"
	decodeRunning = "#running-req: "
	decodeQueue   = "#queue-req: "
)

// decode reads a decode line; b stands behind "Decode batch". Needed is
// #running-req alone. A "#cached-token" of special builds is not read: on
// decode lines it counts no admission.
func decode(b []byte, ev *Event) {
	i := headed(b)
	if i < 0 {
		return
	}
	ev.Class = ClassDecode
	ev.Decode = Decode{Running: -1, Queue: -1}
	b = b[i:]
	if !hasPrefix(b, decodeRunning) {
		at := bytes.Index(b, []byte(decodeRunning))
		if at < 0 {
			ev.Malformed = true
			return
		}
		b = b[at:]
	}
	running, ok := decodeCounters(b)
	if !ok {
		ev.Malformed = true
		return
	}
	ev.Decode = running
}

// decodeCounters reads the counters of a decode line from #running-req on. It
// reports false if that one is damaged or may be cut.
func decodeCounters(b []byte) (Decode, bool) {
	d := Decode{Running: -1, Queue: -1}
	n, end := digits(b, len(decodeRunning))
	if end == len(decodeRunning) || n > math.MaxInt32 || end >= len(b) || b[end] != ',' {
		return d, false
	}
	d.Running = int32(n)
	at := bytes.LastIndexByte(b, '#')
	if !hasPrefix(b[max(at, 0):], decodeQueue) {
		if at = bytes.LastIndex(b, []byte(decodeQueue)); at < 0 {
			return d, true
		}
	}
	if n, end := digits(b, at+len(decodeQueue)); end > at+len(decodeQueue) && n <= math.MaxInt32 {
		d.Queue = int32(n)
	}
	return d, true
}

// common takes a decode line, or an access line that repeats the one before, if
// it shares its second with the line before and names no rank: the lines that
// make up nearly all of a log. It does what line does and reports false for
// every other line.
func (s *section) common(n int, line []byte) bool {
	const at = stampLen + 3
	const head = decodeWords + ", " + decodeRunning
	const info = "INFO:     "
	if len(line) < at+len(head) || line[0] != '[' || line[at-2] != ']' || line[at-1] != ' ' ||
		string(line[1:1+stampLen]) != string(s.parser.stamps.text[:]) {
		return false
	}
	m := line[at:]
	switch {
	case string(m[:len(head)]) == head:
		d, ok := decodeCounters(m[len(head)-len(decodeRunning):])
		if !ok {
			return false
		}
		s.running = max(s.running, d.Running)
		s.queue = max(s.queue, d.Queue)
		s.counts[ClassDecode]++
	case s.runOpen && string(m[:len(info)]) == info && s.ev.seen.repeats(m[len(info):]):
		last := &s.access[len(s.access)-1]
		last.To = int32(n)
		last.N++
		s.counts[ClassAccess]++
	default:
		return false
	}
	s.wrapped.kind = ClassOther
	s.claimed(n)
	return true
}
