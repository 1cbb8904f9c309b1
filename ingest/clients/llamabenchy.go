package clients

import (
	"fmt"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// llama-benchy writes one JSON with a row a point: concurrency, prompt and
// context size, and e2e_ttft with one value a repetition, in ms (ttfr, the
// first response of any kind, is not the first token). Its prompts are
// unseeded; it records no cached tokens. Context rows are warmed on purpose,
// and --no-cache adds a suffix only, so that prefix hits stay.
const (
	llamaBenchyClient              = "llama-benchy"
	LlamaBenchyJSON   capture.Kind = "llama-benchy-json"
)

func init() { register("llama-benchy", llamaBenchy) }

func llamaBenchy() []format.Format {
	return []format.Format{{
		Kind: LlamaBenchyJSON, Sniff: sniffJSON('{', certain, `"benchmarks"`, `"e2e_ttft"`, `"context_size"`), Read: readLlamaBenchy,
	}}
}

func readLlamaBenchy(in *format.Input, out *format.Output) error {
	return readJSON(LlamaBenchyJSON, in, out, func(doc *document) error {
		var found []*capture.Result
		var model string
		err := doc.members(func(name string) error {
			switch name {
			case "model":
				n, err := doc.value()
				model = n.str()
				return err
			case "benchmarks":
				return doc.elements(func(int) error {
					line := doc.line()
					n, err := doc.value()
					if err == nil {
						found = append(found, llamaBenchyRow(in.Path, line, n))
					}
					return err
				})
			}
			return doc.skip()
		})
		for _, r := range found {
			r.Model = model
			if len(found) == 1 {
				r.Span.Line = 1
			}
		}
		out.Results = append(out.Results, found...)
		return err
	})
}

func llamaBenchyRow(file string, line int, n node) *capture.Result {
	r := newResult(file, line, LlamaBenchyJSON, llamaBenchyClient)
	r.MaxConcurrency = capOf(n.at("concurrency").count())
	w := &r.Workload
	w.InputLen, w.PrefixLen, w.OutputLen = n.at("prompt_size").count(), n.at("context_size").count(), n.at("response_size").count()
	arguments(r, quote(file, line, fmt.Sprintf("concurrency %s, context %s, prompt %s",
		n.at("concurrency").text(), n.at("context_size").text(), n.at("prompt_size").text())), "record", map[string]any{
		"concurrency": n.at("concurrency").v, "context_size": n.at("context_size").v, "prompt_size": n.at("prompt_size").v,
		"response_size": n.at("response_size").v, "is_context_prefill_phase": n.at("is_context_prefill_phase").v,
	})
	if warm, _ := n.at("is_context_prefill_phase").v.(bool); warm {
		r.Label = "context prefill"
		r.Notes = append(r.Notes, quote(file, line, "context prefill: what it leaves in the cache is meant to be there"))
	}
	figure(r, "mean_ttft_ms", n.at("e2e_ttft", "mean"), 1, exact)
	figure(r, "std_ttft_ms", n.at("e2e_ttft", "std"), 1, exact)
	return r
}
