package clients

import (
	"bytes"
	"encoding/csv"
	"io"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func readAIPerfJSON(in *format.Input, out *format.Output) error {
	return readJSON(capture.AIPerfJSON, in, out, func(doc *document) error {
		n, err := doc.value()
		if err == nil {
			out.Results = append(out.Results, aiSummary(in.Path, n))
		}
		return err
	})
}

func aiSummary(file string, n node) *capture.Result {
	r := newResult(file, 1, capture.AIPerfJSON, aiClient)
	r.Group, r.Label = aiGroup(file), n.at("run_info", "run_label").str()
	if r.Label == "" {
		r.Label = firstText(n.at("run_info", "variation_label").str(), folderLabel(file))
	}
	r.ClientVersion = n.at("aiperf_version").str()
	aiStatistics(r, n)
	r.Duration = seconds(n.at("benchmark_duration", "avg"))
	r.Start, r.End = epoch(n.at("start_time").str()), epoch(n.at("end_time").str())
	if e := n.at("error_request_count", "avg"); e.v != nil {
		r.Failed = e.count()
	}
	r.InputTokens = asTokens(firstNode(n.at("total_usage_prompt_tokens", "avg"), n.at("total_isl", "avg"), n.at("input_sequence_length", "sum")))
	r.OutputTokens = asTokens(firstNode(n.at("total_osl", "avg"), n.at("total_output_tokens", "avg")))
	aiWorkload(r, n)
	if total := n.at("total_" + aiCacheRead); total.object() != nil {
		// The key is there only if the server reported; where the number of
		// reporting requests is named and smaller, the rest is not told.
		told := n.at(aiCacheRead, "count").count()
		r.CacheTotals = cacheTotals(r, total.at("avg"), told == nil || r.Completed == nil || *told == *r.Completed,
			"total_"+aiCacheRead)
	}
	return r
}

// aiStatistics reads the metrics that AIPerf and genai-perf name alike: an
// object with unit, avg, p50 and so on.
func aiStatistics(r *capture.Result, n node) {
	keys := statKeys{"mean": "avg", "median": "p50", "p90": "p90", "p95": "p95", "p99": "p99", "std": "std", "min": "min", "max": "max"}
	for metric, name := range map[string]string{
		"ttft": "time_to_first_token", "itl": "inter_token_latency", "e2e_latency": "request_latency",
	} {
		stats := n.at(name)
		unit := toMS * inUnit(node{map[string]any{"unit": stats.at("unit").v, "value": 1.0}})
		figures(r, metric, stats, keys, unit)
	}
	figure(r, "request_throughput", n.at("request_throughput", "avg"), 1, exact)
	figure(r, "output_throughput", n.at("output_token_throughput", "avg"), 1, exact)
	figure(r, "input_throughput", n.at("input_token_throughput", "avg"), 1, exact)
	figure(r, "concurrency", n.at("effective_concurrency", "avg"), 1, exact)
	r.Completed = firstNode(n.at("request_count", "avg"), n.at("time_to_first_token", "count")).count()
}

// aiWorkload reads the settings: phases and datasets in 0.13, loadgen and
// input before. run_info.random_seed is the seed really used. AIPerf has no
// default seed for a single run, so that an absent one stays unknown.
func aiWorkload(r *capture.Result, n node) {
	config := n.at("input_config")
	if config.object() == nil {
		return
	}
	w := &r.Workload
	arguments(r, quote(r.Span.File, r.Span.Line, firstText(n.at("run_info", "cli_command").str(), "input_config")), "config", config.object())
	w.Seed = firstNode(n.at("run_info", "random_seed"), config.at("input", "random_seed"), config.at("random_seed")).whole()
	w.Target = host(firstNode(config.at("endpoint", "url"), node{first(config.at("endpoint", "urls"))}).str())
	r.Model = firstNode(node{first(config.at("models", "items"))}.at("name"), node{first(config.at("endpoint", "model_names"))}).str()
	w.Tokenizer = config.at("tokenizer", "name").str()

	load := config.at("loadgen")
	if len(config.at("phases").list()) > 0 {
		noWarmUp(w, "input_config")
	}
	for _, phase := range config.at("phases").each() {
		switch phase.at("kind").str() {
		case "warmup":
			w.Warmups, w.WarmupsFrom = phase.at("requests").count(), "input_config"
		case "profiling", "":
			load = phase
		}
	}
	r.MaxConcurrency = capOf(load.at("concurrency").count())
	if r.RequestRate = rateOf(firstNode(load.at("rate"), load.at("request_rate"))); !r.RequestRate.Known && r.MaxConcurrency.Known {
		r.RequestRate = capture.Rate{Known: true, Inf: true}
	}
	w.Prompts = firstNode(load.at("requests"), load.at("request_count")).count()

	data := config.at("input")
	if sets := config.at("datasets").list(); len(sets) == 1 {
		data = node{sets[0]}
		if w.Seed == nil {
			w.Seed = data.at("random_seed").whole()
		}
	}
	w.Dataset, w.DatasetPath = data.at("type").str(), data.at("path").str()
	w.InputLen = firstNode(data.at("prompts", "isl", "mean"), data.at("prompt", "input_tokens", "mean")).count()
	w.OutputLen = firstNode(data.at("prompts", "osl", "mean"), data.at("prompt", "output_tokens", "mean")).count()
	w.PrefixLen = data.at("prompt", "prefix_prompt", "length").count()
}

func sniffAIPerfCSV(in *format.Input) int {
	if bytes.HasPrefix(in.Head, []byte("Metric,avg,min,max,")) && hasAny(in.Head, "Request Latency (ms)", "Time to First Token (ms)", "Request Throughput") {
		return certain
	}
	return 0
}

// readAIPerfCSV reads the CSV twin of the summary: it has no settings, but the
// same figures, rounded.
func readAIPerfCSV(in *format.Input, out *format.Output) error {
	return readTable(AIPerfCSV, in, out, func(rows *csv.Reader) error {
		table := &aiTable{r: newResult(in.Path, 1, AIPerfCSV, aiClient)}
		for {
			row, err := rows.Read()
			if err == io.EOF {
				break
			}
			if err != nil {
				return err
			}
			line, _ := rows.FieldPos(0)
			table.row(line, row)
		}
		if table.found {
			table.r.Group, table.r.Label = aiGroup(in.Path), folderLabel(in.Path)
			out.Results = append(out.Results, table.r)
		}
		return nil
	})
}
