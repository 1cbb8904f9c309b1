package vllm

import (
	"bytes"
	"strconv"
	"strings"

	"coldcase/ingest/format"
	"coldcase/ingest/text"
)

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
