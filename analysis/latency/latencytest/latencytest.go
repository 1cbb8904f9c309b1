// Package latencytest makes captures and counts for tests: from the figures of
// real runs (testdata: first-token times, cached tokens and prefill batches of
// SGLang 0.5.22 on one H200), and from a few facts set by hand. It stands where
// ingest and the count would stand, so that a test of the analysis depends on
// neither.
package latencytest

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

//go:embed testdata/*.json
var data embed.FS

// World is a capture with its count.
type World struct {
	Capture *capture.Capture
	Count   *carryover.Document
}

// New returns an empty capture of one folder.
func New() *World {
	return &World{
		Capture: &capture.Capture{Sources: []capture.Source{{Name: "kit"}}, Quoter: quoter{}},
		Count:   &carryover.Document{Schema: "coldcase.count/1"},
	}
}

// quoter answers with a text that names the line, so that a test can see where
// evidence points.
type quoter struct{}

func (quoter) Quote(file string, line int) capture.Evidence {
	return capture.Evidence{File: file, Line: line, Text: fmt.Sprintf("line %d of %s", line, file)}
}

// Ptr returns a pointer to v.
func Ptr[T any](v T) *T { return &v }

// Range makes a counted interval with both ends.
func Range(low, high int64, g carryover.Grade) carryover.Interval {
	return carryover.Interval{Low: low, High: &high, Grade: g}
}

// Nothing is the interval of a count that found no evidence.
func Nothing() carryover.Interval { return carryover.Interval{Grade: carryover.None} }

// AddRun appends a run of the random dataset at a cap, clean and placed in
// order, and returns both sides of it for the test to change.
func (w *World) AddRun(id string, limit, prompts int, seed int64) (*carryover.Run, *capture.Run) {
	m := capture.Result{
		Span: capture.Span{File: id, Line: 1}, Kind: capture.SGLangJSONL,
		Client: "sglang.bench_serving", ClientVersion: "0.5.22", Engine: "sglang", EngineVersion: "0.5.22", Backend: "sglang", Model: "m",
		Workload: capture.Workload{
			From: capture.Evidence{File: id, Line: 1, Text: "Namespace(...)"}, Form: "namespace", Dataset: "random", Tokenizer: "m",
			Seed: &seed, Prompts: &prompts, InputLen: Ptr(512), OutputLen: Ptr(128), RangeRatio: Ptr(1.0),
			Warmups: Ptr(1), FlushAsked: Ptr(false), Args: map[string]any{"seed": float64(seed), "num_prompts": float64(prompts), "random_input_len": 512.0},
		},
		MaxConcurrency: capture.Cap{Known: true, N: limit},
		RequestRate:    capture.Rate{Known: true, Inf: true},
		Completed:      &prompts,
		InputTokens:    Ptr(int64(512 * prompts)), OutputTokens: Ptr(int64(128 * prompts)),
		Printed: map[string]capture.Figure{},
	}
	cr := &capture.Run{ID: id, Spans: []capture.Span{m.Span}, Merged: m}
	cr.Results = []*capture.Result{&cr.Merged}
	d := &carryover.Run{
		ID: id, Kind: "run", Engine: Ptr("sglang"), EngineVersion: Ptr("0.5.22"), Client: Ptr(m.Client), Source: cr.Spans,
		Dataset: Ptr("random"), Seed: &seed, MaxConcurrency: limit, RequestRate: "inf", Prompts: &prompts, Completed: &prompts,
		Sequences: Range(int64(prompts)+1, int64(prompts)+1, carryover.PerBatch), PageSize: Ptr(1), PrefixCache: "on", Flush: "none",
		AtStart: Range(0, 0, carryover.PerPrompt), Cached: Range(0, 0, carryover.PerPrompt), PartlyCached: Range(0, 0, carryover.PerPrompt),
		CachedTokens: Range(0, 0, carryover.PerPrompt), Verdict: "clean",
		Facts: &carryover.Facts{Run: cr, Order: len(w.Count.Runs), OrderBy: "log", Life: 0, Foreign: 0, Health: 0,
			Server: capture.ServerInfo{Engine: "sglang", Version: "0.5.22", Model: "m", PageSize: Ptr(1), PrefixCache: Ptr(true), ChunkedSize: Ptr(8192)}},
	}
	for _, b := range []*carryover.Bounds{&d.Origins.EarlierRun, &d.Origins.WarmUp, &d.Origins.InRun, &d.Origins.OtherClient, &d.Origins.Unknown} {
		b.High = Ptr(int64(0))
	}
	w.Capture.Runs = append(w.Capture.Runs, cr)
	w.Count.Runs = append(w.Count.Runs, d)
	return d, cr
}

// Warm makes n prompts of a run cached at start by an earlier run.
func Warm(d *carryover.Run, n int64, from ...string) {
	d.AtStart, d.Cached = Range(n, n, carryover.PerPrompt), Range(n, n, carryover.PerPrompt)
	d.CachedTokens = Range(511*n, 511*n, carryover.PerPrompt)
	d.Origins.EarlierRun = carryover.Bounds{Low: n, High: &n}
	d.Predicted = &carryover.Prediction{Low: n, High: &n, From: from}
	d.Verdict = "contaminated"
	d.Facts.SameSeedAs = from
	d.Witnesses = append(d.Witnesses, carryover.Witness{Name: "client-details", Low: n, High: &n, Grade: carryover.PerPrompt,
		Evidence: []capture.Evidence{{File: d.ID, Line: 1, Text: "cached_tokens"}}})
}

// Print sets printed figures of a run, in pairs of name and value.
func Print(r *capture.Run, pairs ...any) {
	for i := 0; i+1 < len(pairs); i += 2 {
		r.Merged.Printed[pairs[i].(string)] = capture.Figure{Value: pairs[i+1].(float64), Line: i/2 + 1, Digits: 2}
	}
}

type realRun struct {
	ID, File            string
	Line, Cap, N        int
	Seed, Input, Output int64
	Duration            float64
	Printed             map[string]float64
	TTFT                []float64
	Cached              []int32
	Batches             [][]float64
}

// Real loads the runs of a real capture: s22 and s23 are the kit and its clean
// sweep with a 32B shape, s01 and s02 with an 8B shape. Lean leaves the
// per-request figures out, as a kit without details would have.
func Real(name string, lean bool) (*World, error) {
	text, err := data.ReadFile("testdata/" + name + ".json")
	if err != nil {
		return nil, fmt.Errorf("real capture %s: %w", name, err)
	}
	var file struct{ Runs []realRun }
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, fmt.Errorf("real capture %s: %w", name, err)
	}
	w := New()
	log := &capture.ServerLog{File: "server.log", Engine: "sglang", Complete: true, Starts: []capture.Start{{Line: 1}}}
	w.Capture.Logs = []*capture.ServerLog{log}
	ids := []string{}
	for _, r := range file.Runs {
		d, cr := w.AddRun(r.ID, r.Cap, r.N, r.Seed)
		cr.Merged.InputTokens, cr.Merged.OutputTokens, cr.Merged.Duration = &r.Input, &r.Output, &r.Duration
		for k, v := range r.Printed {
			cr.Merged.Printed[k] = capture.Figure{Value: v, Line: 1, Digits: 2}
		}
		warm := addHits(d, r, lean)
		if !lean {
			cr.Merged.Requests = requests(r)
		}
		if warm > 0 && len(ids) > 0 && r.Seed == 7 {
			Warm(d, warm, ids...)
		} else if warm == 1 {
			d.Origins.WarmUp = carryover.Bounds{Low: 1, High: Ptr(int64(1))}
			d.Cached = Range(1, 1, carryover.PerPrompt)
		}
		if r.Seed != 7 {
			d.Flush, cr.Merged.Workload.FlushAsked, d.Facts.EmptyAtStart = "proved", Ptr(true), true
		}
		d.Facts.Log, d.Facts.FirstBatch, d.Facts.WarmupBatches = log, log.Batches.Len(), 1
		for _, b := range r.Batches {
			log.Batches.Append(capture.Batch{Line: int32(b[0]), NewSeq: int32(b[1]), NewToken: int32(b[2]), Cached: int32(b[3]),
				Running: int32(b[4]), Pending: int32(b[5]), Throughput: float32(b[6]), Usage: 0.1})
		}
		d.Facts.LastBatch = log.Batches.Len()
		ids = append(ids, r.ID)
	}
	return w, nil
}

// addHits sets the hit classes of the prompts and returns how many were warm.
func addHits(d *carryover.Run, r realRun, lean bool) int64 {
	var hits []carryover.Hit
	warm := int64(0)
	for _, c := range r.Cached {
		switch {
		case c >= 500:
			hits, warm = append(hits, carryover.FullHit), warm+1
		case c > 0:
			hits = append(hits, carryover.Trace)
		default:
			hits = append(hits, carryover.Miss)
		}
	}
	if !lean {
		d.Facts.HitByPrompt = hits
	}
	return warm
}

func requests(r realRun) *capture.Requests {
	q := &capture.Requests{N: r.N, InOrder: true, Cached: slices.Clone(r.Cached), Failed: make([]bool, r.N)}
	for _, t := range r.TTFT {
		q.TTFT = append(q.TTFT, t/1000)
		q.Input = append(q.Input, 512)
		q.Output = append(q.Output, 128)
	}
	return q
}
