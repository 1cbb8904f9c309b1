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

// maxWorkers bounds the processors that read one log, for the sake of memory: what
// is looked at of the log counts as the command's.
const maxWorkers = 4

// ReadBulk reads the plain log of one server in blocks, with one goroutine per
// processor, up to maxWorkers. If r can give views of its bytes, nothing is
// copied. ok is false if the text turned out to hold others as well, or no line
// that only SGLang writes; nothing is kept then. Memory is a few blocks and the
// events of the log.
func ReadBulk(r io.ReaderAt, size int64, hooks Hooks) (bulk *Bulk, ok bool, err error) {
	workers := min(runtime.GOMAXPROCS(0), maxWorkers)
	src := newBlockFile(r, size, workers)
	blocks := int((size + src.block - 1) / src.block)
	free := make(chan *stretch, 2*workers)
	for range 2 * workers {
		free <- &stretch{sec: newSection()}
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	all := &joint{bulk: Bulk{builder: newBuilder()}, pending: map[int]*stretch{}}
	for range workers {
		wg.Go(func() {
			foreign := hooks.Foreign()
			debug.SetPanicOnFault(true) // of a view
			for {
				// A slot before a number: the lowest number that is not
				// finished then always has one.
				b := <-free
				b.index = int(next.Add(1) - 1)
				if b.index >= blocks || all.failed() {
					free <- b
					return
				}
				b.err = b.work(src, hooks.Clean, foreign)
				all.join(b, free)
			}
		})
	}
	wg.Wait()
	var p panicked
	switch {
	case errors.As(all.err, &p):
		panic(p.value)
	case errors.Is(all.err, errNotPlain):
		return nil, false, nil
	case all.err != nil:
		return nil, false, all.err
	case !all.bulk.builder.known:
		return nil, false, nil // a text of another kind
	}
	return &all.bulk, true, nil
}

// joint joins blocks in order, whichever goroutine read them: that one, mostly,
// since it has what it found in its processor's cache.
type joint struct {
	mu      sync.Mutex
	bulk    Bulk
	pending map[int]*stretch // read before their turn
	turn    int
	err     error
}

// join takes a block that was read, and gives free the blocks that are done with.
func (j *joint) join(b *stretch, free chan<- *stretch) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if b.err != nil && j.err == nil {
		j.err = b.err
	}
	j.pending[b.index] = b
	for b := j.pending[j.turn]; b != nil; b = j.pending[j.turn] {
		delete(j.pending, j.turn)
		j.turn++
		if j.err == nil {
			j.bulk.builder.add(b.sec, j.bulk.Lines)
			j.bulk.Lines += b.lines
		}
		free <- b
	}
}

func (j *joint) failed() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err != nil
}

// Close appends the log to out and returns the counts of its lines by class.
func (b *Bulk) Close(file string, out *format.Output) capture.Counts {
	return b.builder.close(file, "", out)
}

// Damaged returns the malformed lines.
func (b *Bulk) Damaged() []capture.Damage { return b.builder.log.Damaged }
