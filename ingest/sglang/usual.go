package sglang

import "coldcase/ingest/capture"

// The keys of a prefill line, in the order of the current versions.
var (
	keyNewSeq     = newKey("#new-seq: ")
	keyNewToken   = newKey("#new-token: ")
	keyCached     = newKey("#cached-token: ")
	keyUsage      = newKey("token usage: ")
	keyRunning    = newKey("#running-req: ")
	keyQueue      = newKey("#queue-req: ")
	keyPending    = newKey("#pending-token: ")
	keyGraphOn    = newKey("cuda graph: True")
	keyGraphOff   = newKey("cuda graph: False")
	keyThroughput = newKey("input throughput (token/s): ")
)

// counted reads the counters of a prefill line that has the keys of the current
// versions in their order, some of which older versions lack:
//
//	#new-seq: 15, #new-token: 15, #cached-token: 7634, token usage: 0.07, #running-req: 15, #queue-req: 0, #pending-token: 0, cuda graph: True, input throughput (token/s): 113.27
//
// b starts with them and goes on behind the line; of the batch, nothing is told
// yet. It gives what counters gives, without a look at each byte, and the offset of
// the line's end; 0 for a line with anything else in it, or with less than 32 bytes
// behind it.
func counted(b []byte, batch *capture.Batch) int {
	f := keyed{b: b}
	f.count(&keyNewSeq, &batch.NewSeq)
	f.count(&keyNewToken, &batch.NewToken)
	f.count(&keyCached, &batch.Cached)
	if batch.NewSeq|batch.NewToken|batch.Cached < 0 || f.ended {
		return 0 // needed, with something behind the last of them
	}
	f.decimal(&keyUsage, &batch.Usage)
	f.count(&keyRunning, &batch.Running)
	f.count(&keyQueue, &batch.Queue)
	f.count(&keyPending, &batch.Pending)
	f.graph(&batch.Graph)
	f.decimal(&keyThroughput, &batch.Throughput)
	if !f.ended {
		return 0
	}
	return f.i
}

// usualEnd is what counted needs behind the counters.
const usualEnd = "\n                                "

// keyed takes "key: value, " from b[i] on. A field that does not stand there is
// passed over.
type keyed struct {
	b     []byte
	i     int
	ended bool // b[i] ends the line
}

// end takes the value that ends at i, with the comma behind it. It reports false
// if the value goes on.
func (f *keyed) end(i int) bool {
	if i+3 > len(f.b) {
		return false
	}
	b := (*[3]byte)(f.b[i:])
	switch {
	case b[0] == ',' && b[1] == ' ' && b[2] >= ' ':
		f.i = i + 2
	case b[0] == '\n', b[0] == '\r' && b[1] == '\n':
		f.i, f.ended = i, true
	default:
		return false
	}
	return true
}

func (f *keyed) count(k *key, to *int32) {
	if !k.at(f.b, f.i) {
		return
	}
	n, i := number8(f.b, f.i+k.size)
	if i > 0 && f.end(i) {
		*to = n
	}
}

func (f *keyed) decimal(k *key, to *float32) {
	if !k.at(f.b, f.i) {
		return
	}
	n, i := number8(f.b, f.i+k.size)
	if i == 0 || f.b[i] != '.' {
		return
	}
	frac, end := number8(f.b, i+1)
	if width := end - i - 1; width >= 1 && width < len(powers) && f.end(end) {
		*to = fraction(int64(n), int64(frac), width)
	}
}

func (f *keyed) graph(to *int8) {
	switch {
	case keyGraphOn.at(f.b, f.i) && f.end(f.i+keyGraphOn.size):
		*to = 1
	case keyGraphOff.at(f.b, f.i) && f.end(f.i+keyGraphOff.size):
		*to = 0
	}
}
