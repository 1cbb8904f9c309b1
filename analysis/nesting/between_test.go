package nesting_test

import (
	"testing"

	"coldcase/analysis/nesting"
	"coldcase/ingest/capture"
)

func num[T any](v T) *T { return &v }

// set is a run of a client: 64 prompts of 512 tokens with seed 7, changed by
// the options.
func set(client, dataset string, opts ...func(*capture.Workload)) *capture.Result {
	w := capture.Workload{Dataset: dataset, DatasetPath: "conversations.json", Tokenizer: "m", Seed: num(int64(7)), Prompts: num(64), InputLen: num(512)}
	for _, o := range opts {
		o(&w)
	}
	return &capture.Result{Client: client, Workload: w}
}

func prompts(n int) func(*capture.Workload) { return func(w *capture.Workload) { w.Prompts = &n } }
func seed(n int64) func(*capture.Workload)  { return func(w *capture.Workload) { w.Seed = &n } }
func noSeed(w *capture.Workload)            { w.Seed = nil }
func length(n int) func(*capture.Workload)  { return func(w *capture.Workload) { w.InputLen = &n } }
func ratio(x float64) func(*capture.Workload) {
	return func(w *capture.Workload) { w.RangeRatio = &x }
}
func offset(n int) func(*capture.Workload)  { return func(w *capture.Workload) { w.Offset = &n } }
func prefix(n int) func(*capture.Workload)  { return func(w *capture.Workload) { w.PrefixLen = &n } }
func output(n int) func(*capture.Workload)  { return func(w *capture.Workload) { w.OutputLen = &n } }
func file(p string) func(*capture.Workload) { return func(w *capture.Workload) { w.DatasetPath = p } }
func groups(n, each int) func(*capture.Workload) {
	return func(w *capture.Workload) {
		w.Groups, w.PerGroup, w.SystemLen, w.QuestionLen = &n, &each, num(256), num(64)
	}
}

const (
	python     = "sglang.bench_serving"
	rust       = "sglang.rust"
	vllm       = "vllm bench serve"
	vllmRust   = "vllm-bench"
	guidellm   = "guidellm"
	aiperf     = "aiperf"
	evalscope  = "evalscope"
	inferPerf  = "inference-perf"
	unknownTag = "benchmark-of-my-own"
)

// relation is what two prompt sets have to each other.
type relation string

const (
	nest    relation = "nest"    // the first min(n1, n2) prompts are equal
	subset  relation = "subset"  // all of the smaller set are in the larger, in any place
	starts  relation = "starts"  // common starts, no equal prompts
	none    relation = "none"    // nothing, or chance
	unknown relation = "unknown" // the rules do not tell
)

func relationOf(o nesting.Overlap, smaller int) relation {
	switch {
	case !o.Known:
		return unknown
	case o.Equal == smaller && o.Leading:
		return nest
	case o.Equal == smaller:
		return subset
	case o.Equal == 0 && o.Shared > 0:
		return starts
	case o.Equal == 0:
		return none
	}
	return "some"
}

// Each case is a pair of runs as their clients' own dataset code was seen to
// draw them.
func TestBetween(t *testing.T) {
	type opts = []func(*capture.Workload)
	larger, longer, other := prompts(128), length(1024), seed(8)
	for _, c := range []struct {
		client, dataset string
		common          opts // of both runs
		second          opts // of the second alone
		want            relation
	}{
		// SGLang's Python client.
		{python, "random", opts{ratio(1)}, opts{larger}, nest},
		{python, "random", opts{ratio(1)}, opts{output(128)}, nest},
		{python, "random", opts{ratio(1)}, opts{longer}, starts},
		{python, "random", opts{ratio(1)}, opts{other}, none},
		{python, "random", opts{ratio(1)}, opts{file("others.json")}, none},
		{python, "random", opts{ratio(0.5)}, opts{larger}, nest},
		{python, "random", opts{ratio(0.5)}, opts{longer}, starts},
		{python, "random", opts{ratio(0)}, opts{larger}, nest},
		{python, "random", opts{ratio(0)}, opts{longer}, starts},
		{python, "random", nil, opts{larger}, nest},
		{python, "random", opts{ratio(1)}, opts{ratio(0.5)}, starts},
		{python, "random-ids", opts{ratio(1)}, opts{larger}, nest},
		{python, "random-ids", opts{ratio(1)}, opts{longer}, starts},
		{python, "random-ids", opts{ratio(1)}, opts{other}, none},
		{python, "random-ids", opts{ratio(0.5)}, opts{larger}, none},
		{python, "random-ids", opts{ratio(0.5)}, opts{longer}, none},
		{python, "random-ids", opts{ratio(0.5)}, nil, nest},
		{python, "random-ids", nil, opts{larger}, none}, // the default ratio is 0
		{python, "sharegpt", nil, opts{larger}, nest},
		{python, "sharegpt", nil, opts{longer}, nest},
		{python, "sharegpt", nil, opts{other}, none},
		{python, "custom", nil, opts{larger}, nest},
		{python, "custom", nil, opts{longer}, nest},
		{python, "custom", nil, opts{other}, none},
		{python, "longbench_v2", nil, opts{larger}, nest},
		{python, "longbench_v2", nil, opts{other}, none},
		{python, "generated-shared-prefix", opts{groups(4, 16)}, nil, subset},
		{python, "generated-shared-prefix", opts{groups(4, 16)}, opts{output(128)}, subset},
		{python, "generated-shared-prefix", opts{groups(4, 16)}, opts{groups(4, 32), larger}, starts},
		{python, "generated-shared-prefix", opts{groups(4, 16)}, opts{groups(8, 16), larger}, starts},
		{python, "generated-shared-prefix", opts{groups(4, 16)}, opts{other}, none},
		{python, "agentic-trace", nil, opts{larger}, nest},
		{python, "agentic-trace", nil, opts{other}, nest},
		{python, "agentic-trace", opts{offset(0)}, opts{offset(64)}, none},
		{python, "agentic-trace", opts{offset(64)}, opts{offset(0)}, none},
		{python, "agentic-trace", opts{offset(64)}, opts{larger}, nest},
		{python, "agentic-trace", opts{offset(0)}, opts{offset(32)}, unknown},
		{python, "openai", nil, opts{other}, nest},
		{python, "openai", nil, opts{noSeed}, nest},
		{python, "mooncake", nil, opts{other, larger}, nest},
		{python, "speed-bench", nil, opts{larger}, unknown},
		{python, "image", nil, opts{larger}, unknown},
		{python, "mmmu", nil, opts{larger}, unknown},
		// SGLang's Rust client.
		{rust, "random", opts{ratio(1)}, opts{larger}, none},
		{rust, "random", opts{ratio(1)}, nil, subset},
		{rust, "random", opts{ratio(1)}, opts{longer}, starts},
		{rust, "random", opts{ratio(1)}, opts{other}, none},
		{rust, "random", opts{ratio(0.5)}, opts{larger}, none},
		{rust, "random", opts{ratio(0.5)}, nil, subset},
		{rust, "random", opts{ratio(0.5)}, opts{longer}, none},
		{rust, "random-ids", opts{ratio(1)}, opts{larger}, none},
		{rust, "random-ids", opts{ratio(1)}, opts{longer}, starts},
		{rust, "random-ids", opts{ratio(1)}, nil, subset},
		{rust, "random-ids", opts{ratio(0.5)}, opts{longer}, none},
		{rust, "random-ids", opts{ratio(0.5)}, nil, subset},
		{rust, "sharegpt", nil, opts{larger}, subset},
		{rust, "sharegpt", nil, opts{longer}, subset},
		{rust, "sharegpt", nil, opts{other}, none},
		// vLLM's Python client.
		{vllm, "random", opts{ratio(0)}, opts{larger}, nest},
		{vllm, "random", opts{ratio(0)}, opts{longer}, starts},
		{vllm, "random", opts{ratio(0)}, opts{other}, none},
		{vllm, "random", nil, opts{larger}, nest}, // the default ratio is 0
		{vllm, "random", opts{ratio(0.5)}, opts{larger}, none},
		{vllm, "random", opts{ratio(0.5)}, opts{longer}, starts},
		{vllm, "random", opts{ratio(0.5)}, nil, nest},
		{vllm, "random", opts{ratio(0), prefix(64)}, opts{larger}, none},
		{vllm, "random", opts{ratio(0), prefix(64)}, opts{longer}, starts},
		{vllm, "random", opts{ratio(0), prefix(64)}, opts{other}, none},
		{vllm, "random", opts{ratio(0), prefix(64)}, nil, nest},
		{vllm, "prefix_repetition", nil, opts{larger}, unknown},
		{vllm, "sharegpt", nil, opts{larger}, nest},
		{vllm, "sharegpt", nil, opts{longer}, nest},
		{vllm, "sharegpt", nil, opts{other}, none},
		{vllm, "sharegpt", opts{func(w *capture.Workload) { w.Args = map[string]any{"disable_shuffle": true} }}, opts{other}, nest},
		{vllm, "custom", nil, opts{larger}, nest},
		{vllm, "custom", nil, opts{other}, none},
		{vllm, "speed_bench", nil, opts{other}, nest},
		{vllm, "spec_bench", nil, opts{other}, nest},
		{vllm, "timed_trace", nil, opts{larger}, unknown},
		// vLLM's Rust client.
		{vllmRust, "random", opts{ratio(0)}, opts{larger}, subset},
		{vllmRust, "random", opts{ratio(0.5)}, opts{larger}, subset},
		{vllmRust, "random", opts{ratio(0), prefix(64)}, opts{larger}, subset},
		{vllmRust, "random", opts{ratio(0)}, opts{longer}, starts},
		{vllmRust, "random", opts{ratio(0)}, opts{other}, none},
		{vllmRust, "sharegpt", nil, opts{larger}, subset},
		{vllmRust, "sharegpt", nil, opts{longer}, subset},
		{vllmRust, "sharegpt", nil, opts{other}, none},
		{vllmRust, "prefix_repetition", nil, opts{larger}, unknown},
		// Clients with generators of their own.
		{guidellm, "synthetic", nil, opts{larger}, nest},
		{guidellm, "synthetic", nil, opts{other}, none},
		{guidellm, "synthetic", nil, opts{longer}, unknown},
		{guidellm, "synthetic", opts{offset(0)}, opts{offset(1)}, none},
		{guidellm, "synthetic", opts{offset(1)}, opts{offset(0), other}, unknown}, // equal before 0.8
		{guidellm, "synthetic", opts{offset(1)}, opts{larger}, nest},
		{aiperf, "synthetic", nil, opts{larger}, nest},
		{aiperf, "synthetic", nil, opts{other}, none},
		{evalscope, "random", nil, opts{larger}, nest},
		{evalscope, "random", nil, opts{other}, none},
		{evalscope, "random", opts{offset(0)}, opts{offset(64), larger}, none},
		{evalscope, "random", opts{offset(64)}, opts{larger}, nest},
		{inferPerf, "random", nil, opts{larger}, nest},
		{inferPerf, "random", nil, opts{other}, none},
		// Nothing is known of a client that is not, or of a run without a seed.
		{unknownTag, "random", nil, opts{larger}, unknown},
		{python, "", nil, opts{larger}, unknown},
		{python, "random", opts{noSeed}, opts{larger}, unknown},
		{python, "random", nil, opts{func(w *capture.Workload) { w.Prompts = nil }}, unknown},
	} {
		first, second := set(c.client, c.dataset, c.common...), set(c.client, c.dataset, append(append(opts{}, c.common...), c.second...)...)
		o := nesting.Between(first, second)
		if got := relationOf(o, 64); got != c.want {
			t.Errorf("%s %s, %v and %v: %s (%+v), want %s", c.client, c.dataset, describe(first), describe(second), got, o, c.want)
		}
	}
}

func describe(r *capture.Result) map[string]any {
	w := &r.Workload
	m := map[string]any{"file": w.DatasetPath}
	if w.Prompts != nil {
		m["prompts"] = *w.Prompts
	}
	if w.Seed != nil {
		m["seed"] = *w.Seed
	}
	if w.InputLen != nil {
		m["length"] = *w.InputLen
	}
	if w.RangeRatio != nil {
		m["ratio"] = *w.RangeRatio
	}
	return m
}

// The larger run may come first: what it sent holds all of the smaller one.
func TestBetweenLargerFirst(t *testing.T) {
	for _, client := range []string{python, vllm, vllmRust, guidellm} {
		o := nesting.Between(set(client, "random", prompts(128)), set(client, "random"))
		if client == guidellm {
			o = nesting.Between(set(client, "synthetic", prompts(128)), set(client, "synthetic"))
		}
		if o.Equal != 64 {
			t.Errorf("%s: 64 prompts after 128: %+v", client, o)
		}
	}
}

// Concurrency and rate enter no dataset.
func TestCapAndRateDoNotMatter(t *testing.T) {
	a, b := set(python, "random"), set(python, "random", prompts(128))
	a.MaxConcurrency, b.MaxConcurrency = capture.Cap{Known: true, N: 8}, capture.Cap{Known: true, N: 32}
	b.RequestRate = capture.Rate{Known: true, PerSecond: 4}
	if o := nesting.Between(a, b); relationOf(o, 64) != nest {
		t.Errorf("another cap and rate: %+v", o)
	}
}

func TestDifferentClients(t *testing.T) {
	for _, pair := range [][2]string{{python, rust}, {python, vllm}, {vllm, vllmRust}, {guidellm, aiperf}} {
		if o := nesting.Between(set(pair[0], "random"), set(pair[1], "random")); relationOf(o, 64) != none {
			t.Errorf("%s against %s: %+v, want other prompts", pair[0], pair[1], o)
		}
	}
}

// One seed shuffles the same conversations for both of SGLang's text datasets.
func TestRandomAgainstShareGPT(t *testing.T) {
	if o := nesting.Between(set(python, "random"), set(python, "sharegpt")); relationOf(o, 64) != starts {
		t.Errorf("random against sharegpt: %+v, want common starts", o)
	}
}

// Common starts are as long as the shorter prompts; chance grows with both
// numbers of prompts.
func TestSizesOfOverlap(t *testing.T) {
	o := nesting.Between(set(python, "random", ratio(1)), set(python, "random", ratio(1), length(1024)))
	if o.Shared != 64 || o.SharedLen != 512 {
		t.Errorf("512 and 1024 tokens: %d share %d tokens, want 64 and 512", o.Shared, o.SharedLen)
	}
	few := nesting.Between(set(python, "random"), set(python, "random", seed(8)))
	many := nesting.Between(set(python, "random"), set(python, "random", seed(8), prompts(640)))
	if few.Chance <= 0 || many.Chance != 10*few.Chance {
		t.Errorf("chance of 64 and 640 prompts: %v and %v", few.Chance, many.Chance)
	}
}
