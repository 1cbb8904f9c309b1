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
	b = unglued(b[i:], ev)
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
