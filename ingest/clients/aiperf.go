package clients

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyjson"
)

// AIPerf keeps one folder a run: profile_export.jsonl has a line a request
// (only those of the profiling phase are measured), profile_export_aiperf.json
// the summary, the settings and the seed really used, inputs.json the prompts.
// Times are ns since the epoch, latencies carry their unit.
//
// usage_prompt_cache_read_tokens stands on a request only if the server sent
// the number. theoretical_prefix_cache_hit describes the corpus, not the
// server, and is not read.
const (
	aiClient                     = "aiperf"
	AIPerfCSV       capture.Kind = "aiperf-csv"
	AIPerfText      capture.Kind = "aiperf-text"
	AIPerfInputs    capture.Kind = "aiperf-inputs"
	AIPerfTelemetry capture.Kind = "aiperf-telemetry"
	AIPerfLog       capture.Kind = "aiperf-log"
	AIPerfMarker    capture.Kind = "aiperf-marker"
	aiCacheRead                  = "usage_prompt_cache_read_tokens"
)

func init() { register("aiperf", aiPerf) }

func aiPerf() []format.Format {
	return []format.Format{
		{Kind: capture.AIPerfJSONL, Sniff: sniffJSON('{', certain, `"metadata"`, `"benchmark_phase"`, `"metrics"`), Read: readAIPerfJSONL},
		{Kind: capture.AIPerfJSON, Sniff: sniffAIPerfJSON, Read: readAIPerfJSON},
		{Kind: AIPerfInputs, Sniff: sniffJSON('{', likely, `"data"`, `"session_id"`, `"payloads"`), Read: readAIPerfInputs},
		{Kind: AIPerfCSV, Sniff: sniffAIPerfCSV, Read: readAIPerfCSV},
		consoleFormat(AIPerfText, sniffAIPerfText, newAIPerfConsole),
		seen(AIPerfTelemetry, "AIPerf's own samples of the server's metrics; not read", sniffAIPerfTelemetry),
		seen(AIPerfLog, "AIPerf's log of itself; not read", func(in *format.Input) int {
			if hasAll(in.Head, " - INFO - ", "aiperf.") && hasAny(in.Head, "Starting AIPerf System") {
				return likely
			}
			return 0
		}),
		seen(AIPerfMarker, "a marker that the folder is complete; not read", sniffJSON('{', likely, `"ready"`, `"was_cancelled"`, `"partial"`)),
	}
}

func sniffAIPerfJSON(in *format.Input) int {
	if opens(in.Head) != '{' || !hasAny(in.Head, `"aiperf_version"`, `"run_info"`, `"total_usage_prompt_cache_read_tokens"`) ||
		hasAny(in.Head, `"endpoints_configured"`) && !hasAny(in.Head, `"request_throughput"`) {
		return 0
	}
	return certain
}

func sniffAIPerfTelemetry(in *format.Input) int {
	if opens(in.Head) == '{' && hasAll(in.Head, `"aiperf_version"`, `"endpoints_configured"`) && !hasAny(in.Head, `"request_throughput"`) ||
		hasAny(in.Head, "# AIPerf Server Metrics Export") {
		return certain
	}
	return 0
}

// inUnit converts a metric with its unit field to seconds.
func inUnit(m node) float64 {
	switch m.at("unit").str() {
	case "s", "sec", "seconds":
		return m.at("value").scaled(1)
	case "us":
		return m.at("value").scaled(1e-6)
	case "ns":
		return m.at("value").scaled(nano)
	}
	return m.at("value").scaled(milli)
}

func readAIPerfJSONL(in *format.Input, out *format.Output) error {
	body, err := in.Open()
	if err != nil {
		return fmt.Errorf("%s: %w", in.Path, err)
	}
	defer body.Close()
	var rs []request
	var bad []int
	r, last := bufio.NewReaderSize(body, maxLine), 0
	for n := 1; ; n++ {
		raw, err := r.ReadBytes('\n')
		if len(raw) > 0 {
			last = n
		}
		if len(bytes.TrimSpace(raw)) > 0 {
			q, measured, ok := aiRequest(raw)
			if !ok {
				bad = append(bad, n)
				q, measured = aiDamaged(raw)
			}
			if measured {
				q.line = int32(n)
				rs = append(rs, q)
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in.Path, err)
		}
	}
	f := out.File
	f.Kind, f.Read, f.Lines, f.Parts = capture.AIPerfJSONL, capture.ReadAll, last, wholeFile(capture.AIPerfJSONL, last)
	f.Counts.Add("records", last-len(bad))
	f.Counts.Add("malformed", len(bad))
	if len(bad) > 0 {
		f.Read, f.Why = capture.ReadPart, fmt.Sprintf("%d malformed records: %s", len(bad), lineList(bad))
	}
	if len(rs) > 0 {
		out.Results = append(out.Results, aiRun(in.Path, last, rs))
	}
	return nil
}

// aiRun makes the run of the requests. Lines stand in the order of completion;
// session_num is the order of sending.
func aiRun(file string, last int, rs []request) *capture.Result {
	placed := !slices.ContainsFunc(rs, func(q request) bool { return q.order < 0 })
	if placed {
		slices.SortStableFunc(rs, func(x, y request) int { return cmp.Compare(x.order, y.order) })
	}
	r := newResult(file, 1, capture.AIPerfJSONL, aiClient)
	r.Span.To = last
	r.Group, r.Label = aiGroup(file), folderLabel(file)
	done, failed, input, output := tally(rs)
	if !slices.ContainsFunc(rs, func(q request) bool { return q.lost }) {
		r.Completed, r.Failed, r.InputTokens, r.OutputTokens = &done, &failed, input, output
	}
	r.Workload.Prompts = ptr(len(rs))
	for i, q := range rs {
		if q.start >= 0 && (r.Start == 0 || q.start < r.Start) {
			r.Start = q.start
		}
		if q.start >= 0 && q.e2e >= 0 {
			r.End = max(r.End, q.start+q.e2e)
		}
		rs[i].order = 0
	}
	if r.End > r.Start {
		r.Duration = ptr(r.End - r.Start) // AIPerf's own benchmark_duration
	}
	r.Requests = collect(rs)
	r.Requests.InOrder, r.Requests.InputByServer = placed, r.Requests.Cached != nil
	return r
}

var (
	aiPhase   = regexp.MustCompile(`"benchmark_phase":\s*"(\w+)"`)
	aiSession = regexp.MustCompile(`"session_num":\s*([0-9]+)\s*[,}]`)
)

// aiDamaged reads what a damaged line still tells of its request: whether it is
// one of the measured, which it is taken for if the phase is lost, and its place.
// How it ended is not known.
func aiDamaged(raw []byte) (q request, measured bool) {
	q = untold()
	q.order, q.lost = -1, true
	if m := aiPhase.FindSubmatch(raw); m != nil && string(m[1]) != "profiling" {
		return q, false
	}
	if m := aiSession.FindSubmatch(raw); m != nil {
		q.order = node{string(m[1])}.scaled(1)
	}
	return q, true
}

// aiRequest reads one line; measured is false for warm-up requests.
func aiRequest(raw []byte) (q request, measured, ok bool) {
	var v any
	if json.Unmarshal(pyjson.Quote(raw), &v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return q, false, false
	}
	v = finite(v)
	meta, m := node{v}.at("metadata"), node{v}.at("metrics")
	if meta.object() == nil {
		return q, false, false
	}
	if phase := meta.at("benchmark_phase").str(); phase != "" && phase != "profiling" {
		return q, false, true
	}
	q = untold()
	q.order = meta.at("session_num").scaled(1)
	q.mute = !m.has("usage_prompt_tokens") && !m.has("usage_completion_tokens") && !m.has("usage_total_tokens")
	q.start = meta.at("request_start_ns").scaled(nano)
	cancelled, _ := meta.at("was_cancelled").v.(bool)
	q.failed = cancelled || node{v}.at("error").v != nil
	q.input = firstNode(m.at("usage_prompt_tokens", "value"), m.at("input_sequence_length", "value")).tokens()
	q.cached = m.at(aiCacheRead, "value").tokens()
	if q.failed {
		return q, true, true
	}
	q.ttft, q.e2e = inUnit(m.at("time_to_first_token")), inUnit(m.at("request_latency"))
	q.tpot = inUnit(m.at("inter_token_latency")) // AIPerf's mean gap of one request
	q.output = m.at("output_sequence_length", "value").tokens()
	if gaps := m.at("inter_chunk_latency", "value").list(); gaps != nil {
		q.chunks = int32(len(gaps))
	}
	return q, true, true
}

// lineList prints line numbers for a Why, the first twenty of them.
func lineList(lines []int) string {
	const most = 20
	var b strings.Builder
	for i, n := range lines {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(lines)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

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

// cacheTotals keeps a printed total of cached tokens.
func cacheTotals(r *capture.Result, cached node, reported bool, name string) *capture.CacheTotals {
	c := asTokens(cached)
	if c == nil {
		return nil
	}
	t := &capture.CacheTotals{CachedTokens: *c, Reported: reported,
		At: quote(r.Span.File, r.Span.Line, fmt.Sprintf("%s: %d", name, *c))}
	if r.InputTokens != nil {
		t.PromptTokens = *r.InputTokens
	}
	return t
}

func firstText(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
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

func first(n node) any {
	if l := n.list(); len(l) > 0 {
		return l[0]
	}
	return nil
}

// readAIPerfInputs reads the prompts of a run in the order of their sessions.
// A session with several turns has several prompts, which are not told apart.
func readAIPerfInputs(in *format.Input, out *format.Output) error {
	return readJSON(AIPerfInputs, in, out, func(doc *document) error {
		var rs []request
		err := doc.members(func(name string) error {
			if name != "data" {
				return doc.skip()
			}
			return doc.elements(func(int) error {
				n, err := doc.value()
				if err != nil {
					return err
				}
				q := untold()
				if p := n.at("payloads").list(); len(p) == 1 {
					q.hash = promptHash(promptOf(node{p[0]}))
				}
				rs = append(rs, q)
				return nil
			})
		})
		if err != nil || len(rs) == 0 {
			return err
		}
		r := newResult(in.Path, 1, AIPerfInputs, aiClient)
		r.Group, r.Label, r.Partial = aiGroup(in.Path), folderLabel(in.Path), true
		r.Requests = collect(rs)
		r.Requests.InOrder = true
		out.Results = append(out.Results, r)
		return nil
	})
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

// aiGroup is the run of a file that has the name AIPerf gives it.
func aiGroup(file string) string {
	return groupOf(aiClient, file, "profile_export.jsonl", "profile_export_aiperf.json", "profile_export_aiperf.csv",
		"profile_export_console.txt", "inputs.json")
}
