// Package nesting says which prompts repeat: whether a run that sends n2 prompts
// sends again what an earlier run of n1 prompts has sent, and what prompts of
// one run have in common, by the rules of the client and its dataset.
//
// A client is one file here: its traits and its rules. The rules were found by
// running the clients' own dataset code: SGLang's Python client 0.5.12.post1 to
// 0.5.23 (0.5.9 nests alike) and Rust client 0.5.22 and 0.5.23, vLLM's Python
// client 0.32 and 0.33 and Rust client 0.33, and GuideLLM 0.8.1, AIPerf 0.13,
// EvalScope 1.14.1 and inference-perf 0.7 on real servers. An unknown client
// gives no prediction.
package nesting

import "coldcase/ingest/capture"

// Client is what the analysis must know of a benchmark client beyond what its
// files say of a run. The zero Client knows nothing.
type Client struct {
	Name string
	// Overlap is what the second of two runs of this client shares with the
	// first; both have a dataset, a number of prompts and a seed.
	Overlap func(a, b *capture.Workload) Overlap
	// Inside is what prompts of one run have in common.
	Inside func(w *capture.Workload) Sharing
	// FileOrder lists datasets that are sent in file order, whatever the seed.
	FileOrder []string
	// SymmetricRatio: the range ratio spreads lengths to both sides of the
	// asked one (vLLM since April 2025), not only below it (SGLang).
	SymmetricRatio bool
	// ColdStart: it sends nothing before the measured requests unless it is
	// told to, and says so in its result files then.
	ColdStart bool
	// TestsConnection: it sends one short request that is none of its prompts
	// before the others, unless it is told not to.
	TestsConnection bool
	// Chat: it talks to the chat endpoint unless it is told otherwise.
	Chat bool
}

// clients lists all of them, each defined in the file of its family.
var clients = index(sglangClients, vllmClients, syntheticClients)

func index(families ...[]Client) map[string]Client {
	m := map[string]Client{}
	for _, f := range families {
		for _, c := range f {
			m[c.Name] = c
		}
	}
	return m
}

// For returns what is known of a client by its name in the model.
func For(name string) Client { return clients[name] }

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

// Between applies the rules to two runs, the first before the second.
func Between(first, second *capture.Result) Overlap {
	a, b := &first.Workload, &second.Workload
	c := For(first.Client)
	switch {
	case first.Client == "" || second.Client == "":
		return Overlap{}
	case first.Client != second.Client:
		return Overlap{Known: true, Note: "different clients draw different prompts"}
	case c.Overlap == nil || a.Dataset == "" || b.Dataset == "" || a.Prompts == nil || b.Prompts == nil:
		return Overlap{}
	case contains(c.FileOrder, b.Dataset) && a.Dataset == b.Dataset && sameFile(a, b) && !sameLen(a.Offset, b.Offset):
		return otherRows(a, b, "this dataset is sent in file order, from another row")
	case contains(c.FileOrder, b.Dataset) && a.Dataset == b.Dataset && sameFile(a, b):
		return Overlap{Known: true, Equal: min(*a.Prompts, *b.Prompts), Leading: true, Note: "this dataset is sent in file order, whatever the seed"}
	case a.Seed == nil || b.Seed == nil:
		return Overlap{}
	}
	return c.Overlap(a, b)
}

// otherRows is the overlap of two runs that start at different rows of one
// dataset: none if neither reaches the other's, else not known, as rows may be
// left out or stand for several prompts.
func otherRows(a, b *capture.Workload, note string) Overlap {
	first, second := a, b
	if *first.Offset > *second.Offset {
		first, second = second, first
	}
	if *second.Offset-*first.Offset < *first.Prompts {
		return Overlap{}
	}
	return Overlap{Known: true, Note: note}
}

// Rows and vocabularies that the captures do not tell: chance between runs is
// estimated with small ones, so that it is rather too large.
const (
	defaultRows       = 5000
	defaultVocabulary = 32000
)

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

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
