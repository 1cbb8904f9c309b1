package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// pingbench, an invented client, writes one JSON a run: times in seconds,
// requests in prompt order, cached null where the server named no number.
const PingBenchJSON capture.Kind = "pingbench-json"

func init() { register("pingbench", pingBench) }

func pingBench() []format.Format {
	return []format.Format{{
		Kind:  PingBenchJSON,
		Sniff: sniffJSON('{', certain, `"pingbench"`, `"streams"`),
		Read:  readPingBench,
	}}
}

func readPingBench(in *format.Input, out *format.Output) error {
	return readJSON(PingBenchJSON, in, out, func(doc *document) error {
		r := newResult(in.Path, 1, PingBenchJSON, "pingbench")
		var rs []request
		err := doc.members(func(name string) error {
			if name == "requests" { // the one large member: element by element
				return doc.elements(func(int) error {
					n, err := doc.value()
					q := untold()
					q.ttft, q.input, q.cached = n.at("first").scaled(1), n.at("prompt_tokens").tokens(), n.at("cached").tokens()
					rs = append(rs, q)
					return err
				})
			}
			n, err := doc.value()
			switch name {
			case "pingbench":
				r.ClientVersion = n.str()
			case "streams":
				r.MaxConcurrency = capOf(n.count())
			case "seed":
				r.Workload.Seed = n.whole()
			case "ttft_s":
				figures(r, "ttft", n, statKeys{"mean": "mean", "median": "p50"}, toMS)
			}
			return err
		})
		if err != nil {
			return err
		}
		done, failed, input, output := tally(rs)
		r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
		if r.Requests = collect(rs); r.Requests != nil {
			r.Requests.InOrder = true
		}
		out.Results = append(out.Results, r)
		return nil
	})
}
