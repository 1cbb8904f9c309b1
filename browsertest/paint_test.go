package browsertest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// BenchmarkFirstPaint opens the static page of a large capture: 100 runs of
// 1,000 requests with details. Aim: under 1.5 MB, painted in under a second.
func BenchmarkFirstPaint(b *testing.B) {
	ctx := browser(b)
	r := report{path: filepath.Join(b.TempDir(), "large.html")}
	coldcase(b, "report", "--charts", "static", "-o", r.path, largeCapture(b, 100, 1000))
	info, err := os.Stat(r.path)
	if err != nil {
		b.Fatal(err)
	}
	var paint float64
	for b.Loop() {
		tab, done := openTab(ctx)
		view{scripts: true, scheme: "light", width: 1280}.open(b, tab, r.url())
		ms, err := chromedp.Run(tab, chromedp.Evaluate[float64](
			`performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`))
		done()
		if err != nil {
			b.Fatal(err)
		}
		if ms < 0 {
			b.Fatal("nothing was painted")
		}
		paint += ms
	}
	b.ReportMetric(paint/float64(b.N), "ms-first-paint")
	b.ReportMetric(float64(info.Size())/1e6, "MB-page")
}

// largeCapture writes a file of records with per-request details, no two runs
// with the same times.
func largeCapture(b *testing.B, runs, requests int) string {
	b.Helper()
	dir := filepath.Join(b.TempDir(), "large")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "bench.jsonl"))
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(file)
	lots := rand.New(rand.NewPCG(1, 2))
	list := func(name string, value func() string) {
		fmt.Fprintf(w, `, "%s": [`, name)
		for i := range requests {
			if i > 0 {
				w.WriteString(", ")
			}
			w.WriteString(value())
		}
		w.WriteString("]")
	}
	for i := range runs {
		fmt.Fprintf(w, `{"backend": "sglang", "dataset_name": "random", "request_rate": Infinity, "max_concurrency": %d, "duration": %.3f, "completed": %d, "total_input_tokens": %d, "total_output_tokens": %d, "median_ttft_ms": %.2f`,
			1<<(i%6), 60+lots.Float64(), requests, 512*requests, 128*requests, 100+20*lots.Float64())
		list("input_lens", func() string { return "512" })
		list("output_lens", func() string { return "128" })
		list("ttfts", func() string { return strconv.FormatFloat(0.05+0.1*lots.Float64(), 'f', 6, 64) })
		list("cached_tokens", func() string { return strconv.Itoa(511 * lots.IntN(2)) })
		list("errors", func() string { return `""` })
		w.WriteString("}\n")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := file.Close(); err != nil {
		b.Fatal(err)
	}
	return dir
}
