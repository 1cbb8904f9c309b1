package sglang

import (
	"slices"
	"testing"
)

// The record of the client that a sweep has built in, of a vLLM server that
// named no number for the second prompt.
const ownSample = `{"client":"coldcase","schema":"coldcase.record/1","backend":"vllm","engine_version":"0.32.0","model":"tiny","dataset_name":"random-ids",` +
	`"seed":2,"num_prompts":3,"request_rate":"inf","max_concurrency":2,"random_input_len":128,"random_output_len":4,"random_range_ratio":1,"tokenize_prompt":true,` +
	`"warmup_requests":0,"page_size":32,"start_time":1795987931.5,"duration":0.5,"completed":3,"failed":0,"total_input_tokens":384,"total_output_tokens":12,` +
	`"median_ttft_ms":1.5,"input_by_server":true,"start_times":[0.0001,0.0002,0.008],"input_lens":[128,128,128],"output_lens":[4,4,4],"ttfts":[0.0066,0.0064,0.0013],` +
	`"latencies":[0.0081,0.0078,0.0018],"itls":[[0.0005,0.0005,0.0005],[0.0005,0.0005,0.0004],[0.0002,0.0002,0.0001]],"errors":["","",""],` +
	`"cached_tokens":[0,null,96],"prompt_hashes":["d0351d5d7db2a295","f95c49fff89217d8","384c0b026b6fa1bf"]}` + "\n"

func TestOwnRecord(t *testing.T) {
	r := oneRecord(t, ownSample)
	w, q := &r.Workload, r.Requests
	if r.Client != "coldcase" || r.Engine != "vllm" || r.EngineVersion != "0.32.0" || r.Model != "tiny" || r.Start != 1795987931.5 || r.End != 1795987932 {
		t.Errorf("client %s, engine %s %s, model %s, %v to %v", r.Client, r.Engine, r.EngineVersion, r.Model, r.Start, r.End)
	}
	if *w.Seed != 2 || *w.Prompts != 3 || *w.Warmups != 0 || *w.FlushAsked || !w.TokenIDs || *w.InputLen != 128 || *w.RangeRatio != 1 {
		t.Errorf("workload %+v", w)
	}
	if r.Server == nil || *r.Server.PageSize != 32 {
		t.Errorf("server %+v, want block size 32", r.Server)
	}
	if !q.InOrder || !q.InputByServer || !slices.Equal(q.Cached, []int32{0, -1, 96}) || !slices.Equal(q.Start, []float64{0.0001, 0.0002, 0.008}) {
		t.Errorf("requests %+v", q)
	}
	if !slices.Equal(q.TextHash, []uint64{0xd0351d5d7db2a295, 0xf95c49fff89217d8, 0x384c0b026b6fa1bf}) {
		t.Errorf("hashes %x", q.TextHash)
	}
	if len(r.Printed) != 5 { // duration, completed, two totals and the median
		t.Errorf("arguments among the figures: %v", r.Printed)
	}
	if r.CacheTotals != nil {
		t.Errorf("totals %+v from a server that did not name all numbers", r.CacheTotals)
	}
}
