package lineends

import "testing"

// Every kind of processor finds the same.
func TestFindOnOlderProcessors(t *testing.T) {
	defer func(a, b bool) { hasAVX2, hasAVX512 = a, b }(hasAVX2, hasAVX512)
	if !hasAVX512 {
		t.Log("this processor has no AVX-512: what reads with it is not tested")
	}
	hasAVX512 = false
	t.Run("AVX2", TestFind)
	hasAVX2 = false
	t.Run("neither", TestFind)
}

func BenchmarkFindAVX2(b *testing.B) {
	if !hasAVX512 {
		b.Skip("BenchmarkFind measures it")
	}
	defer func() { hasAVX512 = true }()
	hasAVX512 = false
	BenchmarkFind(b)
}
