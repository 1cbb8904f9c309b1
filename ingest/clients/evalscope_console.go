package clients

import (
	"strings"

	"coldcase/ingest/capture"
)

// evalConsole reads evalscope's console or its benchmark.log: the arguments as
// a JSON block, and for each run of the command a summary table and a
// percentile table. performance_summary.txt, which has neither, gives nothing.
type evalConsole struct {
	kind   capture.Kind
	runs   []*capture.Result
	run    *capture.Result
	args   node
	argsAt int
	json   strings.Builder
	inJSON bool
	header []string // of the percentile table
	folder string   // of the run, from the line that names it
	stamp  float64
	tests  int   // connection tests since the last run
	extra  []int // the same, before each run
}

func newEvalConsole(kind capture.Kind) console { return &evalConsole{kind: kind} }

func (c *evalConsole) line(n int, s string) {
	message := s
	if stamp, rest, ok := strings.Cut(s, " - evalscope - "); ok {
		c.stamp = epoch(strings.TrimSpace(stamp))
		_, message, _ = strings.Cut(rest, ": ")
	}
	switch {
	case message == "{" && !c.inJSON:
		c.inJSON, c.argsAt = true, n
		c.json.Reset()
		c.json.WriteString("{\n")
	case c.inJSON:
		c.argument(s)
	case strings.HasPrefix(message, "Test connection successful."):
		c.tests++
	case strings.Contains(message, "Save the data base to:"):
		c.folder = lastName(strings.TrimSuffix(strings.TrimSpace(message[strings.LastIndexByte(message, ':')+1:]), "/benchmark_data.db"))
	case strings.Contains(s, "Benchmarking summary:"):
		c.open(n)
	case strings.Contains(s, "Percentile results:"):
		c.header = nil
	case strings.Contains(s, "Workload throughput"), strings.Contains(s, "Performance Overview"):
		c.run = nil // the tables that follow repeat and round
	case c.run != nil:
		c.row(n, cells(s))
	}
}

func (c *evalConsole) argument(s string) {
	if c.json.Len() < maxYAML {
		c.json.WriteString(s + "\n")
	}
	if s == "}" {
		c.args, c.inJSON = bodyOf(c.json.String()), false
	}
}

func (c *evalConsole) open(n int) {
	c.run = newResult("", n, c.kind, evalClient)
	c.run.Quantiles, c.run.End, c.run.Label = nearestRank, c.stamp, c.folder
	c.header = nil
	c.runs = append(c.runs, c.run)
	c.extra, c.tests = append(c.extra, c.tests), 0
}

func (c *evalConsole) row(n int, row []string) {
	switch {
	case len(row) == 2 && row[0] == "Total / Success / Failed":
		counts := strings.Split(row[1], "/")
		if len(counts) == 3 {
			for i, name := range []string{"Total Requests", "Success Requests", "Failed Requests"} {
				v, digits := number(counts[i])
				evalFigure(c.run, name, v, digits, n)
			}
		}
	case len(row) == 2:
		v, digits := number(row[1])
		if v.v != nil {
			evalFigure(c.run, row[0], v, digits, n)
		}
	case len(row) > 2 && row[0] == "Metric":
		c.header = row
	case len(row) > 2 && len(row) == len(c.header):
		for i := 1; i < len(row); i++ {
			v, digits := number(row[i])
			evalPercentile(c.run, c.header[i], row[0], v, digits, n)
		}
	}
}

func (c *evalConsole) results(file string) []*capture.Result {
	for k, r := range c.runs {
		r.Span.File = file
		for i := range r.Notes {
			r.Notes[i].File = file
		}
		asked, limit := r.Workload.Prompts, r.MaxConcurrency
		if c.args.object() != nil {
			evalArgs(r, c.args)
			r.Workload.From.Line = c.argsAt
			r.Workload.ExtraRequests, r.Workload.ExtraFrom = ptr(c.extra[k]), "text"
		}
		if asked != nil {
			r.Workload.Prompts = asked
		}
		if limit.Known {
			r.MaxConcurrency = limit
		}
		if dir := (node{c.args.v}).at("outputs_dir").str(); dir != "" && r.Label != "" {
			r.Group = evalClient + ":" + c.runFolder(file, dir, r.Label)
		}
	}
	return c.runs
}

// runFolder is the folder of a run, seen from the console's own place: the
// console lies beside the output folder, benchmark.log in it.
func (c *evalConsole) runFolder(file, dir, run string) string {
	if strings.HasSuffix(file, "benchmark.log") {
		return joinFolder(file, run)
	}
	return joinFolder(file, dir) + "/" + run
}
