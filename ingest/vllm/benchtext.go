package vllm

import (
	"bytes"
	"strconv"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyrepr"
	"coldcase/ingest/text"
)

// benchText reads what `vllm bench serve`, the script before it and the Rust
// client print. A text may hold several runs one after the other.
//
// SGLang's client prints a report with the same headline and many of the same
// labels. What tells them apart: its arguments have options that vLLM's client
// never had, and its report begins with "Backend:".
type benchText struct {
	done  []*capture.Result
	cur   *capture.Result // the run being read, nil before the first line of one
	where place
	// headline is the line of a headline that may still be SGLang's, 0 none.
	headline int
	rust     bool // a 60 wide headline, or a line of the Rust client
	// theirs is set while SGLang's arguments wait for their report.
	theirs bool

	wrapped     []byte // a Namespace that a terminal wrapped over several lines
	wrappedLine int

	reports, malformed int
}

// place is the block of the text that the next line belongs to.
type place uint8

const (
	outside  place = iota
	inReport       // the main block
	inOther        // a block whose labels repeat those of the main block
	foreign        // SGLang's output
)

// maxWrapped bounds a wrapped Namespace, in bytes.
const maxWrapped = 64 << 10

func newBenchText() format.Machine { return &benchText{} }

// Kind is the kind of the lines.
func (m *benchText) Kind() capture.Kind { return capture.VLLMBenchText }

// Line takes the next line.
func (m *benchText) Line(l format.Line) format.Claim {
	line := bytes.TrimSpace(l.Text)
	if m.wrapped != nil {
		if m.unwrap(l.N, line) {
			return m.mine(l.N)
		}
	}
	if bytes.HasPrefix(line, []byte("Namespace(")) {
		return m.namespace(l.N, line)
	}
	if bytes.HasPrefix(line, []byte("benchmark_args=")) {
		m.end()
		m.where, m.theirs = foreign, true
		return format.NotMine
	}
	if claim, is := m.headLine(l.N, line); is {
		return claim
	}
	if m.where == foreign {
		return format.NotMine
	}
	if f := parseFrame(line); f.process != "" || f.level != "" && f.when.known() {
		return m.logLine(l.N, line, f)
	}
	if m.where == inReport || m.headline > 0 {
		if claim, is := m.reportLine(l.N, line); is {
			return claim
		}
	}
	if m.where == inOther && isBlockLine(line) {
		return m.mine(l.N)
	}
	return m.progress(l.N, line)
}

// mine extends the current run to the line.
func (m *benchText) mine(n int) format.Claim {
	if m.cur != nil {
		m.cur.Span.To = n
	}
	return format.Mine
}

// begin gives the current run, a new one if there is none.
func (m *benchText) begin(n int) *capture.Result {
	if m.cur == nil {
		m.cur = &capture.Result{
			Span: capture.Span{Line: n, To: n}, Kind: capture.VLLMBenchText, Client: "vllm bench serve",
			Printed: make(map[string]capture.Figure),
		}
	}
	return m.cur
}

// end closes the current run. Arguments without a report are a run too; a few
// progress lines alone are not.
func (m *benchText) end() {
	r := m.cur
	m.cur, m.headline, m.where = nil, 0, outside
	if r == nil || r.Workload.From.Line == 0 && r.Completed == nil && len(r.Printed) == 0 {
		return
	}
	if m.rust {
		r.Client = "vllm-bench"
	}
	m.done = append(m.done, r)
}

// sglangOptions are options that only SGLang's client has.
var sglangOptions = []string{
	"flush_cache", "disable_ignore_eos", "disable_stream", "warmup_requests", "extra_request_body",
	"apply_chat_template", "gsp_num_groups", "sharegpt_context_len", "return_logprob",
}

// namespace reads the line of arguments.
func (m *benchText) namespace(n int, line []byte) format.Claim {
	value, _, err := pyrepr.Prefix(line)
	if pyrepr.Incomplete(err) && len(line) < maxWrapped {
		m.wrapped, m.wrappedLine = bytes.Clone(line), n
		m.end()
		return format.Mine
	}
	return m.take(n, line, value)
}

// unwrap adds a line to a wrapped Namespace. It reports whether the line
// belongs to it; a line that plainly begins something else ends it.
func (m *benchText) unwrap(n int, line []byte) bool {
	if bytes.HasPrefix(line, []byte("Namespace(")) || isHeadline(line) || len(m.wrapped)+len(line) > maxWrapped {
		m.cutNamespace()
		return false
	}
	m.wrapped = append(append(m.wrapped, ' '), line...)
	value, _, err := pyrepr.Prefix(m.wrapped)
	if pyrepr.Incomplete(err) {
		return true
	}
	whole, from := m.wrapped, m.wrappedLine
	m.wrapped = nil
	m.take(from, whole, value)
	return true
}

// cutNamespace takes what was whole of a Namespace that never ended.
func (m *benchText) cutNamespace() {
	value, _, _ := pyrepr.Prefix(m.wrapped)
	whole := m.wrapped
	m.wrapped = nil
	m.malformed++
	m.take(m.wrappedLine, whole, value)
}

func (m *benchText) take(n int, line []byte, value any) format.Claim {
	m.end()
	call, ok := value.(*pyrepr.Call)
	if !ok {
		m.malformed++
		return format.Malformed
	}
	args := call.Map()
	for _, name := range sglangOptions {
		if _, has := args[name]; has {
			m.where, m.theirs = foreign, true
			return format.NotMine
		}
	}
	m.theirs = false
	r := m.begin(n)
	r.Backend = stringArg(args, "backend")
	r.Engine = engineOf(r.Backend)
	r.Model = stringArg(args, "model")
	r.Label = stringArg(args, "label")
	r.Workload, r.MaxConcurrency, r.RequestRate = Arguments(args, FormNamespace)
	r.Workload.From = text.Evidence("", n, line)
	m.rust = false
	return format.Mine
}

// headLine takes the headlines of blocks. The one of the report is SGLang's as
// well; without arguments before it the next line decides.
func (m *benchText) headLine(n int, line []byte) (format.Claim, bool) {
	switch {
	case isHeadline(line):
		if m.theirs {
			m.theirs = false
			return format.NotMine, true
		}
		if m.cur != nil && m.cur.Completed != nil {
			m.end()
		}
		wide := len(line) > 55
		m.rust = m.rust || wide
		if m.cur == nil && !wide {
			m.headline, m.where = n, outside
			return format.Weak, true
		}
		m.begin(n)
		m.openReport()
		return m.mine(n), true
	case bytes.Contains(line, []byte("Steady-State Metrics")), bytes.Contains(line, []byte("Multi-Run Summary")):
		m.where = inOther
		return m.mine(n), true
	case bytes.Contains(line, []byte("Multi-Run Benchmark (")):
		m.end()
		m.rust = true
		return format.Mine, true
	}
	return format.NotMine, false
}

func isHeadline(line []byte) bool {
	return bytes.Contains(line, []byte("= Serving Benchmark Result ="))
}

func (m *benchText) openReport() {
	m.where = inReport
	m.headline = 0
	m.reports++
}

// reportLine takes a line of the main block. Of a label that comes twice, the
// first is the report's.
func (m *benchText) reportLine(n int, line []byte) (format.Claim, bool) {
	switch {
	case len(line) == 0:
		return format.NotMine, false
	case m.headline == 0 && isRule(line, '='):
		m.where = outside
		return m.mine(n), true
	case m.headline == 0 && line[0] == '-' && line[len(line)-1] == '-':
		return m.mine(n), true
	}
	label, value, ok := splitLabel(line)
	if !ok {
		return format.NotMine, false
	}
	if m.headline > 0 {
		if label != "Successful requests" {
			m.headline, m.where = 0, foreign
			return format.NotMine, true
		}
		m.begin(m.headline)
		m.openReport()
	}
	set, known := setterFor(label)
	if !known {
		return format.NotMine, false
	}
	if !set(m.cur, n, value) {
		m.malformed++
		m.mine(n)
		return format.Malformed, true
	}
	return m.mine(n), true
}

// isRule reports whether a line is nothing but c, as a report's last line is.
func isRule(line []byte, c byte) bool {
	return len(line) >= 20 && len(bytes.Trim(line, string(c))) == 0
}

// isBlockLine reports whether a line can belong to a block of labels.
func isBlockLine(line []byte) bool {
	if len(line) == 0 || isRule(line, '=') || isRule(line, '-') || line[0] == '-' {
		return true
	}
	_, _, ok := splitLabel(line)
	return ok && !bytes.HasPrefix(line, []byte("INFO:"))
}

// logLine takes lines with vLLM's log frame. Those of a client are ours.
func (m *benchText) logLine(n int, line []byte, f frame) format.Claim {
	switch {
	case f.process == "Bench":
		m.rust = true
		m.begin(n)
		if bytes.HasPrefix(f.msg, []byte("reset prefix cache url=")) {
			m.cur.Workload.FlushAsked = ptr(true)
			m.note(n, line)
		}
		return m.mine(n)
	case fromClient(f.process):
		return m.mineIfOpen(n)
	case fromServer(f.process) || m.cur == nil:
		return format.NotMine
	}
	return format.Weak
}

// progress takes the lines that the client prints while it runs.
func (m *benchText) progress(n int, line []byte) format.Claim {
	s := string(line[:min(len(line), 200)])
	switch {
	case strings.HasPrefix(s, "Skipping endpoint ready check"):
		m.begin(n).Workload.ReadyCheck = ptr(false)
		m.note(n, line)
	case strings.HasPrefix(s, "Initial test run completed"):
		if m.cur == nil {
			return format.Weak // SGLang's first versions print it too
		}
		m.cur.Workload.ReadyCheck = ptr(true)
		m.note(n, line)
	case strings.HasPrefix(s, "Warming up with "):
		if k, err := strconv.Atoi(firstWord(line[len("Warming up with "):])); err == nil {
			w := &m.begin(n).Workload
			w.Warmups, w.WarmupsFrom = &k, "text"
		}
		m.note(n, line)
	case strings.HasPrefix(s, "Maximum request concurrency: "):
		setCap(m.begin(n), strings.TrimSpace(s[len("Maximum request concurrency: "):]))
	case strings.HasPrefix(s, "Traffic request rate: "):
		if m.cur == nil {
			return format.Weak
		}
		setRate(m.cur, n, strings.TrimSpace(s[len("Traffic request rate: "):]))
	case strings.Contains(s, "reset prefix cache"), strings.Contains(s, "Resetting caches at "):
		if m.cur == nil {
			return format.Weak
		}
		m.note(n, line)
	case isProgress(s):
		return m.mineIfOpen(n)
	default:
		return format.NotMine
	}
	return m.mine(n)
}

// isProgress reports whether a line is one that says nothing about the cache.
func isProgress(s string) bool {
	for _, start := range []string{
		"Starting initial single prompt test run", "Waiting for endpoint to become up in ", "Warmup run completed.",
		"Starting main benchmark run", "Burstiness factor: ", "Probe request rate: ", "WARNING: tokenizer mismatch",
		"WARNING: /tokenize unavailable", "WARNING: vllm bench serve no longer", "tip: install termplotlib",
		"Warning: steady-state window", "Traffic ramp-up strategy: ", "Will increase RPS from ", "Run ", "Backend error: ",
		"Concurrency threshold: ",
	} {
		if strings.HasPrefix(s, start) {
			return start != "Run " || isRunLine(s)
		}
	}
	return false
}

// isRunLine recognises "Run 1/3" of the Rust client.
func isRunLine(s string) bool {
	k, n, ok := strings.Cut(strings.TrimPrefix(s, "Run "), "/")
	return ok && digits(k) && digits(strings.TrimSpace(n))
}

func (m *benchText) mineIfOpen(n int) format.Claim {
	if m.cur == nil {
		return format.Weak
	}
	return m.mine(n)
}

func (m *benchText) note(n int, line []byte) {
	if m.cur != nil {
		m.cur.Notes = append(m.cur.Notes, text.Evidence("", n, line))
	}
}

// Close hands over the runs.
func (m *benchText) Close(file, service string, out *format.Output) capture.Counts {
	if m.wrapped != nil {
		m.cutNamespace()
	}
	m.end()
	for _, r := range m.done {
		r.Span.File = file
		if r.Span.To == r.Span.Line {
			r.Span.To = 0
		}
		if r.Workload.From.Line > 0 {
			r.Workload.From.File = file
		}
		for i := range r.Notes {
			r.Notes[i].File = file
		}
		out.Results = append(out.Results, r)
	}
	if len(m.done) == 0 && m.reports == 0 && m.malformed == 0 {
		return nil
	}
	var c capture.Counts
	c.Add("reports", m.reports)
	c.Add("malformed", m.malformed)
	return c
}
