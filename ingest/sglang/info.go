package sglang

import (
	"bytes"
	"math"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
	"coldcase/ingest/text"
)

// startInfo reads a server_args= line: ServerArgs(...) to 0.5.21, a dict in
// 0.5.22. A clipped line gives what was whole before the cut.
func startInfo(line []byte, n int) capture.ServerInfo {
	v, _, _ := pyrepr.Prefix(line[len("server_args="):])
	var args map[string]any
	switch v := v.(type) {
	case *pyrepr.Call:
		args = v.Map()
	case *pyrepr.Dict:
		args = v.Map()
	}
	info := argsInfo(args)
	info.At = text.Evidence("", n, line)
	return info
}

// argsInfo reads the settings of a server out of its arguments, as the start
// line, /server_info and the client's record print them. The arguments are
// redacted in place and kept.
func argsInfo(args map[string]any) capture.ServerInfo {
	text.RedactArgs(args)
	info := capture.ServerInfo{
		Engine:      "sglang",
		Version:     stringOf(args, "version"),
		Model:       stringOf(args, "model_path"),
		PageSize:    intOf(args, "page_size"),
		ChunkedSize: intOf(args, "chunked_prefill_size"),
		DPSize:      intOf(args, "dp_size"),
		TPSize:      intOf(args, "tp_size"),
		PPSize:      intOf(args, "pp_size"),
		Policy:      stringOf(args, "schedule_policy"),
		CacheReport: boolOf(args, "enable_cache_report"),
		Metrics:     boolOf(args, "enable_metrics"),
		CacheKind:   cacheKind(args),
		Args:        args,
	}
	if off := boolOf(args, "disable_radix_cache"); off != nil {
		on := !*off
		info.PrefixCache = &on
	}
	if n := intOf(args, "max_total_num_tokens"); n != nil {
		tokens := int64(*n)
		info.PoolTokens = &tokens
	}
	return info
}

// cacheKind names what makes a hit of this server other than a plain radix
// tree's.
func cacheKind(args map[string]any) string {
	var kinds []string
	// Bigram keys of EAGLE and its kin end a hit one token earlier (0.5.3 and
	// later); an n-gram drafter keeps plain keys.
	switch strings.ToUpper(stringOf(args, "speculative_algorithm")) {
	case "EAGLE", "EAGLE3", "NEXTN", "MTP":
		kinds = append(kinds, "eagle")
	}
	for _, k := range []struct{ arg, kind string }{
		{"enable_hierarchical_cache", "hicache"},
		{"enable_lmcache", "lmcache"},
		{"enable_flexkv", "flexkv"},
		{"uses_mamba_radix_cache", "mamba"},
	} {
		if b := boolOf(args, k.arg); b != nil && *b {
			kinds = append(kinds, k.kind)
		}
	}
	return strings.Join(kinds, "+")
}

func addKind(info *capture.ServerInfo, kind string) {
	for _, k := range strings.Split(info.CacheKind, "+") {
		if k == kind {
			return
		}
	}
	if info.CacheKind != "" {
		info.CacheKind += "+"
	}
	info.CacheKind += kind
}

// poolInfo reads the line of the scheduler or of the pool. The scheduler's
// number is that of tokens that requests can use, and wins.
func poolInfo(info *capture.ServerInfo, m []byte) {
	if n := valueOf(m, "max_total_num_tokens="); n >= 0 {
		info.PoolTokens = &n
		if c := valueOf(m, "chunked_prefill_size="); c >= 0 && info.ChunkedSize == nil {
			size := int(c)
			info.ChunkedSize = &size
		}
		return
	}
	if n := valueOf(m, "#tokens: "); n >= 0 && info.PoolTokens == nil {
		info.PoolTokens = &n
	}
}

// treeInfo reads "Tree cache initialized: ..." (0.5.14 and later). Its impl does
// not tell whether caching is on.
func treeInfo(info *capture.ServerInfo, m []byte) {
	for _, k := range []struct{ field, kind string }{
		{"hybrid_swa=True", "swa"}, {"hybrid_ssm=True", "mamba"}, {"hicache_attached=True", "hicache"},
	} {
		if bytes.Contains(m, []byte(k.field)) {
			addKind(info, k.kind)
		}
	}
}

func stringOf(args map[string]any, key string) string {
	s, _ := args[key].(string)
	return s
}

func boolOf(args map[string]any, key string) *bool {
	if b, ok := args[key].(bool); ok {
		return &b
	}
	return nil
}

func intOf(args map[string]any, key string) *int {
	switch v := args[key].(type) {
	case int64:
		n := int(v)
		return &n
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			n := int(v)
			return &n
		}
	}
	return nil
}

func floatOf(args map[string]any, key string) *float64 {
	switch v := args[key].(type) {
	case int64:
		f := float64(v)
		return &f
	case float64:
		return &v
	}
	return nil
}
