package clients

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffIPConfig(in *format.Input) int {
	if opens(in.Head) == '{' || opens(in.Head) == '[' || !hasAll(in.Head, "load:", "data:", "server:") {
		return 0
	}
	if hasAny(in.Head, "request_lifecycle", "input_distribution", "concurrency_level", "num_workers", "worker_max_concurrency", "base_seed") &&
		!hasAny(in.Head, "inference_perf.", "=== START_") {
		return likely
	}
	return 0
}

// readIPConfig reads the settings, whether the file is the one that the client
// left among its reports or the one that it was given.
func readIPConfig(in *format.Input, out *format.Output) error {
	n, lines, err := yamlFile(in)
	if err != nil {
		return err
	}
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = InferencePerfConfig, capture.ReadAll, lines, wholeFile(InferencePerfConfig, lines)
	if n.at("load").object() == nil {
		f.Read, f.Why = capture.ReadNone, "not valid YAML"
		return nil
	}
	r := newResult(in.Path, 1, InferencePerfConfig, ipClient)
	r.Partial = true
	ipConfig(r, n)
	r.Group = ipGroup(in.Path)
	if dir := n.at("storage", "local_storage", "path").str(); r.Group == "" && dir != "" {
		// The file that the client was given: it names the report folder.
		r.Group = ipClient + ":" + joinFolder(in.Path, dir)
	}
	tidy([]*capture.Result{r})
	out.Results = append(out.Results, r)
	return nil
}

func ipConfig(r *capture.Result, n node) {
	arguments(r, quote(r.Span.File, r.Span.Line, ipClient+" config"), "config", n.object())
	w := &r.Workload
	load, data, server := n.at("load"), n.at("data"), n.at("server")
	r.Label = lastName(n.at("storage", "local_storage", "path").str())
	r.Model, w.Target = server.at("model_name").str(), host(server.at("base_url").str())
	r.Backend = server.at("type").str()
	w.Tokenizer = n.at("tokenizer", "pretrained_model_name_or_path").str()
	noWarmUp(w, "client")
	w.Seed = load.at("base_seed").whole()
	w.Dataset, w.DatasetPath = data.at("type").str(), data.at("path").str()
	w.InputLen, w.OutputLen = fixedLength(data.at("input_distribution")), fixedLength(data.at("output_distribution"))
	if s := data.at("shared_prefix"); s.object() != nil {
		w.Groups = firstNode(s.at("num_groups"), s.at("num_unique_system_prompts")).count()
		w.PerGroup = firstNode(s.at("num_prompts_per_group"), s.at("num_users_per_system_prompt")).count()
		w.SystemLen, w.QuestionLen = s.at("system_prompt_len").count(), s.at("question_len").count()
	}
	stages := load.at("stages")
	r.MaxConcurrency = capOf(same(stages.each("concurrency_level")).count())
	sum, told := 0, len(stages.list()) > 0
	for _, s := range stages.each("num_requests") {
		c := s.count()
		if told = told && c != nil; told {
			sum += *c
		}
	}
	if told {
		w.Prompts = &sum
	}
	if r.MaxConcurrency.Known {
		r.RequestRate = capture.Rate{Known: true, Inf: true}
	} else {
		r.RequestRate = rateOf(same(stages.each("rate")))
	}
}

// fixedLength is a prompt length that is the same for all prompts, nil if the
// settings spread it.
func fixedLength(d node) *int {
	if v := same([]node{d.at("min"), d.at("max")}); v.v != nil {
		return v.count()
	}
	return nil
}
