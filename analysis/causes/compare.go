package causes

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

func median(v []float64) float64 { return latency.Median(v) }

// cleanFigures are a first-token statistic of the clean runs at the same point.
func (v *view) cleanFigures(r *run, stat string) []float64 {
	var out []float64
	for _, o := range v.runs {
		if o == r || o.Count.Verdict != "clean" || !samePoint(r, o) {
			continue
		}
		if m, ok := o.Lat.Figure(stat); ok && m > 0 {
			out = append(out, m)
		}
	}
	return out
}

// samePoint reports whether two runs differ in seed and cache only.
func samePoint(a, b *run) bool {
	return latency.SameCap(a.Joined, b.Joined) && len(DiffWorkload(a.Count, b.Count)) == 0
}

// workloadOptions are the beginnings of option names that shape what is sent.
// Others name files, labels and the client's own habits, or are swept.
var workloadOptions = []string{
	"dataset_name", "dataset_path", "dataset_offset", "random_", "gsp_", "sharegpt_", "prefix_repetition_", "sonnet_", "custom_", "hf_",
	"burstiness", "temperature", "top_p", "top_k", "ignore_eos", "disable_ignore_eos", "disable_stream", "tokenize_prompt", "apply_chat_template",
	"extra_request_body", "lora_", "backend", "endpoint", "prompt_suffix", "image_", "num_image", "speed_bench_", "mooncake_", "tokenizer",
}

// DiffWorkload lists the keys, sorted, in which the workload of two runs
// differs: what the client was told to send, and the model it was sent to.
// Keys that only one side states are no difference; they are simply not known.
func DiffWorkload(a, b *carryover.Run) []string {
	ra, rb := clientOf(a), clientOf(b)
	if ra == nil || rb == nil {
		return nil
	}
	var out []string
	for key, va := range ra.Workload.Args {
		vb, ok := rb.Workload.Args[key]
		if ok && isArgument(ra, key) && isArgument(rb, key) && !sameValue(va, vb) {
			out = append(out, key)
		}
	}
	wa, wb := &ra.Workload, &rb.Workload
	out = addIf(out, "dataset", wa.Dataset, wb.Dataset)
	out = addIf(out, "model", ra.Model, rb.Model)
	out = addIf(out, "tokenizer", wa.Tokenizer, wb.Tokenizer)
	for _, p := range []struct {
		name string
		a, b *int
	}{{"input_len", wa.InputLen, wb.InputLen}, {"output_len", wa.OutputLen, wb.OutputLen}, {"prefix_len", wa.PrefixLen, wb.PrefixLen},
		{"system_len", wa.SystemLen, wb.SystemLen}, {"question_len", wa.QuestionLen, wb.QuestionLen}, {"page_size", a.PageSize, b.PageSize}} {
		if p.a != nil && p.b != nil && *p.a != *p.b {
			out = append(out, p.name)
		}
	}
	if wa.RangeRatio != nil && wb.RangeRatio != nil && *wa.RangeRatio != *wb.RangeRatio {
		out = append(out, "range_ratio")
	}
	if ra.RequestRate.Known && rb.RequestRate.Known && ra.RequestRate != rb.RequestRate {
		out = append(out, "request_rate")
	}
	if a.PrefixCache != b.PrefixCache && a.PrefixCache != "unknown" && b.PrefixCache != "unknown" {
		out = append(out, "prefix_cache")
	}
	sort.Strings(out)
	return slices.Compact(dropDoubles(out))
}

// sameValue reports whether two values of an option mean the same: clients print
// a number as it was typed, so that '0' and '0.0' are one range ratio.
func sameValue(a, b any) bool {
	x, y := fmt.Sprint(a), fmt.Sprint(b)
	if x == y {
		return true
	}
	fx, errX := strconv.ParseFloat(x, 64)
	fy, errY := strconv.ParseFloat(y, 64)
	return errX == nil && errY == nil && fx == fy
}

// Swept says in which of the cap, the seed and the number of prompts, which a
// sweep may change, runs of one workload differ: "differ in cap and seed only",
// "do not differ". What a run does not state is no difference.
func Swept(runs []*carryover.Run) string {
	caps, seeds, prompts := map[any]bool{}, map[int64]bool{}, map[int]bool{}
	for _, r := range runs {
		if r.MaxConcurrency != nil {
			caps[r.MaxConcurrency] = true
		}
		if r.Seed != nil {
			seeds[*r.Seed] = true
		}
		if r.Prompts != nil {
			prompts[*r.Prompts] = true
		}
	}
	var out []string
	for _, k := range []struct {
		name   string
		values int
	}{{"cap", len(caps)}, {"seed", len(seeds)}, {"number of prompts", len(prompts)}} {
		if k.values > 1 {
			out = append(out, k.name)
		}
	}
	switch last := len(out) - 1; last {
	case -1:
		return "do not differ"
	case 0:
		return "differ in " + out[0] + " only"
	default:
		return "differ in " + list(out[:last]) + " and " + out[last] + " only"
	}
}

// isArgument reports whether a key is an option that shapes the workload. Only
// printed arguments and commands list options; a record mixes them with results.
func isArgument(r *capture.Result, key string) bool {
	if r.Workload.Form != "namespace" && r.Workload.Form != "command" {
		return false
	}
	return slices.ContainsFunc(workloadOptions, func(o string) bool { return strings.HasPrefix(key, o) })
}

// dropDoubles removes option names that say what a named key says already.
func dropDoubles(keys []string) []string {
	doubles := map[string]string{"random_input_len": "input_len", "random_output_len": "output_len", "random_range_ratio": "range_ratio", "dataset_name": "dataset"}
	return slices.DeleteFunc(keys, func(k string) bool {
		short, ok := doubles[k]
		return ok && slices.Contains(keys, short)
	})
}

func addIf(out []string, name, a, b string) []string {
	if a != "" && b != "" && a != b {
		return append(out, name)
	}
	return out
}

func clientOf(d *carryover.Run) *capture.Result {
	if d == nil || d.Facts == nil || d.Facts.Run == nil {
		return nil
	}
	return &d.Facts.Run.Merged
}

func list(items []string) string { return strings.Join(items, ", ") }
