package vllm

import (
	"bytes"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

const (
	detailed = `{"date":"20261017-142300","endpoint_type":"vllm","backend":"vllm","label":null,"model_id":"org/m-0.6b","tokenizer_id":"org/m-0.6b","num_prompts":4,"request_rate":"inf","burstiness":1.0,"max_concurrency":2,"duration":1.5,"completed":3,"failed":1,"total_input_tokens":1536,"total_output_tokens":24,"request_throughput":2.0,"request_goodput":null,"output_throughput":16.0,"total_token_throughput":1040.0,"input_lens":[512,512,512,512],"output_lens":[8,8,0,8],"ttfts":[0.031,0.214,0.0,0.029],"itls":[[0.01],[0.01],[],[0.01]],"start_times":[81234.5,81234.6,81234.7,81234.9],"generated_texts":["a","b","","d"],"errors":["","","Connection reset",""],"max_output_tokens_per_s":24.0,"max_concurrent_requests":3,"mean_ttft_ms":91.33,"median_ttft_ms":31.0,"std_ttft_ms":86.74,"p99_ttft_ms":210.34}`
	script   = `{"date":"20250103-091500","backend":"vllm","model_id":"m","tokenizer_id":"m","best_of":1,"num_prompts":"8","request_rate":4.0,"burstiness":1.0,"max_concurrency":null,"duration":3.0,"completed":8,"total_input_tokens":4096,"total_output_tokens":64,"request_throughput":2.67,"request_goodput:":null,"mean_ttft_ms":50.0,"median_ttft_ms":48.0,"p99_ttft_ms":71.0}`
	rust     = `{"date":"2026-11-17T14:23:00Z","endpoint_type":"openai","backend":"openai","label":null,"model_id":"org/m-0.6b","tokenizer_id":"org/m-0.6b","num_prompts":2,"max_model_len":null,"request_rate":"inf","burstiness":1.0,"max_concurrency":2,"duration":1.1,"completed":2,"failed":0,"total_input_tokens":1024,"mean_ttft_ms":61.0,"p99_ttft_ms":90.2,"p90_ttft_ms":88.1,"steady_state":null}`
	plain    = `{"date":"20261117-142300","endpoint_type":"vllm","backend":"vllm","label":null,"model_id":"m","tokenizer_id":"m","num_prompts":2,"request_rate":"inf","burstiness":1.0,"max_concurrency":1,"duration":1.4,"completed":2,"failed":0,"total_input_tokens":1024,"latencies":[0.71,0.69],"queue_times":[0.0001,0.712],"mean_ttft_ms":58.0}`
)

func input(name, text string) *format.Input {
	return &format.Input{
		Path: name, Head: []byte(text[:min(len(text), format.HeadSize)]), Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
}

// readJSON reads a text as a result file.
func readJSON(t *testing.T, name, text string) ([]*capture.Result, *capture.File) {
	t.Helper()
	out := &format.Output{File: &capture.File{}}
	if err := readRecords(input(name, text), out); err != nil {
		t.Fatal(err)
	}
	return out.Results, out.File
}

func TestRecordDetails(t *testing.T) {
	results, file := readJSON(t, "c2.json", detailed)
	if len(results) != 1 || file.Read != capture.ReadAll || file.Lines != 1 || file.Counts.Get("records") != 1 {
		t.Fatalf("%d records, %+v", len(results), file)
	}
	r := results[0]
	if r.Span != (capture.Span{File: "c2.json", Line: 1}) || r.Client != "vllm bench serve" || r.Engine != "vllm" || *r.Completed != 3 || *r.Failed != 1 || *r.Duration != 1.5 || *r.Workload.Prompts != 4 {
		t.Errorf("%+v", r)
	}
	if r.Workload.Seed != nil || r.Workload.Form != "" {
		t.Error("a record names no seed")
	}
	if !r.RequestRate.Inf || r.MaxConcurrency.N != 2 || r.End != 1792246980 || r.Start != 1792246978.5 {
		t.Errorf("rate %+v, cap %+v, %v to %v", r.RequestRate, r.MaxConcurrency, r.Start, r.End)
	}
	if f := r.Printed["total_throughput"]; f.Value != 1040 || f.Digits != -1 {
		t.Errorf("total throughput %+v", f)
	}
	want := &capture.Requests{
		N: 4, InOrder: true, TTFT: []float64{0.031, 0.214, 0, 0.029}, Start: []float64{81234.5, 81234.6, 81234.7, 81234.9},
		Input: []int32{512, 512, 512, 512}, Output: []int32{8, 8, 0, 8}, Failed: []bool{false, false, true, false},
		Chunks: []int32{1, 1, 0, 1}, MaxITL: []float64{0.01, 0.01, 0, 0.01},
	}
	got := *r.Requests
	if got.E2E[1] != 0.214+0.01 || math.Abs(got.TPOT[0]-0.01/7) > 1e-12 || !math.IsNaN(got.TPOT[2]) {
		t.Errorf("latencies %v, time per token %v", got.E2E, got.TPOT)
	}
	got.E2E, got.TPOT = nil, nil
	if diff := cmp.Diff(want, &got); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestFailedRequestsAreNotFast: a failed request has a TTFT of 0.0, which is
// the fastest of all and no latency.
func TestFailedRequestsAreNotFast(t *testing.T) {
	results, _ := readJSON(t, "f", detailed)
	q := results[0].Requests
	if q.TTFT[2] != 0 || !q.Failed[2] {
		t.Errorf("request 2: TTFT %v, failed %v", q.TTFT[2], q.Failed[2])
	}
}

// TestKeyDrift: endpoint_type or backend, a colon in a key, metadata over a
// key, the Rust client's keys.
func TestKeyDrift(t *testing.T) {
	results, _ := readJSON(t, "f", script)
	r := results[0]
	if *r.Workload.Prompts != 8 || !r.MaxConcurrency.Unlimited || r.RequestRate.PerSecond != 4 || r.Failed != nil || r.Backend != "vllm" {
		t.Errorf("script: %+v", r)
	}
	if len(r.Workload.Args) != 0 {
		t.Errorf("script: %v became arguments", r.Workload.Args)
	}
	results, _ = readJSON(t, "f", strings.Replace(script, `"request_goodput:":null`, `"request_goodput:":1.5`, 1))
	if results[0].Printed["request_goodput"].Value != 1.5 {
		t.Error("the goodput with a colon was not read")
	}
	results, _ = readJSON(t, "f", strings.Replace(script, `"backend":"vllm"`, `"endpoint_type":"openai-chat"`, 1))
	if results[0].Backend != "openai-chat" || results[0].Engine != "" {
		t.Errorf("%q %q", results[0].Backend, results[0].Engine)
	}
	results, _ = readJSON(t, "f", rust)
	if r := results[0]; r.Client != "vllm-bench" || r.Engine != "" || r.End != 1794925380 || r.Printed["p90_ttft_ms"].Value != 88.1 {
		t.Errorf("Rust: %+v", r)
	}
	results, _ = readJSON(t, "f", strings.Replace(detailed, `"request_rate":"inf"`, `"request_rate":Infinity,"note":NaN,"failed_requests":[{"index":2,"error":"x"}]`, 1))
	if !results[0].RequestRate.Inf || results[0].Requests.N != 4 {
		t.Errorf("bare Infinity: %+v", results[0].RequestRate)
	}
}

// TestQueueTimesWithoutDetails: these two arrays stay in a file that was saved
// without details.
func TestQueueTimesWithoutDetails(t *testing.T) {
	results, _ := readJSON(t, "f", plain)
	want := &capture.Requests{N: 2, InOrder: true, E2E: []float64{0.71, 0.69}, Queue: []float64{0.0001, 0.712}}
	if diff := cmp.Diff(want, results[0].Requests); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

// TestMetadataSeed: what the record cannot hold itself, a user or a sweep may
// have put there.
func TestMetadataSeed(t *testing.T) {
	results, _ := readJSON(t, "run=0.json", strings.Replace(plain, `{`, `{"run_number":0,"seed":"7","random_input_len":512,"api_key":"sk-secretsecretsecret",`, 1))
	w := results[0].Workload
	if *w.Seed != 7 || w.Form != "record" || w.From.Line != 1 || w.Warmups != nil {
		t.Errorf("%+v", w)
	}
	if s := pyText(w.Args); strings.Contains(s, "secretsecret") {
		t.Errorf("a key was kept: %s", s)
	}
}

// TestAppendedFile has no newline at its end, and may have been cut.
func TestAppendedFile(t *testing.T) {
	cut := detailed[:strings.Index(detailed, `"ttfts"`)+20]
	tests := []struct {
		name, text    string
		results       []int // their lines
		lines         int
		records, bad  int
		read          capture.ReadState
		requestsOfOne bool
	}{
		{"two", plain + "\n" + detailed, []int{1, 2}, 2, 2, 0, capture.ReadAll, true},
		{"newline at the end", plain + "\n" + detailed + "\n", []int{1, 2}, 2, 2, 0, capture.ReadAll, true},
		{"cut behind the totals", plain + "\n" + cut, []int{1, 2}, 2, 1, 1, capture.ReadPart, false},
		{"cut before the totals", plain + "\n" + detailed[:100], []int{1}, 2, 1, 1, capture.ReadPart, true},
		{"damage between", plain + "\n{\"a\":oops}\n" + detailed, []int{1, 3}, 3, 2, 1, capture.ReadPart, true},
		{"blank lines", plain + "\n\n" + detailed, []int{1, 3}, 3, 2, 0, capture.ReadAll, true},
		{"text behind", plain + " x\n" + detailed, []int{1, 2}, 2, 1, 1, capture.ReadPart, true},
		{"indented", strings.ReplaceAll(plain, ",", ",\n    "), []int{1}, strings.Count(plain, ",") + 1, 1, 0, capture.ReadAll, true},
	}
	for _, tt := range tests {
		text := tt.text
		if tt.name == "indented" {
			text = strings.Replace(text, "{", "{\n", 1)
			tt.lines++
		}
		results, file := readJSON(t, "f", text)
		var at []int
		for _, r := range results {
			at = append(at, r.Span.Line)
		}
		if diff := cmp.Diff(tt.results, at); diff != "" {
			t.Errorf("%s: records (-want +got):\n%s", tt.name, diff)
		}
		if file.Lines != tt.lines || file.Counts.Get("records") != tt.records || file.Counts.Get("malformed") != tt.bad || file.Read != tt.read || (file.Why == "") != (tt.bad == 0) {
			t.Errorf("%s: %+v", tt.name, file)
		}
		if last := results[len(results)-1]; (last.Requests != nil) != tt.requestsOfOne {
			t.Errorf("%s: requests %v", tt.name, last.Requests)
		}
	}
	if results, file := readJSON(t, "f", ""); len(results) != 0 || file.Counts.Get("malformed") != 0 || file.Lines != 0 {
		t.Errorf("empty file: %+v", file)
	}
}

// TestReadError: what was read before an error stays.
func TestReadError(t *testing.T) {
	in := input("f", plain+"\n"+detailed)
	in.Open = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader(plain+"\n"), iotest.ErrReader(io.ErrClosedPipe))), nil
	}
	out := &format.Output{File: &capture.File{}}
	if err := readRecords(in, out); err != nil {
		t.Fatal(err)
	}
	if len(out.Results) != 1 || out.File.Read != capture.ReadPart || !strings.Contains(out.File.Why, "closed pipe") {
		t.Errorf("%d results, %+v", len(out.Results), out.File)
	}
}

// TestSideFiles of the tools are named and not read as runs.
func TestSideFiles(t *testing.T) {
	tests := []struct{ name, text, why string }{
		{"results/a/SERVE--x/summary.json", "[\n    {\"run_number\": 0, " + plain[1:] + "]", "summary"},
		{"a/warmup.json", plain, "warm-up"},
		{"run=1.failure.json", `{"run_number":1,"error_type":"CalledProcessError","error":"exit 1","serve_overrides":{},"bench_overrides":{"max_concurrency":8}}`, "failed"},
		{"x.pytorch.json", `[{"benchmark":{"name":"vLLM benchmark","extra_info":{"args":{}}},"model":{"name":"m"},"metric":{"name":"mean_ttft_ms","benchmark_values":[1],"extra_info":{}}}]`, "PyTorch"},
	}
	for _, tt := range tests {
		in := input(tt.name, tt.text)
		if got := sniffRecord(in); got < 80 {
			t.Errorf("%s: sniffed with %d", tt.name, got)
		}
		results, file := readJSON(t, tt.name, tt.text)
		if len(results) != 0 || file.Read != capture.ReadNone || !strings.Contains(file.Why, tt.why) {
			t.Errorf("%s: %d results, %+v", tt.name, len(results), file)
		}
	}
}

func TestSniff(t *testing.T) {
	for _, text := range []string{detailed, script, rust, plain, strings.ReplaceAll(plain, ",", ",\n")} {
		if sniffRecord(input("x", text)) < 80 {
			t.Errorf("not recognised: %.80s", text)
		}
	}
	for _, text := range []string{
		"", "{}", "[]", "Namespace(a=1)", `{"success":true}`,
		`{"tag":null,"backend":"sglang","dataset_name":"random","request_rate":Infinity,"max_concurrency":8,"duration":1.0,"completed":8}`,
		`{"model_id":"m","duration":1.0}`,
	} {
		if got := sniffRecord(input("x.json", text)); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
	}
}

// TestLongRecord streams: an answer text of many MiB is not held.
func TestLongRecord(t *testing.T) {
	texts := bytes.Repeat([]byte(`"`+strings.Repeat("x", 1<<16)+`",`), 256)
	long := strings.Replace(detailed, `"generated_texts":["a",`, `"generated_texts":[`+string(texts), 1)
	results, file := readJSON(t, "f", long+"\n"+plain)
	if len(results) != 2 || results[0].Requests.N != 4 || file.Lines != 2 {
		t.Fatalf("%d results, %+v", len(results), file)
	}
}
