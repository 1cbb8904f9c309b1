package clients

import (
	"path"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// inference-perf keeps one report folder a run: summary_lifecycle_metrics.json
// over all stages, stage_N files, on request per_request_lifecycle_metrics.json
// with the raw stream of every answer, and config.yaml. All times are seconds,
// those of requests by a monotonic clock. Its default seed is the time in ms.
//
// prompt_tokens.cached of a summary adds an absent number as 0, so that a 0
// there proves nothing; the raw streams tell absent and zero apart.
const (
	ipClient                         = "inference-perf"
	InferencePerfConfig capture.Kind = "inference-perf-config"
	InferencePerfReport capture.Kind = "inference-perf-report"
	InferencePerfText   capture.Kind = "inference-perf-text"
	InferencePerfOther  capture.Kind = "inference-perf-other"
)

func init() { register("inference-perf", inferencePerf) }

func inferencePerf() []format.Format {
	return []format.Format{
		{Kind: capture.InferencePerfJSON, Sniff: sniffJSON('{', certain, `"load_summary"`, `"successes"`), Read: readIPSummary},
		{Kind: capture.InferencePerfJSON, Sniff: sniffIPRequests, Read: readIPRequests},
		{Kind: InferencePerfConfig, Sniff: sniffIPConfig, Read: readIPConfig},
		{Kind: InferencePerfReport, Sniff: func(in *format.Input) int {
			if hasAll(in.Head, "request_performance:", "aggregate:") && !hasAny(in.Head, "scenario:", "inference_perf.", "=== START_") {
				return certain
			}
			return 0
		}, Read: readIPReport},
		consoleFormat(InferencePerfText, func(in *format.Input) int {
			if hasAny(in.Head, "inference_perf.", "=== START_SUMMARY ===") {
				return certain
			}
			return 0
		}, newIPConsole),
		seen(InferencePerfOther, "inference-perf's check of its own reports; not read", sniffJSON('{', certain, `"global"`, `"reports"`, `"warnings"`)),
		seen(InferencePerfOther, "averages that inference-perf took from a Prometheus server, over a span of its choice; not read",
			sniffJSON('{', likely, `"prefix_cache_hit_percent"`)),
	}
}

// ipGroup is the run of a file that has the name inference-perf gives it. A
// config.yaml is its own only among its reports.
func ipGroup(file string) string {
	g := groupOf(ipClient, file, "summary_lifecycle_metrics.json", "per_request_lifecycle_metrics.json", "config.yaml")
	if g == "" && strings.Contains(file, "stage_") {
		g = ipClient + ":" + path.Dir(file)
	}
	return g
}

func readIPSummary(in *format.Input, out *format.Output) error {
	return readJSON(capture.InferencePerfJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err != nil {
			return err
		}
		r := newResult(in.Path, 1, capture.InferencePerfJSON, ipClient)
		r.Group, r.Label = ipGroup(in.Path), folderLabel(in.Path)
		if isIPStage(in.Path, n) {
			// A share of the run that the summary holds whole: only the load.
			r.Partial = true
			r.MaxConcurrency = capOf(n.at("load_summary", "concurrency").count())
		} else {
			ipSummary(r, n)
		}
		out.Results = append(out.Results, r)
		return nil
	})
}

func isIPStage(file string, n node) bool {
	return n.at("load_summary").has("send_duration") || n.at("load_summary").has("requested_rate") || strings.Contains(file, "stage_")
}

func ipSummary(r *capture.Result, n node) {
	ok := n.at("successes")
	r.Completed, r.Failed = ok.at("count").count(), n.at("failures", "count").count()
	r.Workload.Prompts = n.at("load_summary", "count").count()
	r.Duration = seconds(n.at("benchmark_time_seconds"))
	r.InputTokens = asTokens(ok.at("prompt_tokens", "total"))
	r.OutputTokens = asTokens(ok.at("output_tokens", "total"))
	keys := statKeys{"mean": "mean", "median": "median", "p90": "p90", "p95": "p95", "p99": "p99", "min": "min", "max": "max"}
	for metric, name := range map[string]string{
		"ttft": "time_to_first_token", "tpot": "time_per_output_token", "itl": "inter_token_latency", "e2e_latency": "request_latency",
	} {
		figures(r, metric, ok.at("latency", name), keys, toMS)
	}
	figure(r, "request_throughput", ok.at("throughput", "requests_per_sec"), 1, exact)
	figure(r, "input_throughput", ok.at("throughput", "input_tokens_per_sec"), 1, exact)
	figure(r, "output_throughput", ok.at("throughput", "output_tokens_per_sec"), 1, exact)
	if cached := ok.at("prompt_tokens", "cached"); cached.v != nil {
		c, _ := cached.num()
		r.CacheTotals = cacheTotals(r, cached, c > 0, "successes.prompt_tokens.cached")
	}
}

// readIPReport reads the report in the form of llm-d: only its times are not
// in the other files.
func readIPReport(in *format.Input, out *format.Output) error {
	n, lines, err := yamlFile(in)
	if err != nil {
		return err
	}
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = InferencePerfReport, capture.ReadPart, lines, wholeFile(InferencePerfReport, lines)
	f.Why = "only the start and end times; the figures are those of the stage's JSON"
	r := newResult(in.Path, 1, InferencePerfReport, ipClient)
	r.Partial, r.Group, r.Label = true, ipGroup(in.Path), folderLabel(in.Path)
	if strings.Contains(in.Path, "stage_") && !strings.Contains(in.Path, "stage_0") {
		f.Why = "a later stage of a run; not read"
		f.Read = capture.ReadNone
		return nil
	}
	r.Start = epoch(n.at("run", "time", "start").str())
	r.End = epoch(n.at("run", "time", "end").str())
	if r.Start > 0 {
		out.Results = append(out.Results, r)
	}
	return nil
}
