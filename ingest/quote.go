package ingest

import (
	"bytes"
	"io"
	"sync"

	"coldcase/ingest/capture"
	"coldcase/ingest/source"
	"coldcase/ingest/text"
)

// A quoter looks up lines of any file of the capture. Where a file's bytes can
// be read at any offset it keeps a count of line ends per block and reads one
// block for a line; a compressed file is unpacked once into a spool and then
// treated alike. No log is held in memory.
type quoter struct {
	items    map[string]item
	excerpts excerptTable

	mu    sync.Mutex
	texts map[string]*lineIndex
}

func newQuoter(items []item) *quoter {
	q := &quoter{items: map[string]item{}, texts: map[string]*lineIndex{}}
	for _, it := range items {
		q.items[it.path] = it
	}
	return q
}

// Quote gives the text of a line, by the number that is printed: for an
// excerpt that is the original's.
func (q *quoter) Quote(file string, line int) capture.Evidence {
	q.mu.Lock()
	defer q.mu.Unlock()
	x, ok := q.texts[file]
	if !ok {
		x = q.open(file)
		q.texts[file] = x
	}
	if x == nil {
		return capture.Evidence{File: file, Line: line}
	}
	return text.Evidence(file, line, x.line(q.excerpts.stored(file, line)))
}

// open prepares the lines of a file, nil if they cannot be read again.
func (q *quoter) open(file string) *lineIndex {
	it, ok := q.items[file]
	if !ok || it.entry.Why != "" {
		return nil
	}
	c := it.entry.Content()
	at, _, err := c.OpenAt()
	if err != nil {
		return nil
	}
	if at != nil {
		return &lineIndex{at: at, size: c.Size()}
	}
	r, err := c.Open()
	if err != nil {
		return nil
	}
	defer r.Close()
	s, _, err := source.Spool(r, source.DefaultFileBytes)
	if err != nil {
		return nil
	}
	return &lineIndex{at: s, size: s.Size()}
}

const (
	indexBlock = 1 << 20
	quoteBytes = 16 << 10 // of a line, far more than a quote keeps
)

// lineIndex finds lines by number. Blocks are counted only as far as lines were
// asked for.
type lineIndex struct {
	at   io.ReaderAt
	size int64
	// ends[i] is the number of line ends before block i.
	ends  []int
	block []byte // the block read last, and its number
	last  int
}

// line gives the bytes of a 1-based line without its end, nil if there is no
// such line.
func (x *lineIndex) line(n int) []byte {
	if n < 1 {
		return nil
	}
	want := n - 1 // line ends before the line
	b := x.blockOf(want)
	if b < 0 {
		return nil
	}
	data := x.read(b)
	start := 0
	for skip := want - x.ends[b]; skip > 0; skip-- {
		i := bytes.IndexByte(data[start:], '\n')
		if i < 0 {
			return nil
		}
		start += i + 1
	}
	off := int64(b)*indexBlock + int64(start)
	if off >= x.size {
		return nil
	}
	if i := bytes.IndexByte(data[start:], '\n'); i >= 0 {
		return trimCR(data[start : start+i])
	}
	out := make([]byte, min(quoteBytes, x.size-off))
	m, _ := x.at.ReadAt(out, off)
	out = out[:m]
	if i := bytes.IndexByte(out, '\n'); i >= 0 {
		out = out[:i]
	}
	return trimCR(out)
}

func trimCR(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\r")) }

// blockOf gives the block in which the line after the given number of line
// ends starts, -1 if the text is shorter.
func (x *lineIndex) blockOf(ends int) int {
	if x.ends == nil {
		x.ends = []int{0}
		x.last = -1
	}
	blocks := int((x.size + indexBlock - 1) / indexBlock)
	for x.ends[len(x.ends)-1] < ends && len(x.ends) <= blocks {
		b := len(x.ends) - 1
		x.ends = append(x.ends, x.ends[b]+bytes.Count(x.read(b), []byte{'\n'}))
	}
	// The line starts in the last block that has at most that many ends
	// before it.
	lo, hi := 0, len(x.ends)-1
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if x.ends[mid] <= ends-1 || mid == 0 {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if ends == 0 {
		lo = 0
	}
	if lo >= blocks {
		return -1
	}
	return lo
}

func (x *lineIndex) read(b int) []byte {
	if x.last == b && x.block != nil {
		return x.block
	}
	off := int64(b) * indexBlock
	n := min(indexBlock, x.size-off)
	if n <= 0 {
		return nil
	}
	if x.block == nil {
		x.block = make([]byte, indexBlock)
	}
	x.block = x.block[:indexBlock]
	m, _ := x.at.ReadAt(x.block[:n], off)
	x.block = x.block[:m]
	x.last = b
	return x.block
}
