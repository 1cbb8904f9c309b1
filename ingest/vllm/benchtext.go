package vllm

import (
	"bytes"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
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
	part   excerpt // of a report whose start is not there

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
	if m.where == outside && m.headline == 0 {
		switch {
		case m.cur == nil:
			if claim, is := m.excerptLine(l.N, line); is {
				return claim
			}
		case m.cur.Completed == nil && isSection(line):
			m.openReport() // what is left of it, behind its arguments
		}
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
		m.cur = newRun(n)
		m.part = excerpt{}
	}
	return m.cur
}

func newRun(n int) *capture.Result {
	return &capture.Result{
		Span: capture.Span{Line: n, To: n}, Kind: capture.VLLMBenchText, Client: "vllm bench serve",
		Printed: make(map[string]capture.Figure),
	}
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
