package lab

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

// engineLog writes the log lines of one engine.
type engineLog interface {
	start()
	ready()
	stop()
	// access is written when the headers of an answer go out: for a stream
	// before the work, else behind it.
	access(host, method, uri string, status int)
	prefill(r *rank, st *step, now time.Time)
	decode(r *rank, st *step, now time.Time)
	flushAsked()
	flushed(rank int)
	notFlushed(rank, running, waiting int)
}

// logWriter serialises lines.
type logWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *logWriter) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, format+"\n", args...)
}

func statusText(status int) string {
	return fmt.Sprintf("%d %s", status, http.StatusText(status))
}
