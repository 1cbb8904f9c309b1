package clients

import (
	"math"
	"strings"
	"testing"

	"coldcase/ingest/capture"
)

// Records of one line each, in the clients' own layouts with invented numbers.
const (
	guide07 = `{"metadata":{"version":2,"guidellm_version":"0.7.3"},"config":{"spec":{"seed":{"value":42}}},"benchmarks":[{"type_":"generative_benchmark","config":{"run_index":0,"strategy":{"type_":"concurrent","streams":8}},"metrics":{"time_to_first_token_ms":{"successful":{"mean":120.0,"median":90.0,"count":2,"percentiles":{"p90":150.0,"p99":150.0}}}},"requests":{"successful":[{"request_id":"r1","time_to_first_token_ms":30.0,"prompt_tokens":512,"cached_tokens":496},{"request_id":"r2","time_to_first_token_ms":150.0,"prompt_tokens":512,"cached_tokens":null}],"incomplete":[],"errored":[]}}]}`

	aiLine = `{"metadata":{"session_num":0,"x_request_id":"q-1","request_start_ns":1792246980000000000,"request_end_ns":1792246981000000000,"benchmark_phase":"profiling","was_cancelled":false},"metrics":{"time_to_first_token":{"value":31.5,"unit":"ms"},"input_sequence_length":{"value":512,"unit":"tokens"},"usage_prompt_cache_read_tokens":{"value":496,"unit":"tokens"}},"error":null}`

	aiTotals = `{"run_info":{"benchmark_id":"b-1","random_seed":43,"trial":0,"variation_index":1,"variation_label":"concurrency=16"},"total_usage_prompt_cache_read_tokens":{"unit":"tokens","avg":31744.0}}`

	ipTotals = `{"load_summary":{"count":2},"successes":{"count":2,"latency":{"time_to_first_token":{"mean":0.12,"median":0.09,"p90":0.15}},"prompt_tokens":{"total":1024,"cached":496,"uncached":528}},"failures":{"count":0}}`
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func TestRecordGuideLLM07(t *testing.T) {
	r := one(t, "benchmarks.json", guide07)
	if r.Client != "guidellm" || r.ClientVersion != "0.7.3" || r.MaxConcurrency.N != 8 || intOf(r.Workload.Seed) != 42 || r.Workload.SeedDefault {
		t.Errorf("%+v", r)
	}
	q := r.Requests
	if !equal(q.Cached, []int32{496, 0}) || !equal(q.Input, []int32{512, 512}) || !near(q.TTFT[0], 0.030) || q.InOrder {
		t.Errorf("%+v", q)
	}
	if intOf(r.Completed) != 2 || r.Printed["median_ttft_ms"].Value != 90 || r.Printed["p99_ttft_ms"].Value != 150 || r.Quantiles != nearestRank {
		t.Errorf("%+v", r.Printed)
	}
}

func TestRecordAIPerf(t *testing.T) {
	r := one(t, "profile_export.jsonl", aiLine+"\n")
	q := r.Requests
	if q.N != 1 || !equal(q.Cached, []int32{496}) || !near(q.TTFT[0], 0.0315) || q.Input[0] != 512 || q.Line[0] != 1 || !q.InOrder {
		t.Errorf("%+v", q)
	}
	r = one(t, "profile_export_aiperf.json", aiTotals)
	if c := r.CacheTotals; c == nil || c.CachedTokens != 31744 || !c.Reported || r.Label != "concurrency=16" {
		t.Errorf("%+v %+v", r, c)
	}
}

func TestRecordGenAIPerf(t *testing.T) {
	r := fixture(t, "genai-perf/profile_export.json")
	q := r.Requests
	if r.MaxConcurrency.N != 8 || q.N != 1 || intOf(r.Workload.Prompts) != 1 || !near(q.TTFT[0], 0.0315) || !near(q.E2E[0], 0.0415) || q.TextHash[0] == 0 || q.Cached != nil || q.InOrder {
		t.Errorf("%+v %+v", r, q)
	}
}

func TestRecordInferencePerf(t *testing.T) {
	r := one(t, "summary_lifecycle_metrics.json", ipTotals)
	if c := r.CacheTotals; c == nil || c.CachedTokens != 496 || c.PromptTokens != 1024 || !c.Reported {
		t.Errorf("%+v", c)
	}
	if intOf(r.Completed) != 2 || !near(r.Printed["median_ttft_ms"].Value, 90) || !near(r.Printed["p90_ttft_ms"].Value, 150) {
		t.Errorf("%+v", r.Printed)
	}
}

func TestRecordInferenceX(t *testing.T) {
	r := fixture(t, "inferencex/agg_m_conc8.json")
	w := r.Workload
	if r.Engine != "vllm" || r.MaxConcurrency.N != 8 || intOf(w.InputLen) != 1024 || w.Seed != nil || r.Completed != nil ||
		intOf(w.Warmups) != 16 || !near(r.Printed["median_ttft_ms"].Value, 90) || r.Requests != nil {
		t.Errorf("%+v", r)
	}
}

func TestRecordLLMPerf(t *testing.T) {
	r := fixture(t, "llmperf/m_550_150_individual_responses.json")
	if q := r.Requests; q.N != 1 || !near(q.TTFT[0], 0.09) || !near(q.E2E[0], 1.2) || q.Input[0] != 550 || q.Cached != nil {
		t.Errorf("%+v", q)
	}
	if intOf(r.Workload.Seed) != 11111 || !r.Workload.SeedDefault || r.Group != "llmperf:llmperf/m_550_150" {
		t.Errorf("%+v %q", r.Workload, r.Group)
	}
	s := fixture(t, "llmperf/m_550_150_summary.json")
	if s.Group != r.Group || s.MaxConcurrency.N != 4 || intOf(s.Completed) != 10 || intOf(s.Failed) != 1 || !near(s.Printed["median_ttft_ms"].Value, 90) {
		t.Errorf("%+v", s)
	}
}

func TestRecordGenAIBench(t *testing.T) {
	r := fixture(t, "genai-bench/D_100_100_text-to-text_num_concurrency_4_time_30s.json")
	q := r.Requests
	if r.MaxConcurrency.N != 4 || intOf(r.Completed) != 2 || intOf(r.Failed) != 1 || intOf(r.Workload.Prompts) != 3 || !near(r.Printed["p99_ttft_ms"].Value, 60) {
		t.Errorf("%+v", r)
	}
	if q.N != 3 || q.Cached != nil || q.InOrder || !equal(q.Failed, []bool{false, false, true}) || !math.IsNaN(q.TTFT[2]) || r.Workload.Seed != nil {
		t.Errorf("%+v", q)
	}
}

func TestRecordLlamaBenchy(t *testing.T) {
	out := readText(t, "benchy.json", testdata(t, "llama-benchy/benchy.json"))
	if len(out.Results) != 2 {
		t.Fatalf("%d results", len(out.Results))
	}
	a, b := out.Results[0], out.Results[1]
	if a.Span.Line != 2 || b.Span.Line != 3 || a.Printed["mean_ttft_ms"].Value != 100.5 || a.Model != "m" || len(a.Notes) != 0 {
		t.Errorf("%+v", a)
	}
	if intOf(b.Workload.PrefixLen) != 4096 || len(b.Notes) != 1 {
		t.Errorf("%+v", b)
	}
}

// The two older layouts of GuideLLM.
func TestGuideLLMLayouts(t *testing.T) {
	r := one(t, "b.json", `{"benchmarks":[{"type_":"generative_benchmark","id_":"x","args":{"strategy":{"type_":"synchronous"},"max_number":5},"run_stats":{"start_time":100.5,"end_time":110.5,"requests_made":{"successful":1,"errored":0,"incomplete":1,"total":2}},"duration":10.0,"metrics":{"time_to_first_token_ms":{"successful":{"mean":50.0,"median":50.0,"count":1,"percentiles":{"p90":50.0}}}},"requests":{"successful":[{"type_":"generative_text_response","prompt":"a b c","start_time":101.0,"prompt_tokens":3,"output_tokens":2,"time_to_first_token_ms":50.0,"request_latency":0.2}],"errored":[],"incomplete":[{"prompt":"d","start_time":102.0}]}}]}`)
	if r.MaxConcurrency.N != 1 || intOf(r.Workload.Prompts) != 5 || r.Start != 100.5 || intOf(r.Completed) != 1 || r.Workload.Seed != nil || r.Requests.Cached != nil {
		t.Errorf("0.3: %+v", r)
	}
	if q := r.Requests; q.N != 2 || !equal(q.Failed, []bool{false, true}) || q.TextHash[0] == q.TextHash[1] {
		t.Errorf("0.3: %+v", q)
	}
	r = one(t, "b.json", `{"metadata":{"version":1,"guidellm_version":"0.5.0"},"args":{"target":"http://h:8000","model":"m","data":["prompt_tokens=256,output_tokens=64"],"profile":"constant","rate":[4.0],"random_seed":7,"max_requests":20},"benchmarks":[{"type_":"generative_benchmark","config":{"strategy":{"type_":"constant","rate":4.0}},"metrics":{"request_totals":{"successful":20,"errored":0,"incomplete":0,"total":20}},"requests":{"successful":[],"errored":[],"incomplete":[]}}]}`)
	w := r.Workload
	if intOf(w.Seed) != 7 || w.SeedDefault || intOf(w.InputLen) != 256 || intOf(w.OutputLen) != 64 || intOf(w.Prompts) != 20 || w.Target != "h:8000" ||
		r.RequestRate != (capture.Rate{Known: true, PerSecond: 4}) || r.MaxConcurrency.Known || r.Requests != nil {
		t.Errorf("0.5: %+v", r)
	}
	r = one(t, "b.json", `{"metadata":{"guidellm_version":"0.6.0"},"args":{"target":"http://h"},"benchmarks":[{"type_":"generative_benchmark","config":{"strategy":{"type_":"throughput"}},"metrics":{},"requests":{}}]}`)
	if w := r.Workload; intOf(w.Seed) != 42 || !w.SeedDefault || !r.MaxConcurrency.Unlimited || !r.RequestRate.Inf || r.Completed != nil {
		t.Errorf("default seed: %+v", r)
	}
}

func TestGuideLLMSweepHasOneResultABenchmark(t *testing.T) {
	out := readText(t, "b.json", "{\"metadata\":{\"guidellm_version\":\"0.8.1\"},\n\"benchmarks\":[\n {\"config\":{\"strategy\":{\"type_\":\"concurrent\",\"streams\":1}},\n  \"metrics\":{}},\n {\"config\":{\"strategy\":{\"type_\":\"concurrent\",\"streams\":2}}}\n]}\n")
	if len(out.Results) != 2 || out.Results[0].Span.Line != 3 || out.Results[1].Span.Line != 5 || out.Results[1].MaxConcurrency.N != 2 {
		t.Errorf("%+v", out.Results)
	}
}

func TestGuideLLMSampledRequests(t *testing.T) {
	r := one(t, "b.json", `{"metadata":{"guidellm_version":"0.8.1"},"benchmarks":[{"config":{"strategy":{"type_":"concurrent","streams":1}},"metrics":{"request_totals":{"successful":50}},"requests":{"successful":[{"prompt_tokens":10,"cached_tokens":0,"request_args":"{\"body\":{\"prompt\":\"1 0 a\"}}"}]}}]}`)
	if intOf(r.Completed) != 50 || r.Requests.N != 50 || r.Requests.Cached[0] != 0 || r.Requests.Cached[49] != -1 || r.Requests.InOrder || len(r.Notes) != 1 {
		t.Errorf("%+v", r)
	}
}

func TestInferencePerfSpreadLengthsAndStages(t *testing.T) {
	r := one(t, "c.yml", "load:\n  type: constant\n  stages: [{rate: 1, duration: 30}, {rate: 2, duration: 30}]\ndata:\n  type: shared_prefix\n  input_distribution: {min: 10, max: 100}\n  shared_prefix: {num_groups: 4, num_prompts_per_group: 8, system_prompt_len: 100, question_len: 20}\nserver: {type: vllm, base_url: 'http://u:p@h:1/'}\n")
	w := r.Workload
	if w.Seed != nil || w.InputLen != nil || w.Prompts != nil || r.MaxConcurrency.Known || r.RequestRate.Known || intOf(w.Groups) != 4 || intOf(w.PerGroup) != 8 || w.Target != "h:1" {
		t.Errorf("%+v", r)
	}
}

func TestEvalScopeOldNames(t *testing.T) {
	r := one(t, "benchmark_summary.json", `{"Time taken for tests (s)": 10.5, "Number of concurrency": 8, "Total requests": 20, "Succeed requests": 19, "Failed requests": 1, "Average latency (s)": 1.25, "Average time to first token (s)": 0.125}`)
	if r.MaxConcurrency.N != 8 || intOf(r.Completed) != 19 || intOf(r.Failed) != 1 || intOf(r.Workload.Prompts) != 20 || *r.Duration != 10.5 ||
		r.Printed["mean_ttft_ms"].Value != 125 || r.Printed["mean_e2e_latency_ms"].Value != 1250 {
		t.Errorf("%+v", r)
	}
}

// The connection test is the first run's alone; the settings of one run tell
// only that there may have been one.
func TestEvalScopeConnectionTest(t *testing.T) {
	for file, from := range map[string]string{
		"evalscope/c4.stdout.txt": "text", "evalscope/c4/tiny-llama/parallel_4_number_32/benchmark_args.json": "config",
	} {
		if w := fixture(t, file).Workload; intOf(w.ExtraRequests) != 1 || w.ExtraFrom != from {
			t.Errorf("%s: %d requests by %q", file, intOf(w.ExtraRequests), w.ExtraFrom)
		}
	}
	const args = "2026-11-29 15:40:14 - evalscope - INFO: {\n    \"model\": \"m\",\n    \"no_test_connection\": false\n}\n"
	const test = "2026-11-29 15:40:17 - evalscope - INFO: Test connection successful.\n"
	const run = "Benchmarking summary:\n│ Test Duration (s) │ 1.22 │\n"
	for text, want := range map[string][]int64{
		args + test + run + run: {1, 0},
		args + run:              {0},
		run:                     {-1},
	} {
		var got []int64
		for _, r := range readText(t, "benchmark.log", text).Results {
			got = append(got, intOf(r.Workload.ExtraRequests))
		}
		if !equal(got, want) {
			t.Errorf("%q: %v requests before the runs, want %v", text, got, want)
		}
	}
	if w := one(t, "benchmark_args.json", `{"tokenizer_path": "t", "parallel": 2, "number": 4, "max_prompt_length": 8, "no_test_connection": true}`).Workload; intOf(w.ExtraRequests) != 0 {
		t.Errorf("told not to test: %d requests", intOf(w.ExtraRequests))
	}
}

// A record that is cut or damaged is still one request: its place is kept where
// the line tells it, and what was cached for it is not known.
func TestAIPerfDamagedRecords(t *testing.T) {
	line := func(n string) string { return strings.Replace(aiLine, `"session_num":0`, `"session_num":`+n, 1) }
	whole := line("0") + "\n" + line("2") + "\n"
	for _, test := range []struct {
		name, damaged string
		cached        []int32
		inOrder       bool
	}{
		{"cut behind its place", line("1")[:200], []int32{496, -1, 496}, true},
		{"cut in its place", line("1")[:len(`{"metadata":{"session_num":1`)], []int32{496, 496, -1}, false},
		{"a warm-up", strings.Replace(line("0"), `"profiling"`, `"warmup"`, 1)[:200], []int32{496, 496}, true},
	} {
		out := readText(t, "profile_export.jsonl", whole+test.damaged)
		r := out.Results[0]
		if q := r.Requests; !equal(q.Cached, test.cached) || q.InOrder != test.inOrder || intOf(r.Workload.Prompts) != int64(len(test.cached)) {
			t.Errorf("%s: %+v", test.name, q)
		}
		if lost := len(test.cached) == 3; lost != (r.Completed == nil) || out.File.Counts.Get("malformed") != 1 {
			t.Errorf("%s: completed %v, %+v", test.name, r.Completed, out.File)
		}
	}
}

// A document that ends in the midst of a benchmark holds a run, of which the
// requests that are lost are not told.
func TestGuideLLMCutInTheMidst(t *testing.T) {
	text := strings.Replace(guide07, `"metrics":{`, `"metrics":{"request_totals":{"successful":4},`, 1)
	out := readText(t, "b.json", text[:strings.Index(text, `{"request_id":"r2"`)+40])
	if len(out.Results) != 1 || out.File.Read != capture.ReadPart {
		t.Fatalf("%d results, %+v", len(out.Results), out.File)
	}
	if r := out.Results[0]; intOf(r.Completed) != 4 || !equal(r.Requests.Cached, []int32{496, -1, -1, -1}) || r.Requests.InOrder {
		t.Errorf("%+v %+v", r, r.Requests)
	}
	// Without a total nothing bounds what is lost.
	out = readText(t, "b.json", strings.Replace(text[:strings.Index(text, `{"request_id":"r2"`)], `"metrics"`, `"other"`, 1))
	if len(out.Results) != 1 || out.Results[0].Completed != nil || out.Results[0].Requests != nil {
		t.Errorf("%+v", out.Results)
	}
}

// A total that no file can list is not made into requests.
func TestGuideLLMAbsurdTotal(t *testing.T) {
	r := one(t, "b.json", strings.Replace(guide07, `"metrics":{`, `"metrics":{"request_totals":{"successful":2000000000},`, 1))
	if intOf(r.Completed) != 2000000000 || r.Requests != nil {
		t.Errorf("%+v", r)
	}
}
