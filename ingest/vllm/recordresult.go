package vllm

import (
	"math"
	"strings"
	"time"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyjson"
	"coldcase/ingest/text"
)

// recordKeys are the keys that the client writes. Any other scalar was put
// there by --metadata or by a sweep and counts as an argument.
var recordKeys = map[string]bool{
	"date": true, "endpoint_type": true, "backend": true, "label": true, "model_id": true, "tokenizer_id": true,
	"num_prompts": true, "request_rate": true, "burstiness": true, "max_concurrency": true, "duration": true,
	"completed": true, "failed": true, "total_input_tokens": true, "total_output_tokens": true,
	"request_throughput": true, "request_goodput": true, "request_goodput:": true, "output_throughput": true,
	"input_throughput": true, "total_token_throughput": true, "max_output_tokens_per_s": true,
	"max_concurrent_requests": true, "rtfx": true, "max_model_len": true, "steady_state": true, "run_number": true,
	"best_of": true, "use_beam_search": true, "mode": true,
}

// result turns a record into what it says about its run.
//
// Not in any record: the seed, the dataset and the lengths that were asked for,
// warm-ups, cached tokens, the server's version.
func (rec *record) result(file string, line int) *capture.Result {
	s := rec.scalars
	r := &capture.Result{
		Span: capture.Span{File: file, Line: line}, Kind: capture.VLLMJSON, Client: "vllm bench serve",
		Backend:   text.Safe(stringArg(s, "backend")),
		Model:     text.Safe(stringArg(s, "model_id")),
		Label:     text.Safe(stringArg(s, "label")),
		Completed: rec.completed, Failed: intArg(s, "failed"),
		Duration:    finite(s["duration"]),
		InputTokens: int64Arg(s, "total_input_tokens"), OutputTokens: int64Arg(s, "total_output_tokens"),
		Printed: rec.figures(line),
	}
	setText(&r.Backend, text.Safe(stringArg(s, "endpoint_type")))
	r.Engine = engineOf(r.Backend)
	if rec.isRust() {
		r.Client = "vllm-bench"
	}
	rec.asked(r, file, line)
	rec.times(r)
	r.Requests = rec.requests()
	return r
}

// isRust tells the Rust client's records by keys and by its form of the date.
func (rec *record) isRust() bool {
	for _, key := range []string{"max_model_len", "steady_state"} {
		if _, has := rec.scalars[key]; has {
			return true
		}
	}
	return strings.HasSuffix(stringArg(rec.scalars, "date"), "Z")
}

// asked reads what the record says about its arguments.
func (rec *record) asked(r *capture.Result, file string, line int) {
	s := rec.scalars
	args := make(map[string]any)
	for key, v := range s {
		if !recordKeys[key] && !isFigure(key) {
			args[key] = cleaned(v)
		}
	}
	if len(args) > 0 {
		r.Workload, _, _ = Arguments(args, FormRecord)
		r.Workload.From = capture.Evidence{File: file, Line: line}
	}
	r.Workload.Prompts = intArg(s, "num_prompts")
	setText(&r.Workload.Tokenizer, text.Safe(stringArg(s, "tokenizer_id")))
	if v, stated := s["max_concurrency"]; stated {
		if n := intArg(s, "max_concurrency"); n != nil {
			r.MaxConcurrency = capture.Cap{Known: true, N: *n}
		} else if v == nil {
			r.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
		}
	}
	if f, ok := pyjson.Float(s["request_rate"]); ok {
		r.RequestRate = rateFrom(&f)
	}
}

func cleaned(v any) any {
	if s, ok := v.(string); ok {
		return text.Safe(s)
	}
	return v
}

// times reads the date, which is taken at the end of the run: Python's in the
// client's zone, which is not named, Rust's in UTC.
func (rec *record) times(r *capture.Result) {
	date := stringArg(rec.scalars, "date")
	for _, layout := range []string{"20060102-150405", time.RFC3339} {
		if t, err := time.Parse(layout, date); err == nil {
			r.End = float64(t.Unix())
			if r.Duration != nil {
				r.Start = r.End - *r.Duration
			}
			return
		}
	}
}

// figures collects the summary figures under the names of SGLang's record.
func (rec *record) figures(line int) map[string]capture.Figure {
	printed := make(map[string]capture.Figure)
	for key, v := range rec.scalars {
		name, ok := figureName(key)
		if !ok {
			continue
		}
		if f := finite(v); f != nil {
			printed[name] = capture.Figure{Value: *f, Line: line, Digits: -1}
		}
	}
	return printed
}

func isFigure(key string) bool {
	_, ok := figureName(key)
	return ok
}

// figureName gives the name of a summary figure. Keys of the speculation and
// probe blocks keep theirs.
func figureName(key string) (string, bool) {
	switch key {
	case "duration", "request_throughput", "request_goodput", "output_throughput", "input_throughput",
		"max_output_tokens_per_s", "max_concurrent_requests":
		return key, true
	case "request_goodput:": // spelled so until July 2025
		return "request_goodput", true
	case "total_token_throughput":
		return "total_throughput", true
	}
	for _, start := range []string{"spec_decode_", "diffusion_", "probe_"} {
		if strings.HasPrefix(key, start) {
			return key, true
		}
	}
	rest, ok := strings.CutSuffix(key, "_ms")
	stat, metric, found := strings.Cut(rest, "_")
	if !ok || !found || !isStat(stat) {
		return "", false
	}
	if metric == "e2el" {
		metric = "e2e_latency"
	}
	return stat + "_" + metric + "_ms", true
}

// isStat reports whether a word is mean, median, std or a percentile.
func isStat(s string) bool {
	switch s {
	case "mean", "median", "std", "min", "max":
		return true
	}
	return len(s) > 1 && s[0] == 'p' && strings.Trim(s[1:], "0123456789.") == ""
}

// finite is a number of the record, nil for null, NaN and infinity.
func finite(v any) *float64 {
	f, ok := pyjson.Float(v)
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil
	}
	return &f
}

// requests joins the arrays. Lists are in prompt order and hold failed requests
// too, with a TTFT of 0.0 that is no latency. Latencies and queue times stand
// in the file even where no other array does.
func (rec *record) requests() *capture.Requests {
	n := 0
	for _, l := range []int{len(rec.ttfts), len(rec.latencies), len(rec.inputs), len(rec.outputs), len(rec.queues)} {
		n = max(n, l)
	}
	if n == 0 {
		return nil
	}
	q := &capture.Requests{
		N: n, InOrder: true,
		TTFT: same(rec.ttfts, n), E2E: same(rec.latencies, n), Start: same(rec.starts, n), Queue: same(rec.queues, n),
		Input: same(rec.inputs, n), Output: same(rec.outputs, n), Failed: same(rec.failed, n),
	}
	rec.gapFigures(q)
	return q
}

// same is a list if it has one element a request; a list of another length
// cannot be told apart by prompts.
func same[T any](list []T, n int) []T {
	if len(list) != n {
		return nil
	}
	return list
}

// gapFigures fills what comes of the inter-token latencies, and the end-to-end
// latency of records that have no list of them.
func (rec *record) gapFigures(q *capture.Requests) {
	if len(rec.gaps) != q.N {
		return
	}
	q.Chunks = make([]int32, q.N)
	q.MaxITL = make([]float64, q.N)
	q.TPOT = make([]float64, q.N)
	e2e := make([]float64, q.N)
	for i, g := range rec.gaps {
		q.Chunks[i], q.MaxITL[i], q.TPOT[i] = g.n, g.max, math.NaN()
		if q.Output != nil && q.Output[i] > 1 {
			q.TPOT[i] = g.sum / float64(q.Output[i]-1)
		}
		if q.TTFT != nil {
			e2e[i] = q.TTFT[i] + g.sum
		}
	}
	if q.E2E == nil && q.TTFT != nil {
		q.E2E = e2e
	}
}
