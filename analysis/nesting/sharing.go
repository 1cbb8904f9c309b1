package nesting

import (
	"math"

	"coldcase/ingest/capture"
)

// Unbounded is a share to which the rules set no bound.
const Unbounded = math.MaxInt64

// Sharing says what the prompts of one run can have in common by the rules of
// their dataset, and so which hits may have been made inside the run.
type Sharing struct {
	// Full bounds the full hits, Partial the partial ones, that prompts of
	// the run can owe to each other.
	Full, Partial int64
	// By names the rule where it bounds something.
	By string
}

var anyShare = Sharing{Full: Unbounded, Partial: Unbounded}

const unrelated = "prompts of this dataset are equal or unrelated"

// Inside applies the rules to one run. A hit of a prompt that no other request
// of the run equals was there before the run.
func Inside(m *capture.Result) Sharing {
	c := For(m.Client)
	if c.Inside == nil {
		return anyShare
	}
	return c.Inside(&m.Workload)
}

// smallVocabulary is the number of start ids assumed for datasets of
// consecutive token ids where the capture does not tell the vocabulary: far
// below any real tokenizer, so that chance inside a run is rather over- than
// underestimated.
const smallVocabulary = 1000

// byChance adds the number of prompts whose start id another prompt of the run
// may share, by the birthday arithmetic at 99.9 %.
func byChance(w *capture.Workload, s Sharing) Sharing {
	if w.Prompts == nil {
		return anyShare
	}
	n := float64(*w.Prompts)
	c := poissonBound(n * (n - 1) / 2 / smallVocabulary)
	s.Full = c
	if s.Partial != Unbounded {
		s.Partial = c
	}
	return s
}

// AtMostByChance bounds a number of chance events, of which so many are
// expected, at 99.9 %.
func AtMostByChance(expected float64) int64 { return poissonBound(expected) }

// poissonBound is the least k such that a Poisson count of this mean is at most
// k with a probability of 99.9 %.
func poissonBound(mean float64) int64 {
	if mean > 500 {
		return int64(math.Ceil(mean + 3.3*math.Sqrt(mean) + 3)) // normal, rounded up
	}
	p := math.Exp(-mean)
	k, sum := int64(0), p
	for sum < 0.999 {
		k++
		p *= mean / float64(k)
		sum += p
	}
	return k
}
