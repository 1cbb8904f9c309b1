package vllm

import (
	"bytes"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// excerpt is a part of a report without its headline and without arguments
// before it: the last lines of a terminal, or lines that somebody quoted. It is
// taken for vLLM's once it has a latency section with two labels and a label
// that only vLLM's clients print. Without such a label it could be SGLang's as
// well, and is left to the reader of that client's texts.
type excerpt struct {
	run     *capture.Result // what was read, nil while no part is open
	own     bool            // a label of vLLM's own was seen
	section bool            // a latency section was opened
	rows    int             // labels read in it
}

// sections are the headings above the labels of latencies.
var sections = map[string]bool{
	"Time to First Token": true, "Time per Output Token (excl. 1st token)": true,
	"Inter-token Latency": true, "End-to-end Latency": true,
}

// ownLabels are never printed by SGLang's client.
var ownLabels = map[string]bool{
	"Failed requests": true, "Maximum request concurrency": true, "Request rate configured (RPS)": true,
	"Total Token throughput (tok/s)": true, "Mean E2EL (ms)": true, "Median E2EL (ms)": true, "P99 E2EL (ms)": true,
}

// capLabel stands in the report, and on a line of its own before the run.
const capLabel = "Maximum request concurrency"

func isSection(line []byte) bool {
	return len(line) >= 20 && line[0] == '-' && sections[string(bytes.TrimSpace(bytes.Trim(line, "-")))]
}

// excerptLine reads a line outside of reports. is tells whether it can be part
// of one.
func (m *benchText) excerptLine(n int, line []byte) (claim format.Claim, is bool) {
	x := &m.part
	if isSection(line) {
		m.openExcerpt(n)
		x.section = true
		return m.promote(n), true
	}
	label, value, ok := splitLabel(line)
	set, known := setterFor(label)
	if !ok || !known || label == capLabel && x.run == nil {
		if len(line) > 0 {
			m.part = excerpt{}
		}
		return format.NotMine, false
	}
	m.openExcerpt(n)
	x.own = x.own || ownLabels[label]
	if set(x.run, n, value) && x.section {
		x.rows++
	}
	return m.promote(n), true
}

func (m *benchText) openExcerpt(n int) {
	if m.part.run == nil {
		m.part.run = newRun(n)
	}
}

// promote makes the excerpt the current run once it has shown whose it is.
func (m *benchText) promote(n int) format.Claim {
	if x := m.part; x.own && x.section && x.rows >= 2 {
		m.cur, m.part = x.run, excerpt{}
		m.openReport()
		return m.mine(n)
	}
	return format.Weak
}
