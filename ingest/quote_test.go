package ingest

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// TestLineIndex holds the index against cutting the whole text into lines, for
// lines around and across the ends of its blocks.
func TestLineIndex(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	var b bytes.Buffer
	for i := 0; b.Len() < 3*indexBlock+indexBlock/2; i++ {
		n := r.Intn(300)
		if i%2000 == 1999 {
			n = indexBlock * 5 / 4 // longer than a block
		}
		fmt.Fprintf(&b, "%d %s\n", i, strings.Repeat("x", n))
	}
	b.WriteString("no end")
	for _, text := range [][]byte{b.Bytes(), bytes.Repeat([]byte("\n"), indexBlock+3), []byte("one"), []byte("one\r\n"), nil,
		append(bytes.Repeat([]byte("y"), indexBlock-1), "\nsecond\n"...)} {
		lines := bytes.Split(text, []byte("\n"))
		if n := len(lines); len(lines[n-1]) == 0 {
			lines = lines[:n-1]
		}
		x := &lineIndex{at: bytes.NewReader(text), size: int64(len(text))}
		check := func(n int) {
			var want []byte
			if n >= 1 && n <= len(lines) {
				want = bytes.TrimSuffix(lines[n-1], []byte("\r"))
				want = want[:min(len(want), quoteBytes)]
			}
			got := x.line(n)
			if got = got[:min(len(got), quoteBytes)]; !bytes.Equal(got, want) {
				t.Fatalf("line %d of %d: %.40q, want %.40q", n, len(lines), got, want)
			}
		}
		for range 300 {
			check(1 + r.Intn(len(lines)+1))
		}
		for _, n := range []int{-1, 0, 1, 2, len(lines) - 1, len(lines), len(lines) + 1, len(lines) + 100} {
			check(n)
		}
	}
}
