package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// The benchmarks run the command on generated files of the sizes that people
// bring, beside a tool that does the least possible with the same file, in the
// same run: a ratio says more than a time.
//
// COLDCASE_BENCH_MB makes the files smaller or larger (default: 1024 for the
// log, 300 for the records).

// BenchmarkCountLog counts a large server log. Aim: within 1.5 times of wc -l,
// in less than 64 MiB.
func BenchmarkCountLog(b *testing.B) {
	log := generate(b, "server.log", 1024, writeLog)
	compare(b, []string{"coldcase", "count", "--format", "json", log}, []string{"wc", "-l", log})
}

// BenchmarkCountRecords counts client records with details. Aim: no slower than
// Python's json.loads over the lines, in less than 96 MiB.
func BenchmarkCountRecords(b *testing.B) {
	python, err := exec.LookPath("python3")
	if err != nil {
		b.Skip("no python3 to compare with")
	}
	records := generate(b, "bench.jsonl", 300, writeRecords)
	compare(b, []string{"coldcase", "count", "--format", "json", records},
		[]string{python, "-c", "import json, sys\nfor line in open(sys.argv[1]): json.loads(line)", records})
}

// compare runs both commands b.N times, in turn, and reports the command's time
// and memory and the ratio of the shortest times.
func compare(b *testing.B, command, reference []string) {
	b.Helper()
	best, bestReference, peak := time.Duration(1<<62), time.Duration(1<<62), int64(0)
	timed(b, reference) // the file is in the page cache for both
	for b.Loop() {
		d, rss := timed(b, command)
		best, peak = min(best, d), max(peak, rss)
		d, _ = timed(b, reference)
		bestReference = min(bestReference, d)
	}
	b.ReportMetric(best.Seconds(), "s/command")
	b.ReportMetric(bestReference.Seconds(), "s/reference")
	b.ReportMetric(float64(best)/float64(bestReference), "ratio")
	b.ReportMetric(float64(peak)/(1<<20), "MiB-peak")
}

// timed runs a command and returns its time and its peak resident size, bytes.
func timed(b *testing.B, args []string) (time.Duration, int64) {
	b.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%.2000s", args[:2], err, out)
	}
	took := time.Since(start)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return took, 0
	}
	return took, usage.Maxrss << 10
}

// generate writes a file of about so many MB.
func generate(b *testing.B, name string, mb int64, write func(w io.Writer, lots *rand.Rand, i int)) string {
	b.Helper()
	if s := os.Getenv("COLDCASE_BENCH_MB"); s != "" {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			b.Fatalf("COLDCASE_BENCH_MB: %v", err)
		}
		mb = n
	}
	path := filepath.Join(b.TempDir(), name)
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := &counting{w: bufio.NewWriterSize(file, 1<<20)}
	lots := rand.New(rand.NewPCG(1, 2))
	for i := 0; w.n < mb<<20; i++ {
		write(w, lots, i)
	}
	if err := w.w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return path
}

type counting struct {
	w *bufio.Writer
	n int64
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// writeLog writes step i of an SGLang log: one prefill line among ten decode
// lines and as many access lines, as a loaded server prints them.
func writeLog(w io.Writer, lots *rand.Rand, i int) {
	at := time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC).Add(time.Duration(i) * 400 * time.Millisecond)
	stamp := at.Format("[2006-01-02 15:04:05]")
	if i == 0 {
		fmt.Fprintf(w, "%s server_args=ServerArgs(model_path='/models/8b', page_size=1, disable_radix_cache=False, host='127.0.0.1', port=30000)\n", stamp)
		fmt.Fprintf(w, "%s The server is fired up and ready to roll!\n", stamp)
	}
	seqs := 1 + lots.IntN(8)
	cached := lots.IntN(2) * seqs * 511
	fmt.Fprintf(w, "%s Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: 0.%02d, #running-req: %d, #queue-req: %d, #pending-token: 0, cuda graph: False, input throughput (token/s): %.2f\n",
		stamp, seqs, seqs*512-cached, cached, lots.IntN(100), lots.IntN(32), lots.IntN(8), 1000+9000*lots.Float64())
	for range 10 {
		fmt.Fprintf(w, "%s Decode batch, #running-req: %d, #token: %d, token usage: 0.%02d, cuda graph: True, gen throughput (token/s): %.2f, #queue-req: 0\n",
			stamp, 1+lots.IntN(32), lots.IntN(60000), lots.IntN(100), 4000*lots.Float64())
		fmt.Fprintf(w, "%s INFO:     127.0.0.1:%d - \"POST /generate HTTP/1.1\" 200 OK\n", stamp, 30000+lots.IntN(30000))
	}
}

// writeRecords writes record i of bench_serving with the details of 1,000
// requests of 128 output tokens.
func writeRecords(w io.Writer, lots *rand.Rand, i int) {
	const requests, tokens = 1000, 128
	fmt.Fprintf(w, `{"tag": null, "backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": 8, "duration": 64.2, "completed": %d, "total_input_tokens": 512000, "total_output_tokens": 128000, "request_throughput": 15.6, "mean_ttft_ms": 120.5, "median_ttft_ms": 118.25, "p99_ttft_ms": 401.75`, requests)
	list := func(name string, item func()) {
		fmt.Fprintf(w, `, "%s": [`, name)
		for j := range requests {
			if j > 0 {
				io.WriteString(w, ", ")
			}
			item()
		}
		io.WriteString(w, "]")
	}
	list("input_lens", func() { io.WriteString(w, "512") })
	list("output_lens", func() { io.WriteString(w, "128") })
	list("ttfts", func() { fmt.Fprint(w, lots.Float64()) })
	list("itls", func() {
		io.WriteString(w, "[")
		for k := range tokens - 1 {
			if k > 0 {
				io.WriteString(w, ", ")
			}
			fmt.Fprint(w, 0.02*lots.Float64())
		}
		io.WriteString(w, "]")
	})
	list("generated_texts", func() {
		io.WriteString(w, `"`)
		for range tokens {
			fmt.Fprintf(w, "w%d ", lots.IntN(1000))
		}
		io.WriteString(w, `"`)
	})
	list("errors", func() { io.WriteString(w, `""`) })
	list("cached_tokens", func() { fmt.Fprint(w, lots.IntN(2)*511) })
	io.WriteString(w, "}\n")
}
