package sglang

import (
	"io"
	"math"
	"strings"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func inputOf(name, text string) *format.Input {
	return &format.Input{
		Path: name, Head: []byte(text[:min(len(text), format.HeadSize)]), Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
}

// read lets a format read a text.
func read(tb testing.TB, f format.Format, text string) *format.Output {
	tb.Helper()
	out := &format.Output{File: &capture.File{}}
	if err := f.Read(inputOf("runs.jsonl", text), out); err != nil {
		tb.Fatal(err)
	}
	return out
}

func oneRecord(t *testing.T, text string) *capture.Result {
	t.Helper()
	out := read(t, records, text)
	if len(out.Results) != 1 || out.File.Read != capture.ReadAll {
		t.Fatalf("%.60q: %d results, read %s: %s", text, len(out.Results), out.File.Read, out.File.Why)
	}
	return out.Results[0]
}

// Records of all ages of the client.
func TestRecordKeys(t *testing.T) {
	const base = `"backend":"sglang","dataset_name":"random","completed":2,"duration":9.1`
	tests := []struct {
		name, text string
		ok         func(r *capture.Result) bool
	}{
		{"0.2.0", `{"backend":"sglang","dataset_name":"random","request_rate":Infinity,"total_input":32768,"total_output":8192,"median_ttft":210.1,"benchmark_duration":20.4}`,
			func(r *capture.Result) bool {
				return r.RequestRate.Inf && *r.InputTokens == 32768 && *r.OutputTokens == 8192 && r.Printed["median_ttft_ms"].Value == 210.1 && *r.Duration == 20.4 && r.Completed == nil && !r.MaxConcurrency.Known
			}},
		{"0.2.12", `{"backend":"sglang","dataset_name":"sharegpt","request_rate":4.0,"total_input_tokens":1000,"duration":9.1,"completed":8}`,
			func(r *capture.Result) bool {
				return r.RequestRate.PerSecond == 4 && *r.Completed == 8 && r.Workload.InputLen == nil && r.Workload.Prompts == nil
			}},
		{"no cap", `{` + base + `,"max_concurrency":null}`, func(r *capture.Result) bool { return r.MaxConcurrency.Unlimited }},
		{"a cap", `{` + base + `,"max_concurrency":32}`, func(r *capture.Result) bool { return r.MaxConcurrency.N == 32 }},
		{"full precision", `{` + base + `,"p99_ttft_ms":1.25}`, func(r *capture.Result) bool {
			return r.Printed["p99_ttft_ms"] == capture.Figure{Value: 1.25, Line: 1, Digits: -1}
		}},
		{"tag", `{"tag":"c8",` + base + `}`, func(r *capture.Result) bool { return r.Label == "c8" }},
		{"server", `{` + base + `,"server_info":{"model_path":"m/x","random_seed":918273,"page_size":16,"version":"0.5.6","api_key":"sk-1234567890abcdef","disable_radix_cache":true,"internal_states":[{"page_size":1}]}}`,
			func(r *capture.Result) bool {
				s := r.Server
				_, states := s.Args["internal_states"]
				return r.EngineVersion == "0.5.6" && *s.PageSize == 16 && !*s.PrefixCache && s.At.Line == 1 && r.Workload.Seed == nil && s.Args["api_key"] != "sk-1234567890abcdef" && !states
			}},
		{"no server", `{` + base + `,"server_info":null}`, func(r *capture.Result) bool { return r.Server == nil }},
		{"trace", `{` + base + `,"request_rate":"trace"}`, func(r *capture.Result) bool { return r.RequestRate.Trace }},
		{"cache report", `{` + base + `,"cache_report":{"total_prompt_tokens":65536,"total_cached_tokens":32704,"cache_hit_rate_pct":49.9,"device_cached_tokens":null}}`,
			func(r *capture.Result) bool {
				return r.CacheTotals.PromptTokens == 65536 && r.CacheTotals.CachedTokens == 32704 && r.CacheTotals.Reported && r.CacheTotals.At.Line == 1
			}},
		{"all failed", `{"backend":"sglang","dataset_name":"random","completed":0,"mean_e2e_latency_ms":NaN}`,
			func(r *capture.Result) bool {
				_, ok := r.Printed["mean_e2e_latency_ms"]
				return *r.Completed == 0 && !ok
			}},
		{"strings for what is not finite", `{` + base + `,"request_rate":"Infinity","mean_ttft_ms":"NaN"}`,
			func(r *capture.Result) bool { return r.RequestRate.Inf && len(r.Printed) == 2 }},
		{"flushed_cache of a proposal", `{` + base + `,"flushed_cache":false,"cache_state":"uncontrolled","total_cached_tokens":32704,"total_input_tokens":65536}`,
			func(r *capture.Result) bool { return !*r.Workload.FlushAsked && r.CacheTotals.CachedTokens == 32704 }},
		{"Rust client", `{"tag":null,"backend":"sglang","protocol":"http","dataset_name":"random-ids","request_rate":"inf","max_concurrency":32,"random_input_len":512,"random_range_ratio":1.0,"completed":0,"mean_ttft_ms":null}`,
			func(r *capture.Result) bool {
				return r.Client == "sglang.rust" && r.RequestRate.Inf && *r.Workload.InputLen == 512 && *r.Workload.RangeRatio == 1
			}},
		{"another server", `{"backend":"vllm","dataset_name":"random","completed":1,"duration":1}`, func(r *capture.Result) bool { return r.Engine == "vllm" && r.Client == "sglang.bench_serving" }},
	}
	for _, test := range tests {
		for _, text := range []string{test.text, test.text + "\n", "\xef\xbb\xbf" + test.text + "\r\n"} {
			if r := oneRecord(t, text); !test.ok(r) {
				t.Errorf("%s: %+v", test.name, r)
			}
		}
	}
}

const detailed = `{"backend":"sglang","dataset_name":"random","max_concurrency":8,"completed":1,"duration":9.1,"total_input_tokens":1024,` +
	`"input_lens":[512,512],"output_lens":[4,0],"ttfts":[0.25,0.0],"itls":[[0.5,0.125,0.125],[]],"generated_texts":["x\n[]{}\ud83d","Infinity"],"errors":["","Bad Request: \"x\""],` +
	`"cached_tokens":[511,0],"cached_tokens_details":[{"device":511,"host":0},null]}` + "\n"

func TestDetails(t *testing.T) {
	r := oneRecord(t, detailed)
	q := r.Requests
	if q.N != 2 || *r.Workload.Prompts != 2 || !q.InOrder || q.InputByServer || *r.Failed != 1 {
		t.Errorf("%+v", q)
	}
	if q.TTFT[0] != 0.25 || q.E2E[0] != 1 || q.TPOT[0] != 0.25 || q.MaxITL[0] != 0.5 || q.Chunks[0] != 3 {
		t.Errorf("times %+v", q)
	}
	if !math.IsNaN(q.TPOT[1]) || q.Cached[0] != 511 || q.Cached[1] != -1 || !q.Failed[1] || q.Output[0] != 4 {
		t.Errorf("a failed request names no number: %+v", q)
	}
}

func TestLengthsOfTheServer(t *testing.T) {
	text := strings.NewReplacer(`"input_lens":[512,512]`, `"input_lens":[509,511]`, `"Bad Request: \"x\""`, `""`).Replace(detailed)
	if q := oneRecord(t, text).Requests; !q.InputByServer {
		t.Errorf("%+v", q)
	}
}

func TestZerosOfOpenAIRoutes(t *testing.T) {
	text := strings.NewReplacer(`"sglang"`, `"sglang-oai"`, "511,0]", "0,0]", `{"device":511,"host":0}`, "null").Replace(detailed)
	if q := oneRecord(t, text).Requests; q.Cached != nil {
		t.Errorf("zeros that may mean nothing was sent: %v", q.Cached)
	}
}

// A conversation has more elements than prompts.
func TestMultiTurn(t *testing.T) {
	text := strings.Replace(detailed, `"total_input_tokens":1024`, `"total_input_tokens":0`, 1)
	if r := oneRecord(t, text); r.Workload.Prompts != nil || r.Requests.N != 2 {
		t.Errorf("%+v", r)
	}
}

func TestManyRecords(t *testing.T) {
	steady := `{"concurrency_ratio":0.8,"window_start":8123.4,"duration":17.5,"completed":88}` + "\n"
	text := detailed + "\n" + detailed[:len(detailed)-40] + "\n" + steady + detailed
	out := read(t, records, text)
	f := out.File
	if f.Lines != 5 || f.Read != capture.ReadPart || f.Why != "1 malformed records: 3" || f.Counts.Get("malformed") != 1 {
		t.Errorf("%+v", f)
	}
	var lines []int
	for _, r := range out.Results {
		lines = append(lines, r.Span.Line)
	}
	// The record that is cut behind its summary still tells that a run took
	// place; its arrays are not taken.
	if len(lines) != 3 || lines[0] != 1 || lines[1] != 3 || lines[2] != 5 || out.Results[1].Requests != nil {
		t.Errorf("results at %v", lines)
	}
}

func TestReformattedRecords(t *testing.T) {
	object := strings.NewReplacer(",\"", ",\n  \"", "{\"backend", "{\n  \"backend").Replace(detailed)
	if r := oneRecord(t, object); r.Requests == nil || r.Span.Line != 1 {
		t.Errorf("%+v", r)
	}
	out := read(t, records, "[\n"+object+",\n"+object+"]\n")
	if len(out.Results) != 2 || out.Results[0].Span.Line != 2 || out.Results[1].Span.Line <= 2 || out.File.Counts.Get("malformed") != 0 {
		t.Errorf("%d results, %+v", len(out.Results), out.File)
	}
}

func TestSniff(t *testing.T) {
	metrics := `{"request_parameters": "{\"rid\": \"a\"}", "id": "a", "prompt_tokens": 13, "completion_tokens": 8, "cached_tokens": 0}` + "\n"
	info := `{"model_path":"m","page_size":1,"chunked_prefill_size":8192,"schedule_policy":"fcfs","disable_radix_cache":false,"mem_fraction_static":0.9,"version":"0.5.22"}`
	tests := []struct {
		name, text string
		want       string
	}{
		{"record", detailed, "sglang-jsonl"},
		{"record of 0.2.0", `{"backend":"sglang","dataset_name":"random","request_rate":Infinity,"total_input":32768}`, "sglang-jsonl"},
		{"cut record first", detailed[:100] + "\n" + detailed, "sglang-jsonl"},
		{"array", "[" + strings.TrimSpace(detailed) + "]", "sglang-jsonl"},
		{"metrics", metrics, "sglang-request-metrics"},
		{"info", info, "sglang-server-info"},
		{"vLLM's record", `{"date":"x","backend":"vllm","model_id":"m","tokenizer_id":"m","num_prompts":4,"request_rate":"inf","completed":4}`, ""},
		{"steady state", `{"concurrency_ratio":0.8,"backend":"x","dataset_name":"y","request_rate":1}`, ""},
		{"data set", `{"conversations":[]}`, ""},
		{"text", "hello\n", ""},
		{"empty", "", ""},
	}
	for _, test := range tests {
		got, sure := "", 0
		for _, f := range Formats() {
			if s := f.Sniff(inputOf("x", test.text)); s > sure {
				got, sure = string(f.Kind), s
			}
		}
		if got != test.want {
			t.Errorf("%s: %q (%d), want %q", test.name, got, sure, test.want)
		}
	}
}

func TestServerInfoFile(t *testing.T) {
	text := `{"model_path":"m","page_size":64,"disable_radix_cache":false,"enable_hierarchical_cache":true,"speculative_algorithm":"EAGLE","max_total_num_tokens":150000,"dp_size":2,"admin_api_key":"sk-secret-secret-1","version":"0.5.22","startup_time":{"tokenizer_e2e":12.5}}`
	out := read(t, serverInfos, text)
	i := out.Infos[0]
	if *i.PageSize != 64 || !*i.PrefixCache || *i.PoolTokens != 150000 || *i.DPSize != 2 || i.CacheKind != "eagle+hicache" || i.StartupTime != 12.5 || i.Version != "0.5.22" {
		t.Errorf("%+v", i)
	}
	if i.Args["admin_api_key"] == "sk-secret-secret-1" || strings.Contains(i.At.Text, "secret-secret") {
		t.Error("a key is not redacted")
	}
	out = read(t, serverInfos, text[:60])
	if f := out.File; f.Read != capture.ReadNone || f.Counts.Get("malformed") != 1 || len(out.Infos) != 0 {
		t.Errorf("%+v", f)
	}
}

func TestRequestMetricsFile(t *testing.T) {
	row := `{"request_parameters": "{\"rid\": \"a\", \"text\": \"long\"}", "id": "a", "prompt_tokens": 512, "completion_tokens": 8, "cached_tokens": 511, "num_retractions": 1, "request_received_ts": 1795965788.5}` + "\n"
	out := read(t, requestMetrics, row+row[:60]+"\n"+row)
	f := out.File
	if f.Lines != 3 || f.Counts.Get("records") != 2 || f.Counts.Get("malformed") != 1 || f.Why != "1 malformed records: 2" {
		t.Errorf("%+v", f)
	}
	s := *out.Served[0].Rows.At(1)
	if s.Line != 3 || s.Prompt != 512 || s.Cached != 511 || s.Output != 8 || s.Tries != 2 || s.Stamp != 1795965788500 || s.RID == 0 {
		t.Errorf("%+v", s)
	}
}

func FuzzRecords(f *testing.F) {
	f.Add(detailed)
	f.Add(detailed[:200] + "\n" + `[{"backend":"x","duration":1}]`)
	f.Add(`{"backend":"a","completed":NaN,"duration":-Infinity,"itls":[1,[2,null],{}],"ttfts":[[]]}`)
	f.Fuzz(func(t *testing.T, text string) {
		out := read(t, records, text)
		for _, r := range out.Results {
			if r.Span.Line < 1 || r.Span.Line > strings.Count(text, "\n")+1 {
				t.Errorf("line %d", r.Span.Line)
			}
			if q := r.Requests; q != nil {
				for _, n := range []int{len(q.TTFT), len(q.Input), len(q.Output), len(q.Cached), len(q.Failed), len(q.E2E)} {
					if n != 0 && n != q.N {
						t.Errorf("an array of %d for %d requests", n, q.N)
					}
				}
			}
		}
	})
}
