package ingest

import (
	"bytes"
	"io"
	"slices"
	"sort"
	"sync"

	"coldcase/ingest/capture"
	"coldcase/ingest/source"
	"coldcase/ingest/text"
)

// A quoter looks up lines of any file of the capture. Where a file's bytes can
// be read at any offset it keeps a count of line ends per block and reads one
// block for a line; a compressed file is unpacked once into a spool and then
// treated alike. No log is held in memory, and few files are held open.
type quoter struct {
	items    map[string]item
	excerpts excerptTable

	mu     sync.Mutex
	texts  map[string]*lineIndex
	recent []*lineIndex // those that are open, the one used last at the end
	quoted map[lineKey]capture.Evidence
}

type lineKey struct {
	file string
	line int
}

// maxQuoted bounds the quotes that are kept: checks, causes and witnesses quote
// the same few lines over and over.
const maxQuoted = 20000

// openTexts is how many files a quoter holds open, each with one block.
const openTexts = 8

func newQuoter(items []item) *quoter {
	q := &quoter{items: map[string]item{}, texts: map[string]*lineIndex{}, quoted: map[lineKey]capture.Evidence{}}
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
	k := lineKey{file, line}
	if e, ok := q.quoted[k]; ok {
		return e
	}
	e := q.read(file, line)
	if len(q.quoted) < maxQuoted {
		q.quoted[k] = e
	}
	return e
}

// read looks a line up in its file.
func (q *quoter) read(file string, line int) capture.Evidence {
	x, ok := q.texts[file]
	if !ok {
		x = &lineIndex{}
		q.texts[file] = x
	}
	if !q.use(x, file) {
		return capture.Evidence{File: file, Line: line}
	}
	return text.Evidence(file, line, x.line(q.excerpts.stored(file, line)))
}

// use opens a file unless it is open, and closes the one that was used longest
// ago if there are too many. It is false if the file cannot be read again.
func (q *quoter) use(x *lineIndex, file string) bool {
	if i := slices.Index(q.recent, x); i >= 0 {
		q.recent = append(slices.Delete(q.recent, i, i+1), x)
		return true
	}
	it, ok := q.items[file]
	if !ok || it.entry.Why != "" {
		return false
	}
	c := it.entry.Content()
	at, closer, err := c.OpenAt()
	if err != nil {
		return false
	}
	x.size, x.close = c.Size(), func() {}
	if closer != nil {
		x.at, x.close = at, func() { closer.Close() }
	} else if x.at, x.size = unpack(c); x.at == nil {
		return false
	}
	if len(q.recent) == openTexts {
		q.recent[0].release()
		q.recent = slices.Delete(q.recent, 0, 1)
	}
	q.recent = append(q.recent, x)
	return true
}

// unpack makes compressed text readable at any offset, nil if it cannot.
func unpack(c *source.Content) (io.ReaderAt, int64) {
	r, err := c.Open()
	if err != nil {
		return nil, 0
	}
	defer r.Close()
	s, _, err := source.Spool(r, source.DefaultFileBytes)
	if err != nil {
		return nil, 0
	}
	return s, s.Size()
}

const (
	indexBlock = 1 << 20
	quoteBytes = 16 << 10 // of a line, far more than a quote keeps
)

// lineIndex finds lines by number. Blocks are counted only as far as lines were
// asked for.
type lineIndex struct {
	at    io.ReaderAt
	size  int64
	close func()
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

// release gives back the file and the block; the counts stay.
func (x *lineIndex) release() {
	x.close()
	x.at, x.block = nil, nil
}

func trimCR(b []byte) []byte { return bytes.TrimSuffix(b, []byte("\r")) }

// blockOf gives the block in which the given line end stands, the first block
// for none of them; -1 if the text has fewer.
func (x *lineIndex) blockOf(ends int) int {
	if x.ends == nil {
		x.ends = []int{0}
	}
	blocks := int((x.size + indexBlock - 1) / indexBlock)
	for x.ends[len(x.ends)-1] < ends && len(x.ends) <= blocks {
		b := len(x.ends) - 1
		x.ends = append(x.ends, x.ends[b]+bytes.Count(x.read(b), []byte{'\n'}))
	}
	if ends == 0 {
		return min(0, blocks-1)
	}
	if x.ends[len(x.ends)-1] < ends {
		return -1
	}
	// The first block that has that many ends behind it.
	return sort.SearchInts(x.ends, ends) - 1
}

// read gives a block of the text, which stays valid until the next call.
func (x *lineIndex) read(b int) []byte {
	if x.block != nil && x.last == b {
		return x.block
	}
	off := int64(b) * indexBlock
	n := max(min(indexBlock, x.size-off), 0)
	if int64(cap(x.block)) < n {
		x.block = make([]byte, min(indexBlock, x.size))
	}
	m, _ := x.at.ReadAt(x.block[:n], off)
	x.block, x.last = x.block[:m], b
	return x.block
}
