// Package nesting says which prompt sets repeat: whether a run that sends n2
// prompts sends again what an earlier run of n1 prompts has sent, by the rules
// of the client and its dataset.
//
// The rules were found by running the clients' own dataset code: SGLang's
// Python client 0.5.12.post1 to 0.5.23 (0.5.9 nests alike) and Rust client
// 0.5.22 and 0.5.23, vLLM's Python client 0.32 and 0.33 and Rust client 0.33,
// and GuideLLM 0.8.1, AIPerf 0.13, EvalScope 1.14.1 and inference-perf 0.7 on
// real servers. An unknown client gives no prediction.
package nesting

import (
	"strings"

	"coldcase/ingest/capture"
)

// Overlap is what the second of two runs shares with the first.
type Overlap struct {
	// Known is false if the rules do not cover the pair.
	Known bool
	// Equal is the number of prompts of the second run that are equal to one
	// of the first; Leading is true if they are its first ones, in order.
	Equal   int
	Leading bool
	// Shared is the number of further prompts that begin like one of the
	// first run and go on differently, and SharedLen how many tokens they
	// have in common (0 unknown).
	Shared    int
	SharedLen int
	// Chance is the expected number of equal prompts by chance alone.
	Chance float64
	// Note says which rule it was.
	Note string
}

// Rows and vocabularies that the captures do not tell: chance is estimated
// with small ones, so that it is rather too large.
const (
	defaultRows       = 5000
	defaultVocabulary = 32000
)

// Between applies the rules to two runs, the first before the second.
func Between(first, second *capture.Result) Overlap {
	a, b := &first.Workload, &second.Workload
	switch {
	case first.Client == "" || second.Client == "" || a.Dataset == "" || b.Dataset == "":
		return Overlap{}
	case first.Client != second.Client:
		return Overlap{Known: true, Note: "different clients draw different prompts"}
	case a.Prompts == nil || b.Prompts == nil:
		return Overlap{}
	case fileOrder(first.Client, b.Dataset) && a.Dataset == b.Dataset && sameFile(a, b):
		return Overlap{Known: true, Equal: min(*a.Prompts, *b.Prompts), Leading: true, Note: "this dataset is sent in file order, whatever the seed"}
	case a.Seed == nil || b.Seed == nil:
		return Overlap{}
	}
	if rule := rules[first.Client]; rule != nil {
		return rule(a, b)
	}
	return Overlap{}
}

// rules has one entry a client.
var rules = map[string]func(a, b *capture.Workload) Overlap{
	"sglang.bench_serving": sglangPython,
	"sglang.rust":          sglangRust,
	"vllm bench serve":     vllmPython,
	"vllm-bench":           vllmRust,
	"guidellm":             synthetic,
	"aiperf":               synthetic,
	"inference-perf":       synthetic,
	"evalscope":            synthetic,
	"coldcase":             synthetic,
}

// fileOrder lists the datasets that ignore the seed.
func fileOrder(client, dataset string) bool {
	switch client {
	case "sglang.bench_serving":
		return dataset == "agentic-trace" || dataset == "openai" || dataset == "mooncake"
	case "vllm bench serve":
		return dataset == "speed_bench" || dataset == "spec_bench"
	}
	return false
}

func sameFile(a, b *capture.Workload) bool {
	return a.DatasetPath == b.DatasetPath && a.Tokenizer == b.Tokenizer
}

func sameSeed(a, b *capture.Workload) bool { return *a.Seed == *b.Seed }

func ratio(w *capture.Workload, missing float64) float64 {
	if w.RangeRatio == nil {
		return missing
	}
	return *w.RangeRatio
}

func sameLen(x, y *int) bool { return x == nil || y == nil || *x == *y }

// nested is the true prefix property: the first min(n1, n2) prompts are equal.
func nested(a, b *capture.Workload, note string) Overlap {
	return Overlap{Known: true, Equal: min(*a.Prompts, *b.Prompts), Leading: true, Note: note}
}

// starts are prompts that begin alike: the shorter is the head of the longer.
func starts(a, b *capture.Workload, note string) Overlap {
	o := Overlap{Known: true, Shared: min(*a.Prompts, *b.Prompts), Note: note}
	if a.InputLen != nil && b.InputLen != nil {
		o.SharedLen = min(*a.InputLen, *b.InputLen)
	}
	return o
}

// chance is two draws from the same rows or ids.
func chance(a, b *capture.Workload, of float64, note string) Overlap {
	return Overlap{Known: true, Chance: float64(*a.Prompts) * float64(*b.Prompts) / of, Note: note}
}

func sglangPython(a, b *capture.Workload) Overlap {
	text := func(d string) bool { return d == "random" || d == "sharegpt" }
	switch {
	case a.Dataset != b.Dataset && text(a.Dataset) && text(b.Dataset) && sameSeed(a, b) && sameFile(a, b):
		return starts(a, b, "one seed shuffles the same conversations for both datasets")
	case a.Dataset != b.Dataset || !sameFile(a, b):
		return Overlap{Known: true, Note: "different datasets"}
	}
	switch a.Dataset {
	case "random":
		if !sameSeed(a, b) {
			return chance(a, b, defaultRows, "different seeds over one file: equal prompts by chance only")
		}
		if !sameLen(a.InputLen, b.InputLen) {
			return starts(a, b, "one seed, other lengths: the shorter prompts are the heads of the longer")
		}
		return nested(a, b, "one seed: the smaller set is the head of the larger, at any range ratio")
	case "random-ids":
		switch {
		case !sameSeed(a, b):
			return chance(a, b, defaultVocabulary, "different seeds: start ids coincide by chance only")
		case ratio(a, 0) == 1 && ratio(b, 0) == 1 && sameLen(a.InputLen, b.InputLen):
			return nested(a, b, "one seed at range ratio 1.0: the smaller set is the head of the larger")
		case ratio(a, 0) == 1 && ratio(b, 0) == 1:
			return starts(a, b, "one seed, other lengths: the shorter prompts are the heads of the longer")
		case *a.Prompts == *b.Prompts && sameLen(a.InputLen, b.InputLen) && ratio(a, 0) == ratio(b, 0):
			return nested(a, b, "one seed and equal arguments: the same prompts")
		}
		return chance(a, b, defaultVocabulary, "below range ratio 1.0 another number of prompts moves all start ids")
	case "sharegpt", "custom", "longbench_v2":
		if !sameSeed(a, b) {
			return chance(a, b, defaultRows, "different seeds over one file: equal prompts by chance only")
		}
		return nested(a, b, "one seed: the smaller set is the head of the larger")
	case "generated-shared-prefix":
		return sharedPrefix(a, b)
	}
	return Overlap{}
}

// sharedPrefix covers SGLang's generated-shared-prefix: the number of prompts
// is groups times prompts per group, system prompts are drawn first.
func sharedPrefix(a, b *capture.Workload) Overlap {
	same := sameLen(a.Groups, b.Groups) && sameLen(a.PerGroup, b.PerGroup) && sameLen(a.SystemLen, b.SystemLen) && sameLen(a.QuestionLen, b.QuestionLen)
	switch {
	case sameSeed(a, b) && same:
		o := nested(a, b, "one seed and equal groups: the same prompts")
		o.Leading = false // shuffled, in the same way for the same arguments
		return o
	case sameSeed(a, b) && sameLen(a.SystemLen, b.SystemLen):
		o := Overlap{Known: true, Shared: *b.Prompts, Note: "one seed: all system prompts of the smaller set come again"}
		if a.SystemLen != nil {
			o.SharedLen = *a.SystemLen
		}
		return o
	}
	return Overlap{Known: true, Note: "different seeds: other prompts (from client 0.5.5 on; before, the prompts on disk ignore the seed)"}
}

func sglangRust(a, b *capture.Workload) Overlap {
	equal := *a.Prompts == *b.Prompts && sameLen(a.InputLen, b.InputLen) && ratio(a, 0) == ratio(b, 0)
	switch {
	case a.Dataset != b.Dataset || !sameFile(a, b):
		return Overlap{Known: true, Note: "different datasets"}
	case sameSeed(a, b) && (equal || a.Dataset == "sharegpt"):
		o := nested(a, b, "the Rust client repeats a set for equal arguments, in any order")
		o.Leading = false
		return o
	case sameSeed(a, b) && ratio(a, 0) == 1 && ratio(b, 0) == 1 && *a.Prompts == *b.Prompts:
		return starts(a, b, "one seed, other lengths: common starts")
	}
	return chance(a, b, defaultRows, "the Rust client's sets do not nest over the number of prompts")
}

func vllmPython(a, b *capture.Workload) Overlap {
	if a.Dataset != b.Dataset || !sameFile(a, b) {
		return Overlap{Known: true, Note: "different datasets"}
	}
	prefixed := func(w *capture.Workload) bool { return w.PrefixLen != nil && *w.PrefixLen > 0 }
	switch a.Dataset {
	case "random":
		same := *a.Prompts == *b.Prompts && sameLen(a.InputLen, b.InputLen) && ratio(a, 0) == ratio(b, 0) && prefixed(a) == prefixed(b) && sameLen(a.PrefixLen, b.PrefixLen)
		switch {
		case !sameSeed(a, b):
			return chance(a, b, defaultVocabulary, "different seeds: start ids coincide by chance only")
		case same:
			return nested(a, b, "one seed and equal arguments: the same prompts")
		case *a.Prompts == *b.Prompts && !sameLen(a.InputLen, b.InputLen):
			return starts(a, b, "one seed, other lengths: common starts")
		case ratio(a, 0) == 0 && ratio(b, 0) == 0 && !prefixed(a) && !prefixed(b) && sameLen(a.InputLen, b.InputLen):
			o := nested(a, b, "one seed at fixed length without a prefix: the smaller set is the head of the larger")
			o.Chance = float64(*a.Prompts) * float64(max(0, *b.Prompts-*a.Prompts)) / defaultVocabulary
			return o
		}
		return chance(a, b, defaultVocabulary, "with a range ratio or a prefix another number of prompts moves all start ids")
	case "sharegpt", "custom":
		if !sameSeed(a, b) {
			return chance(a, b, defaultRows, "different seeds over one file: equal prompts by chance only")
		}
		return nested(a, b, "one seed: the smaller set is the head of the larger")
	}
	return Overlap{}
}

func vllmRust(a, b *capture.Workload) Overlap {
	switch {
	case a.Dataset != b.Dataset || !sameFile(a, b):
		return Overlap{Known: true, Note: "different datasets"}
	case !sameSeed(a, b):
		return chance(a, b, defaultVocabulary, "different seeds: chance only")
	case strings.HasPrefix(a.Dataset, "random"), a.Dataset == "sharegpt":
		o := nested(a, b, "one seed: the smaller set is part of the larger, in any order")
		o.Leading = false
		return o
	}
	return Overlap{}
}

// synthetic covers clients whose generator walks on from the seed: the first n
// of a larger set are those of a smaller one.
func synthetic(a, b *capture.Workload) Overlap {
	if !sameSeed(a, b) {
		return Overlap{Known: true, Note: "different seeds: other prompts"}
	}
	if !sameLen(a.InputLen, b.InputLen) {
		return Overlap{}
	}
	return nested(a, b, "one seed: the smaller set is the head of the larger")
}
