package causes

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

func median(v []float64) float64 { return latency.Median(v) }

// cleanMedians are the median first-token times of clean runs at the same point.
func (v *view) cleanMedians(r *run) []float64 {
	var out []float64
	for _, o := range v.runs {
		if o == r || o.Count.Verdict != "clean" || !samePoint(r, o) {
			continue
		}
		if m, ok := o.Lat.Figure("median_ttft_ms"); ok && m > 0 {
			out = append(out, m)
		}
	}
	return out
}

// samePoint reports whether two runs differ in seed and cache only.
func samePoint(a, b *run) bool {
	return latency.SameCap(a.Joined, b.Joined) && len(DiffWorkload(a.Count, b.Count)) == 0
}

// ownKeys are arguments that a comparison may differ in: the swept ones, the
// seed and the number of prompts (a rule of their own), and those that do not
// reach the server's work.
var ownKeys = []string{
	"seed", "num_prompts", "max_concurrency", "concurrency", "parallel", "number", "output_file", "tag", "host", "port",
	"base_url", "output_details", "cache_report", "disable_tqdm", "result_filename", "result_dir", "save_result",
	"save_detailed", "append_result", "label", "metadata", "flush_cache", "flush_cache_timeout", "ready_check_timeout_sec",
	"print_requests", "plot_throughput", "model", "served_model_name", "header", "num_warmups", "warmup_requests", "percentile_metrics", "metric_percentiles",
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
		if ok && !slices.Contains(ownKeys, key) && fmt.Sprint(va) != fmt.Sprint(vb) {
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
