package lineends

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// want finds byte by byte.
func want(text []byte) (ends, strays []uint32) {
	for i, c := range text {
		switch {
		case c < ' ':
			ends = append(ends, uint32(i))
		case c == '[' && i > 0 && text[i-1] >= ' ':
			strays = append(strays, uint32(i))
		}
	}
	return ends, strays
}

func hold(t *testing.T, x *Index, text []byte) {
	t.Helper()
	n := x.Find(text)
	if n != min(len(text), Most) {
		t.Fatalf("%d of %d bytes", n, len(text))
	}
	ends, strays := want(text[:n])
	if !slices.Equal(x.Ends, ends) || !slices.Equal(x.Strays, strays) {
		t.Fatalf("%q:\nends %v, want %v\nstrays %v, want %v", text, x.Ends, ends, x.Strays, strays)
	}
	got := [2][]uint32{make([]uint32, len(text)+2), make([]uint32, len(text)+2)}
	whole := text[:n&^(word-1)]
	e, s := findPlain(whole, got[0], got[1], 1)
	ends, strays = want(whole)
	if !slices.Equal(got[0][:e], ends) || !slices.Equal(got[1][:s], strays) {
		t.Fatalf("%q: without the processor's help: ends %v, want %v, strays %v, want %v", text, got[0][:e], ends, got[1][:s], strays)
	}
}

func TestFind(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	var x Index
	for _, text := range []string{
		"", "\n", "[", "x[", strings.Repeat("\n", 200), strings.Repeat("[", 200),
		strings.Repeat("x", 63) + "\n[" + strings.Repeat("y", 62) + "[[\r\n[",
		strings.Repeat("\n[", Most), strings.Repeat("\x1f\x20\x7f\x80\x9f\xa0\xdb\xff", 40),
	} {
		hold(t, &x, []byte(text))
	}
	for range 4000 {
		text := make([]byte, r.IntN(600))
		rare := 1 + r.IntN(60)
		for i := range text {
			if text[i] = byte(' ' + r.IntN(224)); r.IntN(rare) == 0 {
				text[i] = "\n\n\n[[\r\x1b\x00\x1f\x7f\x80\xdb"[r.IntN(12)]
			}
		}
		hold(t, &x, text)
	}
}

func FuzzFind(f *testing.F) {
	f.Add([]byte("[2026-01-02 08:00:01] one\n[2026-01-02 08:00:01] two[2026-01-02 08:00:01] three\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) { hold(t, &Index{}, text) })
}

// BenchmarkFind looks through a text in the processor's cache.
func BenchmarkFind(b *testing.B) {
	text := []byte(strings.Repeat("[2026-01-02 08:00:01] Decode batch, #running-req: 8, #token: 60000, token usage: 0.10, cuda graph: True, gen throughput (token/s): 812.25, #queue-req: 3\n", 1+Most/150))[:Most]
	var x Index
	ends, strays := make([]uint32, Most+2), make([]uint32, Most)
	b.Run("as the processor can", func(b *testing.B) {
		b.SetBytes(Most)
		for b.Loop() {
			x.Find(text)
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.SetBytes(Most)
		for b.Loop() {
			findPlain(text, ends, strays, 1)
		}
	})
}
