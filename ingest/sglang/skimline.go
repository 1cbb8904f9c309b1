package sglang

import "coldcase/ingest/capture"

// The opening of a decode line, up to its first counter, and of a prefill line,
// up to its counters.
const (
	decodeHead  = decodeWords + ", " + decodeRunning
	prefillHead = "Prefill batch, "
)

// What the assembler needs of them: a length, and the key of the queue length as
// loads see its first eight bytes and its last.
const (
	decodeHeadLen = len(decodeHead)
	queueWord0    = '#' | 'q'<<8 | 'u'<<16 | 'e'<<24 | 'u'<<32 | 'e'<<40 | '-'<<48 | 'r'<<56
	queueWord4    = 'u' | 'e'<<8 | '-'<<16 | 'r'<<24 | 'e'<<32 | 'q'<<40 | ':'<<48 | ' '<<56
)

// skimDecode reads a decode line behind its bracket, without its end; running is
// -1 if it needs a closer look. Its opening is known.
func skimDecode(m []byte) (running, queue int32) {
	if len(m) < decodeHeadLen+8 {
		return -1, 0
	}
	running, i := number8(m, decodeHeadLen)
	if i == 0 || i >= len(m) || m[i] != ',' {
		return -1, 0
	}
	if queue = lastQueue(m); queue < 0 {
		d, ok := decodeCounters(m[decodeHeadLen-len(decodeRunning):])
		if !ok {
			return -1, 0
		}
		queue = d.Queue
	}
	return running, queue
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
	if b := (*[len(decodeQueue)]byte)(line[at:]); (word(b[:])^queueWord0)|(word(b[4:])^queueWord4) != 0 {
		return -1
	}
	return queue
}

// skimAccess reports whether an access line behind its bracket, without its end,
// is the last one again. Its opening is known.
func skimAccess(m []byte, last *lastAccess) bool {
	return len(m) > len(accessHead) && last.repeats(m[len(accessHead):])
}

// skimPrefill reads a prefill line of a size behind its bracket, and reports
// whether it is of the usual form. m goes on behind the line. Its opening is
// known.
func skimPrefill(m []byte, size int, b *capture.Batch) bool {
	size -= len(prefillHead)
	if size <= 0 {
		return false
	}
	m = m[len(prefillHead):]
	return len(m)-size > 64 && usualCounts(m, b) == size || counted(m, b) == size
}
