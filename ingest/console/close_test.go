package console

import (
	"bytes"
	"slices"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/sglang"
	"coldcase/ingest/vllm"
)

const excerptTTFT = `---------------Time to First Token----------------
Mean TTFT (ms):                          1419.12   
Median TTFT (ms):                        1099.21   
P99 TTFT (ms):                           4292.27   
`

// The two clients print one form of report. Of two readings of the same lines
// the one that knows more is kept; readings of other lines are never dropped.
func TestOneClient(t *testing.T) {
	machines := slices.Concat(sglang.Machines(), vllm.Machines())
	const vllmArgs = "Namespace(backend='vllm', model='m', num_prompts=8, seed=0, max_concurrency=4, request_rate=inf)\n"
	const sglangArgs = "Namespace(backend='sglang', num_prompts=8, seed=1, max_concurrency=4, request_rate=inf, flush_cache=False, disable_ignore_eos=False)\n"
	tests := []struct {
		name, text string
		want       []capture.Kind
		client     string // of the first
		seeds      []int64
	}{
		{"an excerpt of either client", excerptTTFT, []capture.Kind{capture.SGLangBenchText}, "", nil},
		{"an excerpt behind vLLM's arguments", vllmArgs + excerptTTFT, []capture.Kind{capture.VLLMBenchText}, "vllm bench serve", []int64{0}},
		{"an excerpt behind SGLang's arguments", sglangArgs + excerptTTFT, []capture.Kind{capture.SGLangBenchText}, "sglang.bench_serving", []int64{1}},
		{"an excerpt with a label of vLLM's", excerptTTFT + "Mean E2EL (ms): 5400.10\n", []capture.Kind{capture.VLLMBenchText}, "vllm bench serve", nil},
	}
	for _, tt := range tests {
		out := &format.Output{File: &capture.File{}}
		r := newReading(machines, nil)
		feedText(r, tt.text)
		r.close(&format.Input{Path: "console.txt"}, out)
		var kinds []capture.Kind
		var seeds []int64
		for _, x := range out.Results {
			kinds = append(kinds, x.Kind)
			if x.Workload.Seed != nil {
				seeds = append(seeds, *x.Workload.Seed)
			}
		}
		if !slices.Equal(kinds, tt.want) || !slices.Equal(seeds, tt.seeds) {
			t.Errorf("%s: results of %v with seeds %v, want %v and %v", tt.name, kinds, seeds, tt.want, tt.seeds)
			continue
		}
		if out.Results[0].Client != tt.client || out.Results[0].Printed["median_ttft_ms"].Value != 1099.21 {
			t.Errorf("%s: %+v", tt.name, out.Results[0])
		}
	}
}

// Two clients that write to one terminal at the same time make spans that
// overlap, and two results.
func TestOneClientKeepsInterleaved(t *testing.T) {
	result := func(kind capture.Kind, from, to, ttft int) *capture.Result {
		return &capture.Result{
			Kind: kind, Span: capture.Span{File: "a", Line: from, To: to},
			Printed: map[string]capture.Figure{"mean_ttft_ms": {Value: 1, Line: ttft}},
		}
	}
	a, b := result(capture.SGLangBenchText, 1, 40, 10), result(capture.VLLMBenchText, 5, 50, 20)
	if got := oneClient([]*capture.Result{a, b}); !slices.Equal(got, []*capture.Result{a, b}) {
		t.Errorf("%d results are left of two", len(got))
	}
	same := result(capture.VLLMBenchText, 5, 50, 10)
	if got := oneClient([]*capture.Result{a, same}); !slices.Equal(got, []*capture.Result{a}) {
		t.Errorf("%d results of one report", len(got))
	}
}

func feedText(r *reading, text string) {
	for line := range bytes.SplitSeq([]byte(text), []byte("\n")) {
		r.lines++
		r.physical(r.lines, line)
	}
}
