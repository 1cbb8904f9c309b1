package lab

import (
	"fmt"
	"strings"
)

// vllmMetrics renders /metrics as vLLM v0.32 does: one label per engine, a
// _created series beside each counter and histogram.
func (s *Server) vllmMetrics() string {
	v := vllmText{s: s, created: float64(s.started.UnixNano()) / 1e9}
	p := &v.p
	p.head("process_start_time_seconds", "gauge", "Start time of the process since unix epoch in seconds.")
	p.sample("process_start_time_seconds", "", v.created)

	loads := make([][2]int, len(s.ranks))
	share := make([]float64, len(s.ranks))
	for i, r := range s.ranks {
		r.mu.Lock()
		loads[i][0], loads[i][1] = r.loadLocked()
		_, share[i] = r.usage()
		r.mu.Unlock()
	}
	c := s.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	v.gauge("vllm:num_requests_running", "Number of requests in model execution batches.", func(i int) float64 { return float64(loads[i][0]) })
	v.gauge("vllm:num_requests_waiting", "Number of requests waiting to be processed.", func(i int) float64 { return float64(loads[i][1]) })
	v.gauge("vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", func(i int) float64 { return share[i] })
	report := !s.cfg.has(faultNoReport)
	if report {
		v.counter("vllm:prefix_cache_queries", "Prefix cache queries, in terms of number of queried tokens.", func(t *tally) float64 { return float64(t.queries) })
		v.counter("vllm:prefix_cache_hits", "Prefix cache hits, in terms of number of cached tokens.", func(t *tally) float64 { return float64(t.hits) })
	}
	v.counter("vllm:num_preemptions", "Cumulative number of preemption from the engine.", func(*tally) float64 { return 0 })
	v.counter("vllm:prompt_tokens", "Number of prefill tokens processed.", func(t *tally) float64 { return float64(t.queries) })
	if report {
		v.counter("vllm:prompt_tokens_cached", "Number of cached prompt tokens (local + external).", func(t *tally) float64 { return float64(t.hits) })
		v.labelled("vllm:prompt_tokens_by_source", "Number of prompt tokens by source.", "source", []string{"local_compute", "local_cache_hit", "external_kv_transfer"},
			func(t *tally, l string) float64 {
				switch l {
				case "local_compute":
					return float64(t.queries - t.hits)
				case "local_cache_hit":
					return float64(t.hits)
				}
				return 0
			})
	}
	v.counter("vllm:generation_tokens", "Number of generation tokens processed.", func(t *tally) float64 { return float64(t.outputTokens[0] + t.outputTokens[1]) })
	v.labelled("vllm:request_success", "Count of successfully processed requests.", "finished_reason", []string{"stop", "length", "abort", "error", "repetition"},
		func(t *tally, l string) float64 { return float64(t.finished[l]) })
	v.hist("vllm:request_prompt_tokens", "Number of prefill tokens processed.", vllmTokens, func(t *tally) *histogram { return &t.prompt })
	v.hist("vllm:request_generation_tokens", "Number of generation tokens processed.", vllmTokens, func(t *tally) *histogram { return &t.generate })
	v.hist("vllm:time_to_first_token_seconds", "Histogram of time to first token in seconds.", vllmTTFT, func(t *tally) *histogram { return both(&t.ttft) })
	v.hist("vllm:inter_token_latency_seconds", "Histogram of inter-token latency in seconds.", vllmITL, func(t *tally) *histogram { return &t.itl })
	v.hist("vllm:e2e_request_latency_seconds", "Histogram of e2e request latency in seconds.", vllmLong, func(t *tally) *histogram { return both(&t.e2e) })
	if report {
		v.hist("vllm:request_prefill_kv_computed_tokens", "Histogram of new KV tokens computed during prefill (excluding cached tokens).", vllmTokens, func(t *tally) *histogram { return &t.uncached })
	}
	p.head("vllm:cache_config_info", "gauge", "Information of the LLMEngine CacheConfig")
	for i := range s.ranks {
		p.sample("vllm:cache_config_info", s.cacheConfigLabels(i), 1)
	}
	p.head("http_requests_total", "counter", "Total number of requests by method, status and handler.")
	for _, k := range c.httpKeys() {
		p.sample("http_requests_total", fmt.Sprintf(`handler="%s",method="%s",status="%dxx"`, k.endpoint, k.method, k.status/100), float64(c.http[k]))
	}
	return p.b.String()
}

// vllmText writes the families of vLLM, each with its creation times.
type vllmText struct {
	p       promText
	s       *Server
	created float64
}

func (v *vllmText) labels(rank int, extra string) string {
	l := fmt.Sprintf(`engine="%d",%smodel_name="%s"`, rank, beforeModel(extra), v.s.cfg.Model)
	if extra != "" && extra > "model_name" {
		l += "," + extra
	}
	return l
}

// beforeModel keeps labels sorted by name: extra stands before model_name or
// behind it.
func beforeModel(extra string) string {
	if extra == "" || extra > "model_name" {
		return ""
	}
	return extra + ","
}

func (v *vllmText) gauge(name, help string, value func(rank int) float64) {
	v.p.head(name, "gauge", help)
	for i := range v.s.ranks {
		v.p.sample(name, v.labels(i, ""), value(i))
	}
}

func (v *vllmText) counter(name, help string, value func(*tally) float64) {
	v.labelled(name, help, "", []string{""}, func(t *tally, _ string) float64 { return value(t) })
}

func (v *vllmText) labelled(name, help, label string, values []string, value func(*tally, string) float64) {
	extra := func(l string) string {
		if label == "" {
			return ""
		}
		return fmt.Sprintf(`%s="%s"`, label, l)
	}
	v.p.head(name+"_total", "counter", help)
	for i := range v.s.counters.ranks {
		for _, l := range values {
			v.p.sample(name+"_total", v.labels(i, extra(l)), value(&v.s.counters.ranks[i], l))
		}
	}
	v.p.head(name+"_created", "gauge", help)
	for i := range v.s.counters.ranks {
		for _, l := range values {
			v.p.sample(name+"_created", v.labels(i, extra(l)), v.created)
		}
	}
}

func (v *vllmText) hist(name, help string, bounds []float64, of func(*tally) *histogram) {
	v.p.head(name, "histogram", help)
	for i := range v.s.counters.ranks {
		v.p.hist(name, fmt.Sprintf(`engine="%d"`, i), fmt.Sprintf(`model_name="%s"`, v.s.cfg.Model), of(&v.s.counters.ranks[i]), bounds)
	}
	v.p.head(name+"_created", "gauge", help)
	for i := range v.s.counters.ranks {
		v.p.sample(name+"_created", v.labels(i, ""), v.created)
	}
}

func both(h *[2]histogram) *histogram {
	var sum histogram
	sum.merge(&h[0])
	sum.merge(&h[1])
	return &sum
}

// cacheConfigLabels state the settings of the cache; the value of the series
// is always 1.
func (s *Server) cacheConfigLabels(rank int) string {
	pairs := []string{
		fmt.Sprintf(`block_size="%d"`, s.cfg.PageSize),
		`cache_dtype="auto"`,
		`cache_hit_alignment_tokens="None"`,
		fmt.Sprintf(`enable_prefix_caching="%s"`, pyBool(!s.cfg.NoCache)),
		fmt.Sprintf(`engine="%d"`, rank),
		`gpu_memory_utilization="0.92"`,
		fmt.Sprintf(`kv_cache_size_tokens="%d"`, s.cfg.PoolTokens),
		fmt.Sprintf(`num_gpu_blocks="%d"`, s.cfg.PoolTokens/s.cfg.PageSize),
		`prefix_caching_hash_algo="sha256"`,
		`prefix_match_unit="None"`,
	}
	return strings.Join(pairs, ",")
}

func pyBool(b bool) string {
	if b {
		return "True"
	}
	return "False"
}
