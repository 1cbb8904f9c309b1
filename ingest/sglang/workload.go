package sglang

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
	"coldcase/ingest/text"
)

// The two clients behind one name. They draw other prompts from the same seed.
const (
	pythonClient = "sglang.bench_serving"
	rustClient   = "sglang.rust"
)

// ownArgs are options that SGLang's client has and vLLM's has not; otherArgs
// the reverse. Both print "Namespace(".
var (
	ownArgs = []string{
		"flush_cache", "warmup_requests", "disable_stream", "disable_ignore_eos", "multi", "request_rate_range",
		"extra_request_body", "apply_chat_template", "gsp_num_groups", "gen_num_groups", "tokenize_prompt", "rust_client",
		"dataset_offset", "return_logprob", "cache_report",
	}
	otherArgs = []string{
		"subparser", "bench_type", "burstiness", "endpoint", "endpoint_type", "num_warmups", "save_result", "percentile_metrics",
		"metric_percentiles", "random_mm_bucket_config", "best_of", "use_beam_search", "hf_split", "result_filename", "ignore_eos",
	}
)

// IsClientArgs reports whether a Namespace is that of SGLang's client.
func IsClientArgs(call *pyrepr.Call) bool {
	score := 0
	for _, a := range ownArgs {
		if _, ok := call.Get(a); ok {
			score++
		}
	}
	for _, a := range otherArgs {
		if _, ok := call.Get(a); ok {
			score--
		}
	}
	if score != 0 {
		return score > 0
	}
	backend, _ := call.Get("backend")
	s, _ := backend.(string)
	return strings.HasPrefix(s, "sglang")
}

// clientArgs are the arguments of one invocation of the client.
type clientArgs struct {
	workload capture.Workload
	cap      capture.Cap
	rate     capture.Rate
	backend  string
	model    string
	tag      string
	multi    bool
}

// readArgs types the arguments of a Namespace. Nothing is taken from a default
// of the client but the number of warm-ups of clients that had no option for
// it: to 0.4.4.post3 they always sent one.
func readArgs(call *pyrepr.Call) clientArgs {
	args := call.Map()
	text.RedactArgs(args)
	a := clientArgs{
		backend: stringOf(args, "backend"),
		model:   stringOf(args, "model"),
		tag:     stringOf(args, "tag"),
	}
	if m := boolOf(args, "multi"); m != nil {
		a.multi = *m
	}
	if v, ok := args["max_concurrency"]; ok {
		a.cap = argCap(v)
	}
	if v, ok := args["request_rate"]; ok {
		a.rate = argRate(v)
	}
	if b := boolOf(args, "use_trace_timestamps"); b != nil && *b {
		a.rate = capture.Rate{Known: true, Trace: true}
	}
	w := &a.workload
	*w = capture.Workload{
		Form: "namespace", Args: args,
		Dataset:     stringOf(args, "dataset_name"),
		DatasetPath: stringOf(args, "dataset_path"),
		Tokenizer:   stringOf(args, "tokenizer"),
		Prompts:     intOf(args, "num_prompts"),
		FlushAsked:  boolOf(args, "flush_cache"),
		Offset:      intOf(args, "dataset_offset"),
		Target:      target(args),
		CacheSalt:   salt(args),
	}
	if w.Tokenizer == "" {
		w.Tokenizer = a.model
	}
	if n := intOf(args, "seed"); n != nil {
		seed := int64(*n)
		w.Seed = &seed
	}
	if b := boolOf(args, "tokenize_prompt"); b != nil {
		w.TokenIDs = *b
	}
	warmups(w, args, call.Truncated)
	lengths(w, args)
	return a
}

func warmups(w *capture.Workload, args map[string]any, truncated bool) {
	if n := intOf(args, "warmup_requests"); n != nil {
		w.Warmups, w.WarmupsFrom = n, "warmup_requests"
		return
	}
	_, flush := args["flush_cache"]
	if _, ok := args["disable_stream"]; !ok || flush || truncated {
		return
	}
	one := 1
	w.Warmups, w.WarmupsFrom = &one, "a client without the option sends one"
}

// lengths reads the lengths that apply to the dataset. A random_input_len is
// printed for every dataset and means nothing outside of random ones.
func lengths(w *capture.Workload, args map[string]any) {
	switch {
	case strings.HasPrefix(w.Dataset, "random") || w.Dataset == "image":
		w.InputLen = intOf(args, "random_input_len")
		w.OutputLen = intOf(args, "random_output_len")
		w.RangeRatio = floatOf(args, "random_range_ratio")
	case w.Dataset == "generated-shared-prefix":
		prefix := "gsp_"
		if _, old := args["gen_num_groups"]; old {
			prefix = "gen_"
		}
		w.Groups = intOf(args, prefix+"num_groups")
		w.PerGroup = intOf(args, prefix+"prompts_per_group")
		w.SystemLen = intOf(args, prefix+"system_prompt_len")
		w.QuestionLen = intOf(args, prefix+"question_len")
		w.OutputLen = intOf(args, prefix+"output_len")
		w.PrefixLen = w.SystemLen
		w.RangeRatio = floatOf(args, prefix+"range_ratio")
		w.Grouped(intOf(args, prefix+"num_turns"))
	default:
		w.OutputLen = intOf(args, "sharegpt_output_len")
	}
}

// target is the address that the client talked to, without a scheme.
func target(args map[string]any) string {
	if base := stringOf(args, "base_url"); base != "" {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			return u.Host
		}
		return base
	}
	host, port := stringOf(args, "host"), intOf(args, "port")
	if host == "" || port == nil {
		return host
	}
	return host + ":" + strconv.Itoa(*port)
}

// salt is the name space of the cache that an extra request body asks for.
func salt(args map[string]any) string {
	var body map[string]any
	if json.Unmarshal([]byte(stringOf(args, "extra_request_body")), &body) != nil {
		return ""
	}
	for _, key := range []string{"extra_key", "cache_salt"} {
		if s, ok := body[key].(string); ok {
			return s
		}
	}
	return ""
}

func argCap(v any) capture.Cap {
	switch v := v.(type) {
	case nil:
		return capture.Cap{Known: true, Unlimited: true}
	case int64:
		return capture.Cap{Known: v > 0, N: int(v)}
	case float64:
		return capture.Cap{Known: v > 0, N: int(v)}
	}
	return capture.Cap{}
}

func argRate(v any) capture.Rate {
	switch v := v.(type) {
	case int64:
		return capture.Rate{Known: true, PerSecond: float64(v)}
	case float64:
		return floatRate(v)
	case string:
		return textRate(v)
	}
	return capture.Rate{}
}
