package clients

import (
	"fmt"
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

func sniffIPRequests(in *format.Input) int {
	if opens(in.Head) != '[' || !hasAll(in.Head, `"start_time"`, `"end_time"`) || !hasAny(in.Head, `"request"`, `"info"`) {
		return 0
	}
	if hasAny(in.Head, `"request_metrics"`, `"response_metrics"`, `"output_token_times"`) {
		return certain
	}
	return likely
}

func readIPRequests(in *format.Input, out *format.Output) error {
	return readJSON(capture.InferencePerfJSON, in, out, func(doc *document) error {
		var rs []request
		err := doc.elements(func(int) error {
			n, err := doc.value()
			if err == nil {
				rs = append(rs, ipRequest(n))
			}
			return err
		})
		if err != nil || len(rs) == 0 {
			return err
		}
		r := newResult(in.Path, 1, capture.InferencePerfJSON, ipClient)
		r.Group, r.Label = ipGroup(in.Path), folderLabel(in.Path)
		done, failed, input, output := tally(rs)
		r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
		r.Workload.Prompts = ptr(len(rs))
		r.Duration = span(rs)
		r.Requests = collect(rs)
		// The list is kept as requests were started, which with one worker is
		// the order of the prompts.
		r.Requests.InOrder, r.Requests.InputByServer = ascending(rs), r.Requests.Cached != nil
		out.Results = append(out.Results, r)
		return nil
	})
}

// span is the time from the first start to the last end, which the summary
// prints as benchmark_time_seconds.
func span(rs []request) *float64 {
	from, to := -1.0, -1.0
	for _, q := range rs {
		if q.start < 0 || q.e2e < 0 {
			continue
		}
		if from < 0 || q.start < from {
			from = q.start
		}
		to = max(to, q.start+q.e2e)
	}
	if from < 0 {
		return nil
	}
	return ptr(to - from)
}

func ascending(rs []request) bool {
	for i := 1; i < len(rs); i++ {
		if rs[i].start < rs[i-1].start {
			return false
		}
	}
	return true
}

func ipRequest(n node) request {
	q := untold()
	q.start = n.at("start_time").scaled(1)
	end := n.at("end_time").scaled(1)
	q.hash = promptHash(promptOf(bodyOf(n.at("request").str())))
	info := n.at("info")
	answer := info.at("response_metrics")

	u := usageOf(firstObject(answer.at("server_usage"), info.at("server_usage")))
	if u.cached < 0 {
		if raw := usageOfStream(n.at("response").str()); raw.cached >= 0 || u.prompt < 0 {
			u = raw
		}
	}
	q.input, q.output, q.cached = u.prompt, u.output, u.cached
	q.mute = u.prompt < 0 && u.cached < 0
	if q.input < 0 {
		q.input = firstNode(info.at("request_metrics", "text", "input_tokens"), info.at("input_tokens")).tokens()
	}
	if q.output < 0 {
		q.output = firstNode(answer.at("output_tokens"), info.at("output_tokens")).tokens()
	}
	if n.at("error").v != nil {
		q.failed = true
		return q
	}
	if q.start >= 0 && end >= q.start {
		q.e2e = end - q.start
	}
	times := firstNode(answer.at("output_token_times"), info.at("output_token_times")).each()
	if len(times) > 0 {
		if t := times[0].scaled(1); t >= q.start && q.start >= 0 {
			q.ttft = t - q.start
		}
		q.chunks = int32(len(times) - 1)
	}
	return q
}

func firstObject(values ...node) node {
	for _, v := range values {
		if v.object() != nil {
			return v
		}
	}
	return node{}
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

// ipConsole reads the console: the settings in YAML, and the summary as JSON
// between two marks.
type ipConsole struct {
	kind    capture.Kind
	block   string // what is being collected: config, summary or ""
	text    strings.Builder
	at      int
	config  node
	summary node
	line1   int // of the summary
	started float64
	ended   float64
}

func newIPConsole(kind capture.Kind) console { return &ipConsole{kind: kind} }

func (c *ipConsole) line(n int, s string) {
	stamp := 0.0
	if len(s) > 23 && strings.Contains(s, " - inference_perf.") {
		stamp = epoch(s[:23])
	}
	switch {
	case strings.Contains(s, "Stage 0 - run started"):
		c.started = stamp
	case strings.Contains(s, " - run completed"):
		c.ended = stamp
	}
	switch {
	case strings.Contains(s, "Benchmarking with the following config:"):
		c.open("config", n+1)
	case s == "=== START_SUMMARY ===":
		c.open("summary", n+1)
	case c.block == "config" && stamp > 0:
		c.config, c.block = parseYAML([]byte(c.text.String())), ""
	case c.block == "summary" && s == "=== END_SUMMARY ===":
		c.summary, c.line1, c.block = bodyOf(c.text.String()), c.at, ""
	case c.block != "" && c.text.Len() < maxYAML:
		c.text.WriteString(s + "\n")
	}
}

func (c *ipConsole) open(block string, at int) {
	c.block, c.at = block, at
	c.text.Reset()
}

func (c *ipConsole) results(file string) []*capture.Result {
	if c.summary.object() == nil && c.config.object() == nil {
		return nil
	}
	r := newResult(file, 1, c.kind, ipClient)
	r.Start, r.End = c.started, c.ended
	if c.config.object() != nil {
		ipConfig(r, c.config)
	}
	asked := r.Workload.Prompts
	if c.summary.object() != nil {
		r.Span.Line = max(c.line1, 1)
		ipSummary(r, c.summary)
	}
	if asked != nil {
		r.Workload.Prompts = asked
	}
	if r.Label != "" {
		r.Group = fmt.Sprintf("%s:%s", ipClient, joinFolder(file, r.Label))
	}
	return []*capture.Result{r}
}
