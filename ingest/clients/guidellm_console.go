package clients

import (
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sniffGuideText(in *format.Input) int {
	if hasAny(in.Head, "guidellm.benchmark", "OpenAIHTTPBackend backend validated", "Request Latency Statistics (Completed Requests)") {
		return certain
	}
	return 0
}

// guideConsole reads the tables that GuideLLM prints at its end: a title, two
// or three header rows in which a group spans the bars that follow it, and one
// row a benchmark. Log lines may stand between the rows.
type guideConsole struct {
	kind    capture.Kind
	section string
	header  [][]string
	runs    []*capture.Result
}

func newGuideConsole(kind capture.Kind) console { return &guideConsole{kind: kind} }

func (g *guideConsole) line(n int, s string) {
	if title, ok := strings.CutPrefix(s, "ℹ "); ok {
		g.section, g.header = title, nil
		return
	}
	row := cells(s)
	switch {
	case len(row) < 2 || strings.HasPrefix(row[0], "=") || strings.HasPrefix(row[0], "-"):
	case row[0] == "Benchmark" || row[0] == "Strategy" || row[0] == "":
		if row[0] == "Benchmark" {
			g.header = nil
		}
		g.header = append(g.header, row)
	case len(g.header) > 0:
		g.benchmark(n, row)
	}
}

func (g *guideConsole) benchmark(n int, row []string) {
	r := g.run(row[0], n)
	for i := 1; i < len(row); i++ {
		group, unit, stat := g.column(i)
		switch {
		case g.section == "Run Summary Info":
			g.summary(r, group, stat, row[i], i)
		case group == "TTFT" || group == "TPOT" || group == "ITL":
			latency(r, strings.ToLower(group), unit, stat, row[i], n)
		case group == "Request Latency":
			latency(r, "e2e_latency", unit, stat, row[i], n)
		}
	}
}

// column names column i by its header rows: the group and the unit span the
// empty cells to their right.
func (g *guideConsole) column(i int) (group, unit, stat string) {
	spanning := func(row []string) string {
		for j := min(i, len(row)-1); j > 0; j-- {
			if row[j] != "" {
				return row[j]
			}
		}
		return ""
	}
	group = spanning(g.header[0])
	if len(g.header) > 1 {
		unit = spanning(g.header[1])
	}
	if last := g.header[len(g.header)-1]; i < len(last) {
		stat = last[i]
	}
	return group, unit, stat
}

func (g *guideConsole) summary(r *capture.Result, group, stat, cell string, i int) {
	if group != "Requests" && group != "Timings" {
		return
	}
	n, _ := number(cell)
	if len(g.header) > 1 && i < len(g.header[1]) {
		stat = g.header[1][i]
	}
	switch stat {
	case "Comp":
		r.Completed = n.count()
	case "Err":
		r.Failed = n.count()
	}
}

func latency(r *capture.Result, metric, unit, stat, cell string, line int) {
	factor := 1.0
	if strings.HasPrefix(unit, "Sec") || unit == "s" {
		factor = toMS
	}
	name := map[string]string{"Mean": "mean", "Mdn": "median", "p90": "p90", "p95": "p95", "p99": "p99"}[stat]
	if name != "" {
		printed(r, name+"_"+metric+"_ms", cell, factor, line)
	}
}

// run returns the result of a strategy, which every table names.
func (g *guideConsole) run(strategy string, line int) *capture.Result {
	for _, r := range g.runs {
		if r.Label == strategy {
			return r
		}
	}
	r := newResult("", line, g.kind, guideClient)
	r.Label, r.Quantiles = strategy, nearestRank
	guideStrategyText(r, strategy)
	g.runs = append(g.runs, r)
	return r
}

func (g *guideConsole) results(file string) []*capture.Result {
	for _, r := range g.runs {
		r.Span.File = file
	}
	return g.runs
}
