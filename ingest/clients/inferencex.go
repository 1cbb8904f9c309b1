package clients

import (
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// InferenceX (InferenceMAX before) adds agg_NAME.json to the result of its
// vLLM-like client: the same latencies with "_ms" cut off the name and in
// seconds, and the hardware. It prints neither seed nor counts nor cached
// tokens; its client sends prompt 1 once as a test and 2 x concurrency more
// times as its warm-up.
const (
	inferenceXClient              = "inferencex"
	InferenceXJSON   capture.Kind = "inferencex-json"
)

func init() { register("inferencex", inferenceX) }

func inferenceX() []format.Format {
	return []format.Format{{
		Kind: InferenceXJSON, Sniff: sniffJSON('{', certain, `"hw"`, `"conc"`, `"isl"`, `"osl"`), Read: readInferenceX,
	}}
}

func readInferenceX(in *format.Input, out *format.Output) error {
	return readJSON(InferenceXJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err != nil {
			return err
		}
		r := newResult(in.Path, 1, InferenceXJSON, inferenceXClient)
		r.Model, r.Label = n.at("model").str(), strings.TrimPrefix(strings.TrimSuffix(lastName(in.Path), ".json"), "agg_")
		if engine, _, _ := strings.Cut(strings.ToLower(n.at("framework").str()), "-"); engine == "vllm" || engine == "sglang" {
			r.Engine = engine
		}
		r.MaxConcurrency = capOf(n.at("conc").count())
		arguments(r, quote(in.Path, 1, "agg: hw "+n.at("hw").str()+", framework "+n.at("framework").str()), "record", map[string]any{
			"conc": n.at("conc").v, "isl": n.at("isl").v, "osl": n.at("osl").v, "framework": n.at("framework").v, "precision": n.at("precision").v,
			"tp": n.at("tp").v, "ep": n.at("ep").v, "hw": n.at("hw").v,
		})
		r.Workload.InputLen, r.Workload.OutputLen = n.at("isl").count(), n.at("osl").count()
		r.Workload.ReadyCheck = ptr(true)
		if r.MaxConcurrency.Known {
			r.Workload.Warmups, r.Workload.WarmupsFrom = ptr(2*r.MaxConcurrency.N), "client"
		}
		for metric, key := range map[string]string{"ttft": "ttft", "tpot": "tpot", "itl": "itl", "e2e_latency": "e2el"} {
			for _, stat := range []string{"mean", "median", "std", "p90", "p95", "p99"} {
				figure(r, stat+"_"+metric+"_ms", n.at(stat+"_"+key), toMS, exact)
			}
		}
		out.Results = append(out.Results, r)
		return nil
	})
}
