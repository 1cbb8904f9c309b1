package clients

import (
	"fmt"
	"strings"

	"coldcase/ingest/capture"
)

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
