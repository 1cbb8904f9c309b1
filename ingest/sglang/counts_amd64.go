package sglang

import "coldcase/ingest/capture"

// counts are the counters of a prefill line as they are read many bytes at a
// time, -1 for those that are not there.
type counts struct {
	newSeq, newToken, cached, running, queue, pending int32
	graph                                             int32
	usage, throughput                                 fixed
}

// fixed is whole.frac with so many decimal places, -1 of them for none.
type fixed struct{ whole, frac, width int32 }

// noCounts has nothing.
var noCounts = counts{-1, -1, -1, -1, -1, -1, -1, fixed{width: -1}, fixed{width: -1}}

func (d fixed) value() float32 {
	if d.width < 0 {
		return -1
	}
	return fraction(int64(d.whole), int64(d.frac), int(d.width))
}

// batch fills the counters of a batch.
func (c *counts) batch(b *capture.Batch) {
	b.NewSeq, b.NewToken, b.Cached = c.newSeq, c.newToken, c.cached
	b.Running, b.Queue, b.Pending = c.running, c.queue, c.pending
	b.Graph, b.Usage, b.Throughput = int8(c.graph), c.usage.value(), c.throughput.value()
}

//go:noescape
func countsAVX2(m *byte, c *counts, keys *[10][64]byte) (size int)

// countKeys are the keys of a prefill line: 32 bytes of text, 32 of mask.
var countKeys = func() (keys [10][64]byte) {
	for i, k := range []string{
		"#new-seq: ", "#new-token: ", "#cached-token: ", "token usage: ", "#running-req: ", "#queue-req: ",
		"#pending-token: ", "cuda graph: True", "cuda graph: False", "input throughput (token/s): ",
	} {
		for j := range copy(keys[i][:], k) {
			keys[i][32+j] = 0xff
		}
	}
	return keys
}()

// usualCounts does what counted does. m goes on for 64 bytes behind the line.
func usualCounts(m []byte, b *capture.Batch) int {
	if !fast {
		return 0
	}
	c := noCounts
	size := countsAVX2(&m[0], &c, &countKeys)
	if size > 0 {
		c.batch(b)
	}
	return size
}
