package vllm

import (
	"bytes"

	"coldcase/ingest/format"
)

// headLine takes the headlines of blocks. The one of the report is SGLang's as
// well; without arguments before it the next line decides.
func (m *benchText) headLine(n int, line []byte) (format.Claim, bool) {
	switch {
	case isHeadline(line):
		m.part = excerpt{}
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
