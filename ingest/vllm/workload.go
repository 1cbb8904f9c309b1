package vllm

import (
	"encoding/json"
	"math"
	"net/url"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/pyrepr"
	"coldcase/ingest/text"
)

// Form says where arguments come from, which decides what an absent one means.
type Form string

// Forms of arguments, as capture.Workload.Form names them.
const (
	// FormNamespace is the printed Namespace: every option of that version.
	FormNamespace Form = "namespace"
	// FormCommand is a command line: an absent option has its default.
	FormCommand Form = "command"
	// FormRecord is what a sweep or --metadata put into a record: what is
	// absent is not known.
	FormRecord Form = "record"
)

// Arguments turns the options of `vllm bench serve` (or of the script before
// it), by name with underscores, into a workload, the cap and the rate. Values
// may be typed or, from a command line, strings. args is redacted in place and
// kept in the workload.
//
// Defaults (vLLM v0.6 to v0.33): seed 0, 1,000 prompts of the random dataset,
// 1,024 tokens in and 128 out, no cap, no limit of the rate.
func Arguments(args map[string]any, form Form) (capture.Workload, capture.Cap, capture.Rate) {
	w := capture.Workload{
		Form:        string(form),
		Dataset:     stringArg(args, "dataset_name"),
		DatasetPath: stringArg(args, "dataset_path"),
		Tokenizer:   stringArg(args, "tokenizer"),
		Seed:        int64Arg(args, "seed"),
		Prompts:     intArg(args, "num_prompts"),
		PrefixLen:   intArg(args, "random_prefix_len"),
		CacheSalt:   cacheSalt(args["extra_body"]),
		Target:      target(args),
	}
	if w.Tokenizer == "" {
		w.Tokenizer = stringArg(args, "model")
	}
	if form == FormCommand {
		commandDefaults(&w)
	}
	lengths(&w, args, form)
	sentBefore(&w, args, form)
	text.RedactArgs(args)
	w.Args = args
	return w, capOf(args, form), rateOf(args, form)
}

// commandDefaults fills what the command did not name.
func commandDefaults(w *capture.Workload) {
	if w.Seed == nil {
		w.Seed, w.SeedDefault = ptr(int64(0)), true
	}
	if w.Prompts == nil {
		w.Prompts = ptr(1000)
	}
	setText(&w.Dataset, "random")
}

// lengths reads the lengths of the dataset in use. input_len and output_len
// (v0.12 on) stand above the dataset's own options.
func lengths(w *capture.Workload, args map[string]any, form Form) {
	switch w.Dataset {
	case "random", "random-mm", "random-rerank":
		w.InputLen = intArg(args, "random_input_len")
		w.OutputLen = intArg(args, "random_output_len")
		w.RangeRatio = rangeRatio(args["random_range_ratio"])
		if form == FormCommand {
			w.InputLen = either(w.InputLen, ptr(1024))
			w.OutputLen = either(w.OutputLen, ptr(128))
			w.PrefixLen = either(w.PrefixLen, ptr(0))
			if w.RangeRatio == nil && args["random_range_ratio"] == nil {
				w.RangeRatio = ptr(0.0)
			}
		}
	case "prefix_repetition":
		w.Groups = intArg(args, "prefix_repetition_num_prefixes")
		w.SystemLen = intArg(args, "prefix_repetition_prefix_len")
		w.QuestionLen = intArg(args, "prefix_repetition_suffix_len")
		w.OutputLen = intArg(args, "prefix_repetition_output_len")
		w.PrefixLen = w.SystemLen
		if w.Groups != nil && w.Prompts != nil && *w.Groups > 0 {
			w.PerGroup = ptr(*w.Prompts / *w.Groups)
		}
	case "sonnet":
		w.InputLen = intArg(args, "sonnet_input_len")
		w.OutputLen = intArg(args, "sonnet_output_len")
		w.PrefixLen = intArg(args, "sonnet_prefix_len")
	case "sharegpt":
		w.OutputLen = intArg(args, "sharegpt_output_len")
		w.PrefixLen = nil
	default:
		w.PrefixLen = nil
	}
	w.InputLen = either(intArg(args, "input_len"), w.InputLen)
	w.OutputLen = either(intArg(args, "output_len"), w.OutputLen)
}

// sentBefore reads what the client sends before the measured prompts: a test
// request and warm-ups, all of them prompt 0. The test request was
// unconditional until v0.10, then had a time limit, whose default is 0 (off)
// since v0.14. There are no warm-ups before v0.11.1. No version of the Python
// client can reset the server's cache.
func sentBefore(w *capture.Workload, args map[string]any, form Form) {
	w.Warmups = intArg(args, "num_warmups")
	if form == FormRecord {
		return
	}
	if w.Warmups == nil && (form == FormCommand || oldNamespace(args)) {
		w.Warmups = ptr(0)
	}
	if w.Warmups != nil {
		w.WarmupsFrom = string(form)
	}
	switch limit := floatArg(args, "ready_check_timeout_sec"); {
	case limit != nil:
		w.ReadyCheck = ptr(*limit > 0)
	case form == FormNamespace && oldNamespace(args):
		w.ReadyCheck = ptr(true)
	}
	w.FlushAsked = ptr(false)
	if reset, ok := args["reset_prefix_cache"].(bool); ok {
		w.FlushAsked = &reset
	}
}

// oldNamespace reports whether a printed Namespace is of the time before the
// option of the ready check. A Namespace of a few options is somebody's
// shortening and says nothing about its age.
func oldNamespace(args map[string]any) bool {
	_, whole := args["save_result"]
	for _, newer := range []string{"ready_check_timeout_sec", "num_warmups", "random_mm_bucket_config", "request_id_prefix"} {
		if _, has := args[newer]; has {
			return false
		}
	}
	return whole
}

// rangeRatio reads 0.0, '0.0' or '{"input": 0, "output": 0.5}'. Of two ratios
// it is the larger: any above 0 moves the draws of the whole prompt list. Its
// meaning turned round in April 2025: before, 1.0 was a fixed length.
func rangeRatio(v any) *float64 {
	switch v := v.(type) {
	case map[string]any:
		var largest *float64
		for _, side := range []string{"input", "output"} {
			if f := floatArg(v, side); f != nil && (largest == nil || *f > *largest) {
				largest = f
			}
		}
		return largest
	case string:
		if f, err := strconv.ParseFloat(strings.TrimSpace(v), 64); err == nil {
			return &f
		}
		if m := mapText(v); m != nil {
			return rangeRatio(m)
		}
		return nil
	case int64:
		return ptr(float64(v))
	case float64:
		return &v
	}
	return nil
}

// mapText reads a JSON object or a Python dict in a string.
func mapText(s string) map[string]any {
	var m map[string]any
	if json.Unmarshal([]byte(s), &m) == nil {
		return m
	}
	value, err := pyrepr.Parse([]byte(s))
	if dict, ok := value.(*pyrepr.Dict); ok && err == nil {
		return dict.Map()
	}
	return nil
}

// cacheSalt is the salt that the client adds to every request, "" if none. A
// server before v0.10 ignores it on completions.
func cacheSalt(extra any) string {
	if s, ok := extra.(string); ok {
		extra = mapText(s)
	}
	m, _ := extra.(map[string]any)
	return text.Safe(stringArg(m, "cache_salt"))
}

// target is host:port of the server that was asked.
func target(args map[string]any) string {
	if base := stringArg(args, "base_url"); base != "" {
		if u, err := url.Parse(base); err == nil && u.Host != "" {
			return u.Host
		}
		return ""
	}
	host, port := stringArg(args, "host"), intArg(args, "port")
	if host == "" || port == nil {
		return ""
	}
	return host + ":" + strconv.Itoa(*port)
}

// capOf reads max_concurrency; None is no cap.
func capOf(args map[string]any, form Form) capture.Cap {
	if n := intArg(args, "max_concurrency"); n != nil {
		return capture.Cap{Known: true, N: *n}
	}
	v, stated := args["max_concurrency"]
	if form == FormCommand && !stated || form == FormNamespace && stated && v == nil {
		return capture.Cap{Known: true, Unlimited: true}
	}
	return capture.Cap{}
}

// rateOf reads request_rate; inf is no limit.
func rateOf(args map[string]any, form Form) capture.Rate {
	f := floatArg(args, "request_rate")
	if _, stated := args["request_rate"]; form == FormCommand && !stated {
		f = ptr(math.Inf(1))
	}
	return rateFrom(f)
}

func rateFrom(f *float64) capture.Rate {
	switch {
	case f == nil || math.IsNaN(*f) || *f < 0:
		return capture.Rate{}
	case math.IsInf(*f, 1):
		return capture.Rate{Known: true, Inf: true}
	}
	return capture.Rate{Known: true, PerSecond: *f}
}

// engineOf is the server's engine where a client's backend can only be that
// engine's; the OpenAI backends say nothing.
func engineOf(backend string) string {
	switch backend {
	case "vllm", "vllm-pooling", "vllm-rerank", "vllm-chat":
		return "vllm"
	case "sglang", "lmdeploy", "llama.cpp", "tgi":
		return backend
	case "tensorrt-llm":
		return "trt-llm"
	}
	return ""
}
