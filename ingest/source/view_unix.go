//go:build unix

package source

import (
	"os"
	"syscall"
)

// View gives n bytes at an offset as they lie in the system's page cache,
// without a copy, until done is called; ok is false if the file cannot be
// mapped, and ReadAt is the way. Reading bytes that the file has lost since
// faults: a caller sets debug.SetPanicOnFault and expects that.
func (q *quietReaderAt) View(off int64, n int) (text []byte, done func(), ok bool) {
	f, isFile := q.file.(*os.File)
	if !isFile || n <= 0 {
		return nil, nil, false
	}
	off += q.c.skip
	page := off - off%int64(os.Getpagesize())
	lead := int(off - page)
	m, err := syscall.Mmap(int(f.Fd()), page, lead+n, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, nil, false
	}
	return m[lead:], func() { syscall.Munmap(m) }, true
}
