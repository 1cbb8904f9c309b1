package capture

// This file holds the figures that a count needs, by engine. Each takes the
// first of its names that is there.

// Requests is the number of requests that finished, warm-up requests included;
// SGLang's health checks are not (v0.4.1.post7 on).
func (d Delta) Requests() Change {
	switch d.Engine() {
	case "sglang":
		return d.Counter("sglang:num_requests_total", "sglang:e2e_request_latency_seconds_count")
	case "vllm":
		return d.Counter("vllm:request_success_total", "vllm:request_success", "vllm:e2e_request_latency_seconds_count")
	case "llama.cpp":
		return d.Counter("llamacpp:n_requests_total")
	}
	return d.Counter("dynamo_frontend_requests_total", "tgi_request_success", "trtllm_request_success_total")
}

// PromptTokens is the number of prompt tokens of finished requests, cached ones
// included. llama.cpp's counter of that name leaves cached tokens out, so they
// are added where a counter has them and the figure is unknown elsewhere.
func (d Delta) PromptTokens() Change {
	switch d.Engine() {
	case "sglang":
		return d.Counter("sglang:prompt_tokens_total")
	case "vllm":
		return d.Counter("vllm:prompt_tokens_total", "vllm:prompt_tokens")
	case "llama.cpp":
		processed, cached := d.Counter("llamacpp:prompt_tokens_total"), d.CachedTokens()
		if !processed.OK || !cached.OK {
			return Change{Why: "llamacpp:prompt_tokens_total leaves cached tokens out, and nothing counts those"}
		}
		processed.Value += cached.Value
		processed.Before = append(processed.Before, cached.Before...)
		processed.After = append(processed.After, cached.After...)
		return processed
	}
	return d.Counter("trtllm_prompt_tokens_total", "dynamo_frontend_input_sequence_tokens_sum")
}

// CachedTokens is the number of prompt tokens that came from a cache.
//
// SGLang's counter is absent until the first hit: absent in both scrapes means
// 0 if series younger than the counter (v0.4.3.post4) are there. vLLM: the
// counter of v0.16 on, which counts a request once; before it, hits of the
// look-ups, which count again when an admission is tried again.
func (d Delta) CachedTokens() Change {
	switch d.Engine() {
	case "sglang":
		return d.sglangCached()
	case "vllm":
		c := d.Counter("vllm:prompt_tokens_cached_total")
		if c.Series != "" {
			return c
		}
		c = d.CounterWhere("vllm:prompt_tokens_by_source_total", "source", "local_cache_hit", "external_kv_transfer")
		if c.Series != "" {
			return c
		}
		hits, blocks := d.Hits()
		if blocks {
			return Change{Why: hits.Series + " counts blocks, not tokens", Series: hits.Series}
		}
		if ext := d.ExternalHits(); ext.OK && hits.OK {
			hits.Value += ext.Value
			hits.Before, hits.After = append(hits.Before, ext.Before...), append(hits.After, ext.After...)
		}
		return hits
	case "llama.cpp":
		return d.Counter("llamacpp:prompt_tokens_cached_total")
	case "lmdeploy":
		return d.Counter("lmdeploy:cached_tokens_total")
	}
	return d.Counter("trtllm_prompt_cached_tokens_total", "dynamo_frontend_cached_tokens_sum")
}

// youngerThanCachedTokens are SGLang series that came after cached_tokens_total
// and exist from the start of the server or from its first request.
var youngerThanCachedTokens = []string{
	"sglang:prefill_effective_tokens_total", "sglang:uncached_prompt_tokens_histogram_count",
	"sglang:prompt_tokens_histogram_count", "sglang:realtime_tokens_total", "sglang:page_size",
	"sglang:max_total_num_tokens", "sglang:http_requests_total", "sglang:inter_token_latency_seconds_count",
}

func (d Delta) sglangCached() Change {
	const name = "sglang:cached_tokens_total"
	c := d.Counter(name)
	if c.OK || c.Series != "" {
		return c
	}
	if id := d.identity; !id.Same {
		return Change{Why: id.Why}
	}
	if _, lines, was := d.Before.Total(name); was {
		return Change{Why: name + " is gone from the later scrape", Series: name, Before: lines}
	}
	for _, sibling := range youngerThanCachedTokens {
		if _, lines, ok := d.After.Total(sibling); ok {
			return Change{OK: true, Series: sibling, After: lines[:1],
				Why: name + " is absent until the first hit, and " + sibling + " is there"}
		}
	}
	return c
}

// Queries is the number of tokens (or blocks, see Hits) that vLLM looked up in
// its own prefix cache. More than PromptTokens means that look-ups were
// repeated and that Hits is inflated as well (before v0.27).
func (d Delta) Queries() Change {
	return d.Counter("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total")
}

// Hits is the number of tokens that vLLM's look-ups found in its own prefix
// cache. blocks is true when the counter is of the time before v0.9, when it
// counted blocks: its queries are then a small part of the prompt tokens.
func (d Delta) Hits() (hits Change, blocks bool) {
	hits = d.Counter("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total")
	if hits.Series != "vllm:gpu_prefix_cache_hits_total" {
		return hits, false
	}
	queries, prompt := d.Queries(), d.PromptTokens()
	return hits, queries.OK && prompt.OK && queries.Value*2 < prompt.Value
}

// ExternalHits is the number of tokens that came through vLLM's connector from
// another tier, which a reset does not clear.
func (d Delta) ExternalHits() Change {
	return d.Counter("vllm:external_prefix_cache_hits_total")
}

// Preemptions is how often a request lost its place on the server and was
// computed again: vLLM's preemptions, SGLang's retractions.
func (d Delta) Preemptions() Change {
	switch d.Engine() {
	case "sglang":
		return d.Counter("sglang:num_retracted_requests_total")
	case "vllm":
		return d.Counter("vllm:num_preemptions_total", "vllm:num_preemptions")
	}
	return Change{Why: "this engine has no such counter"}
}

// EvictedTokens is the number of tokens that left the prefix cache for want of
// room. SGLang's series is absent until the first eviction (v0.5.5.post1 on).
func (d Delta) EvictedTokens() Change {
	if d.Engine() != "sglang" {
		return Change{Why: "this engine has no such counter"}
	}
	return d.Counter("sglang:evicted_tokens_total")
}

// UncachedTokens is the histogram of prompt tokens that had to be computed, one
// observation a request: a full hit falls into the lowest buckets.
func (d Delta) UncachedTokens() Histogram {
	if d.Engine() == "sglang" {
		return d.Histogram("sglang:uncached_prompt_tokens_histogram")
	}
	return d.Histogram("vllm:request_prefill_kv_computed_tokens")
}

// PromptLengths is the histogram of prompt tokens, one observation a request.
func (d Delta) PromptLengths() Histogram {
	if d.Engine() == "sglang" {
		return d.Histogram("sglang:prompt_tokens_histogram")
	}
	return d.Histogram("vllm:request_prompt_tokens")
}
