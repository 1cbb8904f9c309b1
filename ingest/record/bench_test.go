package record

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"coldcase/ingest/plan"
)

// nullStream is the answer of a server that does nothing: an event per token,
// all at once, and the usage.
var nullStream = strings.Repeat(`data: {"id":"cmpl-0","object":"text_completion","choices":[{"index":0,"text":" a","finish_reason":null}]}`+"\n\n", 32) +
	`data: {"id":"cmpl-0","choices":[],"usage":{"prompt_tokens":512,"completion_tokens":32,"prompt_tokens_details":{"cached_tokens":0}}}` + "\n\ndata: [DONE]\n\n"

// BenchmarkClient measures a cell of the built-in client on a server that
// answers at once, beside a loop that posts the same bodies with as many at a
// time and reads the answers to their end without a look at them. The metric
// "x/bare" is the ratio of the two, measured in turns.
func BenchmarkClient(b *testing.B) {
	const requests, inFlight = 256, 8
	null := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, nullStream)
	}))
	defer null.Close()
	in, out := 512, 32
	cell := plan.Cell{ID: "bench", Cap: inFlight, Prompts: requests, Seed: 1, Arm: plan.Fresh}
	o := &Options{Server: null.URL}
	s := &session{o: o, t: newTarget(o), e: &vllm{model: "null"}, plan: &plan.Plan{Client: clientBuiltin, Cells: []plan.Cell{cell}, Workload: plan.Workload{InputLen: &in, OutputLen: &out}}}
	bodies := make([][]byte, requests)
	for i, p := range prompts(&cell, in, 1) {
		_, bodies[i], _ = s.e.request(p, out, -1)
	}
	var own, bare time.Duration
	for b.Loop() {
		began := time.Now()
		rec, err := s.send(context.Background(), &cell)
		own += time.Since(began)
		if err != nil || rec.Completed != requests {
			b.Fatalf("%d of %d completed: %v", rec.Completed, requests, err)
		}
		began = time.Now()
		bareLoop(b, s.t, bodies, inFlight)
		bare += time.Since(began)
	}
	b.ReportMetric(float64(own)/float64(bare), "x/bare")
	b.ReportMetric(float64(own.Microseconds())/float64(b.N*requests), "own-µs/request")
	b.ReportMetric(float64(bare.Microseconds())/float64(b.N*requests), "bare-µs/request")
}

func bareLoop(b *testing.B, t *target, bodies [][]byte, inFlight int) {
	var wg sync.WaitGroup
	next := make(chan []byte)
	for range inFlight {
		wg.Go(func() {
			for body := range next {
				res, err := t.send(context.Background(), http.MethodPost, "/v1/completions", body, nil)
				if err != nil {
					b.Error(err)
					continue
				}
				for sc := bufio.NewScanner(res.Body); sc.Scan(); {
				}
				res.Body.Close()
			}
		})
	}
	for _, body := range bodies {
		next <- body
	}
	close(next)
	wg.Wait()
}
