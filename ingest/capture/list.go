package capture

import "iter"

const listBlock = 4096

// List is an append-only sequence kept in fixed blocks, so that growing it
// never copies: a log of a gigabyte holds hundreds of thousands of batches and
// must stay within tens of MiB. The zero List is empty and ready to use.
type List[T any] struct {
	blocks [][]T
	n      int
}

// Append adds v at the end.
func (l *List[T]) Append(v T) { *l.Next() = v }

// Next adds a zero value at the end and returns a pointer to it, which stays
// valid only until the next one is added.
func (l *List[T]) Next() *T {
	var zero T
	last := l.room()
	*last = append(*last, zero)
	l.n++
	return &(*last)[len(*last)-1]
}

// AppendAll adds values at the end.
func (l *List[T]) AppendAll(vs []T) {
	for len(vs) > 0 {
		last := l.room()
		n := min(len(vs), listBlock-len(*last))
		*last = append(*last, vs[:n]...)
		l.n += n
		vs = vs[n:]
	}
}

// room returns the last block, with room for one value at least.
func (l *List[T]) room() *[]T {
	if l.n%listBlock == 0 {
		size := listBlock
		if l.n == 0 {
			size = 64 // most logs are small; the first block grows as a slice does
		}
		l.blocks = append(l.blocks, make([]T, 0, size))
	}
	return &l.blocks[len(l.blocks)-1]
}

// Len returns the number of values.
func (l *List[T]) Len() int { return l.n }

// At returns a pointer to value i, which stays valid only until the next
// Append.
func (l *List[T]) At(i int) *T { return &l.blocks[i/listBlock][i%listBlock] }

// Last returns a pointer to the last value, nil if there is none.
func (l *List[T]) Last() *T {
	if l.n == 0 {
		return nil
	}
	return l.At(l.n - 1)
}

// All yields index and pointer of each value in order.
func (l *List[T]) All() iter.Seq2[int, *T] {
	return l.Range(0, l.n)
}

// Range yields index and pointer of the values lo <= i < hi.
func (l *List[T]) Range(lo, hi int) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := lo; i < hi; {
			block := l.blocks[i/listBlock][i%listBlock:]
			for j := range block[:min(len(block), hi-i)] {
				if !yield(i+j, &block[j]) {
					return
				}
			}
			i += len(block)
		}
	}
}

// ListOf builds a List from values, for tests.
func ListOf[T any](values ...T) List[T] {
	var l List[T]
	for _, v := range values {
		l.Append(v)
	}
	return l
}
