package nesting

import (
	"strings"

	"coldcase/ingest/capture"
)

var vllmClients = []Client{
	{
		Name: "vllm bench serve", Overlap: vllmPython, Inside: vllmInside, SymmetricRatio: true,
		FileOrder: []string{"speed_bench", "spec_bench"}, // built without the seed
	},
	{Name: "vllm-bench", Overlap: vllmRust, Inside: vllmInside, SymmetricRatio: true},
}

// vllmInside: a random prompt is a run of consecutive ids, so that two prompts
// are unrelated unless they start at the same id; a declared prefix is shared.
func vllmInside(w *capture.Workload) Sharing {
	switch {
	case w.Dataset == "random" && (w.PrefixLen == nil || *w.PrefixLen == 0):
		return byChance(w, Sharing{By: "prompts of this dataset are equal or unrelated, but for start ids that coincide by chance"})
	case w.Dataset == "random", w.Dataset == "prefix_repetition":
		return byChance(w, Sharing{Partial: Unbounded, By: "each prompt of this dataset ends in tokens of its own"})
	}
	return anyShare
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
			o := nested(a, b, "one seed at fixed length without a prefix: the smaller set of prompts is the beginning of the larger")
			o.Chance = float64(*a.Prompts) * float64(max(0, *b.Prompts-*a.Prompts)) / defaultVocabulary
			return o
		}
		return chance(a, b, defaultVocabulary, "with a range ratio or a prefix another number of prompts moves all start ids")
	case "sharegpt", "custom":
		if unshuffled(a) && unshuffled(b) {
			return nested(a, b, "the file's order, whatever the seed")
		}
		if !sameSeed(a, b) {
			return chance(a, b, defaultRows, "different seeds over one file: equal prompts by chance only")
		}
		return nested(a, b, "one seed: the smaller set of prompts is the beginning of the larger")
	}
	return Overlap{}
}

// unshuffled reports whether the client was told to keep the file's order.
func unshuffled(w *capture.Workload) bool { return w.Args["disable_shuffle"] == true }

func vllmRust(a, b *capture.Workload) Overlap {
	switch {
	case a.Dataset != b.Dataset || !sameFile(a, b):
		return Overlap{Known: true, Note: "different datasets"}
	case !sameSeed(a, b):
		return chance(a, b, defaultVocabulary, "different seeds: chance only")
	case a.Dataset == "random" && (!sameLen(a.InputLen, b.InputLen) || ratio(a, 0) != ratio(b, 0)):
		return starts(a, b, "one seed, other lengths: common starts")
	case strings.HasPrefix(a.Dataset, "random"), a.Dataset == "sharegpt":
		o := nested(a, b, "one seed: the smaller set is part of the larger, in any order")
		o.Leading = false
		return o
	}
	return Overlap{}
}
