package record

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/prom"
)

// parseMetrics reads a scrape with the reader that reads captures.
func parseMetrics(text []byte) (*capture.Snapshot, error) {
	head := text[:min(len(text), format.HeadSize)]
	in := &format.Input{Path: "metrics", Head: head, Size: int64(len(text)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)), nil
	}}
	out := &format.Output{File: &capture.File{}}
	if err := prom.Formats()[0].Read(in, out); err != nil {
		return nil, err
	}
	if len(out.Snapshots) == 0 {
		return nil, fmt.Errorf("GET /metrics: no samples")
	}
	return out.Snapshots[len(out.Snapshots)-1], nil
}

// counters are one scrape, as bytes for the record and read.
type counters struct {
	text []byte
	tally
}

// steadyTries bounds how often counters are read until two readings agree.
const steadyTries = 20

// steady scrapes until two readings agree: both engines publish a finished
// request some moments after its last token. ok is false if the server has no
// metrics.
func steady(ctx context.Context, t *target, e engine, poll time.Duration) (c counters, ok bool, err error) {
	var last *tally
	for range steadyTries {
		text, err := scrape(ctx, t)
		if err != nil {
			return counters{}, false, err
		}
		m, err := parseMetrics(text)
		if err != nil {
			return counters{}, false, err
		}
		c = counters{text, e.tally(m)}
		if c.requests == nil {
			return c, false, nil
		}
		if last != nil && same(last.requests, c.requests) && same(last.prompt, c.prompt) && same(last.cached, c.cached) {
			return c, true, nil
		}
		now := c.tally
		last = &now
		if err := pause(ctx, poll); err != nil {
			return c, false, err
		}
	}
	return c, false, fmt.Errorf("the counters of the server do not come to rest")
}

func same(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

// pause waits, or returns the error of a context that ends.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
