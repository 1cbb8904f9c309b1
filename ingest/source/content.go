package source

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/klauspost/compress/zstd"
)

// Packing is how a single file is compressed.
type Packing uint8

// The packings that are read, and those that are only named.
const (
	NotPacked Packing = iota
	Gzip
	Zstd
)

func packingOf(head []byte) Packing {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return Gzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return Zstd
	case len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}):
		return Zstd // a skippable frame in front
	}
	return NotPacked
}

// Content is the text of an entry: decompressed, without a byte order mark,
// UTF-16 turned into UTF-8. Reading it never fails halfway: a damaged or
// bounded stream ends where it ends, and Trouble says why.
type Content struct {
	entry   *Entry
	packing Packing
	skip    int64 // bytes of a UTF-8 byte order mark
	utf16   int   // 1 little-endian, 2 big-endian

	mu      sync.Mutex
	trouble string
}

// Content looks at the first bytes of the entry.
func (e *Entry) Content() *Content {
	c := &Content{entry: e, trouble: e.Cut}
	r, err := e.Open()
	if err != nil {
		return c
	}
	head := make([]byte, 4)
	n, _ := io.ReadFull(r, head)
	r.Close()
	head = head[:n]
	if c.packing = packingOf(head); c.packing != NotPacked {
		if head, err = e.unpackedHead(4); err != nil {
			return c
		}
	}
	switch {
	case bytes.HasPrefix(head, []byte{0xef, 0xbb, 0xbf}):
		c.skip = 3
	case bytes.HasPrefix(head, []byte{0xff, 0xfe}):
		c.utf16 = 1
	case bytes.HasPrefix(head, []byte{0xfe, 0xff}):
		c.utf16 = 2
	}
	return c
}

// Packed tells whether the file is compressed.
func (c *Content) Packed() bool { return c.packing != NotPacked }

// Size is the number of bytes that Open gives, -1 if that is not known before
// reading.
func (c *Content) Size() int64 {
	if c.packing != NotPacked || c.utf16 != 0 {
		return -1
	}
	return c.entry.Size - c.skip
}

// Trouble says why reading so far did not reach the end, "" if it did.
func (c *Content) Trouble() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trouble
}

func (c *Content) note(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.trouble == "" {
		c.trouble = reason(err)
	}
}

// reason puts the errors that damaged files give into words.
func reason(err error) string {
	var b boundError
	switch {
	case errors.As(err, &b):
		return b.Error()
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "the compressed data ends early"
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		return "the compressed data is damaged: wrong checksum"
	}
	return plain(err).Error()
}

// Open gives the text from its start. Only opening can fail.
func (c *Content) Open() (io.ReadCloser, error) {
	r, err := c.open()
	if err != nil {
		return nil, err
	}
	if c.skip > 0 {
		if _, err := io.CopyN(io.Discard, r, c.skip); err != nil {
			r.Close()
			return nil, err
		}
	}
	if c.utf16 != 0 {
		return &wrapped{Reader: newUTF16(r, c.utf16 == 2), close: r.Close}, nil
	}
	return r, nil
}

// open is Open before the text's encoding is looked at.
func (c *Content) open() (io.ReadCloser, error) {
	raw, err := c.entry.Open()
	if err != nil {
		return nil, err
	}
	if c.packing == NotPacked {
		return &wrapped{Reader: &quietReader{r: raw, c: c}, close: raw.Close}, nil
	}
	counted := &counter{r: raw}
	in := bufio.NewReaderSize(counted, 64<<10)
	var out io.Reader
	closeOut := func() {}
	switch c.packing {
	case Gzip:
		z, err := gzip.NewReader(in)
		if err != nil {
			raw.Close()
			return nil, errors.New(reason(err))
		}
		out = z
	case Zstd:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			raw.Close()
			return nil, errors.New(reason(err))
		}
		out, closeOut = z, z.Close
	}
	bounded := &boundedReader{ReadCloser: io.NopCloser(out), packed: counted.count, limits: c.entry.limits}
	return &wrapped{Reader: &quietReader{r: bounded, c: c}, close: func() error {
		closeOut()
		return raw.Close()
	}}, nil
}

// OpenAt gives the text as a file that can be read at any offset, nil if it
// is compressed or not UTF-8. Like Open it ends quietly at an error.
func (c *Content) OpenAt() (io.ReaderAt, io.Closer, error) {
	if c.entry.openAt == nil || c.Size() < 0 {
		return nil, nil, nil
	}
	f, err := c.entry.openAt()
	if err != nil {
		return nil, nil, plain(err)
	}
	return &quietReaderAt{io.NewSectionReader(f, c.skip, c.Size()), c, f}, f, nil
}

// unpackedHead gives the first n bytes after decompression, fewer if the data
// ends before.
func (e *Entry) unpackedHead(n int) ([]byte, error) {
	c := &Content{entry: e}
	r, err := e.Open()
	if err != nil {
		return nil, err
	}
	head := make([]byte, 4)
	m, _ := io.ReadFull(r, head)
	r.Close()
	c.packing = packingOf(head[:m])
	in, err := c.open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out := make([]byte, n)
	m, _ = io.ReadFull(in, out)
	return out[:m], nil
}

type wrapped struct {
	io.Reader
	close func() error
}

func (w *wrapped) Close() error { return w.close() }

// quietReader ends a stream at an error and leaves the reason with the
// content.
type quietReader struct {
	r io.Reader
	c *Content
}

func (q *quietReader) Read(p []byte) (int, error) {
	n, err := q.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		q.c.note(err)
		err = io.EOF
	}
	return n, err
}

// quietReaderAt does the same for a file that is read at any offset.
type quietReaderAt struct {
	r    io.ReaderAt
	c    *Content
	file File
}

func (q *quietReaderAt) ReadAt(p []byte, off int64) (int, error) {
	n, err := q.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		q.c.note(err)
		err = io.EOF
	}
	return n, err
}

type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) count() int64 { return c.n }

// boundError says which bound ended a decompression.
type boundError string

func (b boundError) Error() string { return string(b) }

// boundedReader stops decompression at the limits.
type boundedReader struct {
	io.ReadCloser
	packed func() int64
	limits Limits
	n      int64
}

func (b *boundedReader) Read(p []byte) (int, error) {
	if b.n >= b.limits.FileBytes {
		return 0, boundError(fmt.Sprintf("more than %d bytes after decompression: the rest was not read", b.limits.FileBytes))
	}
	if b.n > b.limits.RatioFrom && b.n > b.limits.Ratio*max(b.packed(), 1) {
		return 0, boundError(fmt.Sprintf("decompresses more than %d fold: the rest was not read", b.limits.Ratio))
	}
	if rest := b.limits.FileBytes - b.n; int64(len(p)) > rest {
		p = p[:rest]
	}
	n, err := b.ReadCloser.Read(p)
	b.n += int64(n)
	return n, err
}

// utf16Reader turns UTF-16 into UTF-8, as some shells write their output.
type utf16Reader struct {
	r    *bufio.Reader
	big  bool
	rest []byte
	err  error
}

func newUTF16(r io.Reader, big bool) *utf16Reader {
	return &utf16Reader{r: bufio.NewReaderSize(r, 64<<10), big: big}
}

func (u *utf16Reader) unit() (uint16, error) {
	a, err := u.r.ReadByte()
	if err != nil {
		return 0, err
	}
	b, err := u.r.ReadByte()
	if err != nil {
		return 0, io.EOF
	}
	if u.big {
		a, b = b, a
	}
	return uint16(b)<<8 | uint16(a), nil
}

func (u *utf16Reader) Read(p []byte) (int, error) {
	for len(u.rest) < len(p) && u.err == nil {
		var v uint16
		if v, u.err = u.unit(); u.err != nil {
			break
		}
		c := rune(v)
		if utf16.IsSurrogate(c) {
			var low uint16
			if low, u.err = u.unit(); u.err == nil {
				c = utf16.DecodeRune(c, rune(low))
			}
		}
		if c != 0xfeff {
			u.rest = utf8.AppendRune(u.rest, c)
		}
	}
	n := copy(p, u.rest)
	u.rest = u.rest[:copy(u.rest, u.rest[n:])]
	if n == 0 && u.err != nil {
		return 0, u.err
	}
	return n, nil
}
