package vllm

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
)

// namespaceArgs reads a printed Namespace.
func namespaceArgs(t *testing.T, line string) map[string]any {
	t.Helper()
	v, err := pyrepr.Parse([]byte(line))
	call, ok := v.(*pyrepr.Call)
	if err != nil || !ok {
		t.Fatalf("%s: %v", line, err)
	}
	return call.Map()
}

func TestNamespaceOfNovember2026(t *testing.T) {
	w, cap, rate := Arguments(namespaceArgs(t, `Namespace(subparser='bench', bench_type='serve', seed=0, num_prompts=128, dataset_name='random', random_range_ratio='0.0', header='***', probe_request_rate=0.5, num_warmups=2, ready_check_timeout_sec=0, max_concurrency=32)`), FormNamespace)
	if *w.RangeRatio != 0 || *w.Warmups != 2 || *w.ReadyCheck || cap.N != 32 || rate.Known || *w.Seed != 0 || w.SeedDefault {
		t.Errorf("%+v %+v %+v", w, cap, rate)
	}
	if w.Args["probe_request_rate"] != 0.5 {
		t.Errorf("probe rate %v", w.Args["probe_request_rate"])
	}
}

// TestReadyCheckEras: the test request was unconditional, then timed, then off.
func TestReadyCheckEras(t *testing.T) {
	tests := []struct {
		name, line string
		ready      *bool
		warmups    *int
	}{
		{"script", "Namespace(num_prompts=64, save_result=True)", ptr(true), ptr(0)},
		{"timed", "Namespace(num_prompts=64, save_result=True, ready_check_timeout_sec=600)", ptr(true), nil},
		{"off", "Namespace(num_prompts=64, save_result=True, ready_check_timeout_sec=0, num_warmups=3)", ptr(false), ptr(3)},
		{"shortened by hand", "Namespace(num_prompts=64, seed=1)", nil, nil},
	}
	for _, tt := range tests {
		w, _, _ := Arguments(namespaceArgs(t, tt.line), FormNamespace)
		if diff := cmp.Diff([]any{tt.ready, tt.warmups}, []any{w.ReadyCheck, w.Warmups}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestMissingSeedIsZero: for a command line, not passing a seed is the worst
// case, since the default repeats every earlier run of the default.
func TestMissingSeedIsZero(t *testing.T) {
	w, cap, rate := Arguments(map[string]any{"backend": "vllm", "num_prompts": "64", "random_range_ratio": "0.5"}, FormCommand)
	if *w.Seed != 0 || !w.SeedDefault || *w.Prompts != 64 || w.Dataset != "random" || *w.InputLen != 1024 || *w.OutputLen != 128 || *w.RangeRatio != 0.5 || *w.PrefixLen != 0 {
		t.Errorf("%+v", w)
	}
	if !cap.Unlimited || !rate.Inf || w.ReadyCheck != nil {
		t.Errorf("%+v %+v", cap, rate)
	}
	w, _, _ = Arguments(map[string]any{}, FormRecord)
	if w.Seed != nil || w.Prompts != nil || w.FlushAsked != nil {
		t.Errorf("a record without arguments knows some: %+v", w)
	}
}

func TestRangeRatio(t *testing.T) {
	for _, tt := range []struct {
		in   any
		want *float64
	}{
		{0.0, ptr(0.0)}, {"0.0", ptr(0.0)}, {int64(1), ptr(1.0)}, {nil, nil}, {"x", nil},
		{`{"input": 0, "output": 0.5}`, ptr(0.5)}, {"{'input': 0.25, 'output': 0}", ptr(0.25)},
		{map[string]any{"input": 0.0, "output": 0.0}, ptr(0.0)}, {map[string]any{}, nil},
	} {
		if diff := cmp.Diff(tt.want, rangeRatio(tt.in)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.in, diff)
		}
	}
}

func TestDatasets(t *testing.T) {
	w, _, _ := Arguments(namespaceArgs(t, "Namespace(dataset_name='prefix_repetition', num_prompts=100, random_prefix_len=7, prefix_repetition_prefix_len=256, prefix_repetition_suffix_len=64, prefix_repetition_num_prefixes=10, prefix_repetition_output_len=8)"), FormNamespace)
	if *w.Groups != 10 || *w.PerGroup != 10 || *w.SystemLen != 256 || *w.QuestionLen != 64 || *w.PrefixLen != 256 || *w.OutputLen != 8 || w.InputLen != nil {
		t.Errorf("prefix_repetition: %+v", w)
	}
	w, _, _ = Arguments(namespaceArgs(t, "Namespace(dataset_name='sharegpt', random_prefix_len=7, random_input_len=512, sharegpt_output_len=32)"), FormNamespace)
	if w.PrefixLen != nil || w.InputLen != nil || *w.OutputLen != 32 {
		t.Errorf("sharegpt took random's options: %+v", w)
	}
	w, _, _ = Arguments(namespaceArgs(t, "Namespace(dataset_name='random', random_input_len=512, input_len=100, output_len=None, random_output_len=5)"), FormNamespace)
	if *w.InputLen != 100 || *w.OutputLen != 5 {
		t.Errorf("input_len stands above random_input_len: %+v", w)
	}
}

func TestSaltAndTarget(t *testing.T) {
	w, _, _ := Arguments(map[string]any{"extra_body": `{"cache_salt":"run-7"}`, "base_url": "http://gpu:9000/v1", "host": "x", "port": int64(1)}, FormNamespace)
	if w.CacheSalt != "run-7" || w.Target != "gpu:9000" {
		t.Errorf("%q %q", w.CacheSalt, w.Target)
	}
	w, _, _ = Arguments(map[string]any{"extra_body": map[string]any{"cache_salt": "s"}, "host": "127.0.0.1", "port": "8000"}, FormCommand)
	if w.CacheSalt != "s" || w.Target != "127.0.0.1:8000" {
		t.Errorf("%q %q", w.CacheSalt, w.Target)
	}
}

func TestCapAndRate(t *testing.T) {
	for _, tt := range []struct {
		line string
		cap  capture.Cap
		rate capture.Rate
	}{
		{"Namespace(max_concurrency=8, request_rate=inf)", capture.Cap{Known: true, N: 8}, capture.Rate{Known: true, Inf: true}},
		{"Namespace(max_concurrency=None, request_rate=2.5)", capture.Cap{Known: true, Unlimited: true}, capture.Rate{Known: true, PerSecond: 2.5}},
		{"Namespace(seed=1, request_rate=nan)", capture.Cap{}, capture.Rate{}},
	} {
		_, cap, rate := Arguments(namespaceArgs(t, tt.line), FormNamespace)
		if cap != tt.cap || rate != tt.rate {
			t.Errorf("%s: %+v %+v", tt.line, cap, rate)
		}
	}
}
