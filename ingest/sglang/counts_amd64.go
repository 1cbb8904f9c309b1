package sglang

import "coldcase/ingest/capture"

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

// usualCounts does what counted does. m has skimRoom bytes and more.
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
