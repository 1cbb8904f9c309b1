package sglang

import "golang.org/x/sys/cpu"

var (
	fast    = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2
	fast512 = fast && cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL
)

//go:noescape
func sortAVX2(x *sheaf, text *byte, ends *uint32, start, most, last, stray int) (n int)

//go:noescape
func sortAVX512(x *sheaf, text *byte, ends *uint32, start, most, last, stray int) (n int)

//go:noescape
func decodesAVX2(x *sheaf, text *byte, i int) (next int)

//go:noescape
func accessesAVX2(x *sheaf, text *byte, i int) (next int)

// sortUsual sorts lines that open with the sheaf's bracket and end with nothing
// but a newline, up to one that does not. There are at most so many.
func (x *sheaf) sortUsual(l *lines, stray, most int) int {
	most, last := min(most, len(l.ends)), len(l.text)-skimRoom
	if !fast || most <= 0 || l.at > last {
		return 0
	}
	if fast512 {
		return sortAVX512(x, &l.text[0], &l.ends[0], l.at, most, last, stray)
	}
	return sortAVX2(x, &l.text[0], &l.ends[0], l.at, most, last, stray)
}

// usualDecodes reads decode lines from the i-th on and returns the index of the
// first that is not of the usual shape.
func (x *sheaf) usualDecodes(text []byte, i int) int {
	if !fast {
		return i
	}
	return decodesAVX2(x, &text[0], i)
}

// usualAccesses does the same for access lines.
func (x *sheaf) usualAccesses(text []byte, i int) int {
	if !fast || x.tail == 0 {
		return i
	}
	return accessesAVX2(x, &text[0], i)
}
