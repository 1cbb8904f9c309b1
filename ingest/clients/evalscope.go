package clients

import (
	"bytes"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// evalscope keeps one folder a run (parallel_2_number_16): benchmark_args.json,
// benchmark_summary.json, benchmark_percentile.json, and an SQLite file with the
// requests. Keys carry their unit; older versions print seconds where newer
// ones print ms. Percentiles are nearest rank. Its default seed is none.
//
// Before the first run of a command it sends one request of a few tokens of its
// own, to test the connection, unless it is told not to. The settings of a run do
// not tell whether it was the first.
//
// "KV Cache Hit Rate (%)" is a rate over the run's tokens and, for multi-turn
// runs without usage, the client's own estimate: it is kept as a printed
// figure and never made into a count.
const (
	evalClient                  = "evalscope"
	EvalScopeText  capture.Kind = "evalscope-text"
	EvalScopeDB    capture.Kind = "evalscope-db"
	EvalScopeOther capture.Kind = "evalscope-other"
	evalHitRate                 = "KV Cache Hit Rate (%)"
)

func init() { register("evalscope", evalScope) }

func evalScope() []format.Format {
	return []format.Format{
		{Kind: capture.EvalScopeJSON, Sniff: sniffJSON('{', certain, `"tokenizer_path"`, `"parallel"`, `"number"`, `"max_prompt_length"`), Read: readEvalArgs},
		{Kind: capture.EvalScopeJSON, Sniff: sniffEvalSummary, Read: readEvalSummary},
		{Kind: capture.EvalScopeJSON, Sniff: sniffJSON('[', certain, `"Percentiles"`, `"Latency (s)"`), Read: readEvalPercentiles},
		consoleFormat(EvalScopeText, func(in *format.Input) int {
			if hasAny(in.Head, " - evalscope - ", "Benchmarking summary:", "Performance Test Summary Report") {
				return certain
			}
			return 0
		}, newEvalConsole),
		seen(EvalScopeDB, "evalscope's SQLite file (requests, lengths, first token times); not read", func(in *format.Input) int {
			if bytes.HasPrefix(in.Head, []byte("SQLite format 3\x00")) && hasAll(in.Head, "CREATE TABLE result", "first_chunk_latency") {
				return certain
			}
			return 0
		}),
		seen(EvalScopeOther, "token totals over the time of the run, in which an absent number of cached tokens counts as 0; not read",
			sniffJSON('{', certain, `"cum_cached_prompt"`)),
		seen(EvalScopeOther, "token rates of the run, in which an absent number of cached tokens counts as 0; not read",
			sniffJSON('{', certain, `"last_window_s"`, `"rows"`)),
		seen(EvalScopeOther, "a trace of the run; not read", sniffJSON('{', likely, `"trace_summary"`)),
		seen(EvalScopeOther, "a page drawn from the results; not read", func(in *format.Input) int {
			if opens(in.Head) == '<' && hasAny(in.Head, "evalscope") {
				return likely
			}
			return 0
		}),
	}
}

// evalResult starts a result of the run whose folder the file lies in.
func evalResult(file string) *capture.Result {
	r := newResult(file, 1, capture.EvalScopeJSON, evalClient)
	r.Group, r.Label, r.Quantiles = groupOf(evalClient, file, "benchmark_args.json", "benchmark_summary.json", "benchmark_percentile.json"), folderLabel(file), nearestRank
	return r
}

func readEvalArgs(in *format.Input, out *format.Output) error {
	return readJSON(capture.EvalScopeJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err == nil {
			r := evalResult(in.Path)
			r.Partial = true
			evalArgs(r, n)
			out.Results = append(out.Results, r)
		}
		return err
	})
}

func evalArgs(r *capture.Result, n node) {
	arguments(r, quote(r.Span.File, r.Span.Line, evalClient+" arguments"), "config", n.object())
	w := &r.Workload
	r.Model, w.Target = n.at("model").str(), host(n.at("url").str())
	r.MaxConcurrency = capOf(single(n.at("parallel")).count())
	rate := single(n.at("rate"))
	if f, ok := rate.num(); ok && f == -1 {
		r.RequestRate = capture.Rate{Known: true, Inf: true} // evalscope's word for "no pacing"
	} else {
		r.RequestRate = rateOf(rate)
	}
	w.Seed = n.at("seed").whole()
	w.Prompts = single(n.at("number")).count()
	w.Dataset, w.DatasetPath = n.at("dataset").str(), n.at("dataset_path").str()
	w.Tokenizer = n.at("tokenizer_path").str()
	w.InputLen = same([]node{n.at("min_prompt_length"), n.at("max_prompt_length")}).count()
	w.OutputLen = n.at("max_tokens").count()
	w.PrefixLen, w.Offset = n.at("prefix_length").count(), n.at("dataset_offset").count()
	if w.Warmups = n.at("warmup_num").count(); w.Warmups != nil {
		w.WarmupsFrom = "config"
	}
	if off, told := n.at("no_test_connection").v.(bool); told {
		w.ExtraRequests, w.ExtraFrom = ptr(1), "config"
		if off {
			w.ExtraRequests = ptr(0)
		}
	}
}

// single is the value of a setting that may be a list of one for each run of
// a command; with several of them no run has it.
func single(n node) node {
	if l := n.list(); len(l) == 1 {
		return node{l[0]}
	} else if len(l) > 1 {
		return node{}
	}
	return n
}

func sniffEvalSummary(in *format.Input) int {
	if opens(in.Head) != '{' {
		return 0
	}
	if hasAll(in.Head, `"Success Requests"`, `"Total Requests"`) || hasAll(in.Head, `"Succeed requests"`, `"Total requests"`) ||
		hasAny(in.Head, `"`+evalHitRate+`"`) {
		return certain
	}
	return 0
}

func readEvalSummary(in *format.Input, out *format.Output) error {
	return readJSON(capture.EvalScopeJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err != nil {
			return err
		}
		r := evalResult(in.Path)
		for name, v := range n.object() {
			evalFigure(r, name, node{v}, exact, 1)
		}
		out.Results = append(out.Results, r)
		return nil
	})
}

// evalFigure keeps one named figure of a summary, as JSON or a table prints
// it. digits is exact for the JSON, whose own rounding is that of evalDigits.
func evalFigure(r *capture.Result, name string, v node, digits, line int) {
	label, unit := evalUnit(name)
	keep := func(as string, factor float64) {
		f, ok := v.num()
		if d, fine := evalDigits(digits, label, unit); ok && fine {
			r.Printed[as] = capture.Figure{Value: f * factor, Line: line, Digits: d}
		}
	}
	switch label {
	case "test duration", "time taken for tests":
		r.Duration = seconds(v)
	case "concurrency", "number of concurrency":
		r.MaxConcurrency = capOf(v.count())
	case "total requests":
		r.Workload.Prompts = v.count()
	case "success requests", "succeed requests":
		r.Completed = v.count()
	case "failed requests":
		r.Failed = v.count()
	case "avg latency", "average latency":
		keep("mean_e2e_latency_ms", unit)
	case "avg ttft", "average time to first token":
		keep("mean_ttft_ms", unit)
	case "avg tpot", "average time per output token":
		keep("mean_tpot_ms", unit)
	case "avg itl", "average inter-token latency":
		keep("mean_itl_ms", unit)
	case "req throughput", "request throughput":
		keep("request_throughput", 1)
	case "output throughput", "output token throughput":
		keep("output_throughput", 1)
	case "kv cache hit rate":
		keep("kv_cache_hit_rate", 1)
		r.Notes = append(r.Notes, quote(r.Span.File, line, name+": "+v.text()))
	}
}

// evalUnit splits the unit off a name, as a factor to ms.
func evalUnit(name string) (label string, unit float64) {
	label, u, _ := strings.Cut(name, " (")
	unit = 1
	if strings.TrimSuffix(u, ")") == "s" {
		unit = toMS
	}
	return strings.ToLower(label), unit
}

// evalDigits is the rounding of a figure in ms: evalscope rounds its averages
// of latencies to two decimals of ms and all else to four of their own unit.
// fine is false for a figure that was rounded to more than a ms.
func evalDigits(digits int, label string, unit float64) (inMS int, fine bool) {
	switch {
	case digits == exact && unit == toMS:
		return 1, true
	case digits == exact && strings.HasPrefix(label, "avg"):
		return 2, true
	case digits == exact:
		return 4, true
	case unit == toMS:
		return digits - 3, digits >= 3
	}
	return digits, true
}

func readEvalPercentiles(in *format.Input, out *format.Output) error {
	return readJSON(capture.EvalScopeJSON, in, out, func(doc *document) error {
		r := evalResult(in.Path)
		r.Partial = true
		err := doc.elements(func(int) error {
			n, err := doc.value()
			if err == nil {
				for name, v := range n.object() {
					evalPercentile(r, n.at("Percentiles").str(), name, node{v}, exact, 1)
				}
			}
			return err
		})
		if err == nil {
			out.Results = append(out.Results, r)
		}
		return err
	})
}

// evalPercentile keeps one cell of the percentile table.
func evalPercentile(r *capture.Result, percentile, name string, v node, digits, line int) {
	stat := map[string]string{"10%": "p10", "25%": "p25", "50%": "median", "75%": "p75", "90%": "p90", "95%": "p95", "99%": "p99", "min": "min", "max": "max"}[percentile]
	label, unit := evalUnit(name)
	metric := map[string]string{"latency": "e2e_latency", "ttft": "ttft", "itl": "itl", "tpot": "tpot"}[label]
	f, ok := v.num()
	if d, fine := evalDigits(digits, label, unit); ok && fine && stat != "" && metric != "" {
		r.Printed[stat+"_"+metric+"_ms"] = capture.Figure{Value: f * unit, Line: line, Digits: d}
	}
}
