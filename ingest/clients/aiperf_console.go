package clients

import (
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffAIPerfText(in *format.Input) int {
	if hasAny(in.Head, "NVIDIA AIPerf |", "Starting AIPerf System (") {
		return certain
	}
	return 0
}

// aiTable reads AIPerf's table of metrics, from the console or the CSV: the
// header names the statistics, a row names a metric. In the console a long
// name goes on in the next row, whose other cells are empty.
type aiTable struct {
	r      *capture.Result
	header []string
	found  bool
}

func (t *aiTable) row(line int, row []string) {
	if len(row) < 2 {
		return
	}
	if row[0] == "Metric" {
		t.header = row
		return
	}
	metric, unit := map[string]string{
		"Time to First Token (ms)": "ttft", "Inter Token Latency (ms)": "itl", "Request Latency (ms)": "e2e_latency",
	}[row[0]], 1.0
	if metric == "" {
		t.scalar(line, row)
		return
	}
	t.found = true
	for i := 1; i < len(row) && i < len(t.header); i++ {
		name := map[string]string{"avg": "mean", "p50": "median"}[t.header[i]]
		if name == "" {
			name = t.header[i]
		}
		switch name {
		case "mean", "median", "p90", "p95", "p99", "std", "min", "max":
			printed(t.r, name+"_"+metric+"_ms", row[i], unit, line)
		}
	}
}

// scalar reads a metric that has one value, in the first column.
func (t *aiTable) scalar(line int, row []string) {
	n, _ := number(row[1])
	switch name, _, _ := strings.Cut(row[0], " ("); name {
	case "Request Count":
		t.r.Completed, t.found = n.count(), true
	case "Error Request Count":
		t.r.Failed = n.count()
	case "Request Throughput":
		printed(t.r, "request_throughput", row[1], 1, line)
	case "Output Token Throughput":
		printed(t.r, "output_throughput", row[1], 1, line)
	case "Input Token Throughput":
		printed(t.r, "input_throughput", row[1], 1, line)
	case "Effective Concurrency":
		printed(t.r, "concurrency", row[1], 1, line)
	case "Total Usage Prompt Tokens":
		t.r.InputTokens = asTokens(n)
	}
}

// aiConsole reads the console: the tables, and at its end the command, broken
// over several lines.
type aiConsole struct {
	table   aiTable
	command []string
	at      int  // line of the command
	open    bool // the command goes on
}

func newAIPerfConsole(kind capture.Kind) console {
	return &aiConsole{table: aiTable{r: newResult("", 1, kind, aiClient)}}
}

func (c *aiConsole) line(n int, s string) {
	if row := cells(s); row != nil {
		c.table.row(n, row)
		return
	}
	if rest, ok := strings.CutPrefix(s, "CLI Command: "); ok {
		c.command, c.at, c.open = []string{strings.TrimSpace(rest)}, n, true
		return
	}
	if rest, ok := strings.CutPrefix(s, "Benchmark Duration: "); ok {
		d, _ := number(strings.TrimSuffix(strings.TrimSpace(rest), " sec"))
		c.table.r.Duration = seconds(d)
	}
	switch {
	case !c.open:
	case s == "" || strings.HasPrefix(s, "Benchmark Duration:") || strings.Contains(s, " Export: "):
		c.open = false
	default:
		c.command = append(c.command, strings.TrimSpace(s))
	}
}

func (c *aiConsole) results(file string) []*capture.Result {
	r := c.table.r
	r.Span.File = file
	if len(c.command) > 0 {
		c.table.found = true
		c.arguments(file)
	}
	if !c.table.found {
		return nil
	}
	if g := aiGroup(file); g != "" {
		r.Group, r.Label = g, folderLabel(file)
	}
	return []*capture.Result{r}
}

// arguments reads the printed command.
func (c *aiConsole) arguments(file string) {
	command := strings.Join(c.command, " ")
	opts := options(command)
	r := c.table.r
	arguments(r, quote(file, c.at, command), "command", opts)
	o := node{opts}
	w := &r.Workload
	r.MaxConcurrency = capOf(o.at("concurrency").count())
	r.RequestRate = rateOf(o.at("request_rate"))
	if !r.RequestRate.Known && r.MaxConcurrency.Known {
		r.RequestRate = capture.Rate{Known: true, Inf: true}
	}
	r.Model = o.at("model").str()
	if dir := firstText(o.at("output_artifact_dir").str(), o.at("artifact_dir").str()); dir != "" {
		r.Label, r.Group = lastName(dir), aiClient+":"+joinFolder(file, dir)
	}
	w.Seed = o.at("random_seed").whole()
	w.Prompts = firstNode(o.at("request_count"), o.at("num_requests")).count()
	w.InputLen = firstNode(o.at("synthetic_input_tokens_mean"), o.at("isl")).count()
	w.OutputLen = firstNode(o.at("output_tokens_mean"), o.at("osl")).count()
	w.Warmups, w.WarmupsFrom = o.at("warmup_request_count").count(), ""
	if w.Warmups != nil {
		w.WarmupsFrom = "command"
	}
	w.Target, w.Tokenizer = host(o.at("url").str()), o.at("tokenizer").str()
}

// options reads the long options of a printed command: --name value, names
// with underscores; an option without a value is true.
func options(command string) map[string]any {
	opts := map[string]any{}
	words := strings.Fields(command)
	for i := 0; i < len(words); i++ {
		name, ok := strings.CutPrefix(words[i], "--")
		if !ok {
			continue
		}
		name, value, hasValue := strings.Cut(name, "=")
		name = strings.ReplaceAll(name, "-", "_")
		switch {
		case hasValue:
			opts[name] = unquote(value)
		case i+1 < len(words) && !strings.HasPrefix(words[i+1], "--"):
			i++
			opts[name] = unquote(words[i])
		default:
			opts[name] = true
		}
	}
	return opts
}

func unquote(s string) string { return strings.Trim(s, `'"`) }
