package templates

import (
	"fmt"
	"math"
	"sort"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

// The fixtures are notebooks made by hand: small stand-ins for every kind of
// capture that the texts must read well for.
var fixtures = parted(map[string]func() *analysis.Notebook{
	"inversion": inversionFixture, "clean": cleanFixture, "unknown": unknownFixture, "one": oneFixture,
	"nolog": noLogFixture, "logonly": logOnlyFixture, "vllm": vllmFixture, "four": fourFixture,
	"confirmed": confirmedFixture, "incident": incidentFixture, "empty": emptyFixture,
})

// parted gives each notebook the segments of its runs.
func parted(all map[string]func() *analysis.Notebook) map[string]func() *analysis.Notebook {
	for name, make := range all {
		all[name] = func() *analysis.Notebook {
			nb := make()
			nb.Segments = analysis.PartPrompts(nb.Count)
			return nb
		}
	}
	return all
}

func fixtureNames() []string {
	var names []string
	for n := range fixtures {
		names = append(names, n)
	}
	sort.Strings(names)
	return names
}

func ptr[T any](v T) *T { return &v }

func exact(n int64, g carryover.Grade) carryover.Interval {
	return carryover.Interval{Low: n, High: ptr(n), Grade: g}
}

func nothing() carryover.Interval { return carryover.Interval{Grade: carryover.None} }

func line(file string, n int, text string) capture.Evidence {
	return capture.Evidence{File: file, Line: n, Text: text}
}

func prefill(file string, n, seqs, fresh, cached int) capture.Evidence {
	return line(file, n, fmt.Sprintf("[2026-10-17 14:23:00] Prefill batch, #new-seq: %d, #new-token: %d, #cached-token: %d, token usage: 0.07, #running-req: %d, #queue-req: 0, #pending-token: 0, cuda graph: True, input throughput (token/s): 108.68", seqs, fresh, cached, seqs/2))
}

// base is a notebook with everything but its runs.
func base(name string) *analysis.Notebook {
	hash := "5f1c0e6a3b0d4c7e9f2a1b8c7d6e5f4a3b2c1d0e9f8a7b6c5d4e3f2a1b0ca902"
	return &analysis.Notebook{
		Schema: "coldcase.notebook/1",
		MadeBy: analysis.MadeBy{Name: "coldcase", Version: "0.1.0", Options: map[string]string{}},
		Title:  "A notebook", Verdict: analysis.Verdict{State: "unknown", Text: "Nothing decides it."},
		Count: &carryover.Document{Schema: "coldcase.count/1", Captures: []capture.Source{{Name: name, SHA256: &hash}}},
		Check: &rules.Document{Schema: "coldcase.check/1", Summary: rules.Summary{Block: 1, Warn: 3, Info: 2, Unknown: 4, Pass: 20, NotApplicable: 32}},
		Protocol: []analysis.Step{{Text: "Run the same caps with a fresh seed for each run and a proved flush before each.",
			Command: "coldcase sweep run --from " + name + " --server http://127.0.0.1:30000 \\\n    --caps 8,32 --seeds 1,2,3 --repeat-arm --out confirm --yes\ncoldcase report " + name + " confirm -o report.html"}},
		Timeline: map[string][]analysis.TimelineBatch{}, Lines: map[string][]capture.Evidence{},
	}
}

// kitRun adds a run with its latencies and its prefill lines; warm is the
// number of prompts cached at start, -1 if nothing is known.
type kitRun struct {
	cap, prompts int
	seed         int64
	warm         int64
	warmUp       int64
	warmMS       float64
	coldMS       float64
	from         string
	details, log bool
	flush        string
}

func (k kitRun) add(nb *analysis.Notebook, id string) *carryover.Run {
	r := &carryover.Run{
		ID: id, Kind: "run", Engine: ptr("sglang"), EngineVersion: ptr("0.5.22"), Client: ptr("sglang.bench_serving"),
		Source: []capture.Span{{File: id, Line: 1}}, Dataset: ptr("random"), Seed: ptr(k.seed),
		MaxConcurrency: k.cap, RequestRate: "inf", Prompts: ptr(k.prompts), Completed: ptr(k.prompts),
		Sequences: nothing(), PrefixCache: "on", Flush: k.flush, AtStart: nothing(), Cached: nothing(),
		PartlyCached: nothing(), CachedTokens: nothing(), Verdict: "unknown",
	}
	if k.flush == "" {
		r.Flush = "unknown"
	}
	g := carryover.None
	if k.log {
		g = carryover.PerBatch
	}
	if k.details {
		g = carryover.PerPrompt
	}
	if k.warm >= 0 && g != carryover.None {
		r.AtStart, r.Cached, r.PartlyCached = exact(k.warm, g), exact(k.warm, g), exact(0, g)
		r.CachedTokens = exact(k.warm*511+k.warmUp*511, g)
		r.Sequences = exact(int64(k.prompts)+1, carryover.PerBatch)
		r.Origins.EarlierRun = carryover.Bounds{Low: k.warm, High: ptr(k.warm)}
		r.Origins.WarmUp = carryover.Bounds{Low: k.warmUp, High: ptr(k.warmUp)}
		zero := carryover.Bounds{High: ptr(int64(0))}
		r.Origins.InRun, r.Origins.OtherClient, r.Origins.Unknown = zero, zero, zero
		r.Verdict = "clean"
		if k.warm > 0 {
			r.Verdict = "contaminated"
			r.Why = []string{"same seed as " + k.from + ", same server, no flush between"}
		}
	}
	if k.details {
		r.Witnesses = append(r.Witnesses, carryover.Witness{Name: "client-details", Low: k.warm, High: ptr(k.warm), Grade: carryover.PerPrompt,
			Note: "cached tokens of each prompt as the server reported them", Evidence: []capture.Evidence{line(id, 1, `{"cached_tokens": [511, 511, 511, 0, 0], "max_concurrency": 32, "seed": 7}`)}})
	}
	first := 300 + 40*len(nb.Count.Runs)
	if k.log {
		var lines []capture.Evidence
		for i := range 8 {
			n := k.prompts / 8
			hit := min(int(k.warm)-i*n, n)
			hit = max(hit, 0)
			e := prefill("server.log", first+3*i, n, hit+(n-hit)*512, hit*511)
			lines = append(lines, e)
			nb.Timeline[id] = append(nb.Timeline[id], analysis.TimelineBatch{Line: first + 3*i, Kind: "batch", Seqs: n, New: hit + (n-hit)*512, Cached: hit * 511, Evidence: e})
		}
		nb.Lines[id] = lines
		r.Source = append(r.Source, capture.Span{File: "server.log", Line: first, To: first + 30})
		r.Witnesses = append(r.Witnesses, carryover.Witness{Name: "prefill-lines", Low: k.warm, High: ptr(k.warm), Grade: carryover.PerBatch, Evidence: lines})
	}
	if k.from != "" {
		r.Predicted = &carryover.Prediction{Low: k.warm, High: ptr(k.warm), Tokens: carryover.Bounds{Low: k.warm * 511, High: ptr(k.warm * 511)}, From: []string{k.from}}
		r.Witnesses = append(r.Witnesses, carryover.Witness{Name: "client-arguments", Low: k.warm, High: ptr(k.warm), Grade: carryover.Predicted,
			Evidence: []capture.Evidence{line(id+".txt", 1, "benchmark_args=Namespace(dataset_name='random', seed=7)")}})
	}
	nb.Arguments = append(nb.Arguments, analysis.Arguments{Run: id, At: line(id+".txt", 1, "benchmark_args=Namespace(…)"),
		Values: []analysis.Argument{{Name: "dataset_name", Value: "'random'"}, {Name: "num_prompts", Value: fmt.Sprint(k.prompts)}, {Name: "max_concurrency", Value: fmt.Sprint(k.cap)}, {Name: "seed", Value: fmt.Sprint(k.seed)}, {Name: "flush_cache", Value: "False"}}})
	nb.Count.Runs = append(nb.Count.Runs, r)
	nb.Count.Files = append(nb.Count.Files,
		&capture.File{Path: id, Kind: capture.SGLangJSONL, Read: capture.ReadAll, Lines: 1, Size: 4211, SHA256: "a3c1f0aa"},
		&capture.File{Path: id + ".txt", Kind: capture.SGLangBenchText, Read: capture.ReadAll, Lines: 57, Size: 3110, SHA256: "b4c1f0aa"})
	nb.Latency = append(nb.Latency, k.latency(id))
	return r
}

// latency makes first-token times: the warm prompts fast, the cold ones rising
// inside each wave.
func (k kitRun) latency(id string) *latency.Run {
	l := &latency.Run{Run: id, Cap: ptr(k.cap), N: k.prompts, Allowed: []string{"p90"}}
	warm := max(k.warm, 0)
	for i := range k.prompts {
		v, hit := k.coldMS*(0.35+0.65*float64(i%k.cap+1)/float64(k.cap)), uint8(1)
		if int64(i) < warm {
			v, hit = k.warmMS*(0.7+0.6*float64(i%7)/7), 4
		}
		l.TTFT, l.Hits = append(l.TTFT, v), append(l.Hits, hit)
	}
	sorted := append([]float64(nil), l.TTFT...)
	sort.Float64s(sorted)
	mean := 0.0
	for _, v := range sorted {
		mean += v / float64(len(sorted))
	}
	at := func(q float64) float64 { return math.Round(100*sorted[int(q*float64(len(sorted)-1))]) / 100 }
	for _, f := range []latency.Figure{{Name: "median_ttft_ms", Value: at(0.5)}, {Name: "mean_ttft_ms", Value: math.Round(mean*100) / 100}, {Name: "p90_ttft_ms", Value: at(0.9)}, {Name: "p99_ttft_ms", Value: at(0.99)}} {
		l.Printed = append(l.Printed, f)
		group := "slow"
		if f.Value < k.coldMS*0.34 {
			group = "fast"
		}
		l.SitsIn = append(l.SitsIn, latency.SitsIn{Figure: f.Name, Value: f.Value, Group: group, By: "per-request"})
	}
	if warm > 0 && k.details {
		l.Groups = []latency.Group{
			{Name: "fast", N: int(warm), Share: float64(warm) / float64(k.prompts), Low: k.warmMS * 0.7, High: k.warmMS * 1.3, Median: k.warmMS, Hits: int(warm), By: "per-request"},
			{Name: "slow", N: k.prompts - int(warm), Share: 1 - float64(warm)/float64(k.prompts), Low: k.coldMS * 0.37, High: k.coldMS, Median: k.coldMS * 0.68, Hits: 0, By: "per-request"}}
		l.Waves = []latency.Wave{{Index: 1, First: 0, N: k.cap, Median: k.warmMS, Hits: k.cap}, {Index: 2, First: k.cap, N: k.cap, Median: k.coldMS * 0.68, Hits: 0}}
		l.PrefillRate = &latency.Rate{TokensPerS: 5800, By: "cold waves"}
	}
	if !k.details {
		l.TTFT, l.Hits = nil, nil
	}
	return l
}

func addLog(nb *analysis.Notebook, why string) {
	read := capture.ReadAll
	if why != "" {
		read = capture.ReadPart
	}
	nb.Count.Files = append(nb.Count.Files, &capture.File{Path: "server.log", Kind: capture.SGLangServerLog, Read: read, Why: why, Lines: 512, Size: 88120, SHA256: "c9d2"})
}

func addCauses(nb *analysis.Notebook, states map[string]string) {
	for _, name := range []string{"scheduler", "warm-cache", "warm-up-prompt", "in-run-sharing", "opening-wave", "first-run", "thinned-mean", "clock-or-power", "pool-pressure", "other-traffic", "different-workload", "output-length", "client-limit", "noise"} {
		state := states[name]
		if state == "" {
			state = causes.Against
		}
		c := &causes.Cause{Name: name, State: state, Predicts: []string{"what this explanation would show"}, Refutes: []string{"what would speak against it"},
			Seen: []string{"what the capture shows of it"}, SettledBy: "a run with fresh seeds"}
		if state == causes.NotTestable {
			c.Seen = []string{"the capture holds no samples of it"}
		}
		for _, r := range nb.Count.Runs {
			s := state
			if state == causes.Supported && r.Verdict != "contaminated" {
				s = causes.Against
			}
			c.Runs = append(c.Runs, causes.RunState{Run: r.ID, State: s, Why: "as the lines say"})
		}
		nb.Causes = append(nb.Causes, c)
	}
}

func finding(rule, name, state, text, advice string, evidence ...capture.Evidence) rules.Finding {
	return rules.Finding{Rule: rule, Name: name, State: state, Scope: "capture", Text: text, Evidence: evidence, Advice: advice}
}
