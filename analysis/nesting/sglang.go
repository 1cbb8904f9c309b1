package nesting

import "coldcase/ingest/capture"

var sglangClients = []Client{
	{
		Name: "sglang.bench_serving", Overlap: sglangPython, Inside: sglangInside,
		FileOrder: []string{"agentic-trace", "openai", "mooncake"},
	},
	{Name: "sglang.rust", Overlap: sglangRust, Inside: sglangInside},
}

// sglangInside: conversations are drawn once each and cut or repeated to
// length, so that two prompts are unrelated; ids that follow each other share a
// start by chance only. A file of one's own may hold a row twice.
func sglangInside(w *capture.Workload) Sharing {
	switch w.Dataset {
	case "random":
		return Sharing{By: unrelated}
	case "custom":
		return Sharing{Full: Unbounded, By: "rows of the file may be equal, and are unrelated otherwise"}
	case "random-ids":
		return byChance(w, Sharing{By: "prompts of this dataset are equal or unrelated, but for start ids that coincide by chance"})
	case "generated-shared-prefix":
		if w.Turns != nil {
			return anyShare
		}
		return Sharing{Partial: Unbounded, By: "each prompt of this dataset ends in a question of its own"}
	}
	return anyShare
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
		if !sameLen(a.InputLen, b.InputLen) || ratio(a, 0) != ratio(b, 0) {
			return starts(a, b, "one seed, other lengths: the shorter prompts are the heads of the longer")
		}
		return nested(a, b, "one seed: the smaller set of prompts is the beginning of the larger, at any range ratio")
	case "random-ids":
		switch {
		case !sameSeed(a, b):
			return chance(a, b, defaultVocabulary, "different seeds: start ids coincide by chance only")
		case ratio(a, 0) == 1 && ratio(b, 0) == 1 && sameLen(a.InputLen, b.InputLen):
			return nested(a, b, "one seed at range ratio 1.0: the smaller set of prompts is the beginning of the larger")
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
		return nested(a, b, "one seed: the smaller set of prompts is the beginning of the larger")
	case "generated-shared-prefix":
		return sharedPrefix(a, b)
	}
	return Overlap{}
}

// sharedPrefix covers SGLang's generated-shared-prefix: the number of prompts
// is groups times prompts per group, system prompts are drawn first.
func sharedPrefix(a, b *capture.Workload) Overlap {
	same := sameLen(a.Groups, b.Groups) && sameLen(a.PerGroup, b.PerGroup) && sameLen(a.SystemLen, b.SystemLen) && sameLen(a.QuestionLen, b.QuestionLen) && sameLen(a.Turns, b.Turns)
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
