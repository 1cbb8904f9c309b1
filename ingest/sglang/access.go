package sglang

import (
	"coldcase/ingest/access"
	"coldcase/ingest/capture"
)

// info reads what uvicorn prints behind "INFO:".
func info(b []byte, ev *Event) {
	if ev.seen.access(b, ev) || accessLine(unglued(b, ev), ev) {
		return
	}
	ev.Rest = nil // what uvicorn says else may quote anything
	switch {
	case hasPrefix(b, "Shutting down"), hasPrefix(b, "Finished server process"):
		ev.Class, ev.Mark, ev.N = ClassMark, capture.MarkStop, 0
	case hasPrefix(b, "Uvicorn running on"):
		ev.Class = ClassKnown
	}
}

// accessLine reads an access line behind its level, and reports whether the line
// is one. The status is needed.
func accessLine(b []byte, ev *Event) bool {
	l, is := access.Parse(b)
	if !is {
		return false
	}
	ev.Class = ClassAccess
	ev.Access = AccessLine{Host: l.Host, Path: access.Class(l.Path), Query: l.Query, Status: int16(l.Status)}
	if l.Status < 0 {
		ev.Malformed = true
		return true
	}
	ev.seen.remember(b, ev.Access)
	return true
}

// lastAccess remembers an access line, since most lines of a busy log differ
// from the one before in the port alone.
type lastAccess struct {
	line  AccessLine
	whole []byte // host, then what follows the port
	host  int    // length of the host
	count int    // how many lines were remembered
}

// access fills ev if the line repeats the remembered one.
func (l *lastAccess) access(b []byte, ev *Event) bool {
	if !l.repeats(b) {
		return false
	}
	ev.Class, ev.Access = ClassAccess, l.line
	return true
}

// repeats reports whether the line is the remembered one but for its port.
func (l *lastAccess) repeats(b []byte) bool {
	h := l.host
	end := len(b) - (len(l.whole) - h) // of the port
	if h == 0 || end <= h || b[h] != ':' || !same(b[end:], l.whole[h:]) || !same(b[:h], l.whole[:h]) {
		return false
	}
	port := b[h+1 : end]
	if _, width := width8(b, h+1); width >= len(port) {
		return true
	}
	for _, c := range b[h+1 : end] {
		if c-'0' > 9 {
			return false
		}
	}
	return true
}

// opens is 1 if b starts with the host of the remembered line and a port, 0 if
// not.
func (l *lastAccess) opens(b []byte) int {
	if h := l.host; h > 0 && len(b) > h && b[h] == ':' && string(b[:h]) == string(l.whole[:h]) {
		return 1
	}
	return 0
}

// remember keeps a whole access line.
func (l *lastAccess) remember(b []byte, line AccessLine) {
	h := len(line.Host)
	port := h
	if port < len(b) && b[port] == ':' {
		for port++; port < len(b) && b[port] >= '0' && b[port] <= '9'; port++ {
		}
	}
	l.whole = append(append(l.whole[:0], b[:h]...), b[port:]...)
	l.host, l.line = h, line
	l.count++
	l.line.Host = l.whole[:h]
}
