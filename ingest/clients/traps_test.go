package clients

import (
	"math"
	"strings"
	"testing"

	"coldcase/ingest/capture"
)

// Trap 3: an absent number of cached tokens is not zero, in any client.
func TestTrap03AbsentIsNotZero(t *testing.T) {
	stream := func(details string) string {
		return `"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":128,\"completion_tokens\":16` + details + `}}\n\ndata: [DONE]\n\n"`
	}
	for _, test := range []struct {
		name, file, text string
		want             []int32
	}{
		{"GuideLLM null, zero, number, absent", "b.json", `{"metadata":{"guidellm_version":"0.8.1"},"benchmarks":[{"config":{},"requests":{"successful":[{"cached_tokens":null,"request_start_time":1},{"cached_tokens":0,"request_start_time":2},{"cached_tokens":96,"request_start_time":3},{"request_start_time":4}]}}]}`, []int32{-1, 0, 96, -1}},
		{"GuideLLM null and number: a zero is left out", "b.json", `{"metadata":{"guidellm_version":"0.8.1"},"benchmarks":[{"config":{},"requests":{"successful":[{"cached_tokens":null,"prompt_tokens":139,"request_start_time":1},{"cached_tokens":128,"prompt_tokens":139,"request_start_time":3}],"errored":[{"prompt_tokens":139,"request_start_time":4}]}}]}`, []int32{0, 128, -1}},
		{"AIPerf absent and number: a zero is left out", "p.jsonl", strings.Replace(aiLine, `"usage_prompt_cache_read_tokens":{"value":496,"unit":"tokens"}`, `"usage_prompt_tokens":{"value":512}`, 1) + "\n" + aiLine + "\n", []int32{0, 496}},
		{"AIPerf an answer without usage", "p.jsonl", strings.Replace(aiLine, `,"usage_prompt_cache_read_tokens":{"value":496,"unit":"tokens"}`, "", 1) + "\n" + aiLine + "\n", []int32{-1, 496}},
		{"inference-perf null and number: a zero is left out", "p.json", `[{"start_time":1.0,"end_time":2.0,"request":"{}","response":` + stream(`,\"prompt_tokens_details\":null`) + `,"info":{"request_metrics":{}}},{"start_time":2.0,"end_time":2.5,"request":"{}","response":"data: [DONE]"},{"start_time":3.0,"end_time":3.5,"request":"{}","response":` + stream(`,\"prompt_tokens_details\":{\"cached_tokens\":96}`) + `}]`, []int32{0, -1, 96}},
		{"genai-perf null and number: a zero is left out", "p.json", `{"experiments":[{"experiment":{"mode":"concurrency","value":1},"requests":[{"timestamp":1,"response_timestamps":[2,3],"response_outputs":[{"response":` + stream("") + `}]},{"timestamp":2,"response_timestamps":[3,4],"response_outputs":[{"response":"data: {\"choices\":[]}"}]},{"timestamp":3,"response_timestamps":[4,5],"response_outputs":[{"response":` + stream(`,\"prompt_tokens_details\":{\"cached_tokens\":64}`) + `}]}]}]}`, []int32{0, -1, 64}},
		{"GuideLLM never", "b.json", `{"metadata":{"guidellm_version":"0.5.0"},"benchmarks":[{"config":{},"requests":{"successful":[{"prompt_tokens":12}]}}]}`, nil},
		{"AIPerf absent and zero", "p.jsonl", strings.Replace(aiLine, `,"usage_prompt_cache_read_tokens":{"value":496,"unit":"tokens"}`, "", 1) + "\n" + strings.Replace(aiLine, "496", "0", 1) + "\n", []int32{-1, 0}},
		{"inference-perf stream without details", "p.json", `[{"start_time":1.0,"end_time":2.0,"request":"{}","response":` + stream("") + `,"info":{"request_metrics":{}}}]`, nil},
		{"inference-perf stream with null, zero, number", "p.json", `[{"start_time":1.0,"end_time":2.0,"request":"{}","response":` + stream(`,\"prompt_tokens_details\":null`) + `,"info":{"request_metrics":{}}},{"start_time":2.0,"end_time":2.5,"request":"{}","response":` + stream(`,\"prompt_tokens_details\":{\"cached_tokens\":0}`) + `},{"start_time":3.0,"end_time":3.5,"request":"{}","response":` + stream(`,\"prompt_tokens_details\":{\"cached_tokens\":96}`) + `}]`, []int32{-1, 0, 96}},
		{"genai-perf raw answer", "p.json", `{"experiments":[{"experiment":{"mode":"concurrency","value":1},"requests":[{"timestamp":1,"response_timestamps":[2,3],"response_outputs":[{"response":"data: {\"choices\":[]}"},{"response":` + stream(`,\"prompt_tokens_details\":{\"cached_tokens\":64}`) + `}]}]}]}`, []int32{64}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := one(t, test.file, test.text).Requests.Cached; !equal(got, test.want) {
				t.Errorf("cached %v, want %v", got, test.want)
			}
		})
	}
	// A total that adds absent as 0 says nothing when it is 0.
	r := one(t, "summary_lifecycle_metrics.json", strings.Replace(ipTotals, `"cached":496`, `"cached":0`, 1))
	if r.CacheTotals == nil || r.CacheTotals.Reported {
		t.Errorf("inference-perf total of 0: %+v", r.CacheTotals)
	}
	// AIPerf leaves the total out where nothing was reported.
	if r := one(t, "x.json", `{"aiperf_version":"0.13.0","request_throughput":{"avg":1.0},"total_usage_prompt_tokens":{"avg":10.0}}`); r.CacheTotals != nil {
		t.Errorf("AIPerf without a total: %+v", r.CacheTotals)
	}
	if r := one(t, "x.json", `{"aiperf_version":"0.13.0","request_count":{"avg":4.0},"usage_prompt_cache_read_tokens":{"count":3},"total_usage_prompt_cache_read_tokens":{"avg":0.0}}`); r.CacheTotals == nil || r.CacheTotals.Reported {
		t.Errorf("AIPerf total of 3 of 4 requests: %+v", r.CacheTotals)
	}
}

// Trap 13: prompt tokens include the cached ones in an OpenAI usage; llama.cpp
// counts its cached ones apart, in timings.
func TestTrap13TwoMeaningsOfPromptTokens(t *testing.T) {
	u := usageOfStream("data: {\"usage\":{\"prompt_tokens\":512,\"completion_tokens\":8},\"timings\":{\"cache_n\":511,\"prompt_n\":1}}\n\ndata: [DONE]\n")
	if u != (usage{512, 8, 511}) {
		t.Errorf("%+v", u)
	}
}

// Trap 18: failed requests are marked, and their times are not the fastest.
func TestTrap18FailedRequests(t *testing.T) {
	for name, text := range map[string]string{
		"p.jsonl":                     aiLine + "\n" + strings.Replace(strings.Replace(aiLine, `"error":null`, `"error":{"code":500}`, 1), "31.5", "0.0", 1) + "\n",
		"x_individual_responses.json": `[{"ttft_s":0.09,"end_to_end_latency_s":1.2,"error_code":null},{"ttft_s":0,"end_to_end_latency_s":0,"error_code":429}]`,
		"b.json":                      `{"metadata":{"guidellm_version":"0.8.1"},"benchmarks":[{"config":{},"requests":{"successful":[{"time_to_first_token_ms":90,"request_start_time":1}],"errored":[{"time_to_first_token_ms":0,"request_start_time":2}]}}]}`,
		"per_request.json":            `[{"start_time":1.0,"end_time":2.0,"request":"{}","info":{"response_metrics":{"output_token_times":[1.09]}}},{"start_time":2.0,"end_time":2.0,"request":"{}","info":{"response_metrics":{"output_token_times":[2.0]}},"error":{"error_type":"x"}}]`,
		"profile_export.json":         `{"experiments":[{"experiment":{},"requests":[{"timestamp":1,"response_timestamps":[90000001]},{"timestamp":1,"response_timestamps":[]}]}]}`,
	} {
		r := one(t, name, text)
		q := r.Requests
		if q.N != 2 || !equal(q.Failed, []bool{false, true}) || q.TTFT[0] <= 0 || !math.IsNaN(q.TTFT[1]) {
			t.Errorf("%s: %+v", name, q)
		}
	}
}

// Trap 19: each client has its unit; Requests are seconds, figures are ms.
func TestTrap19Units(t *testing.T) {
	for name, r := range map[string]*capture.Result{
		"GuideLLM": one(t, "b.json", guide07),
		"AIPerf":   one(t, "p.jsonl", aiLine),
		"AIPerf in us": one(t, "p.jsonl", strings.Replace(aiLine,
			`"time_to_first_token":{"value":31.5,"unit":"ms"}`, `"time_to_first_token":{"value":31500,"unit":"us"}`, 1)),
		"genai-perf": fixture(t, "genai-perf/profile_export.json"),
		"llmperf":    fixture(t, "llmperf/m_550_150_individual_responses.json"),
	} {
		if ttft := r.Requests.TTFT[0]; ttft < 0.029 || ttft > 0.091 {
			t.Errorf("%s: TTFT %v s", name, ttft)
		}
	}
	for name, r := range map[string]*capture.Result{
		"InferenceX":     fixture(t, "inferencex/agg_m_conc8.json"),
		"inference-perf": one(t, "s.json", ipTotals),
		"AIPerf in s":    one(t, "a.json", `{"aiperf_version":"1","time_to_first_token":{"unit":"s","avg":0.1,"p50":0.09}}`),
		"evalscope":      one(t, "e.json", `[{"Percentiles":"50%","TTFT (s)":0.09,"Latency (s)":1}]`),
	} {
		if m := r.Printed["median_ttft_ms"].Value; !near(m, 90) {
			t.Errorf("%s: median TTFT %v ms", name, m)
		}
	}
}

// Trap 22: the concurrency that was reached is not the cap, and what completed
// is not what was asked.
func TestTrap22CapAndPrompts(t *testing.T) {
	r := one(t, "a.json", `{"aiperf_version":"0.13.0","request_count":{"avg":29.0},"effective_concurrency":{"avg":3.9,"max":5.0},"input_config":{"phases":[{"kind":"warmup","requests":4,"concurrency":1},{"kind":"profiling","requests":32,"concurrency":8}]}}`)
	if r.MaxConcurrency.N != 8 || intOf(r.Workload.Prompts) != 32 || intOf(r.Completed) != 29 || r.Printed["concurrency"].Value != 3.9 || intOf(r.Workload.Warmups) != 4 {
		t.Errorf("%+v", r)
	}
	r = one(t, "a.json", `{"aiperf_version":"0.13.0","request_count":{"avg":29.0},"effective_concurrency":{"avg":3.9},"input_config":{"phases":[{"kind":"profiling","requests":32,"concurrency":null}]}}`)
	if r.MaxConcurrency.Known {
		t.Errorf("a cap that is null: %+v", r.MaxConcurrency)
	}
}

// Trap 23: hit rates that a client works out are no counts.
func TestTrap23TheoreticalHitRates(t *testing.T) {
	r := one(t, "benchmark_summary.json", `{"Total Requests": 32, "Success Requests": 32, "KV Cache Hit Rate (%)": 37.5, "Eligible Cache Hit Rate (%)": 50.0}`)
	if r.CacheTotals != nil || r.Requests != nil || r.Printed["kv_cache_hit_rate"].Value != 37.5 || len(r.Notes) != 1 {
		t.Errorf("evalscope: %+v", r)
	}
	r = one(t, "p.jsonl", strings.Replace(aiLine, `"usage_prompt_cache_read_tokens":{"value":496,"unit":"tokens"}`, `"theoretical_prefix_cache_hit":{"value":1.0,"unit":"ratio"}`, 1))
	if r.Requests.Cached != nil {
		t.Errorf("AIPerf: cached %v", r.Requests.Cached)
	}
}

// Trap 24: numbers as text, Python's NaN, no last newline, keys twice, and
// broken records beside whole ones.
func TestTrap24KeyDrift(t *testing.T) {
	out := readText(t, "p.jsonl", aiLine+"\n{\"metadata\": {\"benchmark_phase\n"+strings.Replace(aiLine, `"session_num":0`, `"session_num":1`, 1))
	if f := out.File; f.Read != capture.ReadPart || f.Counts.Get("malformed") != 1 || f.Counts.Get("records") != 2 || f.Lines != 3 || !strings.Contains(f.Why, "2") {
		t.Errorf("%+v", f)
	}
	if q := out.Results[0].Requests; q.N != 3 || !equal(q.Line, []int32{1, 2, 3}) || !equal(q.Cached, []int32{496, -1, 496}) {
		t.Errorf("%+v", q)
	}
	r := one(t, "agg.json", `{"hw":"h","conc":"8","isl":1,"osl":1,"median_ttft":NaN,"mean_ttft":Infinity,"p99_ttft":"0.15","model":"a NaN b","p99_ttft":"0.16"}`)
	if _, ok := r.Printed["median_ttft_ms"]; ok || r.MaxConcurrency.N != 8 || !near(r.Printed["p99_ttft_ms"].Value, 160) || r.Model != "a NaN b" {
		t.Errorf("%+v", r)
	}
	out = readText(t, "b.json", guide07[:len(guide07)-40])
	if f := out.File; f.Read != capture.ReadPart || f.Counts.Get("malformed") != 1 || len(out.Results) != 1 || f.Why == "" {
		t.Errorf("a document that breaks off: %+v", f)
	}
}

// Warm-up requests of AIPerf are no prompts.
func TestWarmUpIsNotMeasured(t *testing.T) {
	r := one(t, "p.jsonl", strings.Replace(aiLine, `"profiling"`, `"warmup"`, 1)+"\n"+aiLine+"\n")
	if r.Requests.N != 1 || intOf(r.Completed) != 1 || r.Requests.Line[0] != 2 {
		t.Errorf("%+v", r.Requests)
	}
}

// Lines of a log stand in the order of completion; prompts are sorted back.
func TestPromptOrder(t *testing.T) {
	second := strings.NewReplacer(`"session_num":0`, `"session_num":1`, "496", "0").Replace(aiLine)
	r := one(t, "p.jsonl", second+"\n"+aiLine+"\n")
	if !r.Requests.InOrder || !equal(r.Requests.Cached, []int32{496, 0}) || !equal(r.Requests.Line, []int32{2, 1}) {
		t.Errorf("%+v", r.Requests)
	}
	r = one(t, "p.jsonl", strings.Replace(aiLine, `"session_num":0,`, "", 1)+"\n"+aiLine+"\n")
	if r.Requests.InOrder {
		t.Error("a record without a number has a place")
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	r := one(t, "b.json", `{"metadata":{"guidellm_version":"0.8.1"},"config":{"spec":{"backend":{"target":"http://me:secretword@h:1/v1","api_key":"sk-abcdefghijklmnop1234"}}},"benchmarks":[{"config":{}}]}`)
	if r.Workload.Target != "h:1" {
		t.Errorf("target %q", r.Workload.Target)
	}
	backend, _ := r.Workload.Args["backend"].(map[string]any)
	for _, v := range backend {
		if s, _ := v.(string); strings.Contains(s, "secretword") || strings.Contains(s, "sk-abcdefgh") {
			t.Errorf("kept %q", s)
		}
	}
}
