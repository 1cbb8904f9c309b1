package command

import (
	"strings"

	"coldcase/ingest/capture"
)

// serverInfo reads the settings that a server's command states. What it does
// not state depends on the version and stays unknown.
func serverInfo(p program, o options) *capture.ServerInfo {
	i := &capture.ServerInfo{Engine: p.engine, Args: o.values}
	i.Model = o.string("model_path", "model")
	if i.Model == "" && len(o.rest) > 0 {
		i.Model = o.rest[0] // vllm serve MODEL
	}
	i.PageSize = o.int("page_size", "block_size")
	i.ChunkedSize = o.int("chunked_prefill_size")
	i.DPSize = o.int("dp_size", "data_parallel_size", "dp")
	i.TPSize = o.int("tp_size", "tensor_parallel_size", "tp")
	i.PPSize = o.int("pp_size", "pipeline_parallel_size", "pp")
	i.Policy = o.string("schedule_policy", "scheduling_policy")
	i.PrefixCache = prefixCache(o)
	i.CacheKind = cacheKind(o)
	i.CacheReport = o.on("enable_cache_report", "enable_prompt_tokens_details")
	if p.engine == "sglang" {
		i.Metrics = o.on("enable_metrics")
	}
	for _, e := range p.env {
		if e == "VLLM_SERVER_DEV_MODE=1" {
			on := true
			i.DevMode = &on
		}
	}
	return i
}

// prefixCache tells whether a switch turns the cache on or off.
func prefixCache(o options) *bool {
	off, on := false, true
	switch {
	case isOn(o, "disable_radix_cache"), isOn(o, "no_enable_prefix_caching"), isOn(o, "no_enable_chunked_prefill_caching"):
		return &off
	case isOn(o, "enable_prefix_caching"):
		return &on
	}
	return nil
}

func isOn(o options, name string) bool {
	b := o.on(name)
	return b != nil && *b
}

// cacheKind names what makes a full hit look different from L-1 tokens.
func cacheKind(o options) string {
	var kinds []string
	if a := strings.ToLower(o.string("speculative_algorithm", "speculative_algo")); strings.Contains(a, "eagle") || strings.Contains(a, "nextn") {
		kinds = append(kinds, "eagle")
	}
	if isOn(o, "enable_hierarchical_cache") {
		kinds = append(kinds, "hicache")
	}
	if isOn(o, "enable_lmcache") || strings.Contains(o.string("kv_transfer_config"), "LMCache") {
		kinds = append(kinds, "lmcache")
	}
	return strings.Join(kinds, "+")
}
