package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// genai-perf (in perf_analyzer) writes profile_export.json, with every request
// and its raw answer, and profile_export_genai_perf.json, the summary. Times
// are ns. It records no cached tokens of its own; they are read from the usage
// in the raw answer where the server sent one. Its default seed is 0.
const (
	genAIPerfClient              = "genai-perf"
	GenAIPerfCSV    capture.Kind = "genai-perf-csv"
)

func init() { register("genai-perf", genAIPerf) }

func genAIPerf() []format.Format {
	return []format.Format{
		{Kind: capture.GenAIPerfJSON, Sniff: sniffJSON('{', certain, `"experiments"`, `"response_timestamps"`), Read: readGenAIPerf},
		{Kind: capture.GenAIPerfJSON, Sniff: sniffGenAIPerfSummary, Read: readGenAIPerfSummary},
		seen(GenAIPerfCSV, "the CSV twin of profile_export_genai_perf.json; not read", func(in *format.Input) int {
			if hasAll(in.Head, "Metric,avg,min,max,p99", "Request Latency") && !hasAny(in.Head, "Metric,avg,min,max,sum") {
				return likely
			}
			return 0
		}),
	}
}

func sniffGenAIPerfSummary(in *format.Input) int {
	if opens(in.Head) == '{' && hasAll(in.Head, `"request_throughput"`, `"request_latency"`, `"avg"`) &&
		!hasAny(in.Head, `"aiperf_version"`, `"run_info"`) {
		return likely
	}
	return 0
}

func readGenAIPerf(in *format.Input, out *format.Output) error {
	return readJSON(capture.GenAIPerfJSON, in, out, func(doc *document) error {
		var found []*capture.Result
		err := doc.members(func(name string) error {
			if name != "experiments" {
				return doc.skip()
			}
			return doc.elements(func(int) error {
				r, err := genAIPerfExperiment(in.Path, doc)
				if r != nil {
					found = append(found, r)
				}
				return err
			})
		})
		if len(found) == 1 {
			found[0].Span.Line = 1
			found[0].Group = groupOf(genAIPerfClient, in.Path, "profile_export.json", "profile_export_genai_perf.json")
		}
		out.Results = append(out.Results, found...)
		return err
	})
}

func genAIPerfExperiment(file string, doc *document) (*capture.Result, error) {
	r := newResult(file, doc.line(), capture.GenAIPerfJSON, genAIPerfClient)
	r.Label = folderLabel(file)
	var rs []request
	err := doc.members(func(name string) error {
		switch name {
		case "experiment":
			n, err := doc.value()
			switch n.at("mode").str() {
			case "concurrency":
				r.MaxConcurrency = capOf(n.at("value").count())
				r.RequestRate = capture.Rate{Known: r.MaxConcurrency.Known, Inf: r.MaxConcurrency.Known}
			case "request_rate":
				r.RequestRate = rateOf(n.at("value"))
			}
			return err
		case "requests":
			return doc.elements(func(int) error {
				n, err := doc.value()
				if err == nil {
					rs = append(rs, genAIPerfRequest(n))
				}
				return err
			})
		}
		return doc.skip()
	})
	if err != nil {
		return nil, err
	}
	done, failed, input, output := tally(rs)
	r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
	if len(rs) > 0 {
		r.Workload.Prompts = ptr(len(rs))
	}
	// Requests stand by their completion, and nothing numbers the prompts.
	r.Requests = collect(rs)
	return r, nil
}

func genAIPerfRequest(n node) request {
	q := untold()
	q.start = n.at("timestamp").scaled(nano)
	body := bodyOf(n.at("request_inputs", "payload").str())
	if body.object() == nil {
		body = n.at("request_inputs", "payload")
	}
	q.hash = promptHash(promptOf(body))
	q.mute = true
	for _, raw := range n.at("response_outputs").each("response") {
		if u := usageOfStream(raw.str()); u.prompt >= 0 || u.cached >= 0 {
			q.input, q.output, q.cached, q.mute = u.prompt, u.output, u.cached, false
		}
	}
	times := n.at("response_timestamps").each()
	if success, told := n.at("success").v.(bool); len(times) == 0 || told && !success {
		q.failed = true
		return q
	}
	// Differences of ns since the epoch lose some 0.2 µs in a float64.
	q.ttft, q.e2e = between(n.at("timestamp"), times[0]), between(n.at("timestamp"), times[len(times)-1])
	q.chunks = int32(len(times) - 1)
	return q
}

// between is the time from a to b, both in ns, in seconds; -1 if not told.
func between(a, b node) float64 {
	x, xok := a.num()
	y, yok := b.num()
	if !xok || !yok || y < x {
		return -1
	}
	return (y - x) * nano
}

func readGenAIPerfSummary(in *format.Input, out *format.Output) error {
	return readJSON(capture.GenAIPerfJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err != nil {
			return err
		}
		r := newResult(in.Path, 1, capture.GenAIPerfJSON, genAIPerfClient)
		r.Group, r.Label = groupOf(genAIPerfClient, in.Path, "profile_export.json", "profile_export_genai_perf.json"), folderLabel(in.Path)
		aiStatistics(r, n)
		config := n.at("input_config")
		if config.object() != nil {
			arguments(r, quote(in.Path, 1, "input_config"), "config", config.object())
			w := &r.Workload
			w.Seed = firstNode(config.at("random_seed"), config.at("input", "random_seed")).whole()
			if w.Seed == nil {
				w.Seed, w.SeedDefault = ptr(int64(0)), true
			}
			r.MaxConcurrency = capOf(firstNode(config.at("concurrency"), config.at("perf_analyzer", "stimulus", "concurrency")).count())
			w.InputLen = firstNode(config.at("synthetic_input_tokens_mean"), config.at("input", "synthetic_tokens", "mean")).count()
			w.OutputLen = firstNode(config.at("output_tokens_mean"), config.at("input", "output_tokens", "mean")).count()
			w.Prompts = config.at("request_count").count()
		}
		out.Results = append(out.Results, r)
		return nil
	})
}
