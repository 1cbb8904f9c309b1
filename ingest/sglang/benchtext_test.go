package sglang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// readBench feeds a text to a machine for reports.
func readBench(text string) (*format.Output, capture.Counts) {
	m := NewBenchText()
	n := 0
	for line := range strings.Lines(text) {
		n++
		m.Line(format.Line{N: n, Text: []byte(strings.TrimRight(line, "\n"))})
	}
	out := &format.Output{File: &capture.File{}}
	return out, m.Close("bench.txt", "", out)
}

func namespace(extra string) string {
	return "Namespace(backend='sglang', base_url=None, host='127.0.0.1', port=30000, dataset_name='random', dataset_path='/d/x.json', model='m/x', tokenizer=None, num_prompts=64, random_input_len=512, random_output_len=128, random_range_ratio=1.0, request_rate=inf, max_concurrency=8, seed=7, disable_stream=False, flush_cache=False, warmup_requests=1, extra_request_body=None, tag=None, header=None" + extra + ")\n"
}

// report prints a report as the client does: labels in 40 columns, values in 10.
func report(rows ...string) string {
	var b strings.Builder
	b.WriteString("============ Serving Benchmark Result ============\n")
	for _, r := range rows {
		label, value, ok := strings.Cut(r, ": ")
		if !ok {
			b.WriteString(r + "\n")
			continue
		}
		fmt.Fprintf(&b, "%-40s %-10s\n", label+":", value)
	}
	b.WriteString("==================================================\n")
	return b.String()
}

var rows = []string{
	"Backend: sglang", "Traffic request rate: inf", "Max request concurrency: 8", "Successful requests: 64",
	"Benchmark duration (s): 7.53", "Total input tokens: 32768", "Concurrency: 7.96",
	"---------------Time to First Token----------------", "Mean TTFT (ms): 278.01", "Median TTFT (ms): 139.08", "P99 TTFT (ms): 1260.15",
}

// brief prints what a test looks at.
func brief(r *capture.Result) string {
	w := r.Workload
	s := fmt.Sprintf("%d-%d %s", r.Span.Line, r.Span.To, r.Client)
	if w.From.Line > 0 {
		s += fmt.Sprintf(" args %d", w.From.Line)
	}
	if w.Seed != nil {
		s += fmt.Sprintf(" seed %d", *w.Seed)
	}
	if w.Prompts != nil {
		s += fmt.Sprintf(" prompts %d", *w.Prompts)
	}
	switch c := r.MaxConcurrency; {
	case c.Unlimited:
		s += " unlimited"
	case c.Known:
		s += fmt.Sprintf(" cap %d", c.N)
	}
	if r.Completed != nil {
		s += fmt.Sprintf(" completed %d", *r.Completed)
	}
	if f, ok := r.Printed["median_ttft_ms"]; ok {
		s += fmt.Sprintf(" median %.2f at %d", f.Value, f.Line)
	}
	return s
}

func TestReports(t *testing.T) {
	other := strings.Replace(strings.Replace(namespace(""), "seed=7", "seed=8", 1), "max_concurrency=8", "max_concurrency=32", 1)
	rows32 := append([]string{}, rows...)
	rows32[2] = "Max request concurrency: 32"
	old := "Namespace(backend='vllm', dataset_name='random', num_prompts=64, seed=0, disable_tqdm=False, multi=True, request_rate_range='2,34,2', output_file=None, disable_stream=False)\n"
	rate := func(r string) []string {
		return []string{"Backend: vllm", "Traffic request rate: " + r, "Successful requests: 64", "---------------Inter-token Latency----------------", "Mean ITL (ms): 5.10"}
	}
	tests := []struct {
		name, text string
		want       []string
		malformed  int
	}{
		{"args twice, then the report", "benchmark_args=" + namespace("") + namespace("") + report(rows...),
			[]string{"3-15 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 13"}, 0},
		{"args after the report", "benchmark_args=" + namespace("") + report(rows...) + namespace(""),
			[]string{"2-14 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 12"}, 0},
		{"all args after the report", report(rows...) + "benchmark_args=" + namespace("") + namespace(""),
			[]string{"1-13 sglang.bench_serving args 14 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 11"}, 0},
		{"args amid the report", strings.Replace(report(rows...), "Benchmark duration", namespace("")+"Benchmark duration", 1),
			[]string{"1-14 sglang.bench_serving args 6 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 12"}, 0},
		{"two runs", namespace("") + report(rows...) + other + report(rows32...), []string{
			"2-14 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 12",
			"16-28 sglang.bench_serving args 15 seed 8 prompts 64 cap 32 completed 64 median 139.08 at 26"}, 0},
		{"two runs, all args first", namespace("") + other + report(rows...) + report(rows32...), []string{
			"3-15 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 13",
			"16-28 sglang.bench_serving args 2 seed 8 prompts 64 cap 32 completed 64 median 139.08 at 26"}, 0},
		{"a run that died, then another", namespace("") + other + report(rows32...), []string{
			"1-0 sglang.bench_serving args 1 seed 7 prompts 64 cap 8",
			"3-15 sglang.bench_serving args 2 seed 8 prompts 64 cap 32 completed 64 median 139.08 at 13"}, 0},
		{"the same run twice, the first died", namespace("") + "Traceback\n" + namespace("") + report(rows...), []string{
			"1-0 sglang.bench_serving args 1 seed 7 prompts 64 cap 8",
			"4-16 sglang.bench_serving args 3 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 14"}, 0},
		{"args of another run", other + report(rows...), []string{
			"1-0 sglang.bench_serving args 1 seed 8 prompts 64 cap 32",
			"2-14 sglang.bench_serving cap 8 completed 64 median 139.08 at 12"}, 0},
		{"several rates of 0.2.0", old + report(rate("2.0")...) + report(rate("4.0")...), []string{
			"2-8 sglang.bench_serving args 1 seed 0 prompts 64 completed 64",
			"9-15 sglang.bench_serving args 1 seed 0 prompts 64 completed 64"}, 0},
		{"misspelt label", report("Backend: sglang", "Max reqeuest concurrency: not set", "Successful requests: 127"),
			[]string{"1-5 sglang.bench_serving unlimited completed 127"}, 0},
		{"wrapped at 80 columns", hardWrap(namespace(""), 80) + report(rows...),
			[]string{"6-18 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 16"}, 0},
		{"clipped args", namespace("")[:350] + "\n" + report(rows...),
			[]string{"2-14 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 completed 64 median 139.08 at 12"}, 1},
		{"cut in the middle of a number", strings.SplitAfter(report(rows...), "139")[0],
			[]string{"1-11 sglang.bench_serving cap 8 completed 64"}, 1},
		{"Rust client", "Starting warmup with 4 sequences...\nWarmup completed with 4 sequences. Starting main benchmark run...\nCache flushed.\nRunning 128 requests on 8 worker threads (concurrency: unbounded)...\n2 of 128 requests failed.\n" +
			report("Backend: sglang", "Protocol: http", "Traffic request rate: inf", "Max request concurrency: not set", "Successful requests: 126"),
			[]string{"6-12 sglang.rust prompts 128 unlimited completed 126"}, 0},
		{"steady state and goodput", report(append(append([]string{}, rows...), "---------------------Goodput----------------------", "SLOs (ms): ttft:500 tpot:50", "SLO attainment (%): 98.40")...) +
			"============== Steady-State Result ===============\nMedian TTFT (ms):                        1.00      \nCompleted requests:                      9         \n==================================================\n",
			[]string{"1-16 sglang.bench_serving cap 8 completed 64 median 139.08 at 11"}, 0},
		{"an excerpt from inside a report", "---------------Time to First Token----------------\nMean TTFT (ms):                          278.01    \nMedian TTFT (ms):                        139.08    \nP99 TTFT (ms):                           300.00    \n---------------Inter-Token Latency----------------\nMax ITL (ms):                            13.01     \n",
			[]string{"1-6 sglang.bench_serving median 139.08 at 3"}, 0},
		{"vLLM's client", "Namespace(subparser='bench', bench_type='serve', backend='openai', num_prompts=4, seed=0, ignore_eos=False, percentile_metrics='ttft')\n" +
			report("Successful requests: 4", "Failed requests: 0", "Maximum request concurrency: 2", "Benchmark duration (s): 1.02", "---------------Time to First Token----------------", "Mean TTFT (ms): 10.00"),
			nil, 0},
		{"vLLM's client without arguments", report("Successful requests: 4", "Benchmark duration (s): 1.02", "Mean TTFT (ms): 10.00"), nil, 0},
		{"prose", "Backend: sglang\nSuccessful requests: 3\n", nil, 0},
	}
	for _, test := range tests {
		out, counts := readBench(test.text)
		var got []string
		for _, r := range out.Results {
			got = append(got, brief(r))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", test.name, diff)
		}
		if n := counts.Get("malformed"); n != test.malformed {
			t.Errorf("%s: %d malformed, want %d", test.name, n, test.malformed)
		}
	}
}

func hardWrap(s string, width int) string {
	var b strings.Builder
	for s = strings.TrimSuffix(s, "\n"); len(s) > width; s = s[width:] {
		b.WriteString(s[:width] + "\n")
	}
	return b.String() + s + "\n"
}

func TestArguments(t *testing.T) {
	text := "Namespace(backend='sglang-oai', base_url='http://10.0.0.5:30000/v1', dataset_name='generated-shared-prefix', num_prompts=1000, gsp_num_groups=8, gsp_prompts_per_group=4, gsp_system_prompt_len=512, gsp_question_len=128, gsp_output_len=64, seed=42, request_rate=4.5, max_concurrency=None, flush_cache=True, flush_cache_timeout=60.0, warmup_requests=4, tokenize_prompt=True, dataset_offset=3, extra_request_body='{\"extra_key\": \"run-1\"}', header=['Authorization: Bearer abc123'], tag='c8', rust_client=False)\n"
	out, _ := readBench(text)
	if len(out.Results) != 1 {
		t.Fatalf("%d results", len(out.Results))
	}
	r := out.Results[0]
	w := r.Workload
	checks := map[string]bool{
		"groups make the prompts":   *w.Prompts == 32 && *w.Groups == 8 && *w.PerGroup == 4,
		"lengths":                   *w.SystemLen == 512 && *w.QuestionLen == 128 && *w.OutputLen == 64 && w.InputLen == nil,
		"seed":                      *w.Seed == 42 && !w.SeedDefault,
		"flush":                     *w.FlushAsked,
		"warm-ups":                  *w.Warmups == 4,
		"ids":                       w.TokenIDs,
		"offset":                    *w.Offset == 3,
		"salt":                      w.CacheSalt == "run-1",
		"target":                    w.Target == "10.0.0.5:30000",
		"rate and cap":              r.RequestRate.PerSecond == 4.5 && r.MaxConcurrency.Unlimited,
		"label":                     r.Label == "c8",
		"no completed":              r.Completed == nil,
		"secrets are not in args":   !strings.Contains(fmt.Sprint(w.Args), "abc123"),
		"secrets are not in quotes": !strings.Contains(w.From.Text, "abc123"),
	}
	for name, ok := range checks {
		if !ok {
			t.Errorf("%s: %+v", name, w)
		}
	}
}

// Each turn of a conversation is a request, in the warm-up too.
func TestTurns(t *testing.T) {
	out, _ := readBench("Namespace(backend='sglang', dataset_name='generated-shared-prefix', num_prompts=9, gsp_num_groups=3, gsp_prompts_per_group=2, gsp_num_turns=3, warmup_requests=2)\n")
	if w := out.Results[0].Workload; w.Prompts == nil || *w.Prompts != 18 || *w.Warmups != 6 {
		t.Errorf("%+v", w)
	}
}

func TestNoSeedIsInvented(t *testing.T) {
	out, _ := readBench("Namespace(backend='sglang', dataset_name='random', num_prompts=4, flush_cache=False, disable_stream=False)\n")
	if w := out.Results[0].Workload; w.Seed != nil || w.InputLen != nil || w.Warmups != nil {
		t.Errorf("%+v", w)
	}
}

func TestCacheDetails(t *testing.T) {
	text := report("Backend: sglang", "Successful requests: 64", "----------------Cache Hit Details-----------------",
		"Total prompt tokens: 32768", "Total cached tokens: 8219", "  Device: 8219", "  Host: 0", "Cache hit rate: 25.1%", "  Device: 100.0%", "  Storage (file): 12.5%")
	out, counts := readBench(text)
	c := out.Results[0].CacheTotals
	if c == nil || c.PromptTokens != 32768 || c.CachedTokens != 8219 || !c.Reported || c.At.Line != 6 || counts.Get("malformed") != 0 {
		t.Errorf("%+v", c)
	}
	zero := strings.NewReplacer("8219", "0", "Backend:                                 sglang    ", "Backend:                                 sglang-oai").Replace(text)
	if c := mustOne(t, zero).CacheTotals; c.CachedTokens != 0 || c.Reported {
		t.Errorf("a zero on the OpenAI route counts as reported: %+v", c)
	}
}

func mustOne(t *testing.T, text string) *capture.Result {
	t.Helper()
	out, _ := readBench(text)
	if len(out.Results) != 1 {
		t.Fatalf("%d results", len(out.Results))
	}
	return out.Results[0]
}

func TestRemarks(t *testing.T) {
	r := mustOne(t, "Starting warmup with 4 sequences...\nflush_cache returned 400 Bad Request\nflush_cache failed: error sending request\n2 of 128 requests failed.\n"+
		report("Backend: sglang", "Protocol: http", "Successful requests: 126"))
	if len(r.Notes) != 4 || r.Notes[1].Text != "flush_cache returned 400 Bad Request" || *r.Failed != 2 || *r.Workload.Warmups != 4 {
		t.Errorf("%+v", r)
	}
}

func FuzzBenchText(f *testing.F) {
	f.Add("benchmark_args=" + namespace("") + report(rows...))
	f.Add(hardWrap(namespace(""), 40) + report("Backend: sglang", "Protocol: http"))
	f.Fuzz(func(t *testing.T, text string) {
		out, counts := readBench(text)
		lines := strings.Count(text, "\n") + 1
		for _, r := range out.Results {
			if r.Span.Line < 1 || r.Span.Line > lines || r.Span.To > lines {
				t.Errorf("span %+v of %d lines", r.Span, lines)
			}
		}
		if counts.Get("reports") > len(out.Results) {
			t.Errorf("%d reports, %d results", counts.Get("reports"), len(out.Results))
		}
	})
}

// Parts of a report without its headline: recognised by a section and two
// labels. Where no label is SGLang's alone the client stays unknown.
func TestBenchTextExcerpts(t *testing.T) {
	const ttft = "---------------Time to First Token----------------\nMean TTFT (ms): 681.92\nMedian TTFT (ms): 677.61\nP90 TTFT (ms): 1189.25\n"
	const e2e = "----------------End-to-End Latency----------------\nMean E2E Latency (ms):                   5400.10   \nMedian E2E Latency (ms):                 5300.10   \n"
	const main = "Successful requests:                     64        \nBenchmark duration (s):                  7.53      \n"
	tests := []struct {
		name, text string
		want       []string
	}{
		{"of either client", ttft, []string{"1-4  median 677.61 at 3"}},
		{"of either client, padded and with a footer", strings.ReplaceAll(ttft, ": ", ":                          ") + strings.Repeat("=", 50) + "\n", []string{"1-5  median 677.61 at 3"}},
		{"with a label of SGLang's own", e2e + ttft, []string{"1-7 sglang.bench_serving median 677.61 at 6"}},
		{"of the main block as well", main + "Concurrency:                             7.96      \n" + ttft, []string{"1-7 sglang.bench_serving completed 64 median 677.61 at 6"}},
		{"of the main block, of either client", main + ttft, []string{"1-6  completed 64 median 677.61 at 5"}},
		{"behind its arguments", namespace("") + ttft, []string{"2-5 sglang.bench_serving args 1 seed 7 prompts 64 cap 8 median 677.61 at 4"}},
		{"before its arguments", ttft + namespace(""), []string{"1-4 sglang.bench_serving args 5 seed 7 prompts 64 cap 8 median 677.61 at 3"}},
		{"two of them", ttft + "and with a cap of 32:\n" + ttft, []string{"1-4  median 677.61 at 3", "6-9  median 677.61 at 8"}},
		{"a report behind prose", "It was slow:\n\n```\n" + ttft + "```\n", []string{"4-7  median 677.61 at 6"}},
		{"vLLM's, by a later label", ttft + "P99 E2EL (ms): 5.00\n" + ttft, nil},
		{"vLLM's, by an earlier label", "Failed requests: 0\nBenchmark duration (s): 7.53\n" + ttft, nil},
		{"a heading with one label", "---------------Time to First Token----------------\nMean TTFT (ms): 681.92\n", nil},
		{"a label in prose", "The table said\nMean TTFT (ms): 681.92\nMedian TTFT (ms): 677.61\nand nothing else.\n", nil},
		{"a heading, and a label further down", "---------------Time to First Token----------------\nas a heading; below it:\nMean TTFT (ms): 681.92\nMedian TTFT (ms): 1.00\n", nil},
		{"settings that look like labels", "Backend: sglang\nProtocol: http\nConcurrency: 8\n", nil},
	}
	for _, tt := range tests {
		out, counts := readBench(tt.text)
		var got []string
		for _, r := range out.Results {
			got = append(got, brief(r))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if len(tt.want) == 0 && counts != nil {
			t.Errorf("%s: counts %v of a text that is nobody's", tt.name, counts)
		}
	}
}
