package confirm

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/plan"
	"coldcase/ingest/text"
)

// argument is an option of an engine's own client that changes what is sent or
// when, beside those that a plan's workload has a field for.
type argument struct {
	name string // with underscores
	// dataset is the one that the option applies to, "" for any: a Namespace
	// names it for every dataset.
	dataset string
	// idle is the value with which the option does nothing, where a client
	// prints it: an older client may not know the option at all.
	idle string
}

// arguments are the options by client (sglang.bench_serving 0.4 to 0.5.23, vllm
// bench serve 0.9 to 0.33).
var arguments = map[string][]argument{
	"sglang": {
		{name: "tokenize_prompt"}, {name: "apply_chat_template"}, {name: "disable_ignore_eos"}, {name: "disable_stream"},
		{name: "return_logprob"}, {name: "extra_request_body"}, {name: "prompt_suffix"}, {name: "lora_name"},
		{name: "dataset_offset", idle: "0"}, {name: "use_trace_timestamps"},
		{name: "sharegpt_output_len", dataset: "sharegpt"}, {name: "sharegpt_context_len", dataset: "sharegpt"},
		{name: "sharegpt_output_len", dataset: "custom"}, {name: "sharegpt_context_len", dataset: "custom"},
		{name: "gsp_num_groups", dataset: sharedPrefix}, {name: "gsp_prompts_per_group", dataset: sharedPrefix},
		{name: "gsp_system_prompt_len", dataset: sharedPrefix}, {name: "gsp_question_len", dataset: sharedPrefix},
		{name: "gsp_output_len", dataset: sharedPrefix}, {name: "gsp_range_ratio", dataset: sharedPrefix, idle: "1.0"},
		{name: "image_count", dataset: "image"}, {name: "image_resolution", dataset: "image"},
		{name: "image_format", dataset: "image"}, {name: "image_content", dataset: "image"},
		{name: "mooncake_workload", dataset: "mooncake"}, {name: "mooncake_slowdown_factor", dataset: "mooncake"}, {name: "mooncake_num_rounds", dataset: "mooncake"},
	},
	"vllm": {
		{name: "endpoint", idle: "/v1/completions"}, {name: "burstiness", idle: "1.0"}, {name: "ignore_eos"}, {name: "skip_chat_template"}, {name: "extra_body"},
		{name: "temperature"}, {name: "top_p"}, {name: "top_k"}, {name: "min_p"}, {name: "logprobs"}, {name: "lora_modules"},
		{name: "frequency_penalty"}, {name: "presence_penalty"}, {name: "repetition_penalty"}, {name: "use_beam_search"},
		{name: "ramp_up_strategy"}, {name: "ramp_up_start_rps"}, {name: "ramp_up_end_rps"},
		{name: "input_len"}, {name: "output_len"}, {name: "disable_shuffle"}, {name: "no_oversample"},
		{name: "ready_check_timeout_sec"},
		{name: "random_prefix_len", dataset: "random", idle: "0"}, {name: "random_batch_size", dataset: "random", idle: "1"},
		{name: "sharegpt_output_len", dataset: "sharegpt"},
		{name: "sonnet_input_len", dataset: "sonnet"}, {name: "sonnet_output_len", dataset: "sonnet"}, {name: "sonnet_prefix_len", dataset: "sonnet"},
		{name: "prefix_repetition_prefix_len", dataset: "prefix_repetition"}, {name: "prefix_repetition_suffix_len", dataset: "prefix_repetition"},
		{name: "prefix_repetition_num_prefixes", dataset: "prefix_repetition"}, {name: "prefix_repetition_output_len", dataset: "prefix_repetition"},
		{name: "custom_output_len", dataset: "custom"},
		{name: "hf_split", dataset: "hf"}, {name: "hf_subset", dataset: "hf"}, {name: "hf_name", dataset: "hf"}, {name: "hf_output_len", dataset: "hf"},
	},
}

const sharedPrefix = "generated-shared-prefix"

// argumentsOf gives the options of a kit's client that its runs had in common as
// words of a command line, for a sweep of w; those whose value was masked, or
// that the runs had with different values, are only named.
func argumentsOf(runs []*capture.Run, w *plan.Workload) (words, lost []string) {
	for _, a := range arguments[clientOf[runs[0].Merged.Client]] {
		var first []string
		for i, r := range runs {
			kit := &r.Merged.Workload
			var given []string
			if a.dataset == "" || a.dataset == kit.Dataset && a.dataset == w.Dataset {
				given = lengthOf(w, flagWords(a, kit.Args[a.name]))
			}
			if i == 0 {
				first = given
			}
			if !slices.Equal(given, first) || slices.ContainsFunc(given, masked) {
				lost = append(lost, flagOf(a.name))
				first = nil
				break
			}
		}
		words = append(words, first...)
	}
	return words, lost
}

// lostArguments names what of the kit's command lines a sweep does not repeat:
// options that another client would not know, and those without one value.
func lostArguments(words, lost []string) []string {
	var d []string
	if len(words) > 0 {
		d = append(d, "the kit's client was also given: "+strings.Join(words, " "))
	}
	for _, flag := range lost {
		d = append(d, flag+": left out; the kit's runs have it with different values, or it was masked")
	}
	return d
}

// lengthOf puts the sweep's lengths into an option that asks for one.
func lengthOf(w *plan.Workload, words []string) []string {
	if len(words) != 2 {
		return words
	}
	switch {
	case strings.HasSuffix(words[0], "-input-len") && w.InputLen != nil:
		words[1] = strconv.Itoa(*w.InputLen)
	case strings.HasSuffix(words[0], "-output-len") && w.OutputLen != nil:
		words[1] = strconv.Itoa(*w.OutputLen)
	}
	return words
}

func masked(word string) bool { return strings.Contains(word, text.Redacted) }

func flagOf(name string) string { return "--" + strings.ReplaceAll(name, "_", "-") }

// flagWords are the words with which a client is given a value, nil for one that
// is its default or does nothing.
func flagWords(a argument, value any) []string {
	flag := flagOf(a.name)
	words := []string{flag}
	switch v := value.(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
		return words
	case string:
		words = append(words, v)
	case int64:
		words = append(words, strconv.FormatInt(v, 10))
	case float64:
		words = append(words, strconv.FormatFloat(v, 'f', -1, 64))
	case []any:
		for _, e := range v {
			words = append(words, fmt.Sprint(e))
		}
	default:
		b, err := json.Marshal(v)
		if err != nil {
			return nil
		}
		words = append(words, string(b))
	}
	if len(words) == 1 || len(words) == 2 && (words[1] == "" || words[1] == a.idle || sameNumber(words[1], a.idle)) {
		return nil
	}
	return words
}

func sameNumber(a, b string) bool {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	return errX == nil && errY == nil && x == y
}
