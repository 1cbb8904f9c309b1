package carryover

import (
	"math"
	"strings"

	"coldcase/ingest/capture"
)

// sharing says what the prompts of one run can have in common by the rules of
// their dataset, and so which hits may have been made inside the run.
type sharing struct {
	// full bounds the full hits, partial the partial ones, that prompts of the
	// run can owe to each other; hi == open where the rule does not tell.
	full, partial span
	// by names the rule where it bounds something.
	by string
}

// smallVocabulary is the number of start ids assumed for datasets of
// consecutive token ids where the capture does not tell the vocabulary: far
// below any real tokenizer, so that chance is rather over- than
// underestimated.
const smallVocabulary = 1000

// sharingOf applies the rules for prompts inside a run: in these sets two
// prompts are equal or unrelated, up to a few tokens of common opening, so a
// hit of a prompt that no other request of the run equals was there before.
// Checked by drawing the sets: SGLang's Python client 0.5.12 to 0.5.23, vLLM
// 0.32 and 0.33, GuideLLM 0.8.1, AIPerf 0.13, EvalScope 1.14.1,
// inference-perf 0.7.
func sharingOf(r *capture.Run) sharing {
	m := &r.Merged
	s := setRule(m)
	if chat(m) && s.partial.hi != open {
		// A chat template of sixteen tokens or more is a shared opening.
		s.partial.hi = open
	}
	if d, ok := distinctTexts(m.Requests); ok && d {
		s.full.hi = 0
		s.by = "the prompts in the capture are all different"
	}
	return s
}

func setRule(m *capture.Result) sharing {
	w := &m.Workload
	unknown := sharing{full: anything, partial: anything}
	unrelated := sharing{by: "prompts of this dataset are equal or unrelated"}
	name := strings.ToLower(w.Dataset)
	switch m.Client {
	case "sglang.bench_serving", "sglang.rust", "coldcase":
		switch name {
		case "random", "custom":
			return unrelated
		case "random-ids":
			if w.RangeRatio != nil && *w.RangeRatio == 1 {
				return unrelated
			}
			return byChance(m, sharing{by: "start ids may coincide by chance"})
		case "generated-shared-prefix":
			return sharing{partial: anything, by: "each prompt of this dataset ends in a question of its own"}
		}
	case "vllm bench serve", "vllm-bench":
		switch {
		case name == "random" && (w.PrefixLen == nil || *w.PrefixLen == 0):
			s := byChance(m, sharing{by: "prompts of this dataset are equal or unrelated, but for start ids that coincide by chance"})
			return s
		case name == "random", name == "prefix_repetition":
			return byChance(m, sharing{partial: anything, by: "each prompt of this dataset ends in tokens of its own"})
		}
	case "guidellm", "aiperf", "evalscope", "inference-perf":
		if (w.PrefixLen == nil || *w.PrefixLen == 0) && synthetic(name) {
			return unrelated
		}
	}
	return unknown
}

func synthetic(dataset string) bool {
	switch dataset {
	case "", "synthetic", "random", "synthetic_text":
		return true
	}
	return false
}

// byChance adds the number of prompts whose start id another prompt of the run
// may share, bounded at 99.9 %.
func byChance(m *capture.Result, s sharing) sharing {
	n := 0
	switch {
	case m.Workload.Prompts != nil:
		n = *m.Workload.Prompts
	case m.Completed != nil:
		n = *m.Completed
	}
	c := poissonBound(float64(n) * float64(n-1) / 2 / smallVocabulary)
	s.full.hi = c
	if s.partial.hi != open {
		s.partial.hi = c
	}
	return s
}

// poissonBound is the least k such that a Poisson count of this mean is at most
// k with a probability of 99.9 %.
func poissonBound(mean float64) int64 {
	p := math.Exp(-mean)
	sum := p
	k := int64(0)
	for sum < 0.999 && k < 1<<20 {
		k++
		p *= mean / float64(k)
		sum += p
		if p == 0 && float64(k) > mean { // underflow of a large mean
			return int64(mean + 4*math.Sqrt(mean) + 4)
		}
	}
	return k
}

// distinctTexts reports whether the capture holds the text of every prompt and
// no two are equal.
func distinctTexts(q *capture.Requests) (distinct, ok bool) {
	if q == nil || len(q.TextHash) == 0 {
		return false, false
	}
	seen := map[uint64]bool{}
	for _, h := range q.TextHash {
		if h == 0 {
			return false, false
		}
		if seen[h] {
			return false, true
		}
		seen[h] = true
	}
	return true, true
}
