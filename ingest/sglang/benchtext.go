package sglang

import (
	"bytes"
	"math"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/pyrepr"
)

// floatRate is the request rate of a number; the clients use infinity for "all
// at once".
func floatRate(f float64) capture.Rate {
	if math.IsInf(f, 1) {
		return capture.Rate{Known: true, Inf: true}
	}
	if math.IsNaN(f) || f < 0 {
		return capture.Rate{}
	}
	return capture.Rate{Known: true, PerSecond: f}
}

// invocation is one start of the client, as its Namespace lines tell it: one
// behind benchmark_args= (0.4.3.post3 and later) and one after the model was
// looked up.
type invocation struct {
	first bool // a benchmark_args= line was seen
	bare  bool // a Namespace line without it was seen
	line  int
	raw   []byte
	args  clientArgs
	call  *pyrepr.Call
}

// note is a remark of the client.
type note struct {
	line int
	raw  []byte
}

// BenchText reads the text reports of bench_serving, Python and Rust. It is a
// format.Machine.
type BenchText struct {
	invocations []*invocation
	blocks      []*block
	cur         *block // the open block
	open        []byte // a Namespace that is wrapped over lines, so far
	openLine    int
	openFirst   bool
	notes       []note
	rust        []rustRun
	warmup      []warmup
	malformed   int
	said        bool // a sentence of the client's own was seen
}

// rustRun is the line in which the Rust client says what it sends.
type rustRun struct {
	line, prompts int
	cap           capture.Cap
}

type warmup struct{ line, n int }

var _ format.Machine = (*BenchText)(nil)

// NewBenchText returns a machine for the reports in one text.
func NewBenchText() format.Machine { return &BenchText{} }

// Kind is that of a text report.
func (*BenchText) Kind() capture.Kind { return capture.SGLangBenchText }

const resultTitle = "Serving Benchmark Result"

// Line reads one line.
func (m *BenchText) Line(l format.Line) format.Claim {
	b := bytes.TrimRight(l.Text, " \t\r")
	if m.open != nil && m.continueArgs(b) {
		return format.Mine
	}
	if len(b) < 4 {
		return format.NotMine
	}
	if c := m.args(l.N, b); c != format.NotMine {
		return c
	}
	if title, ok := heading(b, '='); ok {
		return m.heading(l.N, title)
	}
	if m.cur == nil {
		m.openExcerpt(l.N, b)
	}
	if m.cur != nil && m.cur.excerpt {
		if c, ok := m.excerptRow(l.N, b); ok {
			return c
		}
		return format.NotMine
	}
	if m.cur != nil {
		c := m.cur.row(l.N, b)
		if m.cur.foreign {
			m.cur = nil
			return format.NotMine
		}
		if c == format.Malformed {
			m.malformed++
		}
		if c != format.NotMine {
			return c
		}
	}
	return m.remark(l.N, b)
}

func latencySection(title string) bool {
	return title != "" && sections[title] && title != "Goodput"
}

func (m *BenchText) heading(n int, title string) format.Claim {
	switch title {
	case resultTitle:
		m.endBlock()
		m.cur = newBlock(n)
		return format.Weak
	case "Steady-State Result":
		if m.cur == nil {
			return format.Mine
		}
		m.cur.section = title
		return format.Mine
	case "":
		if m.cur == nil {
			return format.NotMine
		}
		c := m.cur.claim()
		m.cur.to = n
		m.endBlock()
		return c
	}
	return format.NotMine
}

// endBlock closes the open block. A whole block that has no label of SGLang's
// own is taken only if SGLang's client was seen in the text; else it is another
// client's, which prints the same header. An excerpt that no label gives to
// either client is kept, as that of a client unknown.
func (m *BenchText) endBlock() {
	b := m.cur
	m.cur = nil
	if b == nil || b.foreign || b.rows == 0 {
		return
	}
	if !b.isReport() && (len(m.invocations) == 0 || b.excerpt && !b.sectioned) {
		return
	}
	if b.excerpt && !b.confirmed {
		b.result.Client = ""
	}
	m.blocks = append(m.blocks, b)
}

// args looks for a Namespace in the line.
func (m *BenchText) args(n int, b []byte) format.Claim {
	at := bytes.Index(b, []byte("amespace("))
	if at < 1 || b[at-1] != 'N' && b[at-1] != 'n' {
		return format.NotMine
	}
	at--
	first := bytes.HasSuffix(b[:at], []byte("benchmark_args="))
	if at > 0 && !first && b[at-1] != ' ' && b[at-1] != ']' && b[at-1] != '=' {
		return format.NotMine
	}
	v, _, err := pyrepr.Prefix(b[at:])
	call, ok := v.(*pyrepr.Call)
	if !ok {
		return format.NotMine
	}
	if pyrepr.Incomplete(err) {
		m.open, m.openLine, m.openFirst = bytes.Clone(b[at:]), n, first
		if len(call.Args) > 2 && !IsClientArgs(call) {
			m.open = nil
			return format.NotMine
		}
		return format.Mine
	}
	if !IsClientArgs(call) {
		return format.NotMine
	}
	m.invoke(call, n, first, b[at:])
	return format.Mine
}

// continueArgs adds a line to the Namespace that is open. It reports whether
// the line belonged to it. A line that is plainly something else ends the
// Namespace with what it had.
func (m *BenchText) continueArgs(b []byte) bool {
	_, isHeading := heading(b, '=')
	if isHeading || len(m.open)+len(b) > maxWrapped || bytes.Contains(b, []byte("amespace(")) || bytes.HasPrefix(b, []byte("#Input tokens:")) {
		m.closeArgs()
		return false
	}
	joined := append(bytes.Clone(m.open), b...)
	v, _, err := pyrepr.Prefix(joined)
	if err != nil && !pyrepr.Incomplete(err) {
		m.closeArgs()
		return false
	}
	m.open = joined
	if err == nil {
		m.open = nil
		if call, ok := v.(*pyrepr.Call); ok && IsClientArgs(call) {
			m.invoke(call, m.openLine, m.openFirst, joined)
		}
	}
	return true
}

// closeArgs takes what a clipped Namespace has.
func (m *BenchText) closeArgs() {
	v, _, _ := pyrepr.Prefix(m.open)
	if call, ok := v.(*pyrepr.Call); ok && IsClientArgs(call) {
		call.Truncated = true
		m.malformed++
		m.invoke(call, m.openLine, m.openFirst, m.open)
	}
	m.open = nil
}

// invoke files a Namespace. The second one of an invocation repeats the first
// with the port, the model and the like filled in.
func (m *BenchText) invoke(call *pyrepr.Call, n int, first bool, raw []byte) {
	inv := &invocation{line: n, first: first, bare: !first, raw: bytes.Clone(raw), call: call, args: readArgs(call)}
	if len(m.invocations) > 0 {
		last := m.invocations[len(m.invocations)-1]
		switch {
		case !first && last.first && !last.bare && sameCall(last.call, call):
			last.bare = true
			last.args, last.call = inv.args, call
			return
		case first && last.bare && !last.first && sameCall(call, last.call) && m.lineOfLastBlock() < last.line:
			last.first = true // buffering put them the other way round
			return
		}
	}
	m.invocations = append(m.invocations, inv)
}

func (m *BenchText) lineOfLastBlock() int {
	if len(m.blocks) == 0 {
		return 0
	}
	return m.blocks[len(m.blocks)-1].line
}

// filled are the arguments that the client completes between its two Namespace
// lines.
var filled = map[string]bool{"port": true, "model": true, "tokenizer": true, "base_url": true, "host": true, "served_model_name": true}

// sameCall reports whether b can be a with some arguments filled in.
func sameCall(a, b *pyrepr.Call) bool {
	for _, arg := range a.Args {
		if arg.Value == nil || filled[arg.Name] {
			continue
		}
		v, ok := b.Get(arg.Name)
		if !ok && !b.Truncated || ok && pyrepr.Format(v) != pyrepr.Format(arg.Value) {
			return false
		}
	}
	return true
}

// Close appends one result for each block, and one for each invocation that
// has none: its prompts were sent all the same. The counts of a text that
// turned out to be another client's are nil.
func (m *BenchText) Close(file, _ string, out *format.Output) capture.Counts {
	if m.open != nil {
		m.closeArgs()
	}
	m.endBlock()
	results := m.results(file)
	if len(results) == 0 && m.malformed == 0 && !m.said {
		return nil
	}
	out.Results = append(out.Results, results...)
	return capture.Counts{{Key: "reports", N: len(m.blocks)}, {Key: "malformed", N: m.malformed}}
}
