package carryover

import (
	"fmt"
	"testing"

	"coldcase/ingest/capture"
)

// Classes of one prompt by its cached tokens, length and page size.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		cached, length, page int64
		plain                bool
		want                 Hit
		why                  string
	}{
		{0, 512, 1, true, Miss, "nothing cached"},
		{511, 512, 1, true, FullHit, "the last token is always computed"},
		{510, 512, 1, true, PartialHit, "one less than a full hit"},
		{1, 512, 1, true, Trace, "a shared first token"},
		{6, 512, 1, true, Trace, "a crumb"},
		{15, 100, 1, true, Trace, "less than 16 tokens"},
		{16, 100, 1, true, PartialHit, "16 tokens and 5 % of 100"},
		{16, 320, 1, true, PartialHit, "exactly 5 %"},
		{16, 321, 1, true, Trace, "less than 5 %"},
		{25, 512, 1, true, Trace, "5 % of 512 is 25.6"},
		{26, 512, 1, true, PartialHit, "more than 5 % of 512"},
		{15, 15, 1, true, Trace, "a prompt shorter than 16 tokens is never cached"},
		{14, 15, 1, true, Trace, "nor if all of it was there"},
		{15, 16, 1, true, Trace, "16 tokens leave at most 15: less than a hit needs"},
		{16, 17, 1, true, FullHit, "all but the last of 17"},
		{496, 512, 16, true, FullHit, "31 pages of 512: the 32nd holds the last token"},
		{480, 512, 16, true, PartialHit, "a page less"},
		{16, 512, 16, true, Trace, "one page of 16, less than 5 %"},
		{32, 512, 16, true, PartialHit, "two pages of 16"},
		{640, 665, 64, true, FullHit, "floor(664/64) x 64"},
		{576, 665, 64, true, PartialHit, "a page less"},
		{0, 63, 64, true, Miss, "shorter than a page, nothing cached"},
		{32, 63, 64, true, Trace, "shorter than a page"},
		{128, 129, 64, true, FullHit, "two pages and a token"},
		{64, 129, 64, true, PartialHit, "one page of two"},
		{480, 512, 1, false, FullHit, "a sliding window keeps less; a quarter may be missing"},
		{384, 512, 1, false, FullHit, "exactly a quarter missing"},
		{383, 512, 1, false, PartialHit, "more than a quarter missing"},
		{-1, 512, 1, true, Miss, "below zero"},
	} {
		if got := classify(c.cached, c.length, c.page, c.plain); got != c.want {
			t.Errorf("%d of %d, page %d, plain %v: class %d, want %d (%s)", c.cached, c.length, c.page, c.plain, got, c.want, c.why)
		}
	}
}

// Every value of one prompt is in exactly one class, classes rise with the
// cached tokens, and full and partial hits keep the definitions word by word.
func TestClassesByDefinition(t *testing.T) {
	for _, page := range []int64{1, 16, 32, 64} {
		for length := int64(1); length <= 200; length++ {
			last := Miss
			for cached := int64(0); cached < length; cached++ {
				got := classify(cached, length, page, true)
				tooShort := length < 16 || length < page
				counts := cached >= page && cached >= 16 && 20*cached >= length && !tooShort
				want := Trace
				switch {
				case cached == 0:
					want = Miss
				case counts && cached >= (length-1)/page*page:
					want = FullHit
				case counts:
					want = PartialHit
				}
				if got != want {
					t.Fatalf("%d of %d, page %d: class %d, want %d", cached, length, page, got, want)
				}
				if got < last {
					t.Fatalf("%d of %d, page %d: class %d after %d", cached, length, page, got, last)
				}
				last = got
			}
		}
	}
}

// A prompt whose length is only bounded is put into a class for certain only
// where every length gives the same one.
func TestAddHit(t *testing.T) {
	for _, page := range []int64{1, 16} {
		for lo := int64(20); lo <= 60; lo += 8 {
			for hi := lo; hi <= lo+24; hi += 6 {
				for cached := int64(0); cached < lo; cached += page {
					f := finding{}
					f.addHit(cached, lens{lo: lo, hi: hi}, page, true)
					for length := lo; length <= hi; length++ {
						full, hit := int64(0), int64(0)
						switch classify(cached, length, page, true) {
						case FullHit:
							full, hit = 1, 1
						case PartialHit:
							hit = 1
						}
						if !holds(f.hits, hit) || !holds(f.hitFull, full) || !holds(f.hitPartial, hit-full) {
							t.Fatalf("%d cached of %d to %d, page %d: hits %v, full %v, partial %v; at %d tokens it is %d and %d full",
								cached, lo, hi, page, f.hits, f.hitFull, f.hitPartial, length, hit, full)
						}
					}
				}
			}
		}
	}
}

func TestVersionAtLeast(t *testing.T) {
	for _, c := range []struct {
		version string
		want    bool
	}{
		{"0.5.20", true}, {"v0.5.20", true}, {"0.5.21", true}, {"0.6.0", true}, {"1.0.0", true}, {"0.5.20.post1", true},
		{"0.5.20rc1", false}, {"0.5.20+cu130", true}, {"0.5.19", false}, {"0.5.9", false}, {"0.4.99", false}, {"0.5", false}, {"", false}, {"main", false},
	} {
		if got := versionAtLeast(c.version, 0, 5, 20); got != c.want {
			t.Errorf("%q is at least 0.5.20: %v, want %v", c.version, got, c.want)
		}
	}
}

// Prompt lengths in tokens as the server counts them.
func TestLens(t *testing.T) {
	num := func(n int) *int { return &n }
	ratio := func(x float64) *float64 { return &x }
	for _, c := range []struct {
		name string
		m    capture.Result
		want lens
	}{
		{"nothing known", capture.Result{}, lens{lo: 1, hi: open}},
		{"token ids are exact", capture.Result{Client: "sglang.bench_serving", Workload: capture.Workload{InputLen: num(512), RangeRatio: ratio(1), TokenIDs: true}}, lens{lo: 512, hi: 512}},
		{"text is encoded anew: a quarter either way", capture.Result{Client: "sglang.bench_serving", Workload: capture.Workload{InputLen: num(512), RangeRatio: ratio(1)}}, lens{lo: 384, hi: 648}},
		{"SGLang's range ratio spreads below", capture.Result{Client: "sglang.bench_serving", Workload: capture.Workload{InputLen: num(512), RangeRatio: ratio(0.5), TokenIDs: true}}, lens{lo: 256, hi: 512}},
		{"SGLang's default ratio of 0 spreads to one token", capture.Result{Client: "sglang.bench_serving", Workload: capture.Workload{InputLen: num(512), RangeRatio: ratio(0), TokenIDs: true}}, lens{lo: 1, hi: 512}},
		{"vLLM's spreads to both sides", capture.Result{Client: "vllm bench serve", Workload: capture.Workload{InputLen: num(500), RangeRatio: ratio(0.2), TokenIDs: true}}, lens{lo: 400, hi: 600}},
		{"a declared prefix is part of the prompt", capture.Result{Client: "vllm bench serve", Workload: capture.Workload{InputLen: num(64), PrefixLen: num(64), RangeRatio: ratio(0), TokenIDs: true}}, lens{lo: 128, hi: 128}},
		{"a chat template adds", capture.Result{Client: "sglang.bench_serving", Backend: "sglang-oai-chat", Workload: capture.Workload{InputLen: num(512), RangeRatio: ratio(1)}}, lens{lo: 384, hi: 904}},
	} {
		got := lensOf(&capture.Run{Merged: c.m})
		if got.lo != c.want.lo || got.hi != c.want.hi {
			t.Errorf("%s: %d to %d, want %d to %d", c.name, got.lo, got.hi, c.want.lo, c.want.hi)
		}
	}
}

// What the rule of a dataset says of prompts of one run.
func TestSharing(t *testing.T) {
	num := func(n int) *int { return &n }
	ratio := func(x float64) *float64 { return &x }
	const none, chance, unbounded = "none", "chance", "open"
	for _, c := range []struct {
		client, dataset string
		ratio           *float64
		prefix          *int
		full, partial   string
	}{
		{"sglang.bench_serving", "random", nil, nil, none, none},
		{"sglang.bench_serving", "custom", nil, nil, unbounded, none}, // a file may hold a row twice
		{"sglang.bench_serving", "random-ids", ratio(1), nil, chance, chance},
		{"sglang.bench_serving", "random-ids", ratio(0.5), nil, chance, chance},
		{"sglang.bench_serving", "sharegpt", nil, nil, unbounded, unbounded},
		{"sglang.bench_serving", "generated-shared-prefix", nil, nil, none, unbounded},
		{"sglang.rust", "random", nil, nil, none, none},
		{"vllm bench serve", "random", nil, nil, chance, chance},
		{"vllm bench serve", "random", nil, num(64), chance, unbounded},
		{"vllm bench serve", "prefix_repetition", nil, nil, chance, unbounded},
		{"vllm bench serve", "sharegpt", nil, nil, unbounded, unbounded},
		{"guidellm", "synthetic", nil, nil, none, unbounded}, // it sends chat
		{"aiperf", "synthetic", nil, nil, none, none},
		{"aiperf", "synthetic", nil, num(100), unbounded, unbounded},
		{"evalscope", "random", nil, nil, none, none},
		{"inference-perf", "random", nil, nil, none, none},
		{"llmperf", "sonnet", nil, nil, unbounded, unbounded},
		{"", "random", nil, nil, unbounded, unbounded},
	} {
		r := &capture.Run{Merged: capture.Result{Client: c.client, Workload: capture.Workload{Dataset: c.dataset, RangeRatio: c.ratio, PrefixLen: c.prefix, Prompts: num(64)}}}
		s := sharingOf(r)
		for what, pair := range map[string][2]any{"full": {s.full, c.full}, "partial": {s.partial, c.partial}} {
			got, want := pair[0].(span), pair[1].(string)
			ok := map[string]bool{none: got == exactly(0), chance: got.lo == 0 && got.hi > 0 && got.hi < 64, unbounded: got.hi == open}[want]
			if !ok {
				t.Errorf("%s %s, ratio %v, prefix %v: %s hits inside the run %v, want %s", c.client, c.dataset, shown(c.ratio), shown(c.prefix), what, got, want)
			}
		}
	}
}

func shown[T any](p *T) string {
	if p == nil {
		return "not told"
	}
	return fmt.Sprint(*p)
}

// Texts in the capture tell more than the dataset's rule.
func TestSharingByTexts(t *testing.T) {
	m := capture.Result{Client: "llmperf", Requests: &capture.Requests{N: 3, TextHash: []uint64{1, 2, 3}}}
	if s := sharingOf(&capture.Run{Merged: m}); s.full != exactly(0) && s.full.hi != 0 {
		t.Errorf("three different texts: %v full hits inside the run", s.full)
	}
	m.Requests.TextHash = []uint64{1, 2, 1}
	if s := sharingOf(&capture.Run{Merged: m}); s.full.hi != open {
		t.Errorf("two equal texts: %v full hits inside the run", s.full)
	}
	m.Requests.TextHash = []uint64{1, 0, 2}
	if s := sharingOf(&capture.Run{Merged: m}); s.full.hi != open {
		t.Errorf("a text is missing: %v full hits inside the run", s.full)
	}
}
