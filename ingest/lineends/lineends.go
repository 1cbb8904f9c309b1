// Package lineends finds where the lines of a text end and where a line may be
// glued to another, for a whole stretch of text at once: which of its bytes are
// control characters does not depend on where the last line ended, so that a
// processor can look at many of them in one step. A reader that looks for one
// line end after the other waits for each.
package lineends

import (
	"encoding/binary"
	"math/bits"
)

// Most is the length of the longest text that is looked through at once, bytes:
// it and what was found in it stay in the processor's nearest cache.
const Most = 16 << 10

// word is how many bytes a step takes.
const word = 64

// Index is what stands in a text, as offsets in ascending order. It is valid
// until the next Find.
type Index struct {
	Ends   []uint32 // control characters, newlines among them
	Strays []uint32 // '[' that is neither the first byte nor behind a control character

	ends, strays []uint32
}

// Find looks through at most Most bytes at the start of text, which begins a
// line, and returns how many.
func (x *Index) Find(text []byte) int {
	if x.ends == nil {
		x.ends, x.strays = make([]uint32, Most+2), make([]uint32, Most)
	}
	text = text[:min(len(text), Most)]
	whole := len(text) &^ (word - 1)
	nEnds, nStrays := find(text[:whole], x.ends, x.strays, 1)
	if whole < len(text) {
		var last [word]byte
		for i := range last[copy(last[:], text[whole:]):] {
			last[word-1-i] = ' '
		}
		follows := uint64(1)
		if whole > 0 && text[whole-1] >= ' ' {
			follows = 0
		}
		e, s := findPlain(last[:], x.ends[nEnds:], x.strays[nStrays:], follows)
		for i := range e {
			x.ends[nEnds+i] += uint32(whole)
		}
		for i := range s {
			x.strays[nStrays+i] += uint32(whole)
		}
		nEnds, nStrays = nEnds+e, nStrays+s
	}
	x.Ends, x.Strays = x.ends[:nEnds], x.strays[:nStrays]
	return len(text)
}

// findPlain writes the offsets of what it finds in whole words of text and
// returns how many of each. follows is 1 if a line starts with the text.
func findPlain(text []byte, ends, strays []uint32, follows uint64) (nEnds, nStrays int) {
	for at := 0; at+word <= len(text); at += word {
		var control, open uint64
		for i := range word / 8 {
			w := binary.LittleEndian.Uint64(text[at+8*i:])
			control |= tops(controls(w)) << (8 * i)
			open |= tops(zeros(w^0x5b5b5b5b5b5b5b5b)) << (8 * i)
		}
		stray := open &^ (control<<1 | follows)
		follows = control >> (word - 1)
		for ; control != 0; control &= control - 1 {
			ends[nEnds] = uint32(at + bits.TrailingZeros64(control))
			nEnds++
		}
		for ; stray != 0; stray &= stray - 1 {
			strays[nStrays] = uint32(at + bits.TrailingZeros64(stray))
			nStrays++
		}
	}
	return nEnds, nStrays
}

const (
	high = 0x8080808080808080
	low7 = 0x7f7f7f7f7f7f7f7f
)

// controls marks the bytes of w below 0x20 in their top bit, zeros those that
// are 0: sums of seven bits do not carry into the next byte.
func controls(w uint64) uint64 { return ^(w&low7 + 0x6060606060606060 | w) & high }
func zeros(w uint64) uint64    { return ^(w&low7 + low7 | w) & high }

// tops gathers the top bits of eight bytes, that of the first as the lowest.
func tops(marks uint64) uint64 { return marks >> 7 * 0x0102040810204080 >> 56 }
