package lineends

import "golang.org/x/sys/cpu"

var fast = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// findAVX2 does what findPlain does.
//
//go:noescape
func findAVX2(text *byte, words int, ends, strays *uint32, follows uint64) (nEnds, nStrays int)

// find looks at whole words of 64 bytes.
func find(text []byte, ends, strays []uint32, follows uint64) (nEnds, nStrays int) {
	if !fast || len(text) < 64 {
		return findPlain(text, ends, strays, follows)
	}
	// The fewest entries that the routine may write, checked once.
	_, _ = ends[len(text)+1], strays[len(text)-1]
	return findAVX2(&text[0], len(text)/64, &ends[0], &strays[0], follows)
}
