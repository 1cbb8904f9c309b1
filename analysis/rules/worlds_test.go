package rules

import (
	"math/rand"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

type world = latencytest.World

func ptr[T any](v T) *T { return &v }

// full makes a capture in which nothing is missing and nothing is wrong: two
// caps, two seeds each, run up and down, with requests, log, metrics and clocks.
func full() *world {
	w := latencytest.New()
	log := &capture.ServerLog{File: "server.log", Engine: "sglang", Complete: true, Starts: []capture.Start{{Line: 1, Info: capture.ServerInfo{Model: "m"}}}}
	log.Batches.Append(capture.Batch{Line: 2, NewSeq: 1, NewToken: 7, Stamp: 1e12})
	w.Capture.Logs = []*capture.ServerLog{log}
	w.Capture.Files = []*capture.File{{Path: "server.log", Kind: capture.SGLangServerLog, Read: capture.ReadAll}}
	w.Capture.Notes.Facts = map[string]any{"model_revision": "r1", "image_digest": "sha256:1", "gpu": "H200", "driver": "580", "correctness": "ten answers read"}
	w.Capture.Notes.Points = []capture.Points{{Label: "old", Step: "fresh", Requests: ptr(64), Cap: ptr(8), MedianTTFT: ptr(105.0), Low: ptr(100.0), High: ptr(110.0), At: capture.Evidence{File: "coldcase.toml", Line: 3}}}
	gpu := &capture.GPUSeries{File: "gpu.csv", Device: "GPU 0"}
	for i := range 60 {
		gpu.Rows = append(gpu.Rows, capture.GPUSample{Line: i + 2, Stamp: capture.Stamp(1e12 + 1000*i), SMClock: 1980, MaxClock: 1980, Power: 600, Util: 99})
	}
	w.Capture.GPU = []*capture.GPUSeries{gpu}
	rng := rand.New(rand.NewSource(1))
	for i, limit := range []int{8, 32, 32, 8} {
		n := 12 * limit
		d, r := w.AddRun([]string{"a.jsonl", "b.jsonl", "c.jsonl", "d.jsonl"}[i], limit, n, int64(i+1))
		r.Merged.Workload.OutputLen, r.Merged.Workload.RangeRatio = ptr(128), ptr(0.9)
		r.Merged.Requests = evenRequests(rng, n, 0.1*float64(limit)/8)
		r.Merged.Duration = ptr(float64(n) / float64(limit))
		base := 105.0 * float64(limit) / 8
		latencytest.Print(r, "median_ttft_ms", base, "p90_ttft_ms", base*1.05, "p95_ttft_ms", base*1.1, "concurrency", float64(limit), "mean_e2e_latency_ms", 1000.0,
			"output_throughput", 900.0, "max_output_tokens_per_s", 1000.0, "total_output_tokens_retokenized", 128.0*float64(n), "median_tpot_ms", 8.0, "accept_length", 1.0)
		r.Merged.Printed["median_ttft_ms"] = capture.Figure{Value: base, Line: 1, Digits: 2}
		d.Facts.Server.At = capture.Evidence{File: "server.log", Line: 1, Text: "server_args"}
		d.Facts.Server.PoolTokens = ptr(int64(1000000))
		d.Facts.Log, d.Facts.FirstBatch = log, log.Batches.Len()
		for k := range 2 {
			log.Batches.Append(capture.Batch{Line: int32(10 + 10*i + k), NewSeq: 1, NewToken: 512 * int32(n+1) / 2, Stamp: capture.Stamp(1e12 + 1000*(10*i+5*k)), Usage: 0.1})
		}
		d.Facts.LastBatch = log.Batches.Len()
		before := &capture.Snapshot{File: "before.prom", Series: map[string][]capture.Sample{"x_total": {{Value: 1, Line: 1}}}}
		r.Before, r.After = before, &capture.Snapshot{File: "after.prom", Series: map[string][]capture.Sample{"x_total": {{Value: 2, Line: 1}}}}
	}
	return w
}

// evenRequests are successes of one group whose order says nothing.
func evenRequests(rng *rand.Rand, n int, seconds float64) *capture.Requests {
	q := &capture.Requests{N: n, InOrder: true}
	for i := range n {
		q.TTFT = append(q.TTFT, seconds*(1+0.2*rng.Float64()))
		q.E2E = append(q.E2E, 1)
		q.Start = append(q.Start, float64(i)*(float64(n)/8-1)/float64(n))
		q.Output = append(q.Output, 128)
		q.Chunks = append(q.Chunks, 127)
		q.TextHash = append(q.TextHash, uint64(i+1))
		q.Failed = append(q.Failed, false)
		q.Cached = append(q.Cached, 0)
	}
	return q
}

// bare makes two runs of which little more is known than that they took place.
func bare() *world {
	w := latencytest.New()
	for i, limit := range []int{8, 32} {
		d, r := w.AddRun([]string{"a.txt", "b.txt"}[i], limit, 64, 1)
		m := &r.Merged
		m.Workload = capture.Workload{}
		m.MaxConcurrency.Known = true
		m.RequestRate = capture.Rate{}
		m.Completed, m.InputTokens, m.OutputTokens, m.Model, m.EngineVersion = nil, nil, nil, "", ""
		latencytest.Print(r, "request_throughput", 1.0)
		d.Seed, d.Prompts, d.Completed, d.PageSize, d.EngineVersion = nil, nil, nil, nil, nil
		d.AtStart, d.Cached, d.PartlyCached, d.CachedTokens, d.Sequences = latencytest.Nothing(), latencytest.Nothing(), latencytest.Nothing(), latencytest.Nothing(), latencytest.Nothing()
		d.Origins, d.Verdict, d.Flush, d.PrefixCache = carryover.Origins{}, "unknown", "unknown", "unknown"
		d.Facts.Foreign, d.Facts.Health, d.Facts.Life, d.Facts.OrderBy = -1, -1, -1, "capture"
		d.Facts.Server = capture.ServerInfo{}
	}
	w.Capture.Logs = []*capture.ServerLog{{File: "server.log", Engine: "sglang", Complete: true}}
	w.Capture.Files = []*capture.File{{Path: "x.bin", Kind: capture.UnknownKind, Read: capture.ReadNone, Why: "no line of a known format"}}
	return w
}

func check(w *world) *Document { return checkWith(w, DefaultTable()) }

func checkWith(w *world, t *Table) *Document {
	runs, inv := latency.Analyze(w.Capture, w.Count)
	list, _ := causes.Analyze(causes.Input{Capture: w.Capture, Count: w.Count, Latency: runs, Inversion: inv})
	return Check(Input{Capture: w.Capture, Count: w.Count, Latency: runs, Inversion: inv, Causes: list}, t)
}

// stateOf is the worst state that a rule answers.
func stateOf(d *Document, id string) (state, text string) {
	state = NotApplicable
	for _, f := range d.Findings {
		if f.Rule == id && rank(f.State) <= rank(state) {
			state, text = f.State, f.Text
		}
	}
	return state, text
}

func TestFullWorldPasses(t *testing.T) {
	d := check(full())
	allowed := map[string]bool{"L37": true} // two runs a point are few
	for _, f := range d.Findings {
		if f.State != Pass && f.State != NotApplicable && !allowed[f.Rule] {
			t.Errorf("%s %s: %s: %s %v", f.Rule, f.Name, f.State, f.Text, f.Runs)
		}
	}
	if d.Blocks() {
		t.Error("a capture without fault blocks")
	}
}
