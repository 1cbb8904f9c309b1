package command

import (
	"math"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/text"
)

// describe fills what a client's options say about its run, by the exact names
// that the client knows. What is not given stays unknown, but for a seed whose
// default never changed.
func describe(c *capture.Command, o options) {
	w := &c.Workload
	w.Form = "command"
	w.Args = o.values
	w.Target = target(o)
	c.Target = w.Target
	w.Tokenizer = text.Safe(o.string("tokenizer", "tokenizer_path"))
	switch c.Client {
	case "sglang.bench_serving", "sglang.rust":
		benchServing(c, o)
		w.Warmups, w.FlushAsked = o.int("warmup_requests"), o.on("flush_cache")
		if !given(o, "warmup_requests") {
			// One warm-up in every version, before there was an option too.
			one := 1
			w.Warmups, w.WarmupsFrom = &one, "the client's default"
		}
		if w.FlushAsked == nil {
			no := false
			w.FlushAsked = &no
		}
		w.TokenIDs = isOn(o, "tokenize_prompt")
		w.Groups, w.PerGroup = o.int("gsp_num_groups"), o.int("gsp_prompts_per_group")
		w.SystemLen, w.QuestionLen = o.int("gsp_system_prompt_len"), o.int("gsp_question_len")
		w.Offset = offset(o)
		if w.Dataset == "generated-shared-prefix" {
			w.Grouped(o.int("gsp_num_turns"))
		}
	case "vllm bench serve", "vllm-bench":
		benchServing(c, o)
		w.PrefixLen = o.int("random_prefix_len")
		w.Warmups = o.int("num_warmups")
		if w.Seed == nil && !given(o, "seed") {
			zero := int64(0)
			w.Seed, w.SeedDefault = &zero, true
		}
	case "guidellm":
		guidellm(c, o)
	case "aiperf", "genai-perf":
		w.Seed = o.int64("random_seed")
		w.Prompts = o.int("request_count", "num_prompts")
		w.InputLen, w.OutputLen = o.int("synthetic_input_tokens_mean", "isl"), o.int("output_tokens_mean", "osl")
		w.Warmups = o.int("warmup_request_count")
		c.Cap, c.Rate = capOf(o, "concurrency"), rateOf(o, "request_rate")
		c.Output = text.Safe(o.string("output_artifact_dir", "artifact_dir"))
	case "evalscope":
		w.Seed = o.int64("seed")
		w.Prompts = o.int("number", "n")
		w.Dataset = text.Safe(o.string("dataset", "d"))
		w.InputLen, w.OutputLen = sameInt(o, "min_prompt_length", "max_prompt_length"), o.int("max_tokens")
		w.PrefixLen = o.int("prefix_length") // its offset grows from run to run of one command
		c.Cap, c.Rate = capOf(o, "parallel"), rateOf(o, "rate")
		c.Output = text.Safe(o.string("outputs_dir"))
	case "genai-bench":
		c.Output = text.Safe(o.string("experiment_base_dir"))
	case "llmperf":
		w.Prompts = o.int("max_num_completed_requests")
		w.InputLen, w.OutputLen = o.int("mean_input_tokens"), o.int("mean_output_tokens")
		c.Cap = capOf(o, "num_concurrent_requests")
		c.Output = text.Safe(o.string("results_dir"))
	}
}

// benchServing reads the options that SGLang's and vLLM's clients share.
func benchServing(c *capture.Command, o options) {
	w := &c.Workload
	w.Seed = o.int64("seed")
	w.Prompts = o.int("num_prompts")
	w.Dataset, w.DatasetPath = text.Safe(o.string("dataset_name")), text.Safe(o.string("dataset_path"))
	w.InputLen, w.OutputLen = o.int("random_input_len", "random_input"), o.int("random_output_len", "random_output")
	w.RangeRatio = o.float("random_range_ratio")
	c.Cap, c.Rate = capOf(o, "max_concurrency"), rateOf(o, "request_rate")
	c.Output = text.Safe(o.string("output_file", "result_filename"))
}

// guidellm reads its "kind=...,name=value" options, and the plain ones of
// versions before them.
func guidellm(c *capture.Command, o options) {
	w := &c.Workload
	pairs := parseOptions(nil)
	for _, name := range []string{"data", "profile", "constraint", "seed", "output", "backend"} {
		for _, v := range all(o.values[name]) {
			addPairs(&pairs, name, v)
		}
	}
	w.Seed = firstInt64(pairs.int64("seed_value"), o.int64("random_seed"))
	w.InputLen, w.OutputLen = pairs.int("data_prompt_tokens"), pairs.int("data_output_tokens")
	w.Dataset = pairs.string("data_kind")
	w.Prompts = o.int("max_requests")
	if pairs.string("constraint_kind") == "max_requests" {
		w.Prompts = pairs.int("constraint_count")
	}
	c.Cap = capOf(pairs, "profile_streams")
	if o.string("rate_type") == "concurrent" {
		c.Cap = capOf(o, "rate")
	}
	c.Output = text.Safe(o.string("output_path"))
	for _, v := range all(o.values["output"]) {
		one := parseOptions(nil)
		addPairs(&one, "output", v)
		if one.string("output_kind") == "json" {
			c.Output = text.Safe(one.string("output_path"))
		}
	}
	if host, _ := splitURL(pairs.string("backend_target") + "/"); host != "" {
		w.Target, c.Target = host, host
	}
}

func all(v any) []any {
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		return v
	}
	return []any{v}
}

func addPairs(to *options, name string, v any) {
	s, ok := v.(string)
	if !ok {
		return
	}
	for _, pair := range strings.Split(s, ",") {
		if k, val, ok := strings.Cut(pair, "="); ok {
			to.add(name+"_"+strings.TrimSpace(k), scalar(val))
		}
	}
}

func firstInt64(values ...*int64) *int64 {
	for _, v := range values {
		if v != nil {
			return v
		}
	}
	return nil
}

// sameInt gives the value that two options share.
func sameInt(o options, a, b string) *int {
	x, y := o.int(a), o.int(b)
	if x == nil || y == nil || *x != *y {
		return nil
	}
	return x
}

// offset is the row of its dataset at which a run starts: without the option,
// which older versions lack, the first.
func offset(o options) *int {
	if !given(o, "dataset_offset") {
		first := 0
		return &first
	}
	return o.int("dataset_offset")
}

func given(o options, name string) bool {
	_, ok := o.values[name]
	return ok
}

// capOf reads a concurrency cap. Without the option the client has none, but
// only clients for which that is documented are asked so: not given is unknown
// here.
func capOf(o options, name string) capture.Cap {
	if n := o.int(name); n != nil {
		return capture.Cap{Known: true, N: *n}
	}
	return capture.Cap{}
}

func rateOf(o options, name string) capture.Rate {
	if o.string(name) == "inf" {
		return capture.Rate{Known: true, Inf: true}
	}
	f := o.float(name)
	switch {
	case f == nil:
		return capture.Rate{}
	case math.IsInf(*f, 1):
		return capture.Rate{Known: true, Inf: true}
	}
	return capture.Rate{Known: true, PerSecond: *f}
}
