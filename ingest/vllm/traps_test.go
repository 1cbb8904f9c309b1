package vllm

import (
	"strings"
	"testing"

	"coldcase/ingest/capture"
)

// TestRefusedResetAnsweredWith200: the status of a reset is the same whether it
// was done or refused. The access line and the engine's line are kept apart, so
// that the answer is never taken for the outcome; in data parallel one engine
// may refuse while another succeeds.
func TestRefusedResetAnsweredWith200(t *testing.T) {
	log, _ := readLog(t, `(APIServer pid=101) INFO 10-17 14:25:00 [api_router.py:40] Resetting prefix cache...
(EngineCore_DP0 pid=180) INFO 10-17 14:25:00 [block_pool.py:801] Successfully reset prefix cache
(EngineCore_DP1 pid=181) WARNING 10-17 14:25:00 [block_pool.py:775] Failed to reset prefix cache because some blocks (3) are not freed yet
(APIServer pid=101) INFO:     127.0.0.1:53218 - "POST /reset_prefix_cache HTTP/1.1" 200 OK`)
	var got []capture.FlushKind
	for _, f := range log.Flushes {
		got = append(got, f.Kind)
	}
	if len(got) != 3 || got[0] != capture.FlushAskedOnly || got[1] != capture.FlushDone || got[2] != capture.FlushRefused {
		t.Errorf("flushes %v", got)
	}
	if log.Flushes[1].Rank.DP != 0 || log.Flushes[2].Rank.DP != 1 || log.Flushes[0].Rank.DP != -1 {
		t.Errorf("ranks %+v", log.Flushes)
	}
	if a := log.Access.Last(); a.Path != capture.PathFlush || a.Status != 200 {
		t.Errorf("access %+v", a)
	}
}

// TestContextRequestsAreNotPrompts: a prompt in chunks is a context request on
// several lines, and dummy steps serve nobody. The reader keeps lines as lines.
func TestContextRequestsAreNotPrompts(t *testing.T) {
	const line = "(APIServer pid=1) INFO 11-17 14:23:11 [loggers.py:199] Engine 000: Iteration(N): 1 context requests, 2048 context tokens, 0 generation requests, 0 generation tokens, iteration elapsed time: 12.34 ms"
	log, counts := readLog(t, strings.Join([]string{line, line, line + " (dummy)", strings.Replace(line, "2048", "100", 1)}, "\n"))
	if counts.Get("iteration") != 4 || log.Served.Len() != 0 || log.Asked.Len() != 0 {
		t.Errorf("counts %v", counts)
	}
	tokens, dummies := int32(0), 0
	for _, it := range log.Iterations.All() {
		if it.Dummy {
			dummies++
			continue
		}
		tokens += it.ContextTokens
	}
	if tokens != 2048+2048+100 || dummies != 1 {
		t.Errorf("%d tokens, %d dummy steps", tokens, dummies)
	}
}

// TestDateIsTheEnd: the record's date is taken when the run is over, in a zone
// that only the Rust client names.
func TestDateIsTheEnd(t *testing.T) {
	results, _ := readJSON(t, "f", strings.Replace(plain, `"duration":1.4`, `"duration":60`, 1))
	if r := results[0]; r.End-r.Start != 60 {
		t.Errorf("from %v to %v", r.Start, r.End)
	}
	results, _ = readJSON(t, "f", strings.Replace(plain, "20261117-142300", "yesterday", 1))
	if r := results[0]; r.End != 0 || r.Start != 0 {
		t.Errorf("an unread date gave %v to %v", r.Start, r.End)
	}
}

// TestUnits: lists are in seconds, summaries in milliseconds.
func TestUnits(t *testing.T) {
	results, _ := readJSON(t, "f", detailed)
	r := results[0]
	if r.Requests.TTFT[0] != 0.031 || r.Printed["median_ttft_ms"].Value != 31 {
		t.Errorf("TTFT %v s, median %v ms", r.Requests.TTFT[0], r.Printed["median_ttft_ms"].Value)
	}
}

// TestRangeRatioIsHandedOnAsPrinted: its meaning turned round in April 2025, so
// a reader must not translate it.
func TestRangeRatioIsHandedOnAsPrinted(t *testing.T) {
	results, _ := readText(t, "Namespace(backend='vllm', base_url=None, host='127.0.0.1', port=8000, dataset_name='random', num_prompts=64, seed=0, request_rate=inf, random_range_ratio=1.0)")
	if r := results[0]; *r.Workload.RangeRatio != 1 || r.Workload.Target != "127.0.0.1:8000" || *r.Workload.Seed != 0 {
		t.Errorf("%+v", r.Workload)
	}
}
