package sglang

import "bytes"

// The opening of a decode line, up to its first counter, and of a prefill line,
// up to its counters.
const (
	decodeHead  = decodeWords + ", " + decodeRunning
	prefillHead = "Prefill batch, "
)

// Opening words as loads see them.
var (
	decode0  = word([]byte(decodeHead))
	decode8  = word([]byte(decodeHead[8:]))
	decode16 = word([]byte(decodeHead[16:]))
	decode20 = word([]byte(decodeHead[20:]))
	queue0   = word([]byte(decodeQueue))
	queue4   = word([]byte(decodeQueue[4:]))
	access0  = word([]byte(accessHead))
	access2  = word([]byte(accessHead[2:]))
	prefill0 = word([]byte(prefillHead))
	prefill7 = word([]byte(prefillHead[7:]))
)

// skimDecode reads a decode line behind its bracket and returns its length with
// the newline, 0 if it needs a closer look. m is at least maxBracket long.
func (s *section) skimDecode(m []byte) int {
	h := (*[len(decodeHead) + 8]byte)(m)
	if (word(h[:])^decode0)|(word(h[8:])^decode8)|(word(h[16:])^decode16)|(word(h[20:])^decode20) != 0 {
		return 0
	}
	running, i := 0, len(decodeHead)
	for ; i < len(h) && h[i]-'0' <= 9; i++ {
		running = running*10 + int(h[i]-'0')
	}
	if i == len(decodeHead) || i == len(h) || h[i] != ',' {
		return 0
	}
	end := lineEnd(m, len(decodeHead))
	if end == 0 {
		return 0
	}
	if bytes.IndexByte(m[:end], '[') >= 0 {
		return 0 // another line may be glued to this one
	}
	line := m[:end-1]
	if line[len(line)-1] == '\r' {
		line = line[:len(line)-1]
	}
	queue := lastQueue(line)
	if queue < 0 {
		d, ok := decodeCounters(line[len(decodeHead)-len(decodeRunning):])
		if !ok {
			return 0
		}
		queue = d.Queue
	}
	s.running, s.queue = max(s.running, int32(running)), max(s.queue, queue)
	return end
}

// lastQueue reads the queue length at the end of a decode line that ends with
// it, -1 if it does not.
func lastQueue(line []byte) int32 {
	from, queue, unit := len(line)-1, int32(0), int32(1)
	for ; from >= len(decodeQueue) && line[from]-'0' <= 9; from-- {
		if unit == 10_000_000 {
			return -1
		}
		queue += int32(line[from]-'0') * unit
		unit *= 10
	}
	at := from + 1 - len(decodeQueue)
	if unit == 1 || at < 0 {
		return -1
	}
	if b := (*[len(decodeQueue)]byte)(line[at:]); (word(b[:])^queue0)|(word(b[4:])^queue4) != 0 {
		return -1
	}
	return queue
}

// skimAccess reads line n, an access line behind its bracket, and returns its
// length with the newline, 0 if it is not the last one again.
func (s *section) skimAccess(n int, m []byte) int {
	h := (*[len(accessHead)]byte)(m)
	if (word(h[:])^access0)|(word(h[2:])^access2) != 0 {
		return 0
	}
	size := s.ev.seen.length(m[len(accessHead):])
	if size == 0 {
		return 0
	}
	end := newline(m, len(accessHead)+size)
	if end == 0 {
		return 0
	}
	if !s.runOpen {
		s.ev.Access = s.ev.seen.line
		s.addAccess(n, &s.ev)
		return end
	}
	last := &s.access[len(s.access)-1]
	last.To = int32(n)
	last.N++
	return end
}

// skimPrefill reads line n, a prefill line behind its bracket, and returns its
// length with the newline, 0 if it needs a closer look.
func (s *section) skimPrefill(n int, m []byte) int {
	h := (*[len(prefillHead)]byte)(m)
	if (word(h[:])^prefill0)|(word(h[7:])^prefill7) != 0 {
		return 0
	}
	size := usual(m[len(prefillHead):], &s.ev)
	if size == 0 {
		return 0
	}
	s.ev.Batch.Line, s.ev.Batch.Stamp = int32(n), s.ev.Stamp
	s.batches = append(s.batches, s.ev.Batch)
	s.runOpen = false
	return newline(m, len(prefillHead)+size)
}

// lineEnd returns the offset behind the newline that ends a line, looked for
// from i on; 0 if a control character stands before it that only the reader of
// single lines takes off, or if the text ends first.
func lineEnd(m []byte, i int) int { return newline(m, control(m, i)) }

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
