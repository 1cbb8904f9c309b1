package sglang

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"sync"
	"sync/atomic"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// blockSize is the stretch of a log that one goroutine reads at a time, in
// bytes: small enough that what the kernel copied is still in the processor's
// cache when it is parsed.
const blockSize = 256 << 10

// overlap is how much behind its end is read with a block: the start of the line
// that the next block begins with.
const overlap = 4 << 10

// maxCut bounds how far behind a block's end the next line with a stamp may be.
const maxCut = 16 << 20

// errNotPlain says that a log has to be read line by line after all.
var errNotPlain = errors.New("not the plain log of one server")

// Hooks are what a bulk reader needs to know about lines that are not the
// log's. The functions are called by several goroutines, each on its own set.
type Hooks struct {
	// Clean takes carriage returns, colours and the like off a line and calls
	// each with what is left. It returns false if the line has a frame that
	// names a service.
	Clean func(line []byte, each func(text []byte)) bool
	// Foreign makes a function that tells whether a line that is not the
	// log's is something that another reader knows.
	Foreign func() func(line []byte) bool
}

// Bulk is a log that was read in blocks.
type Bulk struct {
	Lines   int
	builder *builder
}

// ReadBulk reads the plain log of one server in blocks, with one goroutine per
// processor. ok is false if the log turned out to hold other texts as well;
// nothing is kept then. Memory is a few blocks and the events of the log.
func ReadBulk(r io.ReaderAt, size int64, hooks Hooks) (bulk *Bulk, ok bool, err error) {
	workers := runtime.GOMAXPROCS(0)
	blocks := int((size + blockSize - 1) / blockSize)
	free := make(chan *stretch, 2*workers)
	done := make(chan *stretch, 2*workers)
	for range 2 * workers {
		free <- &stretch{sec: newSection()}
	}
	var next atomic.Int64
	var stop atomic.Bool
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			foreign := hooks.Foreign()
			for {
				// A slot before a number: the lowest number that is not
				// finished then always has one.
				b := <-free
				b.index = int(next.Add(1) - 1)
				if b.index >= blocks || stop.Load() {
					free <- b
					return
				}
				b.err = b.read(r, size)
				if b.err == nil {
					b.err = b.parse(hooks.Clean, foreign)
				}
				if b.err != nil {
					stop.Store(true)
				}
				done <- b
			}
		}()
	}
	go func() {
		wg.Wait()
		close(done)
	}()
	bulk = &Bulk{builder: newBuilder()}
	pending := map[int]*stretch{}
	for b := range done {
		if b.err != nil && err == nil {
			err = b.err
		}
		pending[b.index] = b
		for turn := bulk.builder.blocks; pending[turn] != nil; turn++ {
			b := pending[turn]
			delete(pending, turn)
			bulk.builder.blocks++
			if err == nil {
				bulk.builder.add(b.sec, bulk.Lines)
				bulk.Lines += b.lines
			}
			free <- b
		}
	}
	switch {
	case errors.Is(err, errNotPlain):
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	return bulk, true, nil
}

// Close appends the log to out and returns the counts of its lines by class.
func (b *Bulk) Close(file string, out *format.Output) capture.Counts {
	return b.builder.close(file, "", out)
}

// Damaged returns the malformed lines.
func (b *Bulk) Damaged() []capture.Damage { return b.builder.log.Damaged }

// stretch is one block on its way.
type stretch struct {
	index int
	buf   []byte
	text  []byte // whole lines
	sec   *section
	lines int
	err   error
}

// read reads the lines of a block: from the first line with a stamp that starts
// in it to the last line before the first such line of the next. A line
// without a stamp may continue the line before it and is not parted from it.
func (b *stretch) read(r io.ReaderAt, size int64) error {
	b.sec.reset()
	b.lines, b.text = 0, nil
	from := int64(b.index) * blockSize
	start := max(from-1, 0) // with the newline in front of the block
	want := min(size, from+blockSize+overlap) - start
	for {
		if int64(cap(b.buf)) < want {
			b.buf = make([]byte, want)
		}
		b.buf = b.buf[:want]
		n, err := r.ReadAt(b.buf, start)
		if err != nil && !(errors.Is(err, io.EOF) && int64(n) == want) {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF // the file shrank
			}
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
		if from+blockSize < size {
			at := cutAt(b.buf, int(from+blockSize-1-start))
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
	for rest := b.text; len(rest) > 0; {
		if lines, size := b.sec.skim(b.lines+1, rest); lines > 0 {
			b.lines += lines
			rest = rest[size:]
			continue
		}
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		b.lines++
		switch {
		case len(line) == 0:
			continue
		case bytes.IndexByte(line, '\r') < 0 && bytes.IndexByte(line, 0x1b) < 0:
			feed(line)
		case !clean(line, feed):
			return errNotPlain
		}
		if odd {
			return errNotPlain
		}
	}
	return nil
}
