//go:build !amd64

package lineends

func find(text []byte, ends, strays []uint32, follows uint64) (nEnds, nStrays int) {
	return findPlain(text, ends, strays, follows)
}
