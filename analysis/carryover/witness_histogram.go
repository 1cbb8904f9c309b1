package carryover

import (
	"fmt"

	"coldcase/ingest/capture"
)

// histogram counts requests by the tokens that were not cached: SGLang's
// uncached_prompt_tokens_histogram (0.5.12 on), vLLM's
// request_prefill_kv_computed_tokens. Requests with few of them are hits for
// certain, requests with nearly a whole prompt of them are none.
func histogram(k *runCase) (finding, bool) {
	m, _, ok := k.meter()
	if !ok {
		return finding{}, false
	}
	h := m.delta.UncachedTokens()
	if !h.OK || k.sizes.maxLen == open {
		return finding{}, false
	}
	all, lines := k.byBuckets(h, m)
	if h.Count != float64(m.requests) {
		return silent("histogram", fmt.Sprintf("it holds %.0f requests, the counters %d", h.Count, m.requests)), true
	}
	f := finding{name: "histogram", grade: Bounded, tokens: anything, evidence: quoteLines(k, k.run.After.File, lines)}
	f.beyond = k.bucketsBeyondPrefix(h, m)
	k.fromAll(&f, all, m.foreign)
	f.note = k.countNote(&f, fmt.Sprintf("%d requests by their uncached tokens", m.requests))
	return f, true
}

// bucketsBeyondPrefix counts requests that took more from the cache than the
// run's declared prefix: what prompts of the run share cannot give that much.
func (k *runCase) bucketsBeyondPrefix(h capture.Histogram, m metered) int64 {
	most, ok := k.prefixMost()
	if !ok {
		return 0
	}
	b, ok := h.AtMost(float64(k.sizes.minLen - most - 1))
	if !ok {
		return 0
	}
	return max(0, int64(b.N)-k.warm.hi-m.foreign.hi)
}

func (k *runCase) byBuckets(h capture.Histogram, m metered) (span, []int) {
	s := k.sizes
	all := anything
	var lines []int
	sure := int64(0)
	if b, ok := h.AtMost(float64(s.minLen - s.hitHi)); ok {
		// At most that many uncached tokens leave at least a hit's worth of
		// even the shortest prompt.
		sure = int64(b.N)
		all.lo = sure
		lines = append(lines, b.After)
		// What the sure hits took leaves so many tokens for other hits; a short
		// request of another client is no hit and took nothing.
		own := max(0, sure-m.foreign.hi)
		rest := m.cached - own*max(0, s.minLen-int64(b.LE))
		all.hi = min(all.hi, own+max(0, rest)/max(1, s.hitLo))
	}
	if b, ok := h.Covering(float64(s.maxLen - s.hitLo)); ok {
		all.hi = min(all.hi, int64(b.N))
		if len(lines) == 0 || lines[0] != b.After {
			lines = append(lines, b.After)
		}
	}
	if all.hi >= m.requests && all.lo < m.requests {
		all.hi = open
	}
	all.lo = min(all.lo, all.hi)
	return all, lines
}
