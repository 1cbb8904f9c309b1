package sglang

// usual reads the counters of a prefill line that has the keys of the current
// versions in their order, some of which older versions lack:
//
//	#new-seq: 15, #new-token: 15, #cached-token: 7634, token usage: 0.07, #running-req: 15, #queue-req: 0, #pending-token: 0, cuda graph: True, input throughput (token/s): 113.27
//
// It gives what counters gives, in a third of the time, and reports false for a
// line with anything else in it.
func usual(b []byte, ev *Event) bool {
	batch := &ev.Batch
	*batch = untold
	batch.Rank = ev.Rank
	f := keyed{rest: b}
	f.count("#new-seq: ", &batch.NewSeq)
	f.count("#new-token: ", &batch.NewToken)
	f.count("#cached-token: ", &batch.Cached)
	if batch.Cached < 0 || len(f.rest) == 0 {
		return false // needed, with something behind the last of them
	}
	f.decimal("token usage: ", &batch.Usage)
	f.count("#running-req: ", &batch.Running)
	f.count("#queue-req: ", &batch.Queue)
	f.count("#pending-token: ", &batch.Pending)
	f.graph(&batch.Graph)
	f.decimal("input throughput (token/s): ", &batch.Throughput)
	return len(f.rest) == 0 && batch.NewSeq >= 0 && batch.NewToken >= 0
}

// keyed takes "key: value, " from the start of a text. A field that does not
// stand there is passed over.
type keyed struct{ rest []byte }

// end takes the value that ends at i, with the comma behind it. It reports false
// if the value goes on.
func (f *keyed) end(i int) bool {
	switch {
	case i == len(f.rest):
		f.rest = nil
	case i+2 < len(f.rest) && f.rest[i] == ',' && f.rest[i+1] == ' ':
		f.rest = f.rest[i+2:]
	default:
		return false
	}
	return true
}

// maxDigits is the length of a counter that surely fits.
const maxDigits = 9

func (f *keyed) count(key string, to *int32) {
	if !hasPrefix(f.rest, key) {
		return
	}
	n, i := digits(f.rest, len(key))
	if width := i - len(key); width > 0 && width <= maxDigits && f.end(i) {
		*to = int32(n)
	}
}

func (f *keyed) decimal(key string, to *float32) {
	if !hasPrefix(f.rest, key) {
		return
	}
	from := len(key)
	_, i := digits(f.rest, from)
	if i < len(f.rest) && f.rest[i] == '.' {
		_, i = digits(f.rest, i+1)
	}
	value := f.rest[from:i]
	if len(value) > 0 && f.end(i) {
		*to = decimal(value)
	}
}

func (f *keyed) graph(to *int8) {
	const yes, no = "cuda graph: True", "cuda graph: False"
	switch {
	case hasPrefix(f.rest, yes) && f.end(len(yes)):
		*to = 1
	case hasPrefix(f.rest, no) && f.end(len(no)):
		*to = 0
	}
}
