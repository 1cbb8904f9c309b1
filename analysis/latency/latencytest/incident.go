package latencytest

import (
	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// Incident makes the published incident: two first-token blocks, the arguments
// of one of them, two prefill lines, and the tables that its document states.
// At cap 32 the lines prove 29 prompts, 64 are predicted and claimed; at cap 8
// nothing is measured and 16 are claimed.
func Incident() *World {
	w := New()
	c8, r8 := w.AddRun("bench-random-c8.txt:1", 8, 64, 7)
	c32, r32 := w.AddRun("bench-random-c32.txt:1", 32, 128, 7)
	Print(r8, "mean_ttft_ms", 681.92, "median_ttft_ms", 677.61, "p90_ttft_ms", 1189.25, "p95_ttft_ms", 1194.16, "p99_ttft_ms", 1194.93)
	Print(r32, "mean_ttft_ms", 1166.51, "median_ttft_ms", 390.38, "p90_ttft_ms", 2887.53, "p95_ttft_ms", 2889.80, "p99_ttft_ms", 2910.22)
	for _, r := range []*capture.Run{r8, r32} {
		m := &r.Merged
		m.Kind, m.Completed, m.InputTokens, m.OutputTokens = capture.SGLangBenchText, nil, nil, nil
		m.Span.File = r.ID[:len(r.ID)-2]
	}
	r8.Merged.Workload.Presumed, r8.PresumedFrom = true, []string{"bench-random-c32.txt"}
	for _, d := range []*carryover.Run{c8, c32} {
		d.Completed, d.Sequences, d.AtStart, d.CachedTokens = nil, Nothing(), Nothing(), Nothing()
		d.Cached, d.PartlyCached = Nothing(), Nothing()
		d.Verdict, d.Flush = "unknown", "unknown"
		d.Origins = carryover.Origins{}
		d.Facts.Foreign, d.Facts.Health, d.Facts.Life, d.Facts.OrderBy = -1, -1, -1, "stated"
		d.Facts.Server = capture.ServerInfo{Engine: "sglang", CacheReport: Ptr(true), Metrics: Ptr(true)}
	}
	c8.Claims = []carryover.Claim{{Prompts: 16, Evidence: capture.Evidence{File: "coldcase.toml", Line: 12, Text: "the walkthrough, step 5"}}}
	c32.Claims = []carryover.Claim{{Prompts: 64, Evidence: capture.Evidence{File: "coldcase.toml", Line: 8, Text: "the walkthrough, step 5"}}}
	c32.AtStart = carryover.Interval{Low: 29, Grade: carryover.PerBatch}
	c32.Cached = c32.AtStart
	c32.Verdict = "contaminated"
	c32.Predicted = &carryover.Prediction{Low: 64, High: Ptr(int64(64)), From: []string{c8.ID}, Note: "presumed"}
	c32.Facts.SameSeedAs = []string{c8.ID}
	c32.Witnesses = []carryover.Witness{{Name: "prefill-lines", Low: 29, Grade: carryover.PerBatch, Evidence: []capture.Evidence{
		{File: "server-default.log", Line: 341, Text: "#new-seq: 14, #new-token: 14, #cached-token: 6879"},
		{File: "server-default.log", Line: 342, Text: "#new-seq: 15, #new-token: 15, #cached-token: 7634"}}}}
	w.Capture.Notes.Points = append(sweepPoints(), repeatPoints()...)
	return w
}

func sweepPoints() []capture.Points {
	row := func(line, limit int, median, low, high float64) capture.Points {
		return capture.Points{Label: "three seeds", Engine: "SGLang", Seeds: []int64{1, 2, 3}, Cap: &limit, MedianTTFT: &median, Low: &low, High: &high,
			At: capture.Evidence{File: "coldcase.toml", Line: line, Text: "[[points]]"}}
	}
	return []capture.Points{row(40, 8, 209.98, 185.25, 216.02), row(48, 32, 416.37, 338.06, 434.64)}
}

func repeatPoints() []capture.Points {
	var out []capture.Points
	line := 56
	for _, engine := range []struct {
		name   string
		values [4]float64
	}{{"SGLang", [4]float64{394, 82.5, 289, 77}}, {"vLLM", [4]float64{925, 148, 1163, 184}}} {
		for i, step := range []string{"fresh", "repeat, not flushed", "repeat after a flush", "repeat, not flushed"} {
			out = append(out, capture.Points{Label: "four in a row", Engine: engine.name, Model: "0.6B", Step: step, MedianTTFT: &engine.values[i],
				At: capture.Evidence{File: "coldcase.toml", Line: line, Text: "[[points]]"}})
			line += 6
		}
	}
	return out
}
