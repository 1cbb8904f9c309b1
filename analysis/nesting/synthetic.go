package nesting

import "coldcase/ingest/capture"

var syntheticClients = []Client{
	{Name: "guidellm", Overlap: guideLLM, Inside: syntheticInside, ColdStart: true, Chat: true},
	{Name: "aiperf", Overlap: synthetic, Inside: syntheticInside, ColdStart: true},
	{Name: "evalscope", Overlap: synthetic, Inside: syntheticInside, ColdStart: true, TestsConnection: true},
	{Name: "inference-perf", Overlap: synthetic, Inside: syntheticInside, ColdStart: true},
	{Name: "coldcase", Overlap: synthetic, Inside: ownInside, ColdStart: true},
	{Name: "llmperf", ColdStart: true},
}

// syntheticInside: generated prompts of these clients are equal or unrelated,
// unless a shared prefix was declared or a data file is sent.
func syntheticInside(w *capture.Workload) Sharing {
	if w.PrefixLen != nil && *w.PrefixLen > 0 {
		return anyShare
	}
	switch w.Dataset {
	case "", "synthetic", "synthetic_text", "random":
		return Sharing{By: unrelated}
	}
	return anyShare
}

// ownInside: the built-in client draws every token id by itself, never two
// prompts alike.
func ownInside(*capture.Workload) Sharing { return Sharing{By: unrelated} }

// synthetic covers clients whose generator walks on from the seed: the first n
// of a larger set are those of a smaller one.
func synthetic(a, b *capture.Workload) Overlap {
	if !sameSeed(a, b) {
		return Overlap{Known: true, Note: "different seeds: other prompts"}
	}
	if !sameLen(a.Offset, b.Offset) {
		return otherRows(a, b, "one seed, and each run of a command goes on where the one before it ended")
	}
	if !sameLen(a.InputLen, b.InputLen) {
		return Overlap{}
	}
	return nested(a, b, "one seed: the smaller set of prompts is the beginning of the larger")
}

// guideLLM: each benchmark of a run has a generator of its own, whose seed is
// the run's, counted up. From 0.8 on the run's seed is hashed first; before, the
// second benchmark of one seed has the prompts of the first of the next seed.
func guideLLM(a, b *capture.Workload) Overlap {
	if sameLen(a.Offset, b.Offset) {
		return synthetic(a, b)
	}
	if *a.Seed+int64(*a.Offset) == *b.Seed+int64(*b.Offset) {
		return Overlap{}
	}
	return Overlap{Known: true, Note: "another benchmark of a run has other prompts"}
}
