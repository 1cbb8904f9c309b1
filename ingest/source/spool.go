package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
)

// spoolMemory is how much of a stream is kept in memory before it goes to a
// temporary file.
const spoolMemory = 32 << 20

// Spooled is a stream that was read once and can be read again at any offset:
// from memory if it is small, else from a temporary file that has no name any
// more and goes with the process.
type Spooled struct {
	at   io.ReaderAt
	size int64
}

// ReadAt reads at an offset of the stream.
func (s *Spooled) ReadAt(p []byte, off int64) (int, error) {
	if off >= s.size {
		return 0, io.EOF
	}
	return s.at.ReadAt(p, off)
}

// Size is the number of bytes kept.
func (s *Spooled) Size() int64 { return s.size }

// Spool reads r to its end or to limit bytes. Trouble says why the end was not
// reached; what came before it is kept. The error means that nothing can be
// kept.
func Spool(r io.Reader, limit int64) (s *Spooled, trouble string, err error) {
	var mem bytes.Buffer
	n, err := io.Copy(&mem, io.LimitReader(r, spoolMemory))
	if err != nil {
		return &Spooled{bytes.NewReader(mem.Bytes()), n}, err.Error(), nil
	}
	if n < spoolMemory {
		return &Spooled{bytes.NewReader(mem.Bytes()), n}, "", nil
	}
	f, err := os.CreateTemp("", "coldcase-*")
	if err != nil {
		return nil, "", fmt.Errorf("keeping a long stream: %w", err)
	}
	// Without a name the file cannot be left behind. Where the system does not
	// allow this, the file stays until the folder is cleaned.
	_ = os.Remove(f.Name())
	if _, err := f.Write(mem.Bytes()); err != nil {
		return nil, "", fmt.Errorf("keeping a long stream: %w", err)
	}
	m, err := io.Copy(f, io.LimitReader(r, limit-n))
	if err != nil {
		var w *fs.PathError
		if errors.As(err, &w) && w.Op == "write" {
			return nil, "", fmt.Errorf("keeping a long stream: %w", err)
		}
		trouble = err.Error()
	}
	if n+m == limit {
		trouble = fmt.Sprintf("more than %d bytes: the rest was not read", limit)
	}
	return &Spooled{f, n + m}, trouble, nil
}

func spoolEntry(path string, s *Spooled, trouble string, l Limits) *Entry {
	e := &Entry{Path: path, Size: s.size, limits: l, Cut: trouble}
	e.open = func() (io.ReadCloser, error) { return sectionFile(path, s, 0, s.size), nil }
	e.openAt = func() (File, error) { return sectionFile(path, s, 0, s.size), nil }
	return e
}

// section is a part of something larger, as a File.
type section struct {
	*io.SectionReader
	name  string
	close func() error
}

func sectionFile(name string, at io.ReaderAt, off, size int64) *section {
	return &section{SectionReader: io.NewSectionReader(at, off, size), name: name}
}

func (s *section) Close() error {
	if s.close != nil {
		return s.close()
	}
	return nil
}

func (s *section) Stat() (fs.FileInfo, error) { return sectionInfo{s}, nil }

type sectionInfo struct{ s *section }

func (i sectionInfo) Name() string       { return i.s.name }
func (i sectionInfo) Size() int64        { return i.s.Size() }
func (i sectionInfo) Mode() fs.FileMode  { return 0o444 }
func (i sectionInfo) ModTime() time.Time { return time.Time{} }
func (i sectionInfo) IsDir() bool        { return false }
func (i sectionInfo) Sys() any           { return nil }
