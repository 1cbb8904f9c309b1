package record

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// progress tells a person how far a sweep is: one line that is rewritten on a
// terminal, else a line per cell.
type progress struct {
	w        io.Writer
	terminal bool

	mu      sync.Mutex
	cell    string
	index   int
	total   int
	since   time.Time
	took    []time.Duration // of the cells measured in this session
	written int             // width of the line on the terminal
}

func (p *progress) start(index, total int, id string) {
	p.mu.Lock()
	p.cell, p.index, p.total, p.since = id, index, total, time.Now()
	p.mu.Unlock()
	if !p.terminal {
		p.printf("cell %d of %d, %s: started%s\n", index+1, total, id, p.left())
	}
}

// state shows what the cell is at; on plain output that would be noise.
func (p *progress) state(s string) {
	if !p.terminal {
		return
	}
	p.mu.Lock()
	line := fmt.Sprintf("cell %d of %d, %s: %s", p.index+1, p.total, p.cell, s)
	p.mu.Unlock()
	line += p.left()
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.w, "\r%-*s", p.written, line)
	p.written = len(line)
}

func (p *progress) end(doc *cellDoc) {
	p.mu.Lock()
	took := time.Since(p.since)
	if doc.State == Done {
		p.took = append(p.took, took)
	}
	clear := p.written
	p.written = 0
	p.mu.Unlock()
	if clear > 0 {
		p.printf("\r%-*s\r", clear, "")
	}
	why := ""
	if doc.Why != "" {
		why = ": " + doc.Why
	}
	p.printf("cell %d of %d, %s: %s in %s%s\n", p.index+1, p.total, doc.ID, doc.State, took.Round(100*time.Millisecond), why)
}

// left estimates the time left from the cells so far.
func (p *progress) left() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.took) == 0 {
		return ""
	}
	var sum time.Duration
	for _, d := range p.took {
		sum += d
	}
	left := sum / time.Duration(len(p.took)) * time.Duration(p.total-p.index)
	return fmt.Sprintf(", about %s left", left.Round(time.Second))
}

func (p *progress) printf(format string, args ...any) {
	fmt.Fprintf(p.w, format, args...)
}
