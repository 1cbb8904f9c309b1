package sglang

import (
	"bytes"
	"strconv"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

// remark reads the sentences of the clients.
func (m *BenchText) remark(n int, b []byte) format.Claim {
	c := m.sentence(n, b)
	m.said = m.said || c == format.Mine
	return c
}

// sentence keeps what bears on the cache.
func (m *BenchText) sentence(n int, b []byte) format.Claim {
	switch {
	case bytes.Equal(b, []byte("Cache flushed.")):
		// A server's answer, saved as a file, is the same sentence.
		m.note(n, b)
		return format.Weak
	case bytes.HasPrefix(b, []byte("flush_cache returned ")), bytes.HasPrefix(b, []byte("flush_cache failed: ")):
		m.note(n, b)
		return format.Mine
	case bytes.HasPrefix(b, []byte("Starting warmup with ")):
		if k, _ := digits(b, len("Starting warmup with ")); bytes.HasSuffix(b, []byte("sequences...")) {
			m.warmup = append(m.warmup, warmup{n, int(k)})
			m.note(n, b)
			return format.Mine
		}
	case bytes.HasPrefix(b, []byte("Warmup completed with ")):
		return format.Mine
	case bytes.HasPrefix(b, []byte("Starting initial single prompt test run")), bytes.HasPrefix(b, []byte("Initial test run completed.")):
		return format.Weak // vLLM's client prints the same
	case bytes.HasPrefix(b, []byte("Loading cached generated input data from")), bytes.HasPrefix(b, []byte("Generating new input data...")):
		m.note(n, b)
		return format.Mine
	case bytes.HasPrefix(b, []byte("#Input tokens: ")), bytes.HasPrefix(b, []byte("#Output tokens: ")),
		bytes.HasPrefix(b, []byte("Result appended to ")):
		return format.Mine
	case bytes.HasPrefix(b, []byte("Running ")) && bytes.Contains(b, []byte(" worker threads (concurrency: ")):
		m.rustLine(n, b)
		return format.Mine
	case bytes.HasSuffix(b, []byte(" requests failed.")) && bytes.Contains(b, []byte(" of ")):
		m.note(n, b)
		return format.Mine
	case bytes.HasPrefix(b, []byte("All requests failed.")), bytes.Contains(b, []byte("--cache-report is only supported with")):
		m.note(n, b)
		return format.Weak
	}
	return format.NotMine
}

func (m *BenchText) note(n int, b []byte) { m.notes = append(m.notes, note{n, bytes.Clone(b)}) }

// rustLine reads "Running 128 requests on 8 worker threads (concurrency: 32)...".
func (m *BenchText) rustLine(n int, b []byte) {
	k, end := digits(b, len("Running "))
	if end == len("Running ") {
		return
	}
	r := rustRun{line: n, prompts: int(k)}
	const key = "(concurrency: "
	at := bytes.Index(b, []byte(key)) + len(key)
	if bytes.HasPrefix(b[at:], []byte("unbounded")) {
		r.cap = capture.Cap{Known: true, Unlimited: true}
	} else if c, stop := digits(b, at); stop > at {
		r.cap = capture.Cap{Known: true, N: int(c)}
	}
	m.rust = append(m.rust, r)
}

func evidence(file string, n note) capture.Evidence { return text.Evidence(file, n.line, n.raw) }

func failedOf(raw []byte) (int, bool) {
	k, end := digits(raw, 0)
	return int(k), end > 0 && bytes.HasPrefix(raw[end:], []byte(" of "))
}

func itoa(n int) string { return strconv.Itoa(n) }
