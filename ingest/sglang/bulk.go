package sglang

import (
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

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
// processor. If r can give views of its bytes, nothing is copied. ok is false if
// the log turned out to hold other texts as well; nothing is kept then. Memory
// is a few blocks and the events of the log.
func ReadBulk(r io.ReaderAt, size int64, hooks Hooks) (bulk *Bulk, ok bool, err error) {
	workers := runtime.GOMAXPROCS(0)
	src := newBlockFile(r, size)
	blocks := int((size + src.block - 1) / src.block)
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
			debug.SetPanicOnFault(true) // of a view
			for {
				// A slot before a number: the lowest number that is not
				// finished then always has one.
				b := <-free
				b.index = int(next.Add(1) - 1)
				if b.index >= blocks || stop.Load() {
					free <- b
					return
				}
				b.err = b.work(src, hooks.Clean, foreign)
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
	var p panicked
	switch {
	case errors.As(err, &p):
		panic(p.value)
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
