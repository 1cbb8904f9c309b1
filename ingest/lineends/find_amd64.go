package lineends

import "golang.org/x/sys/cpu"

//go:noescape
func findAVX2(text *byte, words int, ends, strays *uint32, follows uint64) (nEnds, nStrays int)

//go:noescape
func findAVX512(text *byte, words int, ends, strays *uint32, follows uint64) (nEnds, nStrays int)

var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW
)

// find does what findPlain does, with what this processor has.
func find(text []byte, ends, strays []uint32, follows uint64) (nEnds, nStrays int) {
	if !hasAVX2 || len(text) < word {
		return findPlain(text, ends, strays, follows)
	}
	// As many entries as may be written, checked once.
	_, _ = ends[len(text)+1], strays[len(text)-1]
	if hasAVX512 {
		return findAVX512(&text[0], len(text)/word, &ends[0], &strays[0], follows)
	}
	return findAVX2(&text[0], len(text)/word, &ends[0], &strays[0], follows)
}
