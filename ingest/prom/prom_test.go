package prom

import (
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func input(text string) *format.Input {
	return &format.Input{
		Path: "m.prom", Head: []byte(text[:min(len(text), format.HeadSize)]),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
}

func readText(t *testing.T, text string) ([]*capture.Snapshot, *capture.File) {
	t.Helper()
	out := &format.Output{File: &capture.File{}}
	if err := read(input(text), out); err != nil {
		t.Fatal(err)
	}
	return out.Snapshots, out.File
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestLines(t *testing.T) {
	tests := []struct {
		line   string
		class  lineClass
		name   string
		labels map[string]string
		value  float64
	}{
		{`# TYPE sglang:cached_tokens_total counter`, lineType, "sglang:cached_tokens_total", nil, 0},
		{`# HELP vllm:x some words`, lineType, "vllm:x", nil, 0},
		{`# a comment`, lineNote, "", nil, 0},
		{`# EOF`, lineNote, "", nil, 0},
		{``, lineBlank, "", nil, 0},
		{`HTTP/1.1 200 OK`, lineHeader, "", nil, 0},
		{`sglang:cached_tokens_total{model_name="m/x"} 6879.0`, lineSample, "sglang:cached_tokens_total", map[string]string{"model_name": "m/x"}, 6879},
		{`sglang:cached_tokens_total{cache_source="storage_file",engine_type="unified",model_name="m/x"} 64.0`, lineSample, "sglang:cached_tokens_total", map[string]string{"cache_source": "storage_file", "engine_type": "unified", "model_name": "m/x"}, 64},
		{`sglang:cached_tokens_total{cache_source="total",engine_type="unified",model_name="m/x"} 1.2e+06`, lineSample, "sglang:cached_tokens_total", map[string]string{"cache_source": "total", "engine_type": "unified", "model_name": "m/x"}, 1.2e6},
		{`sglang:uncached_prompt_tokens_histogram_bucket{engine_type="unified",le="100.0",model_name="m/x"} 65.0`, lineSample, "sglang:uncached_prompt_tokens_histogram_bucket", map[string]string{"engine_type": "unified", "le": "100.0", "model_name": "m/x"}, 65},
		{`vllm:prompt_tokens_cached_by_source_total{engine="0",model_name="org/m-0.6b",source="device"} 31744.0`, lineSample, "vllm:prompt_tokens_cached_by_source_total", map[string]string{"engine": "0", "model_name": "org/m-0.6b", "source": "device"}, 31744},
		{`vllm:num_requests_waiting_by_reason{engine="0",model_name="org/m-0.6b",reason="deferred"} 0.0`, lineSample, "vllm:num_requests_waiting_by_reason", map[string]string{"engine": "0", "model_name": "org/m-0.6b", "reason": "deferred"}, 0},
		{`process_start_time_seconds 1.79222e+09`, lineSample, "process_start_time_seconds", nil, 1.79222e9},
		{`x{a="b\"c\\d\n,}"} 1`, lineSample, "x", map[string]string{"a": "b\"c\\d\n,}"}, 1},
		{`x{a="b",} 1 1395066363000`, lineSample, "x", map[string]string{"a": "b"}, 1},
		{`x_bucket{le="1"} 2 # {trace_id="k"} 0.5 1.6`, lineSample, "x_bucket", map[string]string{"le": "1"}, 2},
		{`x{} 3`, lineSample, "x", map[string]string{}, 3},
		{`x +Inf`, lineSample, "x", nil, math.Inf(1)},
		{`x{a="b"`, lineOther, "", nil, 0},
		{`x{a="b"} `, lineOther, "", nil, 0},
		{`x{a="b"}`, lineOther, "", nil, 0},
		{`x{a=b} 1`, lineOther, "", nil, 0},
		{`x`, lineOther, "", nil, 0},
		{`x 1 2 3`, lineOther, "", nil, 0},
		{`x 0x10`, lineOther, "", nil, 0},
		{`x 1_0`, lineOther, "", nil, 0},
		{`9x 1`, lineOther, "", nil, 0},
		{`Concurrency:                             1.99      `, lineOther, "", nil, 0},
		{`two words`, lineOther, "", nil, 0},
	}
	for _, tt := range tests {
		class, name, sample := classify([]byte(tt.line))
		if class != tt.class || name != tt.name || sample.Value != tt.value {
			t.Errorf("%s: class %d, name %q, value %v", tt.line, class, name, sample.Value)
		}
		if diff := cmp.Diff(tt.labels, sample.Labels); diff != "" {
			t.Errorf("%s: labels (-want +got):\n%s", tt.line, diff)
		}
	}
}

// TestWorkedPair is 64 warm prompts of 128, block 16: by the counters and by
// the bucket.
func TestWorkedPair(t *testing.T) {
	before, file := readText(t, testdata(t, "before.prom"))
	after, _ := readText(t, testdata(t, "after.prom"))
	if len(before) != 1 || len(after) != 1 || file.Counts.Get("samples") != 6 || file.Counts.Get("malformed") != 0 || file.Read != capture.ReadAll {
		t.Fatalf("%+v", file)
	}
	d := capture.NewDelta(before[0], after[0])
	hits, _ := d.Hits()
	if d.Engine() != "vllm" || d.Queries().Value != 65536 || hits.Value != 31744 || hits.Value/496 != 64 {
		t.Errorf("queries %+v, hits %+v", d.Queries(), hits)
	}
	if b, ok := d.UncachedTokens().AtMost(20); !ok || b.N != 64 || b.After != 5 {
		t.Errorf("bucket %+v", b)
	}
	if i := after[0].Settings(); *i.PageSize != 16 || !*i.PrefixCache {
		t.Errorf("settings %+v", i)
	}
}

// TestBadLineIsARecord: one bad line must not cost the others.
func TestBadLineIsARecord(t *testing.T) {
	snaps, file := readText(t, "# TYPE vllm:a_total counter\nvllm:a_total{x=\"1\"} 5\nvllm:b_total{x=\nvllm:c_total 7\n<html>\n")
	if len(snaps) != 1 || len(snaps[0].Series) != 2 {
		t.Fatalf("%d snapshots", len(snaps))
	}
	if file.Read != capture.ReadPart || file.Why != "2 malformed lines: 3, 5" || file.Counts.Get("samples") != 2 || file.Counts.Get("malformed") != 2 || file.Lines != 5 {
		t.Errorf("%+v", file)
	}
	snaps, file = readText(t, "vllm:a_total{x=\"1\"} 5\nvllm:b_total{x=\"1\"")
	if len(snaps) != 1 || file.Counts.Get("malformed") != 1 || file.Lines != 2 {
		t.Errorf("cut at the end: %+v", file)
	}
}

func TestSeveralScrapes(t *testing.T) {
	one := "# HELP sglang:a_total x\n# TYPE sglang:a_total counter\nsglang:a_total{tp_rank=\"0\"} 1\nsglang:a_total{tp_rank=\"1\"} 1\n"
	snaps, file := readText(t, "HTTP/1.1 200 OK\ndate: Sun, 29 Nov 2026\n\n"+one+one+"HTTP/1.1 200 OK\nserver: uvicorn\n\n"+strings.ReplaceAll(one, "sglang:", "vllm:"))
	var spans []capture.Span
	var engines []string
	for _, s := range snaps {
		spans = append(spans, s.Span)
		engines = append(engines, s.Engine)
	}
	want := []capture.Span{{File: "m.prom", Line: 1, To: 7}, {File: "m.prom", Line: 8, To: 11}, {File: "m.prom", Line: 12, To: 18}}
	if diff := cmp.Diff(want, spans); diff != "" {
		t.Errorf("spans (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"sglang", "sglang", "vllm"}, engines); diff != "" {
		t.Errorf("engines (-want +got):\n%s", diff)
	}
	if file.Counts.Get("malformed") != 0 || file.Counts.Get("samples") != 6 {
		t.Errorf("%+v", file.Counts)
	}
}

func TestEngines(t *testing.T) {
	for line, want := range map[string]string{
		"sglang:x 1": "sglang", "vllm:x 1": "vllm", "trtllm_kv_cache_hit_rate 1": "trt-llm", "llamacpp:prompt_tokens_total 1": "llama.cpp",
		"lmdeploy:cached_tokens_total 1": "lmdeploy", "tgi_request_count 1": "tgi", "maxserve_cache_hits_total 1": "max",
		"dynamo_frontend_cached_tokens_sum 1": "dynamo", "process_start_time_seconds 1": "",
		"go_gc_total 1\nvllm:x 1": "vllm", "dynamo_a 1\nvllm:x 1\nvllm:y 1": "vllm",
	} {
		snaps, _ := readText(t, line)
		if len(snaps) != 1 || snaps[0].Engine != want {
			t.Errorf("%q: engine %q, want %q", line, snaps[0].Engine, want)
		}
	}
}

func TestSniff(t *testing.T) {
	yes := []string{
		testdata(t, "before.prom"),
		"# HELP x y\n# TYPE x counter\nx 1\n",
		"sglang:cached_tokens_total{a=\"b\"} 1",
		"HTTP/1.1 200 OK\n\nvllm:x_total 1\n",
		"process_start_time_seconds 1\nfoo 2\n",
	}
	no := []string{
		"", "c8 209.98\nc32 180.5\n", "{\"a\": 1}", "Namespace(a=1)", "hello world\n",
		"[2026-03-04 11:20:05] Prefill batch, #new-seq: 2\n", "seed 7\nprompts 64\n",
		"a log line\nanother\nvllm:x_total{a=\"b\"} 1\nmore text here\n",
	}
	for _, text := range yes {
		if got := sniff(input(text)); got < 60 {
			t.Errorf("%q: %d", text, got)
		}
	}
	for _, text := range no {
		if got := sniff(input(text)); got != 0 {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestReadErrors(t *testing.T) {
	in := input("")
	in.Open = func() (io.ReadCloser, error) { return nil, errors.New("gone") }
	if err := read(in, &format.Output{File: &capture.File{}}); err == nil || err.Error() != "m.prom: gone" {
		t.Errorf("%v", err)
	}
	in.Open = func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(strings.NewReader("vllm:x 1\n"), iotest.ErrReader(errors.New("disk")))), nil
	}
	out := &format.Output{File: &capture.File{}}
	if err := read(in, out); err != nil || len(out.Snapshots) != 1 || out.File.Read != capture.ReadPart || !strings.Contains(out.File.Why, "disk") {
		t.Errorf("%v, %+v", err, out.File)
	}
}

func TestLongLine(t *testing.T) {
	_, file := readText(t, "vllm:x{a=\""+strings.Repeat("y", maxLine)+"\"} 1\nvllm:x 2\n")
	if file.Lines != 2 || file.Counts.Get("samples") != 1 || file.Counts.Get("malformed") != 1 {
		t.Errorf("%+v", file)
	}
}

// TestMachine reads samples between other lines of a console.
func TestMachine(t *testing.T) {
	m := Machines()[0]()
	text := "+ curl -s http://127.0.0.1:8000/metrics\nvllm:a_total{x=\"1\"} 5\nSuccessful requests: 5\nvllm:a_total{x=\"1\"} 9\nseed 7\nelapsed_seconds 5\nConcurrency:     1.99"
	var claims []format.Claim
	for i, line := range strings.Split(text, "\n") {
		claims = append(claims, m.Line(format.Line{N: i + 1, Text: []byte(line)}))
	}
	if diff := cmp.Diff([]format.Claim{format.NotMine, format.Mine, format.NotMine, format.Mine, format.NotMine, format.NotMine, format.NotMine}, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	out := &format.Output{}
	counts := m.Close("console.log", "", out)
	if len(out.Snapshots) != 2 || counts.Get("samples") != 2 || out.Snapshots[1].Span != (capture.Span{File: "console.log", Line: 4, To: 4}) {
		t.Errorf("%d scrapes, %v", len(out.Snapshots), counts)
	}
}

// FuzzRead checks that each line is counted once at most, and that no sample
// comes from a line that is not one.
func FuzzRead(f *testing.F) {
	f.Add("# TYPE a counter\na{b=\"c\"} 1\na{b=\"c\"} 2\nHTTP/1.1 200 OK\nx\n\na NaN")
	f.Add("a{b=\"\\\"\\\\\\n\"} 1e+06 5 # {x=\"y\"} 1")
	f.Fuzz(func(t *testing.T, text string) {
		out := &format.Output{File: &capture.File{}}
		if err := read(input(text), out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(text, "\n")
		n, last := 0, 0
		for _, s := range out.Snapshots {
			if s.Span.Line <= last || s.Span.To < s.Span.Line || s.Span.To > len(lines) {
				t.Fatalf("span %+v after line %d", s.Span, last)
			}
			last = s.Span.To
			for name, samples := range s.Series {
				for _, x := range samples {
					n++
					if !s.Span.Contains(x.Line) || !strings.HasPrefix(strings.TrimSpace(lines[x.Line-1]), name) {
						t.Fatalf("%s is not on line %d", name, x.Line)
					}
				}
			}
		}
		c := out.File.Counts
		if c.Get("samples") != n || n+c.Get("malformed") > out.File.Lines {
			t.Fatalf("%d samples, counts %v, %d lines", n, c, out.File.Lines)
		}
	})
}
