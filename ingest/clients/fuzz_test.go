package clients

import (
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// fuzzFormats feeds a text to every reader of a client, sniffed or not: no
// panic, no error, and columns that have the length they state.
func fuzzFormats(f *testing.F, formats []format.Format, seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, form := range formats {
			in := &format.Input{Path: "d/stage_0.json", Head: []byte(text), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
			form.Sniff(in)
			out := &format.Output{File: &capture.File{}}
			if err := form.Read(in, out); err != nil {
				t.Fatal(err)
			}
			for _, r := range out.Results {
				checkResult(t, r, out.File.Lines)
			}
		}
	})
}

func checkResult(t *testing.T, r *capture.Result, lines int) {
	for name, f := range r.Printed {
		if math.IsNaN(f.Value) || f.Line < 1 || f.Line > max(lines, 1) {
			t.Errorf("%s: %+v of %d lines", name, f, lines)
		}
	}
	q := r.Requests
	if q == nil {
		return
	}
	v := reflect.ValueOf(*q)
	for i := range v.NumField() {
		if c := v.Field(i); c.Kind() == reflect.Slice && !c.IsNil() && c.Len() != q.N {
			t.Errorf("%s has %d of %d values", v.Type().Field(i).Name, c.Len(), q.N)
		}
	}
	for _, c := range q.Cached {
		if c < -1 {
			t.Errorf("cached %d", c)
		}
	}
}

func FuzzGuideLLM(f *testing.F) {
	fuzzFormats(f, guideLLM(), guide07, testdata(f, "guidellm/c4.csv"), testdata(f, "guidellm/c4.stdout.txt"))
}

func FuzzAIPerf(f *testing.F) {
	fuzzFormats(f, aiPerf(), aiLine, aiTotals, testdata(f, "aiperf/c4/profile_export_aiperf.csv"), testdata(f, "aiperf/c4.stdout.txt"))
}

func FuzzGenAIPerf(f *testing.F) {
	fuzzFormats(f, genAIPerf(), testdata(f, "genai-perf/profile_export.json"))
}
func FuzzGenAIBench(f *testing.F) { fuzzFormats(f, genAIBench(), `{"aggregated_metrics":{}}`) }

func FuzzInferencePerf(f *testing.F) {
	fuzzFormats(f, inferencePerf(), ipTotals, testdata(f, "inference-perf/c4.yml"), testdata(f, "inference-perf/c4.stdout.txt"),
		"load: &a {x: *a}\n", `[{"start_time":1,"end_time":2,"info":{}}]`)
}

func FuzzEvalScope(f *testing.F) {
	fuzzFormats(f, evalScope(), testdata(f, "evalscope/c4.stdout.txt"), testdata(f, "evalscope/c4/tiny-llama/parallel_4_number_32/benchmark_summary.json"),
		testdata(f, "evalscope/c4/tiny-llama/parallel_4_number_32/benchmark_percentile.json"))
}

func FuzzLLMPerf(f *testing.F) {
	fuzzFormats(f, llmPerf(), testdata(f, "llmperf/m_550_150_individual_responses.json"), `{"num_concurrent_requests":1,"results_":2}`)
}
func FuzzInferenceX(f *testing.F) {
	fuzzFormats(f, inferenceX(), testdata(f, "inferencex/agg_m_conc8.json"))
}
func FuzzLlamaBenchy(f *testing.F) {
	fuzzFormats(f, llamaBenchy(), `{"benchmarks":[{"e2e_ttft":{"mean":1}}]}`)
}

// TestFinite reads the numbers that JSON does not have, which Python writes
// bare, as not told; texts keep them.
func TestFinite(t *testing.T) {
	doc := newDocument(strings.NewReader(`{"a":NaN,"b":[-Infinity,Infinity,1e5],"text":"a NaN b","rate":"inf"}`))
	n, err := doc.value()
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"a": nil, "b": []any{nil, nil, 1e5}, "text": "a NaN b", "rate": "inf"}
	if !reflect.DeepEqual(n.v, want) {
		t.Errorf("got %v, want %v", n.v, want)
	}
}
