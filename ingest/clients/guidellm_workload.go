package clients

import (
	"strconv"
	"strings"

	"coldcase/ingest/capture"
)

func (b *guideBenchmark) workload(r *capture.Result, top *guideFile, settings node) {
	spec := top.config.at("spec")
	from, args := "config.spec", spec
	if spec.object() == nil {
		from, args = "args", top.args
	}
	if args.object() == nil {
		from, args = "args", settings
	}
	w := &r.Workload
	if args.object() == nil {
		return
	}
	arguments(r, quote(r.Span.File, r.Span.Line, guideClient+" "+from), "config", args.object())
	noWarmUp(w, "client") // its warm-up phase is a share of the measured requests
	w.Offset = settings.at("run_index").count()
	w.Seed = firstNode(spec.at("seed", "value"), spec.at("seed"), top.args.at("random_seed")).whole()
	if w.Seed == nil && (spec.object() != nil || top.args.object() != nil) {
		w.Seed, w.SeedDefault = ptr(int64(guideDefaultKey)), true
	}
	backend := spec.at("backend")
	r.Model = firstNode(backend.at("model"), top.args.at("model"), settings.at("backend", "model"), b.at("worker", "backend_model")).str()
	w.Target = host(firstNode(backend.at("target"), top.args.at("target"), settings.at("backend", "target"), b.at("worker", "backend_target")).str())
	w.Tokenizer = firstNode(spec.at("tokenizer", "model"), top.args.at("processor")).str()
	if data := firstNode(spec.at("data"), top.args.at("data")).list(); len(data) == 1 {
		guideData(w, node{data[0]})
	}
	w.Prompts = firstNode(settings.at("constraints", "max_requests", "args", "count"), settings.at("constraints", "max_requests", "max_num"),
		settings.at("constraints", "max_number", "max_num"), settings.at("max_number"), top.args.at("max_requests")).count()
}

// guideData reads one data set: an object, or up to 0.6 a text such as
// "prompt_tokens=128,output_tokens=16" or a path.
func guideData(w *capture.Workload, data node) {
	if s := data.str(); s != "" {
		fields := map[string]any{}
		for pair := range strings.SplitSeq(s, ",") {
			if k, v, ok := strings.Cut(pair, "="); ok {
				fields[strings.TrimSpace(k)] = strings.TrimSpace(v)
			}
		}
		if len(fields) == 0 {
			w.Dataset, w.DatasetPath = "file", s
			return
		}
		data = node{fields}
	}
	w.Dataset = data.at("kind").str()
	w.InputLen, w.OutputLen = data.at("prompt_tokens").count(), data.at("output_tokens").count()
	if w.Dataset == "" && w.InputLen != nil {
		w.Dataset = "synthetic_text"
	}
	w.DatasetPath = firstNode(data.at("path"), data.at("source")).str()
	for _, bucket := range data.at("prefix_buckets").each("prefix_tokens") {
		w.PrefixLen = bucket.count()
	}
}

// guideStrategy reads the load: concurrent has streams, synchronous is a cap of
// one, constant and poisson have a rate, throughput sends without a cap unless
// it names one.
func guideStrategy(r *capture.Result, s node) {
	switch s.at("type_").str() {
	case "concurrent":
		r.MaxConcurrency = capOf(s.at("streams").count())
	case "synchronous":
		r.MaxConcurrency = capOf(ptr(1))
	case "throughput":
		if r.MaxConcurrency = capOf(s.at("max_concurrency").count()); !r.MaxConcurrency.Known {
			r.MaxConcurrency = capture.Cap{Known: true, Unlimited: true}
		}
		r.RequestRate = capture.Rate{Known: true, Inf: true}
		return
	case "constant", "poisson", "async":
		r.RequestRate = rateOf(s.at("rate"))
		r.MaxConcurrency = capOf(s.at("max_concurrency").count())
		return
	}
	if r.MaxConcurrency.Known { // a closed loop: the next request follows at once
		r.RequestRate = capture.Rate{Known: true, Inf: true}
	}
}

func strategyName(s node) string {
	name := s.at("type_").str()
	if n := firstNode(s.at("streams"), s.at("rate")); n.v != nil {
		f, _ := n.num()
		return name + "@" + strconv.FormatFloat(f, 'f', -1, 64)
	}
	return name
}

// guideStrategyText reads a strategy as tables print it: concurrent@2.
func guideStrategyText(r *capture.Result, s string) {
	kind, n, _ := strings.Cut(s, "@")
	guideStrategy(r, node{map[string]any{"type_": kind, "streams": n, "rate": n}})
}
