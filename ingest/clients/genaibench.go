package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// genai-bench writes one file a point of its grid, with aggregated_metrics and
// individual_request_metrics, and experiment_metadata.json for all of them.
// Times are seconds (or ms, if metrics_time_unit says so in the metadata, which
// the run's file does not repeat). No cached tokens; sampling is unseeded, but
// the shared prefix of its prefix modes has a fixed seed.
const genAIBenchClient = "genai-bench"

const GenAIBenchMeta capture.Kind = "genai-bench-metadata"

func init() { register("genai-bench", genAIBench) }

func genAIBench() []format.Format {
	return []format.Format{
		{Kind: capture.GenAIBenchJSON, Sniff: sniffJSON('{', certain, `"aggregated_metrics"`), Read: readGenAIBench},
		seen(GenAIBenchMeta, "the settings of a grid of runs, none of which it describes alone; not read",
			sniffJSON('{', certain, `"benchmark_version"`, `"traffic_scenario"`)),
	}
}

func readGenAIBench(in *format.Input, out *format.Output) error {
	return readJSON(capture.GenAIBenchJSON, in, out, func(doc *document) error {
		r := newResult(in.Path, 1, capture.GenAIBenchJSON, genAIBenchClient)
		r.Label = lastName(in.Path)
		var rs []request
		err := doc.members(func(name string) error {
			switch name {
			case "aggregated_metrics":
				n, err := doc.value()
				genAIBenchSummary(r, n)
				return err
			case "individual_request_metrics":
				return doc.elements(func(int) error {
					n, err := doc.value()
					if err == nil {
						rs = append(rs, genAIBenchRequest(n))
					}
					return err
				})
			}
			return doc.skip()
		})
		if err != nil {
			return err
		}
		done, failed, input, output := tally(rs)
		if r.Completed == nil && len(rs) > 0 {
			r.Completed, r.Failed = &done, &failed
		}
		r.InputTokens, r.OutputTokens = input, output
		r.Requests = collect(rs) // by completion
		out.Results = append(out.Results, r)
		return nil
	})
}

func genAIBenchSummary(r *capture.Result, n node) {
	arguments(r, quote(r.Span.File, 1, "aggregated_metrics: scenario "+n.at("scenario").str()), "record", map[string]any{
		"scenario": n.at("scenario").v, "num_concurrency": n.at("num_concurrency").v, "iteration_type": n.at("iteration_type").v,
	})
	r.Workload.Dataset = n.at("scenario").str()
	r.MaxConcurrency = capOf(n.at("num_concurrency").count())
	r.Duration = seconds(n.at("run_duration"))
	r.Completed, r.Failed = n.at("num_completed_requests").count(), n.at("num_error_requests").count()
	r.Workload.Prompts = n.at("num_requests").count()
	keys := statKeys{"mean": "mean", "median": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "std": "stddev", "min": "min", "max": "max"}
	for _, metric := range []string{"ttft", "tpot", "e2e_latency"} {
		figures(r, metric, n.at("stats", metric), keys, toMS)
	}
	figure(r, "request_throughput", n.at("requests_per_second"), 1, exact)
	figure(r, "output_throughput", n.at("mean_output_throughput_tokens_per_s"), 1, exact)
	figure(r, "input_throughput", n.at("mean_input_throughput_tokens_per_s"), 1, exact)
}

func genAIBenchRequest(n node) request {
	q := untold()
	q.input, q.output = n.at("num_input_tokens").tokens(), n.at("num_output_tokens").tokens()
	if n.at("error_code").v != nil {
		q.failed = true
		return q
	}
	q.ttft, q.e2e, q.tpot = n.at("ttft").scaled(1), n.at("e2e_latency").scaled(1), n.at("tpot").scaled(1)
	return q
}
