package vllm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// readText reads a text as client output.
func readText(t *testing.T, text string) ([]*capture.Result, capture.Counts) {
	t.Helper()
	m := newBenchText()
	feed(m, text)
	out := &format.Output{File: &capture.File{}}
	counts := m.Close("bench.txt", "", out)
	return out.Results, counts
}

const report = `============ Serving Benchmark Result ============
Successful requests:                     128       
Failed requests:                         0         
Maximum request concurrency:             32        
Request rate configured (RPS):           4.00      
Benchmark duration (s):                  21.55     
Total input tokens:                      65540     
Total generated tokens:                  4096      
Request throughput (req/s):              5.94      
Output token throughput (tok/s):         190.08    
Peak output token throughput (tok/s):    638.00    
Peak concurrent requests:                44.00     
Total token throughput (tok/s):          3231.47   
---------------Time to First Token----------------
Mean TTFT (ms):                          1419.12   
Median TTFT (ms):                        1099.21   
P99 TTFT (ms):                           4292.27   
P99.9 TTFT (ms):                         4431.07   
-----Time per Output Token (excl. 1st token)------
Mean TPOT (ms):                          127.33    
---------------Inter-token Latency----------------
Median ITL (ms):                         41.32     
----------------End-to-end Latency----------------
Mean E2EL (ms):                          5400.10   
--------------Client-side Queueing----------------
Mean Client Queue Time (ms):             12.50     
==================================================
`

func TestBenchText(t *testing.T) {
	results, counts := readText(t, `WARNING: vllm bench serve no longer sets temperature==0 (greedy) in requests by default.
Namespace(subparser='bench', bench_type='serve', dispatch_function=<function BenchmarkServingSubcommand.cmd at 0x7f10aa55e340>, seed=0, num_prompts=128, dataset_name='random', random_input_len=512, random_output_len=128, random_range_ratio=0.0, random_prefix_len=0, random_mm_bucket_config={(256, 256, 1): 0.5, (720, 1280, 1): 0.5}, label="it's a run, (b)", backend='vllm', host='127.0.0.1', port=8000, base_url=None, max_concurrency=32, request_rate=inf, num_warmups=2, ready_check_timeout_sec=600, extra_body=None, metadata=['kit=a', 'note=x=y'])
(MainProcess pid=7783) INFO 11-29 15:49:22 [utils.py:88] Sampling input_len from [512, 512] and output_len from [128, 128]
Starting initial single prompt test run...
Waiting for endpoint to become up in 600 seconds
Initial test run completed.
Warming up with 2 requests...
Warmup run completed.
Starting main benchmark run...
Traffic request rate: inf
Burstiness factor: 1.0 (Poisson process)
Maximum request concurrency: 32
tip: install termplotlib and gnuplot to plot the metrics
`+report)
	if len(results) != 1 {
		t.Fatalf("%d runs, want 1", len(results))
	}
	r := results[0]
	if diff := cmp.Diff(capture.Counts{{Key: "reports", N: 1}, {Key: "malformed", N: 0}}, counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	w := r.Workload
	got := []any{r.Client, r.Engine, r.Backend, r.Label, *w.Seed, w.SeedDefault, *w.Prompts, w.Dataset, *w.InputLen, *w.OutputLen, *w.RangeRatio, *w.PrefixLen,
		*w.Warmups, w.WarmupsFrom, *w.ReadyCheck, *w.FlushAsked, w.Target, w.From.Line, r.Span}
	want := []any{"vllm bench serve", "vllm", "vllm", "it's a run, (b)", int64(0), false, 128, "random", 512, 128, 0.0, 0,
		2, "text", true, false, "127.0.0.1:8000", 2, capture.Span{File: "bench.txt", Line: 2, To: 40}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if *r.Completed != 128 || *r.Failed != 0 || *r.Duration != 21.55 || *r.InputTokens != 65540 || *r.OutputTokens != 4096 {
		t.Errorf("totals %v %v %v", *r.Completed, *r.Failed, *r.Duration)
	}
	if r.MaxConcurrency != (capture.Cap{Known: true, N: 32}) || r.RequestRate != (capture.Rate{Known: true, PerSecond: 4}) {
		t.Errorf("cap %+v, rate %+v", r.MaxConcurrency, r.RequestRate)
	}
	wantFigures := map[string]capture.Figure{
		"duration": {Value: 21.55, Line: 19, Digits: 2}, "request_throughput": {Value: 5.94, Line: 22, Digits: 2},
		"output_throughput": {Value: 190.08, Line: 23, Digits: 2}, "max_output_tokens_per_s": {Value: 638, Line: 24, Digits: 2},
		"max_concurrent_requests": {Value: 44, Line: 25, Digits: 2}, "total_throughput": {Value: 3231.47, Line: 26, Digits: 2},
		"mean_ttft_ms": {Value: 1419.12, Line: 28, Digits: 2}, "median_ttft_ms": {Value: 1099.21, Line: 29, Digits: 2},
		"p99_ttft_ms": {Value: 4292.27, Line: 30, Digits: 2}, "p99.9_ttft_ms": {Value: 4431.07, Line: 31, Digits: 2},
		"mean_tpot_ms": {Value: 127.33, Line: 33, Digits: 2}, "median_itl_ms": {Value: 41.32, Line: 35, Digits: 2},
		"mean_e2e_latency_ms": {Value: 5400.10, Line: 37, Digits: 2}, "mean_client_queue_time_ms": {Value: 12.5, Line: 39, Digits: 2},
	}
	if diff := cmp.Diff(wantFigures, r.Printed); diff != "" {
		t.Errorf("figures (-want +got):\n%s", diff)
	}
}

// TestPeakIsNotTheCap: "Peak concurrent requests" may exceed the cap and is
// another figure; a cap of None is no cap, not 1.
func TestPeakIsNotTheCap(t *testing.T) {
	results, _ := readText(t, strings.ReplaceAll(report, "Maximum request concurrency:             32        \n", ""))
	if r := results[0]; r.MaxConcurrency.Known || r.Printed["max_concurrent_requests"].Value != 44 {
		t.Errorf("cap %+v", r.MaxConcurrency)
	}
	results, _ = readText(t, "Namespace(backend='vllm', num_prompts=1, max_concurrency=None)\n"+report[:strings.Index(report, "Maximum")])
	if c := results[0].MaxConcurrency; c != (capture.Cap{Known: true, Unlimited: true}) {
		t.Errorf("cap %+v", c)
	}
}

// TestZeroMedian is a run with fewer answers than prompts, in a report that
// could be of two clients by its labels.
func TestZeroMedian(t *testing.T) {
	results, counts := readText(t, readFile(t, "zero-median.txt"))
	if len(results) != 1 || counts.Get("reports") != 1 || counts.Get("malformed") != 0 {
		t.Fatalf("%d runs, counts %v", len(results), counts)
	}
	r := results[0]
	if *r.Workload.Seed != 3 || *r.Workload.Prompts != 400 || *r.Completed != 371 || !r.MaxConcurrency.Unlimited || !r.RequestRate.Inf {
		t.Errorf("%+v", r)
	}
	if f := r.Printed["median_ttft_ms"]; f.Value != 0 || f.Line != 7 {
		t.Errorf("median %+v", f)
	}
	if r.Workload.ReadyCheck != nil || r.Workload.Warmups != nil {
		t.Error("arguments that are not printed became known")
	}
}

func TestArgumentsOnly(t *testing.T) {
	results, counts := readText(t, "Namespace(backend='vllm', dataset_name='random', num_prompts=64, seed=1)\nStarting main benchmark run...\nNamespace(backend='vllm', num_prompts=8, seed=2)\n"+report)
	if len(results) != 2 || results[0].Completed != nil || *results[0].Workload.Seed != 1 || *results[1].Workload.Seed != 2 || *results[1].Completed != 128 {
		t.Fatalf("%d runs", len(results))
	}
	if counts.Get("reports") != 1 {
		t.Errorf("counts %v", counts)
	}
	if s := results[0].Span; s.Line != 1 || s.To != 2 {
		t.Errorf("span %+v", s)
	}
}

func TestSeveralRuns(t *testing.T) {
	one := "Namespace(backend='vllm', num_prompts=128, seed=5)\n" + report
	results, counts := readText(t, one+one+report)
	if len(results) != 3 || counts.Get("reports") != 3 {
		t.Fatalf("%d runs, counts %v", len(results), counts)
	}
	if results[2].Workload.Seed != nil || results[2].Span.Line != 2*28+1 {
		t.Errorf("the third run has no arguments: %+v", results[2])
	}
}

func TestDamagedReport(t *testing.T) {
	m := newBenchText()
	claims := feed(m, "Namespace(num_prompts=1)\n============ Serving Benchmark Result ============\nSuccessful requests:                     12\nMean TTFT (ms):                  \nMedian TTFT (ms):                        1x")
	if claims[3] != format.Malformed || claims[4] != format.Malformed {
		t.Errorf("claims %v", claims)
	}
	out := &format.Output{}
	if c := m.Close("f", "", out); c.Get("malformed") != 2 || *out.Results[0].Completed != 12 || len(out.Results[0].Printed) != 0 {
		t.Errorf("counts %v, %+v", c, out.Results[0])
	}
}

// TestWrappedNamespace is a terminal that broke the line of arguments.
func TestWrappedNamespace(t *testing.T) {
	results, _ := readText(t, "Namespace(backend='vllm', seed=9,\nnum_prompts=64, label='a\nb', random_mm_bucket_config={(256,\n256, 1): 0.5})\n"+report)
	if len(results) != 1 || *results[0].Workload.Seed != 9 || *results[0].Workload.Prompts != 64 || results[0].Workload.From.Line != 1 {
		t.Fatalf("%d runs %+v", len(results), results)
	}
	results, counts := readText(t, "Namespace(backend='vllm', seed=9, num_pro\n"+report)
	if len(results) != 1 || *results[0].Workload.Seed != 9 || results[0].Workload.Prompts != nil || counts.Get("malformed") != 1 {
		t.Fatalf("%d runs, counts %v", len(results), counts)
	}
}

// TestSGLangTextIsNotOurs: SGLang's client against a vLLM server prints the
// same headline.
func TestSGLangTextIsNotOurs(t *testing.T) {
	theirs := `benchmark_args=Namespace(backend='vllm', num_prompts=64, flush_cache=True, seed=42)
Namespace(backend='vllm', num_prompts=64, flush_cache=True, seed=42)

============ Serving Benchmark Result ============
Backend:                                 vllm      
Traffic request rate:                    inf       
Max request concurrency:                 8         
Successful requests:                     64        
Mean TTFT (ms):                          10.00     
==================================================
`
	for name, text := range map[string]string{"with arguments": theirs, "report alone": theirs[strings.Index(theirs, "====="):]} {
		results, counts := readText(t, text)
		if len(results) != 0 || counts != nil {
			t.Errorf("%s: %d runs, counts %v", name, len(results), counts)
		}
	}
	results, _ := readText(t, theirs+report)
	if len(results) != 1 || *results[0].Completed != 128 {
		t.Errorf("after SGLang's report: %d runs", len(results))
	}
}

func TestRustText(t *testing.T) {
	wide := strings.ReplaceAll(report, "============ Serving Benchmark Result ============", "================= Serving Benchmark Result =================")
	results, counts := readText(t, `(Bench pid=205) INFO 11-17 14:25:01 [sweep.rs:19] reset prefix cache url=http://127.0.0.1:8000/reset_prefix_cache
`+wide+`Warning: steady-state window is short
-------------------- Steady-State Metrics ------------------
Concurrency threshold:              >= 0.95 * 32 = 31
Successful requests:                9
Mean TTFT (ms):                     1.00
============================================================
`)
	if len(results) != 1 || counts.Get("reports") != 1 || counts.Get("malformed") != 0 {
		t.Fatalf("%d runs, counts %v", len(results), counts)
	}
	r := results[0]
	if r.Client != "vllm-bench" || *r.Completed != 128 || r.Printed["mean_ttft_ms"].Value != 1419.12 {
		t.Errorf("%s %d %v", r.Client, *r.Completed, r.Printed["mean_ttft_ms"])
	}
	if r.Workload.FlushAsked == nil || !*r.Workload.FlushAsked || len(r.Notes) != 1 {
		t.Error("the reset was not noted")
	}
	if r.Workload.Seed != nil {
		t.Error("no seed is printed by this client")
	}
}

func TestRustMultiRun(t *testing.T) {
	wide := strings.ReplaceAll(report, "============ Serving Benchmark Result ============", "================= Serving Benchmark Result =================")
	results, _ := readText(t, "============== Multi-Run Benchmark (2 runs) ==============\nRun 1/2\n"+wide+"Run 2/2\n"+wide+"=================== Multi-Run Summary ====================\nMean TTFT (ms):                  5.00\n")
	if len(results) != 2 || results[1].Client != "vllm-bench" || results[1].Printed["mean_ttft_ms"].Value != 1419.12 {
		t.Fatalf("%d runs", len(results))
	}
}

// TestProgressLines: the same words are a progress line and a report line.
func TestProgressLines(t *testing.T) {
	lines := []string{
		"Starting initial single prompt test run...", "Skipping endpoint ready check.", "Maximum request concurrency: 32",
		"Probe request rate: 0.5 req/s", "WARNING: /tokenize unavailable (HTTP 401), skipping alignment.",
		"WARNING: tokenizer mismatch (server=1, expected=2), re-aligning prompts.", "Resetting caches at http://localhost:8000",
		"  Backend error: Failed to reset prefix cache: HTTP 404 Not Found — {\"detail\":\"Not Found\"}. Is VLLM_SERVER_DEV_MODE=1 set on the server?",
		"Concurrency threshold:              >= 0.95 * 32 = 31",
	}
	m := newBenchText()
	claims := feed(m, "Namespace(num_prompts=1)\n"+strings.Join(lines, "\n"))
	for i, c := range claims[1:] {
		if c != format.Mine {
			t.Errorf("%q: claim %v", lines[i], c)
		}
	}
	out := &format.Output{}
	m.Close("f", "", out)
	if r := out.Results[0]; *r.Workload.ReadyCheck || r.MaxConcurrency.N != 32 || len(r.Notes) != 3 {
		t.Errorf("%+v", r)
	}
}

// Parts of a report without its headline: recognised by a section and two
// labels if a label is vLLM's alone, or if its arguments stand before it.
func TestBenchTextExcerpts(t *testing.T) {
	const ttft = "---------------Time to First Token----------------\nMean TTFT (ms): 1419.12\nMedian TTFT (ms): 1099.21\nP99 TTFT (ms): 4292.27\n"
	const e2el = "----------------End-to-end Latency----------------\nMean E2EL (ms):                          5400.10   \n"
	tests := []struct {
		name, text string
		want       []capture.Span
		ttft       int // line of the mean, 0 none
	}{
		{"the last sections", ttft + e2el + "==================================================\n", []capture.Span{{File: "bench.txt", Line: 1, To: 7}}, 2},
		{"from the main block on", "Failed requests:                         0         \nRequest throughput (req/s):              5.94      \n" + ttft,
			[]capture.Span{{File: "bench.txt", Line: 1, To: 6}}, 4},
		{"behind its arguments", "Namespace(backend='vllm', model='m', num_prompts=8, seed=0, max_concurrency=4, request_rate=inf)\n" + ttft,
			[]capture.Span{{File: "bench.txt", Line: 1, To: 5}}, 3},
		{"could be SGLang's", ttft, nil, 0},
		{"SGLang's", ttft + "Mean E2E Latency (ms): 5.00\n", nil, 0},
		{"prose with one label", "The run read\nMean E2EL (ms): 5400.10\nand was slow.\n", nil, 0},
		{"one label below a heading", e2el, nil, 0},
		{"parted by prose", e2el + "which is slow; the other run had\n" + ttft, nil, 0},
		{"a report after a part that is nobody's", ttft + report, []capture.Span{{File: "bench.txt", Line: 5, To: 31}}, 19},
	}
	for _, tt := range tests {
		results, counts := readText(t, tt.text)
		var got []capture.Span
		line := 0
		for _, r := range results {
			got = append(got, r.Span)
			line = r.Printed["mean_ttft_ms"].Line
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: spans (-want +got):\n%s", tt.name, diff)
		}
		if line != tt.ttft {
			t.Errorf("%s: mean TTFT on line %d, want %d", tt.name, line, tt.ttft)
		}
		if len(tt.want) == 0 && counts != nil {
			t.Errorf("%s: counts %v of a text that is nobody's", tt.name, counts)
		}
	}
}
