package capture

import "strconv"

// InFlight is the number of requests that run or wait on the server at the
// time of the scrape. Counters of a scrape with requests in flight lag behind.
// SGLang refreshes its gauges every 30 s when idle, so they may be stale.
func (s *Snapshot) InFlight() (n float64, lines []int, ok bool) {
	names := []string{
		"sglang:num_running_reqs", "sglang:num_queue_reqs",
		"vllm:num_requests_running", "vllm:num_requests_waiting", "vllm:num_requests_kv_fetch_by_stage",
		"llamacpp:requests_processing", "llamacpp:requests_deferred",
	}
	for _, name := range names {
		sum, at, found := s.Total(name)
		if found {
			n += sum
			lines = append(lines, at...)
			ok = true
		}
	}
	return n, lines, ok
}

// Settings are the facts about the server that the scrape states: vLLM's
// cache_config_info labels, SGLang's constant gauges. nil if it states none.
func (s *Snapshot) Settings() *ServerInfo {
	if s == nil {
		return nil
	}
	info := ServerInfo{Engine: s.Engine}
	at := 0
	for _, x := range s.Series["vllm:cache_config_info"] {
		at = first(at, x.Line)
		info.PageSize = number(x.Labels["block_size"])
		info.HitAlignment = number(x.Labels["cache_hit_alignment_tokens"])
		info.PrefixCache = truth(x.Labels["enable_prefix_caching"])
		if blocks := number(x.Labels["num_gpu_blocks"]); blocks != nil && info.PageSize != nil {
			pool := int64(*blocks) * int64(*info.PageSize)
			info.PoolTokens = &pool
		}
	}
	for _, x := range s.Series["sglang:page_size"] {
		at = first(at, x.Line)
		page := int(x.Value)
		info.PageSize = &page
	}
	for _, x := range s.Series["sglang:max_total_num_tokens"] {
		at = first(at, x.Line)
		pool := int64(x.Value)
		info.PoolTokens = &pool
	}
	if at == 0 {
		return nil
	}
	metrics := true
	info.Metrics = &metrics
	info.Model = s.label("model_name")
	info.At = Evidence{File: s.File, Line: at}
	return &info
}

// label is the value of a label that all series of the scrape share, "" if none
// has it or if they differ.
func (s *Snapshot) label(name string) string {
	value := ""
	for _, samples := range s.Series {
		for _, x := range samples {
			v, ok := x.Labels[name]
			switch {
			case !ok || v == value:
			case value == "":
				value = v
			default:
				return ""
			}
		}
	}
	return value
}

func first(at, line int) int {
	if at == 0 || line < at {
		return line
	}
	return at
}

// number reads a label that holds a positive whole number; vLLM prints "None"
// before it knows.
func number(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil || n <= 0 {
		return nil
	}
	return &n
}

func truth(s string) *bool {
	b := s == "True" || s == "true"
	if !b && s != "False" && s != "false" {
		return nil
	}
	return &b
}
