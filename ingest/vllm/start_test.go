package vllm

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
)

const (
	argsLine   = "(APIServer pid=1) INFO 11-29 15:20:19 [utils.py:286] non-default args: {'model_tag': '/m/tiny', 'api_key': ['sk-verysecretvalue1234'], 'enable_prompt_tokens_details': True, 'model': '/m/tiny', 'max_model_len': 2048, 'block_size': 32, 'kv_transfer_config': KVTransferConfig(kv_connector='LMCacheConnectorV1')}"
	bannerLine = "(APIServer pid=1) INFO 11-29 15:20:19 [utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0"
	modelLine  = "(APIServer pid=1) INFO 11-29 15:20:19 [utils.py:347]   █▄█▀ █     █     █     █  model   /m/tiny"
	configLine = "(EngineCore pid=2) INFO 11-29 15:20:40 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='/m/tiny', speculative_config=SpeculativeConfig(method='eagle', model='x', num_spec_tokens=3), seed=7, tensor_parallel_size=2, data_parallel_size=1, nested={'block_size': 99, 'a': [1, 2]}, enable_prefix_caching=False, enable_chunked_prefill=True"
	poolLine   = "(EngineCore pid=2) INFO 11-29 15:20:41 [kv.py:9] GPU KV cache size: 1,123,456 tokens, Maximum concurrency for 4,096 tokens per request: 30.14x"
	readyLine  = "(APIServer pid=1) INFO 11-29 15:20:45 [entry.py:9] Starting vLLM server on http://127.0.0.1:8000"
	stopLine   = "INFO:     Application shutdown complete."
	devLine    = "(APIServer pid=1) WARNING 11-29 15:20:42 [__init__.py:9] SECURITY WARNING: Development endpoints are enabled! This should NOT be used in production!"
)

func TestStartLines(t *testing.T) {
	log, _ := readLog(t, strings.Join([]string{bannerLine, modelLine, argsLine, configLine, poolLine, devLine, readyLine, "INFO:     Application startup complete."}, "\n"))
	if len(log.Starts) != 1 {
		t.Fatalf("%d starts, want 1", len(log.Starts))
	}
	s := log.Starts[0]
	if s.Line != 1 || s.Ready != 7 {
		t.Errorf("start at %d, ready at %d", s.Line, s.Ready)
	}
	i := s.Info
	if !strings.Contains(i.At.Text, "non-default args") || strings.Contains(i.At.Text, "verysecret") {
		t.Errorf("evidence %q", i.At.Text)
	}
	if got := pyText(i.Args["api_key"]); strings.Contains(got, "verysecret") {
		t.Errorf("the key was kept: %s", got)
	}
	got := []any{i.Version, i.Model, *i.PageSize, *i.PrefixCache, *i.PoolTokens, *i.TPSize, *i.DPSize, *i.CacheReport, *i.DevMode, i.CacheKind}
	want := []any{"0.32.0", "/m/tiny", 32, false, int64(1123456), 2, 1, true, true, "lmcache+eagle"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if log.Version != "0.32.0" {
		t.Errorf("version %q", log.Version)
	}
}

// TestRestarts: a second start block is an empty cache; several engines of one
// start are not.
func TestRestarts(t *testing.T) {
	life := []string{bannerLine, argsLine, configLine, readyLine}
	tests := []struct {
		name  string
		lines []string
		want  []int // lines of the starts
	}{
		{"one life", life, []int{1}},
		{"two engines", []string{bannerLine, argsLine, configLine, configLine, readyLine}, []int{1}},
		{"stopped and started", append(append(life[:4:4], stopLine), life...), []int{1, 6}},
		{"killed and started", append(life[:4:4], life...), []int{1, 5}},
		{"died while starting", append([]string{bannerLine, argsLine}, life...), []int{1, 3}},
		{"stopped before it was ready", append([]string{bannerLine, argsLine, stopLine}, configLine), []int{1, 4}},
		{"arguments alone", []string{argsLine}, []int{1}},
	}
	for _, tt := range tests {
		log, _ := readLog(t, strings.Join(tt.lines, "\n"))
		var at []int
		for _, s := range log.Starts {
			at = append(at, s.Line)
		}
		if diff := cmp.Diff(tt.want, at); diff != "" {
			t.Errorf("%s: starts (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestOldStartLines(t *testing.T) {
	log, _ := readLog(t, `INFO 02-14 08:59:00 api_server.py:840] vLLM API server version 0.6.6
INFO 02-14 08:59:00 api_server.py:841] args: Namespace(subparser='serve', model_tag='m', model='m', block_size=16, enable_prefix_caching=False, max_log_len=None, dispatch_function=<function serve at 0x7f>)
INFO 02-14 08:59:10 llm_engine.py:234] Initializing an LLM engine (v0.6.6) with config: model='m', seed=0, enable_prefix_caching=False
INFO 02-14 08:59:30 gpu_executor.py:76] # GPU blocks: 7,716, # CPU blocks: 2048
INFO 02-14 08:59:40 launcher.py:19] Available routes are:`)
	i := log.Starts[0].Info
	if len(log.Starts) != 1 || i.Version != "0.6.6" || *i.PageSize != 16 || *i.PrefixCache || *i.PoolTokens != 7716*16 {
		t.Errorf("settings %+v", i)
	}
	if *i.CacheReport {
		t.Error("cached tokens in usage are off unless asked for")
	}
	if n := len(log.Marks); n != 1 || log.Marks[0].Kind != capture.MarkPool {
		t.Errorf("marks %+v", log.Marks)
	}
}

// TestCutArguments: of a clipped line, what is whole counts, and what is
// missing is unknown, not off.
func TestCutArguments(t *testing.T) {
	log, _ := readLog(t, argsLine[:strings.Index(argsLine, ", 'kv_transfer")]+", 'enable_pre")
	i := log.Starts[0].Info
	if i.PageSize == nil || *i.PageSize != 32 || i.CacheReport != nil {
		t.Errorf("page %v, report %v", i.PageSize, i.CacheReport)
	}
}

func TestConfigValue(t *testing.T) {
	config := []byte("model='a,b', nested={'block_size': 99, 'x': f(y=1, z=2)}, block_size=16, tail=True")
	for key, want := range map[string]string{"block_size": "16", "tail": "True", "x": "", "z": "", "missing": ""} {
		if got := configValue(config, key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
}
