package sglang

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"coldcase/ingest/format"
	"coldcase/ingest/lineends"
)

// blockSize is the stretch of a log that one goroutine reads at a time, in
// bytes: small enough that what the kernel copied is still in the processor's
// cache when it is parsed. Where nothing is copied, viewSize is what all of them
// look at together: the fewer views, the less often do processors have to tell
// each other that one has gone.
const (
	blockSize = 256 << 10
	viewSize  = 4 << 20
)

// overlap is how much behind its end is read with a block: the start of the line
// that the next block begins with.
const overlap = 4 << 10

// maxCut bounds how far behind a block's end the next line with a stamp may be.
const maxCut = 16 << 20

// viewer gives bytes of a file without a copy, until done is called. Bytes that
// the file has lost since fault.
type viewer interface {
	View(off int64, n int) (text []byte, done func(), ok bool)
}

// blockFile is the file that is read in blocks.
type blockFile struct {
	r     io.ReaderAt
	view  viewer // nil if the bytes have to be copied
	size  int64
	block int64
}

func newBlockFile(r io.ReaderAt, size int64, workers int) *blockFile {
	src := &blockFile{r: r, size: size, block: blockSize}
	if v, is := r.(viewer); is {
		if _, done, ok := v.View(0, 1); ok {
			done()
			src.view, src.block = v, viewSize/int64(workers)
		}
	}
	return src
}

// stretch is one block on its way.
type stretch struct {
	index int
	own   []byte // memory for a copy
	done  func() // gives a view back, nil none
	buf   []byte // the block and what was read around it
	text  []byte // whole lines
	sec   *section
	ends  lineends.Index
	sheaf sheaf
	lines int
	err   error
}

// read reads the lines of a block: from the first line with a stamp that starts
// in it to the last line before the first such line of the next. A line
// without a stamp may continue the line before it and is not parted from it.
func (b *stretch) read(src *blockFile) error {
	b.sec.reset()
	b.lines, b.text = 0, nil
	size, from := src.size, int64(b.index)*src.block
	start := max(from-1, 0) // with the newline in front of the block
	want := min(size, from+src.block+overlap) - start
	for {
		if err := b.fetch(src, start, want); err != nil {
			return err
		}
		first := 0
		if b.index > 0 {
			first = cutAt(b.buf, 0)
			if first < 0 && start+want < size && want < maxCut {
				want = min(size-start, want*2)
				continue
			}
		}
		end := int64(len(b.buf))
		if from+src.block < size {
			at := cutAt(b.buf, int(from+src.block-1-start))
			if at < 0 && start+want < size {
				if want >= maxCut {
					return errNotPlain
				}
				want = min(size-start, want*2)
				continue
			}
			if at >= 0 {
				end = int64(at)
			}
		}
		if first < 0 || int64(first) >= end {
			return nil // all of it belongs to a block before
		}
		b.text = b.buf[first:end]
		return nil
	}
}

// fetch makes buf the bytes at an offset: a view of them, or a copy.
func (b *stretch) fetch(src *blockFile, off, n int64) error {
	b.release()
	if src.view != nil {
		if text, done, ok := src.view.View(off, int(n)); ok {
			b.buf, b.done = text, done
			return nil
		}
	}
	if int64(cap(b.own)) < n {
		b.own = make([]byte, n)
	}
	b.buf = b.own[:n]
	got, err := src.r.ReadAt(b.buf, off)
	switch {
	case err == nil || errors.Is(err, io.EOF) && int64(got) == n:
		return nil
	case errors.Is(err, io.EOF):
		return io.ErrUnexpectedEOF // the file shrank
	}
	return err
}

// release gives a view back. What the section keeps of a text it has copied.
func (b *stretch) release() {
	if b.done != nil {
		b.done()
	}
	b.buf, b.text, b.done = nil, nil, nil
}

// panicked carries a panic to the goroutine that reads the file.
type panicked struct{ value any }

func (p panicked) Error() string { return fmt.Sprint(p.value) }

// work reads and parses the block.
func (b *stretch) work(src *blockFile, clean func([]byte, func([]byte)) bool, foreign func([]byte) bool) (err error) {
	defer b.release()
	defer func() {
		p := recover()
		if _, fault := p.(interface{ Addr() uintptr }); fault && b.done != nil {
			err = io.ErrUnexpectedEOF // the file shrank while it was looked at
		} else if p != nil {
			err = panicked{p}
		}
	}()
	if err := b.read(src); err != nil {
		return err
	}
	return b.parse(clean, foreign)
}

// cutAt returns the offset of the first line with a stamp whose newline in
// front of it is at or behind i, -1 if there is none.
func cutAt(b []byte, i int) int {
	for i < len(b) {
		next := bytes.IndexByte(b[i:], '\n')
		if next < 0 {
			return -1
		}
		i += next + 1
		if i+stampLen+2 < len(b) && b[i] == '[' && stampAt(b[i:min(len(b), i+64)]) {
			return i
		}
	}
	return -1
}

// parse feeds the lines of the block to its section.
func (b *stretch) parse(clean func([]byte, func([]byte)) bool, foreign func([]byte) bool) error {
	odd := false
	feed := func(text []byte) {
		if b.sec.line(b.lines, text, 0) == format.NotMine && foreign(text) {
			odd = true
		}
	}
	single := func(line []byte) error {
		b.lines++
		switch {
		case len(line) == 0:
		case bytes.IndexByte(line, '\r') < 0 && bytes.IndexByte(line, 0x1b) < 0:
			feed(line)
		case !clean(line, feed):
			return errNotPlain
		}
		if odd {
			return errNotPlain
		}
		return nil
	}
	for rest := b.text; len(rest) > 0; {
		b.ends.Find(rest)
		l := lines{text: rest, ends: b.ends.Ends, strays: b.ends.Strays}
		for {
			b.lines += b.sec.skim(b.lines+1, &l, &b.sheaf)
			line, ok := l.next()
			if !ok {
				break
			}
			if err := single(line); err != nil {
				return err
			}
		}
		if l.at == 0 { // a line that is longer than the index, or the last one
			line, _, _ := bytes.Cut(rest, []byte{'\n'})
			l.at = min(len(rest), len(line)+1)
			if err := single(line); err != nil {
				return err
			}
		}
		rest = rest[l.at:]
	}
	return nil
}
