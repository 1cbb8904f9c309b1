package clients

import (
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// llmperf writes NAME_summary.json and NAME_individual_responses.json. Its seed
// is a constant of its source, 11111: every run repeats the prompts of every
// other of the same lengths. All its prompts share one instruction. Times are
// seconds; no cached tokens.
const (
	llmPerfClient = "llmperf"
	llmPerfSeed   = 11111
)

// llmPerfStats are the ends of llmperf's keys, by the record's names.
var llmPerfStats = statKeys{
	"mean": "mean", "std": "stddev", "min": "min", "max": "max",
	"median": "quantiles_p50", "p90": "quantiles_p90", "p95": "quantiles_p95", "p99": "quantiles_p99",
}

func init() { register("llmperf", llmPerf) }

func llmPerf() []format.Format {
	return []format.Format{
		{Kind: capture.LLMPerfJSON, Sniff: sniffJSON('{', certain, `"num_concurrent_requests"`, `"results_`), Read: readLLMPerfSummary},
		{Kind: capture.LLMPerfJSON, Sniff: sniffJSON('[', certain, `"ttft_s"`, `"end_to_end_latency_s"`), Read: readLLMPerfResponses},
	}
}

// llmPerfResult ties the two files of a run by the name that they share.
func llmPerfResult(file string) *capture.Result {
	r := newResult(file, 1, capture.LLMPerfJSON, llmPerfClient)
	name := strings.TrimSuffix(strings.TrimSuffix(file, "_summary.json"), "_individual_responses.json")
	r.Group, r.Label = llmPerfClient+":"+name, lastName(name)
	r.Workload.Seed, r.Workload.SeedDefault = ptr(int64(llmPerfSeed)), true
	return r
}

func readLLMPerfSummary(in *format.Input, out *format.Output) error {
	return readJSON(capture.LLMPerfJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err != nil {
			return err
		}
		r := llmPerfResult(in.Path)
		r.Model = n.at("model").str()
		r.MaxConcurrency = capOf(n.at("num_concurrent_requests").count())
		r.Completed, r.Failed = n.at("results_num_completed_requests").count(), n.at("results_number_errors").count()
		w := &r.Workload
		w.Dataset = "sonnet"
		w.Prompts = n.at("results_num_requests_started").count()
		if f, ok := n.at("stddev_input_tokens").num(); ok && f == 0 {
			w.InputLen = n.at("mean_input_tokens").count()
		}
		w.OutputLen = n.at("mean_output_tokens").count()
		for metric, name := range map[string]string{"ttft": "ttft_s", "itl": "inter_token_latency_s", "e2e_latency": "end_to_end_latency_s"} {
			for stat, key := range llmPerfStats {
				figure(r, stat+"_"+metric+"_ms", n.at("results_"+name+"_"+key), toMS, exact)
			}
		}
		figure(r, "output_throughput", n.at("results_mean_output_throughput_token_per_s"), 1, exact)
		out.Results = append(out.Results, r)
		return nil
	})
}

func readLLMPerfResponses(in *format.Input, out *format.Output) error {
	return readJSON(capture.LLMPerfJSON, in, out, func(doc *document) error {
		var rs []request
		err := doc.elements(func(int) error {
			n, err := doc.value()
			if err == nil {
				rs = append(rs, llmPerfRequest(n))
			}
			return err
		})
		if err != nil || len(rs) == 0 {
			return err
		}
		r := llmPerfResult(in.Path)
		done, failed, input, output := tally(rs)
		r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
		r.Requests = collect(rs) // by completion
		out.Results = append(out.Results, r)
		return nil
	})
}

func llmPerfRequest(n node) request {
	q := untold()
	q.input, q.output = n.at("number_input_tokens").tokens(), n.at("number_output_tokens").tokens()
	if n.at("error_code").v != nil {
		q.failed = true // its times are 0 and mean nothing
		return q
	}
	q.ttft, q.e2e = n.at("ttft_s").scaled(1), n.at("end_to_end_latency_s").scaled(1)
	return q
}
