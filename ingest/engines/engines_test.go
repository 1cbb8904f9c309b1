package engines

import (
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// readLines feeds a text to a machine. The log is nil if the machine knows none
// of its lines.
func readLines(m format.Machine, text string) (*capture.ServerLog, []format.Claim, capture.Counts) {
	var claims []format.Claim
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		claims = append(claims, m.Line(format.Line{N: i + 1, Text: []byte(line)}))
	}
	out := &format.Output{File: &capture.File{}}
	counts := m.Close("engine.log", "", out)
	if len(out.Logs) == 0 {
		return nil, claims, counts
	}
	return out.Logs[0], claims, counts
}

func served(log *capture.ServerLog) []capture.Served {
	var rows []capture.Served
	for _, s := range log.Served.All() {
		rows = append(rows, *s)
	}
	return rows
}

func TestLlamaCPP(t *testing.T) {
	tests := []struct {
		name, text string
		want       []capture.Served
	}{
		{
			"to mid 2025", `slot launch_slot_: id  0 | task 5 | processing task
slot update_slots: id  0 | task 5 | new prompt, n_ctx_slot = 4096, n_keep = 0, n_prompt_tokens = 512
slot update_slots: id  0 | task 5 | kv cache rm [496, end)
slot print_timing: id  0 | task 5 | prompt eval time =     9.40 ms /    16 tokens (    0.61 ms per token,  1638.92 tokens per second)`,
			[]capture.Served{{Line: 4, Prompt: 512, Cached: 496, Output: -1, Tries: 1}},
		},
		{
			"late 2025", `slot update_slots: id  0 | task 5 | n_past = 511, memory_seq_rm [511, end)
slot print_timing: id  0 | task 5 |
prompt eval time =     9.40 ms /     1 tokens (    0.61 ms per token,  1638.92 tokens per second)`,
			[]capture.Served{{Line: 3, Prompt: 512, Cached: 511, Output: -1, Tries: 1}},
		},
		{
			"2026", `slot update_slots: id  0 | task 5 | new prompt, n_ctx_slot = 4096, n_keep = 0, task.n_tokens = 512
slot update_slots: id  0 | task 5 | cached n_tokens = 511, memory_seq_rm [511, end)
slot print_timing: id  0 | task 5 | prompt eval time =     9.40 ms /     1 tokens (    0.61 ms per token,  1638.92 tokens per second)`,
			[]capture.Served{{Line: 3, Prompt: 512, Cached: 511, Output: -1, Tries: 1}},
		},
		{
			"cache line at a trace level only", `slot update_slots: id  0 | task 5 | new prompt, n_ctx_slot = 4096, n_keep = 0, task.n_tokens = 512
slot print_timing: id  0 | task 5 | prompt eval time =     9.40 ms /     1 tokens (    0.61 ms per token,  1638.92 tokens per second)`,
			[]capture.Served{{Line: 2, Prompt: 512, Cached: 511, Output: -1, Tries: 1}},
		},
		{
			"nothing but the time", `slot print_timing: id  0 | task 12 | prompt eval time =     312.40 ms /   512 tokens (    0.61 ms per token,  1638.92 tokens per second)`,
			[]capture.Served{{Line: 1, Prompt: -1, Cached: -1, Output: -1, Tries: 1}},
		},
		{
			"a long prompt drops the rest of the cache batch by batch", `slot update_slots: id  0 | task 5 | kv cache rm [100, end)
slot update_slots: id  0 | task 5 | kv cache rm [2148, end)
slot print_timing: id  0 | task 5 | prompt eval time =     9.40 ms /  3000 tokens (    0.61 ms per token,  1638.92 tokens per second)`,
			[]capture.Served{{Line: 3, Prompt: 3100, Cached: 100, Output: -1, Tries: 1}},
		},
		{
			"two slots", `slot update_slots: id  0 | task 5 | kv cache rm [10, end)
slot update_slots: id  1 | task 6 | kv cache rm [0, end)
slot print_timing: id  1 | task 6 | prompt eval time =     9.40 ms /  30 tokens (
slot print_timing: id  0 | task 5 | prompt eval time =     9.40 ms /  20 tokens (`,
			[]capture.Served{{Line: 3, Prompt: 30, Cached: 0, Output: -1, Tries: 1}, {Line: 4, Prompt: 30, Cached: 10, Output: -1, Tries: 1}},
		},
		{
			"answers", `{"timings":{"cache_n":511,"prompt_n":1,"prompt_ms":9.5,"predicted_n":8,"predicted_ms":80.0}}
data: {"timings": {"cache_n": 0, "prompt_n": 512, "predicted_n": 8}}`,
			[]capture.Served{{Line: 1, Prompt: 512, Cached: 511, Output: 8, Tries: 1}, {Line: 2, Prompt: 512, Cached: 0, Output: 8, Tries: 1}},
		},
	}
	for _, tt := range tests {
		log, _, counts := readLines(newLlamaCPP(), tt.text)
		if log == nil || log.Engine != "llama.cpp" || counts.Get("request") != len(tt.want) || counts.Get("malformed") != 0 {
			t.Errorf("%s: counts %v", tt.name, counts)
			continue
		}
		if diff := cmp.Diff(tt.want, served(log)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestLlamaCPPDamage(t *testing.T) {
	log, claims, counts := readLines(newLlamaCPP(), `slot update_slots: id  0 | task 5 | kv cache rm [49
slot print_timing: id  0 | task 5 | prompt eval time =     9.40 ms /    1
{"timings":{"cache_n":51
{"timings":{"cache_n":511,"prompt_n":1
srv  log_server_r: request: POST /v1/completions 127.0.0.1 20
srv  log_server_r: request: POST /v1/completions 127.0.0.1 200
main: server is listening on http://127.0.0.1:8080 - starting the main loop
not ours`)
	want := []format.Claim{format.Malformed, format.Malformed, format.NotMine, format.Malformed, format.Malformed, format.Mine, format.Mine, format.NotMine}
	if diff := cmp.Diff(want, claims); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	if counts.Get("malformed") != 4 || counts.Get("access") != 1 || log.Served.Len() != 0 || len(log.Starts) != 1 {
		t.Errorf("counts %v, %d requests", counts, log.Served.Len())
	}
	if a := log.Access.At(0); a.Path != capture.PathCompletions || a.Status != 200 || log.Hosts[a.Host] != "127.0.0.1" {
		t.Errorf("access %+v", a)
	}
}

func TestLMDeploy(t *testing.T) {
	log, _, counts := readLines(newLMDeploy(), `[2026-10-17 14:23:00 DP0] Avg thr (in/out): 512.0 / 64.0 tokens/s, Server (succeeded/failed/routed/waiting): 10 / 0 / 2 / 1, Engine (running/waiting): 2 / 0, KV cache: 7.0%, Prefix cache hit rate: 48.4%, 
[2026-10-17 14:23:10] Avg thr (in/out): 512.0 / 64.0 tokens/s, Server (succeeded/failed/routed/waiting): 10 / 0 / 2 / 1, Engine (running/waiting): 3 / 4, KV cache: 7.0%, 
[2026-10-17 14:23:20 DP0] Avg thr (in/out): 512.0 / 64.0 tokens/s, KV cache: 7.0%, Prefix cache hit rate: 4
[2026-10-17 14:23:30] Prefill batch, #new-seq: 2, #new-token: 2, #cached-token: 1402`)
	want := []capture.Stat{
		{Line: 1, Stamp: 1792246980000, EngineID: 0, PromptRate: 512, GenRate: 64, Running: 2, Waiting: 0, KVUsage: 7, HitRate: 48.4},
		{Line: 2, Stamp: 1792246990000, EngineID: -1, PromptRate: 512, GenRate: 64, Running: 3, Waiting: 4, KVUsage: 7, HitRate: -1},
	}
	if diff := cmp.Diff(want, log.Stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if counts.Get("stat") != 2 || counts.Get("malformed") != 1 || counts.Get("request") != 0 {
		t.Errorf("counts %v", counts)
	}
}

func TestTGI(t *testing.T) {
	log, claims, _ := readLines(newTGI(), `Prefix 496 - Suffix 16
2026-01-08T12:00:00.000000Z  INFO text_generation_router_v3::radix: backends/v3/src/radix.rs:108: Prefix 0 - Suffix 512
{"timestamp":"2026-01-08T12:00:00Z","level":"INFO","message":"Prefix 1 - Suffix 2"}
Prefix 496 - Suffix 
Prefix 496 of something
MyPrefix 1 - Suffix 2`)
	want := []capture.Served{
		{Line: 1, Prompt: 512, Cached: 496, Output: -1, Tries: 1},
		{Line: 2, Prompt: 512, Cached: 0, Output: -1, Tries: 1},
		{Line: 3, Prompt: 3, Cached: 1, Output: -1, Tries: 1},
	}
	if diff := cmp.Diff(want, served(log)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	if claims[3] != format.Malformed || claims[4] != format.NotMine || claims[5] != format.NotMine {
		t.Errorf("claims %v", claims)
	}
}

// TestMAXIsNotCountable: the engine leaves batch lines out, so they are stats.
func TestMAXIsNotCountable(t *testing.T) {
	log, _, counts := readLines(newMAX(), `12:00:00.1 INFO: Executed CE batch with 4 reqs | Terminated: 0 reqs, Pending: 2 reqs | Input Tokens: 2048/8192 toks | Prompt Tput: 1.2K tok/s | KVCache usage: 3.1% of 4096 blocks, Cache hit rate: 48.4% | All Preemptions: 0 reqs
12:00:03.1 INFO: Executed TG batch with 4 reqs | Terminated: 0 reqs, Pending: 0 reqs | KVCache usage: 3.1% of 4096 blocks | All Preemptions: 0 reqs
12:00:06.1 INFO: Executed CE batch with 4 reqs | KVCache usage: 3.1% of 4096 blocks, Cache hit rate: 4
12:00:06.1 INFO: Executed something else`)
	want := []capture.Stat{
		{Line: 1, EngineID: -1, PromptRate: -1, GenRate: -1, Running: 4, Waiting: 2, KVUsage: 3.1, HitRate: 48.4},
		{Line: 2, EngineID: -1, PromptRate: -1, GenRate: -1, Running: 4, Waiting: 0, KVUsage: 3.1, HitRate: -1},
	}
	if diff := cmp.Diff(want, log.Stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	if log.Batches.Len() != 0 || log.Served.Len() != 0 || counts.Get("malformed") != 1 {
		t.Errorf("counts %v", counts)
	}
}

const (
	iterations = `[{"iter":3,"kvCacheStats":{"allocNewBlocks":4,"allocTotalBlocks":40,"cacheHitRate":0.5,"freeNumBlocks":900,"maxNumBlocks":1000,"missedBlocks":16,"reusedBlocks":16,"tokensPerBlock":32,"usedNumBlocks":100},"inflightBatchingStats":{"numContextRequests":2,"numCtxTokens":64}}]`
	perRequest = `[{"request_id":1,"perf_metrics":{"kv_cache_metrics":{"num_total_allocated_blocks":16,"num_new_allocated_blocks":1,"num_reused_blocks":15,"num_missed_blocks":1},"timing_metrics":{"arrival_time":1.5}}},
{"request_id":2,"kv_cache_metrics":{"num_total_allocated_blocks":16,"num_new_allocated_blocks":16,"num_reused_blocks":0,"num_missed_blocks":16}}]`
)

func readTRT(t *testing.T, text string) (*format.Output, *capture.File) {
	t.Helper()
	out := &format.Output{File: &capture.File{}}
	in := &format.Input{Path: "perf.json", Head: []byte(text), Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	if sniffTRTLLM(in) < 60 {
		t.Fatalf("not recognised: %.60s", text)
	}
	if err := readTRTLLM(in, out); err != nil {
		t.Fatal(err)
	}
	return out, out.File
}

// TestTRTLLMBlocksAreNotTokens: a request names blocks; they become tokens only
// where the same file states the size of a block.
func TestTRTLLMBlocksAreNotTokens(t *testing.T) {
	out, file := readTRT(t, perRequest)
	want := []capture.Served{{Line: 1, Prompt: -1, Cached: -1, Output: -1, Tries: 1}, {Line: 1, Prompt: -1, Cached: 0, Output: -1, Tries: 1}}
	if diff := cmp.Diff(want, served(out.Logs[0])); diff != "" {
		t.Errorf("without a block size (-want +got):\n%s", diff)
	}
	if file.Counts.Get("records") != 2 || file.Lines != 2 || len(out.Infos) != 0 {
		t.Errorf("%+v", file)
	}
	out, _ = readTRT(t, perRequest+"\n"+iterations)
	want[0].Cached = 15 * 32
	if diff := cmp.Diff(want, served(out.Logs[0])); diff != "" {
		t.Errorf("with a block size (-want +got):\n%s", diff)
	}
	if i := out.Infos[0]; *i.PageSize != 32 || *i.PoolTokens != 32000 || i.Engine != "trt-llm" {
		t.Errorf("settings %+v", i)
	}
	if it := out.Logs[0].Iterations.At(0); it.ContextReqs != 2 || it.ContextTokens != 64 || it.GenReqs != -1 {
		t.Errorf("iteration %+v", it)
	}
}

func TestTRTLLMDamage(t *testing.T) {
	out, file := readTRT(t, perRequest[:len(perRequest)-40])
	if out.Logs[0].Served.Len() != 1 || out.Logs[0].Complete || file.Read != capture.ReadPart || file.Counts.Get("malformed") != 1 {
		t.Errorf("%+v", file)
	}
	_, file = readTRT(t, `[{"x":1},`+perRequest[1:])
	if file.Counts.Get("malformed") != 1 || file.Counts.Get("records") != 2 {
		t.Errorf("%+v", file)
	}
	log, claims, _ := readLines(newTRTLLM(), "curl -s host/metrics\n"+iterations+"\n"+iterations[:60]+"\n"+perRequest[:120])
	if claims[0] != format.NotMine || claims[1] != format.Mine || claims[2] != format.NotMine || log.Iterations.Len() != 1 {
		t.Errorf("claims %v", claims)
	}
}

// FuzzMachines checks that no text makes a machine fail, count a line twice, or
// name a negative number of cached tokens other than "unknown".
func FuzzMachines(f *testing.F) {
	f.Add("slot update_slots: id  0 | task 5 | kv cache rm [496, end)\nslot print_timing: id  0 | task 5 | prompt eval time = 9 ms / 16 tokens\n{\"cache_n\":1,\"prompt_n\":2}")
	f.Add("[2026-10-17 14:23:00 DP0] Avg thr (in/out): 512.0 / 64.0 tokens/s, Prefix cache hit rate: 48.4%, ")
	f.Add("Prefix 496 - Suffix 16\nExecuted CE batch with 4 reqs | Cache hit rate: 4%")
	f.Add(iterations + "\n" + perRequest)
	f.Fuzz(func(t *testing.T, text string) {
		for _, construct := range Machines() {
			log, _, counts := readLines(construct(), text)
			if log == nil {
				continue
			}
			for _, s := range served(log) {
				if s.Cached < -1 || s.Prompt < -1 {
					t.Fatalf("%s: %+v", log.Engine, s)
				}
			}
			lines := strings.Count(text, "\n") + 1
			if log.Engine != "trt-llm" && counts.Get("stat")+counts.Get("access")+counts.Get("request") > lines {
				t.Fatalf("%s: %v of %d lines", log.Engine, counts, lines)
			}
		}
	})
}
