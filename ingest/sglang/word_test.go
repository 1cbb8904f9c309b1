package sglang

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// What looks at eight bytes at once finds what a loop over bytes finds.
func TestWords(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 8))
	alphabet := "0123456789, .:#aZ~\x7f\x80\x9f\xff\n\r\t\x00\x1f "
	for range 20000 {
		b := make([]byte, 1+r.IntN(90))
		digit := r.IntN(3) > 0
		for i := range b {
			if b[i] = alphabet[r.IntN(len(alphabet))]; digit && r.IntN(4) > 0 {
				b[i] = alphabet[r.IntN(10)]
			} else if b[i] < ' ' && r.IntN(8) > 0 {
				b[i] = 'x'
			}
		}
		from := r.IntN(len(b))
		n, end := digits(b, from)
		got, at := number8(b, from)
		switch known := end > from && end-from < 8 && from+8 <= len(b); {
		case known && (int64(got) != n || at != end):
			t.Fatalf("%q from %d: %d to %d, want %d to %d", b, from, got, at, n, end)
		case !known && at != 0:
			t.Fatalf("%q from %d: %d to %d, want none", b, from, got, at)
		}
	}
}

func TestKeys(t *testing.T) {
	for _, s := range []string{"#new-seq: ", "cuda graph: True", "cuda graph: False", "input throughput (token/s): ", strings.Repeat("k", 32)} {
		k := newKey(s)
		text := []byte("ab" + s + strings.Repeat("x", 32))
		if !k.at(text, 2) || k.at(text, 1) || k.at(text[:2+len(s)], 2) && len(s) < 32 {
			t.Errorf("%q is not found where it stands, or elsewhere", s)
		}
		for i := range s {
			text[2+i] ^= 0x20
			if k.at(text, 2) {
				t.Errorf("%q is found with another byte %d", s, i)
			}
			text[2+i] ^= 0x20
		}
	}
}
