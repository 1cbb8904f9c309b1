package lab

import (
	"fmt"
)

// sglangMetrics renders /metrics as SGLang v0.5.22 does: counters of the
// tokenizer process without a rank, those of the scheduler with one, the
// counter of cached tokens absent until its first increment.
func (s *Server) sglangMetrics() string {
	var p promText
	model := fmt.Sprintf(`model_name="%s"`, s.cfg.Model)
	engine := `engine_type="unified"`
	c := s.counters
	loads := make([][2]int, len(s.ranks))
	used := make([]int, len(s.ranks))
	share := make([]float64, len(s.ranks))
	for i, r := range s.ranks {
		r.mu.Lock()
		loads[i][0], loads[i][1] = r.loadLocked()
		used[i], share[i] = r.usage()
		r.mu.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.sum()
	streamed := [2]string{`is_streaming="false"`, `is_streaming="true"`}
	byStream := func(name, kind, help string, hist *[2]histogram, n *[2]int64, bounds []float64) {
		p.head(name, kind, help)
		for i, label := range streamed {
			switch {
			case hist != nil && hist[i].n > 0:
				p.hist(name, engine+","+label, model, &hist[i], bounds)
			case n != nil && n[i] > 0:
				p.sample(name, engine+","+label+","+model, float64(n[i]))
			}
		}
	}
	byStream("sglang:time_to_first_token_seconds", "histogram", "Histogram of time to first token in seconds.", &all.ttft, nil, timeBounds)
	byStream("sglang:e2e_request_latency_seconds", "histogram", "Histogram of End-to-end request latency in seconds", &all.e2e, nil, append(timeBounds[:len(timeBounds):len(timeBounds)], 600, 1200, 1800, 2400))
	hist := func(name, help string, h *histogram, bounds []float64) {
		p.head(name, "histogram", help)
		if h.n > 0 {
			p.hist(name, engine, model, h, bounds)
		}
	}
	hist("sglang:prompt_tokens_histogram", "Histogram of prompt token length.", &all.prompt, sglTokens)
	if !s.cfg.has(faultNoReport) {
		hist("sglang:uncached_prompt_tokens_histogram", "Histogram of uncached (compute) prompt token length.", &all.uncached, sglTokens)
	}
	hist("sglang:generation_tokens_histogram", "Histogram of generation token length.", &all.generate, sglTokens)
	hist("sglang:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", &all.itl, sglITLBounds)

	perRank := func(name, kind, help string, value func(rank int) float64) {
		p.head(name, kind, help)
		for i := range s.ranks {
			p.sample(name, s.rankLabels("", i), value(i))
		}
	}
	if !s.cfg.has(faultNoReport) {
		p.head("sglang:prefill_effective_tokens_total", "counter", "Effective prefill tokens with retracted-request re-counts excluded.")
		for i := range c.ranks {
			t := &c.ranks[i]
			p.sample("sglang:prefill_effective_tokens_total", s.rankLabels("input", i), float64(t.prefillCompute))
			p.sample("sglang:prefill_effective_tokens_total", s.rankLabels("device_hit", i), float64(t.prefillCache))
			p.sample("sglang:prefill_effective_tokens_total", s.rankLabels("host_hit", i), 0)
			p.sample("sglang:prefill_effective_tokens_total", s.rankLabels("storage_hit", i), 0)
		}
		p.head("sglang:realtime_tokens_total", "counter", "Total number of tokens processed (updated on each log interval).")
		for i := range c.ranks {
			t := &c.ranks[i]
			p.sample("sglang:realtime_tokens_total", s.rankLabels("prefill_compute", i), float64(t.prefillCompute))
			p.sample("sglang:realtime_tokens_total", s.rankLabels("decode", i), float64(t.decodeTokens))
			p.sample("sglang:realtime_tokens_total", s.rankLabels("prefill_cache", i), float64(t.prefillCache))
		}
		perRank("sglang:cache_hit_rate", "gauge", "The prefix cache hit rate.", func(i int) float64 { return c.ranks[i].lastHitRate })
	}
	p.head("sglang:http_responses_total", "counter", "Total number of HTTP responses by endpoint and status code")
	for _, k := range c.httpKeys() {
		p.sample("sglang:http_responses_total", fmt.Sprintf(`endpoint="%s",method="%s",status_code="%d"`, k.endpoint, k.method, k.status), float64(c.http[k]))
	}
	byStream("sglang:prompt_tokens_total", "counter", "Number of prefill tokens processed.", nil, &all.promptTokens, nil)
	byStream("sglang:generation_tokens_total", "counter", "Number of generation tokens processed.", nil, &all.outputTokens, nil)
	byStream("sglang:num_requests_total", "counter", "Number of requests processed.", nil, &all.requests, nil)
	if all.cachedAtFinish > 0 && !s.cfg.has(faultNoReport) {
		p.head("sglang:cached_tokens_total", "counter", "Number of cached prompt tokens by source (device/host/storage).")
		p.sample("sglang:cached_tokens_total", `cache_source="device",`+engine+","+model, float64(all.cachedAtFinish))
	}
	perRank("sglang:max_total_num_tokens", "gauge", "Maximum total number of tokens in the KV cache pool.", func(int) float64 { return float64(s.cfg.PoolTokens) })
	perRank("sglang:page_size", "gauge", "KV cache page size in tokens.", func(int) float64 { return float64(s.cfg.PageSize) })
	perRank("sglang:num_pages", "gauge", "Number of KV cache pages.", func(int) float64 { return float64(s.cfg.PoolTokens / s.cfg.PageSize) })
	perRank("sglang:num_running_reqs", "gauge", "The number of running requests.", func(i int) float64 { return float64(loads[i][0]) })
	perRank("sglang:num_queue_reqs", "gauge", "The number of requests in the waiting queue.", func(i int) float64 { return float64(loads[i][1]) })
	perRank("sglang:num_used_tokens", "gauge", "The number of used tokens.", func(i int) float64 { return float64(used[i]) })
	perRank("sglang:token_usage", "gauge", "The token usage.", func(i int) float64 { return share[i] })
	if n := c.evicted.Load(); n > 0 {
		p.head("sglang:evicted_tokens_total", "counter", "Total number of evicted tokens.")
		p.sample("sglang:evicted_tokens_total", s.rankLabels("", 0), float64(n))
	}
	return p.b.String()
}

// rankLabels are the labels of a scheduler counter, sorted by name.
func (s *Server) rankLabels(mode string, rank int) string {
	dp := ""
	if len(s.ranks) > 1 {
		dp = fmt.Sprintf(`dp_rank="%d",`, rank)
	}
	if mode != "" {
		mode = fmt.Sprintf(`mode="%s",`, mode)
	}
	return fmt.Sprintf(`%sengine_type="unified",%smodel_name="%s",moe_ep_rank="0",pp_rank="0",tp_rank="0"`, dp, mode, s.cfg.Model)
}

// sum adds the ranks up, as the tokenizer process of SGLang sees them.
func (c *counters) sum() tally {
	var all tally
	for i := range c.ranks {
		t := &c.ranks[i]
		for s := range 2 {
			all.requests[s] += t.requests[s]
			all.promptTokens[s] += t.promptTokens[s]
			all.outputTokens[s] += t.outputTokens[s]
			all.ttft[s].merge(&t.ttft[s])
			all.e2e[s].merge(&t.e2e[s])
		}
		all.cachedAtFinish += t.cachedAtFinish
		all.itl.merge(&t.itl)
		all.prompt.merge(&t.prompt)
		all.uncached.merge(&t.uncached)
		all.generate.merge(&t.generate)
	}
	return all
}

func (h *histogram) merge(o *histogram) {
	if h.count == nil {
		h.count = map[float64]int64{}
	}
	for v, n := range o.count {
		h.count[v] += n
	}
	h.sum += o.sum
	h.n += o.n
}
