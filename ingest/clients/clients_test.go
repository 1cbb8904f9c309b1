package clients

import (
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// readText runs the surest reader over a text; nil if no reader wants it.
func readText(t testing.TB, name, text string) *format.Output {
	t.Helper()
	in := &format.Input{
		Path: name, Head: []byte(text[:min(len(text), format.HeadSize)]), Size: int64(len(text)),
		Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil },
	}
	var best *format.Format
	sure := 0
	all := Formats()
	for i := range all {
		if s := all[i].Sniff(in); s > sure {
			best, sure = &all[i], s
		}
	}
	if best == nil {
		return nil
	}
	out := &format.Output{File: &capture.File{Path: name}}
	if err := best.Read(in, out); err != nil {
		t.Fatal(err)
	}
	return out
}

func testdata(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// one reads a text that holds one result.
func one(t testing.TB, name, text string) *capture.Result {
	t.Helper()
	out := readText(t, name, text)
	if out == nil {
		t.Fatalf("%s: no reader wants it", name)
	}
	if len(out.Results) != 1 {
		t.Fatalf("%s: %d results, want 1 (%s)", name, len(out.Results), out.File.Why)
	}
	return out.Results[0]
}

func fixture(t testing.TB, name string) *capture.Result {
	t.Helper()
	return one(t, name, testdata(t, name))
}

func intOf[T int | int64](p *T) int64 {
	if p == nil {
		return -1
	}
	return int64(*p)
}

// warm is n prompts of which the first warm ones had cached tokens each.
func warm(n, warm int, cached int32) []int32 {
	all := make([]int32, n)
	for i := range warm {
		all[i] = cached
	}
	return all
}

func equal[T comparable](a, b []T) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// The per-request files of real runs against vLLM: 16 prompts first, then 32
// of which the first 16 are the same. The cached tokens are those that a
// recording proxy saw, in prompt order.
func TestCachedTokensOfRealRuns(t *testing.T) {
	for _, test := range []struct {
		file   string
		prompt int32
		cached []int32
	}{
		{"guidellm/c2.json", 139, warm(16, 0, 0)},
		{"guidellm/c4.json", 139, warm(32, 16, 128)},
		{"aiperf/c4/profile_export.jsonl", 128, warm(32, 16, 96)},
		{"inference-perf/reports-c2/per_request_lifecycle_metrics.json", 128, warm(16, 0, 0)},
		{"inference-perf/reports-c4/per_request_lifecycle_metrics.json", 128, warm(32, 16, 96)},
	} {
		t.Run(test.file, func(t *testing.T) {
			r := fixture(t, test.file)
			q := r.Requests
			if q == nil || q.N != len(test.cached) || !equal(q.Cached, test.cached) {
				t.Fatalf("requests: %+v, want cached %v", q, test.cached)
			}
			if !q.InOrder || !q.InputByServer || q.Failed != nil {
				t.Errorf("in order %v, by server %v, failed %v", q.InOrder, q.InputByServer, q.Failed)
			}
			for i := range q.N {
				if q.Input[i] != test.prompt || q.Output[i] != 16 || q.TTFT[i] <= 0 || q.E2E[i] < q.TTFT[i] {
					t.Errorf("request %d: %d in, %d out, TTFT %v, E2E %v", i, q.Input[i], q.Output[i], q.TTFT[i], q.E2E[i])
				}
			}
			if intOf(r.Completed) != int64(q.N) || intOf(r.Failed) != 0 {
				t.Errorf("completed %d, failed %d", intOf(r.Completed), intOf(r.Failed))
			}
		})
	}
}

// Prompt texts show that the smaller run's prompts are the first of the larger.
func TestPromptsNest(t *testing.T) {
	for _, pair := range [][2]string{
		{"guidellm/c2.json", "guidellm/c4.json"},
		{"aiperf/c2/inputs.json", "aiperf/c4/inputs.json"},
		{"inference-perf/reports-c2/per_request_lifecycle_metrics.json", "inference-perf/reports-c4/per_request_lifecycle_metrics.json"},
	} {
		small, large := fixture(t, pair[0]).Requests.TextHash, fixture(t, pair[1]).Requests.TextHash
		if len(small) != 16 || len(large) != 32 || !equal(small, large[:16]) {
			t.Errorf("%s: %d and %d prompts do not nest", pair[0], len(small), len(large))
		}
		seen := map[uint64]bool{}
		for _, h := range large {
			if h == 0 || seen[h] {
				t.Errorf("%s: hash %d is none or twice", pair[1], h)
			}
			seen[h] = true
		}
	}
}

// What each file of a run says of its arguments.
func TestArguments(t *testing.T) {
	for _, test := range []struct {
		file                           string
		cap, prompts, seed, input, out int64
		form                           string
		line                           int
	}{
		{"guidellm/c4.json", 4, 32, 42, 128, 16, "config", 1},
		{"aiperf/c4/profile_export_aiperf.json", 4, 32, 42, 128, 16, "config", 1},
		{"aiperf/c4.stdout.txt", 4, 32, 42, 128, 16, "command", 27},
		{"inference-perf/c4.yml", 4, 32, 42, 128, 16, "config", 1},
		{"inference-perf/reports-c4/config.yaml", 4, 32, 42, 128, 16, "config", 1},
		{"inference-perf/c4.stdout.txt", 4, 32, 42, 128, 16, "config", 1},
		{"evalscope/c4/tiny-llama/parallel_4_number_32/benchmark_args.json", 4, 32, 42, 128, 16, "config", 1},
		{"evalscope/c4.stdout.txt", 4, 32, 42, 128, 16, "config", 9},
	} {
		t.Run(test.file, func(t *testing.T) {
			r := fixture(t, test.file)
			w := r.Workload
			got := []int64{int64(r.MaxConcurrency.N), intOf(w.Prompts), intOf(w.Seed), intOf(w.InputLen), intOf(w.OutputLen)}
			if want := []int64{test.cap, test.prompts, test.seed, test.input, test.out}; !equal(got, want) {
				t.Errorf("cap, prompts, seed, lengths: %v, want %v", got, want)
			}
			if w.Form != test.form || w.From.Line != test.line || w.SeedDefault || w.Target != "127.0.0.1:8010" || r.Model != "tiny-llama" {
				t.Errorf("form %q, line %d, seed default %v, target %q, model %q", w.Form, w.From.Line, w.SeedDefault, w.Target, r.Model)
			}
		})
	}
}

// The files of one run give figures that are equal to the digits printed, and
// those that stand in the client's own folder name it.
func TestFilesOfARunAgree(t *testing.T) {
	const ip, eval = "inference-perf/reports-c4/", "evalscope/c4/tiny-llama/parallel_4_number_32/"
	for _, test := range []struct {
		group string
		files []string
		ttft  float64
	}{
		{"", []string{"guidellm/c4.json", "guidellm/c4.csv", "guidellm/c4.stdout.txt"}, 62.83024698495865},
		{"aiperf:aiperf/c4", []string{"aiperf/c4/profile_export_aiperf.json", "aiperf/c4/profile_export_aiperf.csv", "aiperf/c4.stdout.txt",
			"aiperf/c4/profile_export.jsonl", "aiperf/c4/inputs.json"}, 30.176093343749997},
		{"inference-perf:inference-perf/reports-c4", []string{ip + "summary_lifecycle_metrics.json", "inference-perf/c4.stdout.txt", "inference-perf/c4.yml",
			ip + "per_request_lifecycle_metrics.json", ip + "stage_0_lifecycle_metrics.json", ip + "config.yaml",
			ip + "inference-perf.partial.stage_0.yaml"}, 13.939048531256049},
		{"evalscope:evalscope/c4/tiny-llama/parallel_4_number_32", []string{eval + "benchmark_summary.json", "evalscope/c4.stdout.txt",
			eval + "benchmark_percentile.json", eval + "benchmark_args.json"}, 42.12},
	} {
		first := fixture(t, test.files[0])
		if got := first.Printed["mean_ttft_ms"].Value; got != test.ttft {
			t.Errorf("%s: mean TTFT %v, want %v", test.files[0], got, test.ttft)
		}
		for _, file := range test.files {
			r := fixture(t, file)
			if r.Group != test.group {
				t.Errorf("%s: group %q, want %q", file, r.Group, test.group)
			}
			if r.Completed != nil && *r.Completed != 32 {
				t.Errorf("%s: completed %d", file, *r.Completed)
			}
			if r.Duration != nil && first.Duration != nil && math.Abs(*r.Duration-*first.Duration) > 0.006 {
				t.Errorf("%s: duration %v, want %v", file, *r.Duration, *first.Duration)
			}
			for name, f := range r.Printed {
				want, ok := first.Printed[name]
				digits := f.Digits
				if digits == exact {
					digits = 9
				}
				if w := want.Digits; w != exact {
					digits = min(digits, w)
				}
				if ok && math.Abs(f.Value-want.Value) > 0.5000001*math.Pow10(-digits) {
					t.Errorf("%s: %s is %v (%d digits), in %s %v", file, name, f.Value, f.Digits, test.files[0], want.Value)
				}
			}
		}
	}
}

// Figures of a console cite the line that prints them.
func TestConsoleFiguresCiteTheirLine(t *testing.T) {
	for file, want := range map[string]string{
		"guidellm/c4.stdout.txt":  "concurrent@4",
		"aiperf/c4.stdout.txt":    "Time to First Token (ms)",
		"evalscope/c4.stdout.txt": "Avg TTFT (ms)",
	} {
		lines := strings.Split(testdata(t, file), "\n")
		f := fixture(t, file).Printed["mean_ttft_ms"]
		if f.Line < 1 || f.Line > len(lines) || !strings.Contains(lines[f.Line-1], want) {
			t.Errorf("%s: line %d does not print %q", file, f.Line, want)
		}
	}
}

func TestSecondaryFilesAreNamed(t *testing.T) {
	for _, test := range []struct {
		name, text string
		kind       capture.Kind
	}{
		{"perf_report.html", "<!DOCTYPE html>\n<!-- evalscope-perf-render:v3 -->\n", EvalScopeOther},
		{"benchmark_data.db", "SQLite format 3\x00... CREATE TABLE result(request TEXT, first_chunk_latency REAL)", EvalScopeDB},
		{"workload_timeline.json", `{"wall_start": 1.0, "points": [{"t": 0.1, "cum_cached_prompt": 0}]}`, EvalScopeOther},
		{"workload_throughput.json", `{"n_samples": 16, "last_window_s": 30.0, "rows": []}`, EvalScopeOther},
		{"aiperf.log", "2026-11-29 15:42:56.655 - aiperf.cli_runner._single_run - INFO - Starting AIPerf System\n", AIPerfLog},
		{"server_metrics_export.json", `{"schema_version": "1.1", "aiperf_version": "0.13.0", "summary": {"endpoints_configured": []}}`, AIPerfTelemetry},
		{"server_metrics_export.csv", "# AIPerf Server Metrics Export (CSV)\n# aiperf_version: 0.13.0\n", AIPerfTelemetry},
		{".aiperf_results_ready.json", `{"ready":true,"was_cancelled":false,"partial":false}`, AIPerfMarker},
		{"validation.json", `{"global": {"warnings": []}, "reports": {}}`, InferencePerfOther},
		{"stage_0_prometheus_metrics.json", `{"prefix_cache_hit_percent": 0.5}`, InferencePerfOther},
		{"experiment_metadata.json", `{"benchmark_version": "0.0.5", "traffic_scenario": ["D(100,100)"]}`, GenAIBenchMeta},
		{"oha.json", `{"summary": {"successRate": 1.0}, "latencyPercentiles": {"p50": 0.1}}`, OhaJSON},
		{"k6.json", `{"metrics": {"http_req_duration": {"avg": 1.0}}}`, K6JSON},
	} {
		out := readText(t, test.name, test.text)
		if out == nil {
			t.Errorf("%s: no reader wants it", test.name)
			continue
		}
		if f := out.File; f.Kind != test.kind || f.Read != capture.ReadNone || f.Why == "" || len(out.Results) != 0 {
			t.Errorf("%s: %+v", test.name, f)
		}
	}
}

// Texts of other readers.
func TestNotOurs(t *testing.T) {
	for _, text := range []string{
		"[2026-03-04 11:20:05] Prefill batch, #new-seq: 2, #new-token: 2, #cached-token: 1402\n",
		"============ Serving Benchmark Result ============\nBackend:     sglang\n",
		`{"tag": null, "backend": "sglang", "dataset_name": "random", "mean_ttft_ms": 61.0, "completed": 2}` + "\n",
		`{"date":"2026-11-17T14:23:00Z","backend":"openai","num_prompts":2,"mean_ttft_ms":61.0}`,
		"# HELP vllm:prompt_tokens_total x\n# TYPE vllm:prompt_tokens_total counter\n",
		"Namespace(backend='vllm', dataset_name='random')\n",
		"{}", "[]", "", "plain words\n",
		// A console that also holds a server's log is for the readers of mixed texts.
		"x - evalscope - INFO: a\n[2026-03-04 11:20:05] Prefill batch, #new-seq: 2\n",
	} {
		if out := readText(t, "x", text); out != nil {
			t.Errorf("%q was read as %s", text, out.File.Kind)
		}
	}
}

// A folder into which files were gathered and renamed ties nothing together.
func TestRenamedFilesHaveNoGroup(t *testing.T) {
	for _, file := range []string{"aiperf/c4/profile_export.jsonl", "aiperf/c4/inputs.json", "evalscope/c4/tiny-llama/parallel_4_number_32/benchmark_args.json",
		"inference-perf/reports-c4/summary_lifecycle_metrics.json", "inference-perf/reports-c4/per_request_lifecycle_metrics.json"} {
		if r := one(t, "f07.json", testdata(t, file)); r.Group != "" {
			t.Errorf("%s: group %q", file, r.Group)
		}
	}
}
