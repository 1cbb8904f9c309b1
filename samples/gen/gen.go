// Package gen writes large inputs for benchmarks and for tests of the bulk
// reader: a server log and a file of records with the mix of lines of real
// ones. The same seed gives the same bytes.
package gen

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// Totals are what a reader of a generated log must find.
type Totals struct {
	Lines, Prefill, Decode, Access, Other int
	NewSeq, NewTokens, Cached             int64
}

// Log writes a server log of at least size bytes: 5 % prefill lines, half
// decode lines, the rest access lines and others.
func Log(w io.Writer, size int64, seed uint64) (Totals, error) {
	var t Totals
	rng := rand.New(rand.NewPCG(seed, 1))
	bw := bufio.NewWriterSize(w, 1<<20)
	clock := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	stamp, perSecond := clock.Format(time.DateTime), 0
	line := make([]byte, 0, 512)
	var written int64
	for written < size {
		if perSecond++; perSecond == 200 {
			perSecond = 0
			clock = clock.Add(time.Second)
			stamp = clock.Format(time.DateTime)
		}
		line = fmt.Appendf(line[:0], "[%s] ", stamp)
		line = t.one(line, rng)
		line = append(line, '\n')
		t.Lines++
		n, err := bw.Write(line)
		if err != nil {
			return t, err
		}
		written += int64(n)
	}
	return t, bw.Flush()
}

// one appends a line's text.
func (t *Totals) one(line []byte, rng *rand.Rand) []byte {
	switch k := rng.IntN(100); {
	case k < 5:
		seqs, cached := 1+rng.IntN(8), rng.IntN(4096)
		tokens := seqs * (1 + rng.IntN(900))
		t.Prefill++
		t.NewSeq += int64(seqs)
		t.NewTokens += int64(tokens)
		t.Cached += int64(cached)
		return fmt.Appendf(line, "Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: 0.%02d, #running-req: %d, #queue-req: 0, #pending-token: 0, cuda graph: False, input throughput (token/s): %d.%02d",
			seqs, tokens, cached, rng.IntN(99), rng.IntN(64), rng.IntN(40000), rng.IntN(99))
	case k < 55:
		t.Decode++
		return fmt.Appendf(line, "Decode batch, #running-req: %d, #token: %d, token usage: 0.%02d, cuda graph: True, gen throughput (token/s): %d.%02d, #queue-req: %d",
			1+rng.IntN(64), rng.IntN(90000), rng.IntN(99), rng.IntN(9000), rng.IntN(99), rng.IntN(3))
	case k < 95:
		t.Access++
		return fmt.Appendf(line, `INFO:     127.0.0.1:%d - "POST /generate HTTP/1.1" 200 OK`, 30000+rng.IntN(20000))
	}
	t.Other++
	return fmt.Appendf(line, "Using fallback token IDs for yes/no (%d/%d)", rng.IntN(99999), rng.IntN(99999))
}

// Records writes a JSONL file of at least size bytes with details, some ten
// records in it, each of one run.
func Records(w io.Writer, size int64, seed uint64) (records, requests int, err error) {
	rng := rand.New(rand.NewPCG(seed, 2))
	bw := bufio.NewWriterSize(w, 1<<20)
	const perRecord = 2000
	var written int64
	for written < size {
		n, err := record(bw, rng, perRecord, size/10)
		if err != nil {
			return records, requests, err
		}
		written += n
		records++
		requests += perRecord
	}
	return records, requests, bw.Flush()
}

func record(bw *bufio.Writer, rng *rand.Rand, n int, size int64) (int64, error) {
	var written int64
	put := func(format string, args ...any) {
		k, _ := fmt.Fprintf(bw, format, args...)
		written += int64(k)
	}
	list := func(name, open, end string, each func()) {
		put(`, "%s": [`, name)
		for i := range n {
			if i > 0 {
				put(", ")
			}
			put("%s", open)
			each()
			put("%s", end)
		}
		put("]")
	}
	// About 21 bytes a gap, and as many bytes of text as of gaps.
	gaps := max(1, int(size)/n/42)
	put(`{"tag": null, "backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 32, "random_input_len": 512, "random_output_len": %d, "random_range_ratio": 1.0, "server_info": null, "duration": 61.25, "completed": %d, "total_input_tokens": %d, "median_ttft_ms": 201.25, "std_ttft_ms": NaN`, gaps, n, n*512)
	list("input_lens", "", "", func() { put("512") })
	list("output_lens", "", "", func() { put("%d", gaps) })
	list("ttfts", "", "", func() { put("%v", rng.Float64()) })
	list("itls", "[", "]", func() {
		for i := range gaps {
			if i > 0 {
				put(", ")
			}
			put("%.17f", rng.Float64()/50)
		}
	})
	list("generated_texts", `"`, `"`, func() {
		for range gaps * 21 / 20 {
			put(`words of an answer, `)
		}
	})
	list("errors", "", "", func() { put(`""`) })
	put("}\n")
	return written, bw.Flush()
}
