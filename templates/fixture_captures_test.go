package templates

import (
	"fmt"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/confirm"
	"coldcase/analysis/latency"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

func inversionFixture() *analysis.Notebook {
	nb := base("inversion")
	kitRun{cap: 1, prompts: 16, seed: 7, warm: 0, warmUp: 1, warmMS: 40, coldMS: 66, details: true, log: true, flush: "none"}.add(nb, "bench-c1.jsonl:1")
	kitRun{cap: 8, prompts: 64, seed: 7, warm: 16, warmMS: 90, coldMS: 520, from: "bench-c1.jsonl:1", details: true, log: true, flush: "none"}.add(nb, "bench-c8.jsonl:1")
	kitRun{cap: 32, prompts: 128, seed: 7, warm: 64, warmMS: 150, coldMS: 1600, from: "bench-c8.jsonl:1", details: true, log: true, flush: "none"}.add(nb, "bench-c32.jsonl:1")
	addLog(nb, "")
	nb.Timeline["bench-c8.jsonl:1"] = append([]analysis.TimelineBatch{{Line: 335, Kind: "warm-up", Seqs: 1, New: 1, Cached: 511}}, nb.Timeline["bench-c8.jsonl:1"]...)
	addCauses(nb, map[string]string{"warm-cache": causes.Supported, "clock-or-power": causes.NotTestable, "noise": causes.NotTestable})
	nb.LeadingCause = ptr("warm-cache")
	nb.Title = "64 of the 128 prompts at cap 32 were cached before the run began"
	nb.Verdict = analysis.Verdict{State: "do-not-publish", Text: "The faster first token at higher load was measured on warm prompts.", Scope: "this capture, three runs on one server"}
	nb.Inversion = &latency.Inversion{Statistic: "median_ttft_ms", Runs: []string{"bench-c8.jsonl:1", "bench-c32.jsonl:1"}, Caps: []int{8, 32}, Survives: "no", MadeBy: "bench-c32.jsonl:1", Text: "The median first token falls as the cap rises from 8 to 32."}
	nb.Check.Findings = []rules.Finding{
		finding("L01", "same-seed-one-server", rules.Block, "Three runs share seed 7 on one server and no flush lies between.", "Use a fresh seed for each run, or prove a flush before it."),
		finding("L35", "percentile-too-deep", rules.Warn, "P99 of 64 requests is not carried by its n.", "Leave it out, or send more requests."),
		finding("L50", "clock-not-seen", rules.Unknown, "No clock samples are in the capture.", "Record nvidia-smi beside the run."),
	}
	nb.Exercise = &analysis.Exercise{Run: "bench-c32.jsonl:1", Lines: []capture.Evidence{prefill("server.log", 380, 16, 16, 8176), prefill("server.log", 383, 16, 16, 8176), prefill("server.log", 395, 16, 8192, 0)},
		FullHits: exact(32, carryover.PerBatch), Why: "The first two lines computed one token a sequence: 16 and 16 hits. The third computed whole prompts."}
	nb.Unexplained = []analysis.Unexplained{{Text: "The warm prompts of the first wave at cap 8 were slower than cold ones after them.", Evidence: []capture.Evidence{line("bench-c8.jsonl", 1, `{"ttfts": [0.59, 0.6]}`)}}}
	return nb
}

func cleanFixture() *analysis.Notebook {
	nb := base("clean-sweep")
	for _, c := range []int{8, 32} {
		for seed := int64(1); seed <= 3; seed++ {
			kitRun{cap: c, prompts: 64, seed: seed, warm: 0, warmMS: 100, coldMS: float64(c)*40 + 180 + 12*float64(seed), details: true, log: true, flush: "proved"}.add(nb, fmt.Sprintf("cells/c%d-s%d.jsonl:1", c, seed))
		}
	}
	addLog(nb, "")
	addCauses(nb, map[string]string{"clock-or-power": causes.NotTestable})
	nb.Title = "Every run of the sweep started on an empty cache"
	nb.Verdict = analysis.Verdict{State: "publishable", Text: "All runs are clean, with three seeds a point; the first token slows as the cap grows.", Scope: "median TTFT at caps 8 and 32, this server and workload",
		Not: []string{"the clock of the device: no samples in the capture", "the correctness of the output"}}
	nb.Check.Summary.Block = 0
	nb.Exercise = &analysis.Exercise{Run: "cells/c8-s1.jsonl:1", Lines: []capture.Evidence{prefill("server.log", 300, 8, 4096, 0), prefill("server.log", 303, 8, 4096, 0)}, FullHits: exact(0, carryover.PerBatch), Why: "Every sequence computed its whole prompt."}
	nb.Protocol = nil
	return nb
}

func unknownFixture() *analysis.Notebook {
	nb := base("only-texts")
	for _, c := range []int{8, 32} {
		r := kitRun{cap: c, prompts: 64, seed: 7, warm: -1, warmMS: 100, coldMS: 700 / float64(c/8)}.add(nb, fmt.Sprintf("bench-c%d.txt:1", c))
		r.Seed = nil
	}
	nb.Arguments = nil
	addCauses(nb, map[string]string{"warm-cache": causes.NotTestable, "scheduler": causes.NotTestable, "clock-or-power": causes.NotTestable})
	nb.Title = "Nothing in this capture says what was cached"
	nb.Verdict = analysis.Verdict{State: "unknown", Text: "No log, no counters and no details: the runs can be neither cleared nor blamed."}
	return nb
}

func oneFixture() *analysis.Notebook {
	nb := base("one-run")
	kitRun{cap: 16, prompts: 64, seed: 42, warm: 0, warmUp: 1, warmMS: 60, coldMS: 400, details: true, log: true, flush: "none"}.add(nb, "result.jsonl:1")
	addLog(nb, "2 malformed prefill lines: 88, 301")
	addCauses(nb, nil)
	nb.Title = "The run started clean; one run is one sample"
	nb.Verdict = analysis.Verdict{State: "unknown", Text: "Clean at start, but a single run carries no range."}
	return nb
}

func noLogFixture() *analysis.Notebook {
	nb := base("no-log")
	kitRun{cap: 8, prompts: 64, seed: 7, warm: 0, warmMS: 90, coldMS: 300, details: true}.add(nb, "a.jsonl:1")
	kitRun{cap: 8, prompts: 64, seed: 7, warm: 64, warmMS: 80, coldMS: 300, from: "a.jsonl:1", details: true}.add(nb, "a.jsonl:2")
	addCauses(nb, map[string]string{"warm-cache": causes.Supported})
	nb.Title = "The second run sent the prompts of the first"
	nb.Verdict = analysis.Verdict{State: "do-not-publish", Text: "All 64 prompts of the second run were warm."}
	return nb
}

func logOnlyFixture() *analysis.Notebook {
	nb := base("log-only")
	for i, span := range []string{"server.log:12-80", "server.log:91-140"} {
		r := &carryover.Run{ID: span, Kind: "window", Engine: ptr("sglang"), Source: []capture.Span{{File: "server.log", Line: 12 + 79*i, To: 80 + 60*i}},
			Sequences: exact(65, carryover.PerBatch), PrefixCache: "on", Flush: "unknown",
			AtStart: carryover.Interval{Low: 0, High: ptr(int64(16 * i)), Grade: carryover.PerBatch}, Cached: exact(int64(16*i), carryover.PerBatch), PartlyCached: exact(0, carryover.PerBatch), CachedTokens: exact(8176*int64(i), carryover.PerBatch), Verdict: "unknown"}
		r.Origins.Unknown = carryover.Bounds{Low: int64(16 * i), High: ptr(int64(16 * i))}
		e := prefill("server.log", 12+79*i, 16, 16+8176*(1-i), 8176*i)
		r.Witnesses = []carryover.Witness{{Name: "prefill-lines", Low: 0, High: ptr(int64(16 * i)), Grade: carryover.PerBatch, Note: "hits in a window may be its own", Evidence: []capture.Evidence{e}}}
		nb.Timeline[span] = []analysis.TimelineBatch{{Line: 12 + 79*i, Kind: "batch", Seqs: 16, New: 16 + 8176*(1-i), Cached: 8176 * i, Evidence: e}, {Line: 90, Kind: "flush"}}
		nb.Count.Runs = append(nb.Count.Runs, r)
	}
	addLog(nb, "")
	nb.Title = "A log without its client"
	nb.Verdict = analysis.Verdict{State: "unknown", Text: "Hits are in the log; whose prompts they were cannot be told."}
	nb.Exercise = &analysis.Exercise{Run: "server.log:91-140", Lines: []capture.Evidence{prefill("server.log", 91, 16, 16, 8176)}, FullHits: exact(16, carryover.PerBatch), Why: "One token computed for each of 16 sequences."}
	return nb
}

func vllmFixture() *analysis.Notebook {
	nb := base("vllm-kit")
	for i, c := range []int{8, 32} {
		r := kitRun{cap: c, prompts: 100, seed: 0, warm: -1, warmMS: 100, coldMS: 900 / float64(i+1), flush: "refused"}.add(nb, fmt.Sprintf("openai-c%d.json:1", c))
		r.Engine, r.EngineVersion, r.Client = ptr("vllm"), ptr("0.32.0"), ptr("vllm bench serve")
		if i == 1 {
			r.AtStart = carryover.Interval{Low: 97, High: ptr(int64(100)), Grade: carryover.Bounded}
			r.Verdict, r.Origins.EarlierRun = "contaminated", carryover.Bounds{Low: 97, High: ptr(int64(100))}
			r.Witnesses = append(r.Witnesses, carryover.Witness{Name: "counters", Low: 97, High: ptr(int64(100)), Grade: carryover.Bounded, Note: "difference of the counters before and after",
				Evidence: []capture.Evidence{line("after.prom", 41, `vllm:prefix_cache_hits_total{engine="0"} 51088.0`)}})
		}
	}
	nb.Count.Files = append(nb.Count.Files, &capture.File{Path: "vllm.log", Kind: capture.VLLMServerLog, Read: capture.ReadAll, Lines: 77, Size: 9001, SHA256: "d0"})
	addCauses(nb, map[string]string{"warm-cache": causes.Supported, "noise": causes.NotTestable})
	nb.LeadingCause = ptr("warm-cache")
	nb.Title = "97 to 100 of the 100 prompts at cap 32 were cached"
	nb.Verdict = analysis.Verdict{State: "do-not-publish", Text: "The second run repeats the prompts of the first and the reset was refused."}
	return nb
}

func fourFixture() *analysis.Notebook {
	nb := base("four-times")
	for i, warm := range []int64{0, 48, 0, 48} {
		k := kitRun{cap: 8, prompts: 48, seed: 3, warm: warm, warmMS: 85, coldMS: 420, details: true, log: true, flush: []string{"none", "none", "proved", "none"}[i]}
		if warm > 0 {
			k.from = fmt.Sprintf("four.jsonl:%d", i)
		}
		k.add(nb, fmt.Sprintf("four.jsonl:%d", i+1))
	}
	addLog(nb, "")
	addCauses(nb, map[string]string{"warm-cache": causes.Supported})
	nb.LeadingCause = ptr("warm-cache")
	nb.Title = "A repeat is fast until the cache is flushed"
	nb.Verdict = analysis.Verdict{State: "do-not-publish", Text: "Two of the four runs found every prompt warm."}
	return nb
}

func confirmedFixture() *analysis.Notebook {
	nb := inversionFixture()
	nb.Confirmation = &confirm.Confirmation{Plan: map[string]any{"schema": "coldcase.plan/1"}, Expectation: "With fresh seeds and a proved flush the median rises from cap 8 to cap 32.", RefutedIf: "the median still falls", Outcome: "confirmed", Inversion: "no",
		Ranges: []confirm.Range{
			{Cap: 8, Arm: "kit", Stat: "median_ttft_ms", N: 1, Requests: 64, Low: 370.9, Median: 370.9, High: 370.9, Values: []float64{370.9}},
			{Cap: 8, Arm: "fresh", Stat: "median_ttft_ms", N: 3, Requests: 192, Low: 420.1, Median: 421.5, High: 424, Values: []float64{420.1, 421.5, 424}},
			{Cap: 32, Arm: "kit", Stat: "median_ttft_ms", N: 1, Requests: 128, Low: 180.5, Median: 180.5, High: 180.5, Values: []float64{180.5}},
			{Cap: 32, Arm: "fresh", Stat: "median_ttft_ms", N: 3, Requests: 384, Low: 1164, Median: 1203, High: 1351, Values: []float64{1164, 1203, 1351}}},
		Repeat: []confirm.Range{{Cap: 32, Arm: "repeat", Stat: "median_ttft_ms", N: 1, Requests: 128, Low: 171, Median: 171, High: 171, Values: []float64{171}}},
		Text:   []string{"The repeat without a flush brought the low figure back."}, Evidence: []capture.Evidence{line("sweep/cells/003/flush.json", 1, `{"asked": true, "answered": 200, "proved": true}`)}}
	return nb
}

func incidentFixture() *analysis.Notebook {
	nb := base("incident")
	two := []capture.Evidence{
		line("server-default.log", 341, "[2026-10-17 14:23:00] Prefill batch, #new-seq: 14, #new-token: 14, #cached-token: 6879, token usage: 0.07, #running-req: 1, #queue-req: 0, #pending-token: 0, cuda graph: True, input throughput (token/s): 108.68"),
		line("server-default.log", 342, "[2026-10-17 14:23:00] Prefill batch, #new-seq: 15, #new-token: 15, #cached-token: 7634, token usage: 0.07, #running-req: 15, #queue-req: 0, #pending-token: 0, cuda graph: True, input throughput (token/s): 113.27")}
	c8 := &carryover.Run{ID: "bench-random-c8.txt:34", Kind: "run", Engine: ptr("sglang"), EngineVersion: ptr("0.5.22"), Client: ptr("sglang.bench_serving"), Source: []capture.Span{{File: "bench-random-c8.txt", Line: 34, To: 39}},
		MaxConcurrency: 8, Prompts: ptr(64), Sequences: nothing(), PrefixCache: "on", Flush: "unknown", AtStart: nothing(), Cached: nothing(), PartlyCached: nothing(), CachedTokens: nothing(), Verdict: "unknown",
		Claims: []carryover.Claim{{Prompts: 16, Evidence: line("coldcase.toml", 14, "cached_at_start = 16")}}}
	c32 := &carryover.Run{ID: "bench-random-c32.txt:1", Kind: "run", Engine: ptr("sglang"), EngineVersion: ptr("0.5.22"), Client: ptr("sglang.bench_serving"), Source: []capture.Span{{File: "bench-random-c32.txt", Line: 1, To: 39}},
		Dataset: ptr("random"), Seed: ptr(int64(7)), MaxConcurrency: 32, Prompts: ptr(128), Sequences: carryover.Interval{Low: 29, Grade: carryover.PerBatch}, PrefixCache: "on", Flush: "unknown",
		AtStart: carryover.Interval{Low: 29, Grade: carryover.PerBatch}, Cached: carryover.Interval{Low: 29, Grade: carryover.PerBatch}, PartlyCached: nothing(), CachedTokens: carryover.Interval{Low: 14513, Grade: carryover.PerBatch},
		Origins:   carryover.Origins{EarlierRun: carryover.Bounds{}, Unknown: carryover.Bounds{Low: 29}},
		Predicted: &carryover.Prediction{Low: 64, High: ptr(int64(64)), From: []string{"bench-random-c8.txt:34"}, Note: "presumed: the run at cap 8 had the arguments of its twin"},
		Claims:    []carryover.Claim{{Prompts: 64, Evidence: line("coldcase.toml", 18, "cached_at_start = 64")}},
		Witnesses: []carryover.Witness{
			{Name: "prefill-lines", Low: 29, Grade: carryover.PerBatch, Note: "28 of them need no argument by order", Evidence: two},
			{Name: "client-arguments", Low: 64, High: ptr(int64(64)), Grade: carryover.Predicted, Note: "presumed", Evidence: []capture.Evidence{line("bench-random-c32.txt", 1, "benchmark_args=Namespace(backend='sglang', dataset_name='random', seed=7)")}}},
		Verdict: "contaminated", Why: []string{"29 sequences needed one new token each"}}
	nb.Count.Runs = []*carryover.Run{c8, c32}
	nb.Latency = []*latency.Run{
		{Run: c8.ID, Cap: ptr(8), N: 64, Printed: printed(681.92, 677.61, 1189.25, 1194.16, 1194.93), Allowed: []string{"p90", "p95"},
			SitsIn: []latency.SitsIn{{Figure: "median_ttft_ms", Value: 677.61, Group: "cold", By: "summary"}, {Figure: "p90_ttft_ms", Value: 1189.25, Group: "first wave", By: "summary"}},
			Apart: &latency.Apart{Groups: []latency.Group{{Name: "fast", N: 8, Low: 100, High: 100, Median: 100, Hits: -1, By: "summary"}, {Name: "cold", N: 48, Low: 694, High: 694, Median: 694, Hits: -1, By: "summary"}, {Name: "first wave", N: 8, Low: 1189.25, High: 1194.93, Median: 1190, Hits: -1, By: "summary"}},
				MeanBack: 681.92, Text: []string{"8 requests at about 1,190 ms, 8 fast, 48 at 694 ms give the printed mean.", "The median sits in the cold group: the cache did not make it."}},
			Plateaus: []latency.Plateau{{From: "p90", To: "p99", Value: 1190, Requests: 7}}, PrefillRate: &latency.Rate{TokensPerS: 5900, By: "a wave of 8 × 512 tokens"}},
		{Run: c32.ID, Cap: ptr(32), N: 128, Printed: printed(1166.51, 390.38, 2887.53, 2889.80, 2910.22), Allowed: []string{"p90", "p95"},
			SitsIn: []latency.SitsIn{{Figure: "median_ttft_ms", Value: 390.38, Group: "edge", By: "summary"}, {Figure: "p90_ttft_ms", Value: 2887.53, Group: "cold", By: "summary"}},
			Apart: &latency.Apart{Groups: []latency.Group{{Name: "warm", N: 64, Low: 100, High: 390.38, Median: 200, Hits: -1, By: "summary"}, {Name: "cold", N: 64, Low: 1400, High: 2910.22, Median: 2100, Hits: -1, By: "summary"}},
				MeanBack: 1166.51, Text: []string{"The median falls on the edge between the groups: one request more or less moves it by a second."}},
			PrefillRate: &latency.Rate{TokensPerS: 5670, By: "a wave of 32 × 512 tokens"},
			Predicted:   &latency.CleanGuess{Median: 1800, Mean: 1700, P90: 2858, Note: "A closed loop, prefill first, chunks of 8,192 tokens."}},
	}
	nb.Arguments = []analysis.Arguments{
		{Run: c8.ID, At: line("bench-random-c32.txt", 1, "…"), Presumed: true, Note: "the names of the two files follow one pattern, and this one lacks its own", Values: []analysis.Argument{{Name: "dataset_name", Value: "'random'"}, {Name: "seed", Value: "7"}, {Name: "flush_cache", Value: "False"}}},
		{Run: c32.ID, At: line("bench-random-c32.txt", 1, "…"), Values: []analysis.Argument{{Name: "dataset_name", Value: "'random'"}, {Name: "num_prompts", Value: "128"}, {Name: "max_concurrency", Value: "32"}, {Name: "seed", Value: "7"}, {Name: "flush_cache", Value: "False"}}}}
	nb.Count.Files = []*capture.File{
		{Path: "bench-random-c32.txt", Kind: capture.SGLangBenchText, Read: capture.ReadAll, Lines: 39, Size: 4100, SHA256: "e1"},
		{Path: "bench-random-c8.txt", Kind: capture.SGLangBenchText, Read: capture.ReadAll, Lines: 6, Size: 260, SHA256: "e2"},
		{Path: "coldcase.toml", Kind: capture.ColdcaseNotes, Read: capture.ReadAll, Lines: 60, Size: 1800, SHA256: "e3"},
		{Path: "server-default.log", Kind: capture.SGLangServerLog, Read: capture.ReadAll, Lines: 2, Size: 470, SHA256: "e4"}}
	nb.Timeline[c32.ID] = []analysis.TimelineBatch{{Line: 341, Kind: "batch", Seqs: 14, New: 14, Cached: 6879, Evidence: two[0]}, {Line: 342, Kind: "batch", Seqs: 15, New: 15, Cached: 7634, Evidence: two[1]}}
	nb.Title = "At least 29 of the 128 prompts at cap 32 were cached before the run began; the arguments predict 64"
	nb.Verdict = analysis.Verdict{State: "do-not-publish", Text: "The faster first token at higher load (677.61 ms at cap 8, 390.38 ms at cap 32) was measured on warm prompts.", Scope: "this capture: two summaries, one line of arguments and two lines of a log"}
	nb.Inversion = &latency.Inversion{Statistic: "median_ttft_ms", Runs: []string{c8.ID, c32.ID}, Caps: []int{8, 32}, Values: []float64{677.61, 390.38}, Survives: "unknown", MadeBy: c32.ID, Text: "The median first token falls from 677.61 ms at cap 8 to 390.38 ms at cap 32."}
	stated := func(c int, m, lo, hi float64) confirm.Stated {
		return confirm.Stated{Label: "three seeds", Cap: ptr(c), Seeds: []int64{1, 2, 3}, MedianTTFT: &m, Low: &lo, High: &hi, Evidence: line("coldcase.toml", 30+c, fmt.Sprintf("median_ttft_ms = %v", m))}
	}
	nb.Confirmation = &confirm.Confirmation{Outcome: "not-comparable", Inversion: "no", Stated: []confirm.Stated{stated(8, 209.98, 185.25, 216.02), stated(32, 416.37, 338.06, 434.64)},
		Ranges: []confirm.Range{{Cap: 8, Arm: "stated", Stat: "median_ttft_ms", N: 3, Low: 185.25, Median: 209.98, High: 216.02}, {Cap: 32, Arm: "stated", Stat: "median_ttft_ms", N: 3, Low: 338.06, Median: 416.37, High: 434.64}},
		Text:   []string{"At 5,800 new tokens/s no queue serves eight fresh prompts of 512 tokens in 210 ms: the sweep cannot have sent the kit's workload."}}
	addCauses(nb, map[string]string{"warm-cache": causes.Supported, "first-run": causes.NotTestable, "opening-wave": causes.NotTestable, "clock-or-power": causes.NotTestable, "noise": causes.NotTestable})
	nb.LeadingCause = ptr("warm-cache")
	nb.Exercise = &analysis.Exercise{Run: c32.ID, Lines: two, FullHits: carryover.Interval{Low: 29, High: ptr(int64(29)), Grade: carryover.PerBatch}, Why: "14 sequences with 14 new tokens, and 15 with 15: each needed one, the last token, which is always computed again."}
	nb.Unexplained = []analysis.Unexplained{{Text: "The sweep with fresh seeds did not send the kit's workload: two waves of the kit agree on about 5,800 new tokens/s, and at that rate its milliseconds are out of reach.", Evidence: []capture.Evidence{line("coldcase.toml", 38, "median_ttft_ms = 209.98")}}}
	nb.Check.Findings = []rules.Finding{
		finding("L01", "same-seed-one-server", rules.Block, "Both runs used seed 7 on one server, presuming that cap 8 had the arguments of its twin.", "Use a fresh seed for each run and prove a flush.", line("bench-random-c32.txt", 1, "benchmark_args=Namespace(… seed=7 …)")),
		finding("L62", "confirmation-moves-the-wrong-way", rules.Warn, "The stated sweep reads less than the kit where it should read more.", "Compare prompt lengths and the range ratio first."),
		finding("L50", "clock-not-seen", rules.Unknown, "No clock samples.", "Record the clock beside each run.")}
	return nb
}

func printed(mean, median, p90, p95, p99 float64) []latency.Figure {
	return []latency.Figure{{Name: "mean_ttft_ms", Value: mean}, {Name: "median_ttft_ms", Value: median}, {Name: "p90_ttft_ms", Value: p90}, {Name: "p95_ttft_ms", Value: p95}, {Name: "p99_ttft_ms", Value: p99}}
}

func emptyFixture() *analysis.Notebook {
	nb := base("pictures")
	nb.Count.Files = []*capture.File{{Path: "cat.png", Kind: capture.UnknownKind, Read: capture.ReadNone, Why: "not text", Size: 99, SHA256: "ff"}}
	nb.Title = "No file of this capture could be read"
	return nb
}
