package vllm

import (
	"bytes"
	"os"
	"testing"

	"coldcase/ingest/format"
)

// BenchmarkServerLog reads lines of each shape.
func BenchmarkServerLog(b *testing.B) {
	text, err := os.ReadFile("testdata/server.log")
	if err != nil {
		b.Fatal(err)
	}
	lines := bytes.Split(text, []byte("\n"))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	m := newServerLog()
	for i := 0; b.Loop(); i++ {
		for n, line := range lines {
			m.Line(format.Line{N: n + 1, Text: line})
		}
	}
}
