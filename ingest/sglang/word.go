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

// same reports whether two texts of one length are equal. For the few words of a
// line it takes less than the library's call.
func same(a, b []byte) bool {
	if len(a) < 8 {
		return string(a) == string(b)
	}
	last := len(a) - 8
	diff := word(a[last:]) ^ word(b[last:])
	for i := 0; i < last; i += 8 {
		diff |= word(a[i:]) ^ word(b[i:])
	}
	return diff == 0
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
