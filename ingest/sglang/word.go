package sglang

import (
	"encoding/binary"
	"math/bits"
)

// What is done here looks at eight bytes of a text at once, as one number whose
// lowest byte is the first.

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// high has the top bit of each byte.
const high = 0x8080808080808080

// below marks the bytes of w that are control characters in their top bit. Only
// the first mark is sure: what follows it may be one too many.
func below(w uint64) uint64 { return (w - 0x2020202020202020) &^ w }

// control returns the offset of the first control character of m at or behind i,
// a newline among them; len(m) if there is none up to the last few bytes. Where
// in 32 bytes it stands is found without a branch, which the lengths of lines
// would have guessed wrong.
func control(m []byte, i int) int {
	for ; i+32 <= len(m); i += 32 {
		b := (*[32]byte)(m[i:])
		w0, w1, w2, w3 := below(word(b[:])), below(word(b[8:])), below(word(b[16:])), below(word(b[24:]))
		if (w0|w1|w2|w3)&high != 0 {
			return i + bits.TrailingZeros32(tops(w0)|tops(w1)<<8|tops(w2)<<16|tops(w3)<<24)
		}
	}
	for ; i+8 <= len(m); i += 8 {
		if marks := below(word(m[i:])) & high; marks != 0 {
			return i + bits.TrailingZeros64(marks)/8
		}
	}
	return len(m)
}

// tops gathers the top bits of the bytes of w, that of the first as the lowest.
func tops(w uint64) uint32 { return uint32(w & high >> 7 * 0x0102040810204080 >> 56) }

// width8 returns how many digits b[i:] starts with, 8 if that many or more; -1
// if b ends within eight bytes. w are those bytes with '0' taken off each.
func width8(b []byte, i int) (w uint64, width int) {
	if i+8 > len(b) {
		return 0, -1
	}
	const zeros, beyond = 0x3030303030303030, 0x7676767676767676
	w = word(b[i:]) ^ zeros // digits become 0 to 9, all else more
	return w, bits.TrailingZeros64((w+beyond|w)&high) / 8
}

// number8 parses the digits from b[i] on and returns the offset behind them; 0
// if there are none, or more than seven, or if b ends within eight bytes.
// Numbers of one digit and of five take the same time: a log has both in turn,
// which a loop pays for.
func number8(b []byte, i int) (int32, int) {
	w, width := width8(b, i)
	if uint(width-1) > 6 {
		return 0, 0
	}
	w <<= 64 - 8*width // leading zeros
	w = w*10 + w>>8    // pairs of digits, in every second byte
	const pair = 0x000000ff000000ff
	w = (w&pair*(100+1_000_000<<32) + w>>16&pair*(1+10_000<<32)) >> 32
	return int32(w), i + width
}

// key is a text of at most 32 bytes to compare with. Its first and its last 16
// bytes are loaded as four words, those of a shorter one with a mask.
type key struct {
	size int
	text [4]uint64
	mask [2]uint64 // of the first two words
	tail int       // offset of the last two words
}

func newKey(s string) key {
	k := key{size: len(s), tail: max(0, len(s)-16)}
	var b, m [16]byte
	for i := range copy(b[:], s) {
		m[i] = 0xff
	}
	k.text[0], k.text[1], k.mask = word(b[:]), word(b[8:]), [2]uint64{word(m[:]), word(m[8:])}
	if len(s) > 16 {
		copy(b[:], s[k.tail:])
		k.text[2], k.text[3] = word(b[:]), word(b[8:])
	}
	return k
}

// at reports whether the key stands at b[i], which has to have 32 bytes behind
// it; false if it has not.
func (k *key) at(b []byte, i int) bool {
	if i+32 > len(b) {
		return false
	}
	h := (*[16]byte)(b[i:])
	if (word(h[:])^k.text[0])&k.mask[0]|(word(h[8:])^k.text[1])&k.mask[1] != 0 {
		return false
	}
	if k.tail == 0 {
		return true
	}
	h = (*[16]byte)(b[i+k.tail:])
	return (word(h[:])^k.text[2])|(word(h[8:])^k.text[3]) == 0
}
