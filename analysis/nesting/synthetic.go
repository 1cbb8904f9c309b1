package nesting

import "coldcase/ingest/capture"

var syntheticClients = []Client{
	{Name: "guidellm", Overlap: synthetic, Inside: syntheticInside, ColdStart: true, Chat: true},
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
	if !sameLen(a.InputLen, b.InputLen) {
		return Overlap{}
	}
	return nested(a, b, "one seed: the smaller set is the head of the larger")
}
