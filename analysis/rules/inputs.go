package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"coldcase/ingest/capture"
)

// Rules on files: which belong together, which were appended to, which clocks
// can be aligned.

// dayMS is a day and a zone's width: clocks of one machine, however their zone
// is set, do not lie farther apart.
const dayMS = 38 * 3600 * 1000

// mixedInputs (L17) fires where the client's file and the server's log cannot
// be of one run: another model, or times more than a day apart.
func mixedInputs(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		logs := c.logsOf(r)
		if len(logs) == 0 {
			return none("no server log")
		}
		if r.Facts.Log != nil {
			return pass("the run has its place on the log")
		}
		if model := r.Client.Merged.Model; model != "" && !c.servesModel(logs, model) {
			return answer{state: s.severity, text: fmt.Sprintf("the client measured %s, and no server log is of that model", model),
				evidence: append(c.quoteResult(r), startQuotes(c, logs)...), advice: "keep the log of the server that was measured beside the result"}
		}
		if start := r.Client.Merged.Start; start > 1e9 && apartFrom(logs, start*1000) {
			return answer{state: s.severity, text: "the run and the log lie more than a day apart", evidence: c.quoteResult(r),
				advice: "keep the log of the server that was measured beside the result"}
		}
		return unknown("the run has no certain place on the log: whether they belong together is not known")
	})
}

// logsOf lists the logs of the run's folder and engine.
func (c *context) logsOf(r *run) []*capture.ServerLog {
	var out []*capture.ServerLog
	for _, l := range c.Capture.Logs {
		if l.Capture == r.Client.Capture && (r.Count.Engine == nil || l.Engine == "" || l.Engine == *r.Count.Engine) {
			out = append(out, l)
		}
	}
	return out
}

// servesModel reports whether a log names the model, or names none at all.
func (c *context) servesModel(logs []*capture.ServerLog, model string) bool {
	named := false
	for _, l := range logs {
		for _, st := range l.Starts {
			if st.Info.Model == "" {
				continue
			}
			named = true
			if baseName(st.Info.Model) == baseName(model) || slices.Contains(servedNames(&st.Info), model) {
				return true
			}
		}
	}
	return !named
}

// servedNames are the names under which a server answers: SGLang is told one,
// vLLM a list of them.
func servedNames(s *capture.ServerInfo) []string {
	switch v := s.Args["served_model_name"].(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var out []string
		for _, name := range v {
			if name, ok := name.(string); ok {
				out = append(out, name)
			}
		}
		return out
	}
	return nil
}

// sameModel reports whether two servers may have served one model: by the same
// path, or by a name of one that the other answers to or that its path ends in.
func sameModel(a, b *capture.ServerInfo) bool {
	if a.Model == "" || b.Model == "" || a.Model == b.Model {
		return true
	}
	if slices.Contains(servedNames(a), b.Model) || slices.Contains(servedNames(b), a.Model) {
		return true
	}
	name := !strings.Contains(a.Model, "/") || !strings.Contains(b.Model, "/")
	return name && baseName(a.Model) == baseName(b.Model)
}

func baseName(path string) string {
	path = strings.TrimRight(path, "/")
	return strings.ToLower(path[strings.LastIndex(path, "/")+1:])
}

func startQuotes(c *context, logs []*capture.ServerLog) []capture.Evidence {
	var out []capture.Evidence
	for _, l := range logs {
		for _, st := range l.Starts {
			out = append(out, c.Capture.Quote(l.File, st.Line))
		}
	}
	return out
}

// apartFrom reports whether a time, in ms since the epoch, lies outside of
// every dated log by more than a day.
func apartFrom(logs []*capture.ServerLog, ms float64) bool {
	known := false
	for _, l := range logs {
		if l.Batches.Len() == 0 {
			continue
		}
		from, to := float64(l.Batches.At(0).Stamp), float64(l.Batches.Last().Stamp)
		if from < 1e12 {
			continue // no date
		}
		known = true
		if ms > from-dayMS && ms < to+dayMS {
			return false
		}
	}
	return known
}

// appendedRows (L18) notes result files that hold several records, and blocks
// where one record seems to stand for two runs.
func appendedRows(c *context, s *setting) []answer {
	rows := map[string][]string{}
	var files []string
	var out []answer
	for i, r := range c.runs {
		for _, res := range r.Client.Results {
			if !strings.HasSuffix(res.Span.File, ".jsonl") {
				continue
			}
			if len(rows[res.Span.File]) == 0 {
				files = append(files, res.Span.File)
			}
			rows[res.Span.File] = append(rows[res.Span.File], r.Count.ID)
		}
		for _, o := range c.runs[i+1:] {
			if sameRecord(r, o) {
				out = append(out, answer{state: s.high, runs: []string{r.Count.ID, o.Count.ID}, text: "two runs with the same duration and the same latencies to the last digit: one record counted twice",
					evidence: append(c.quoteResult(r), c.quoteResult(o)...), advice: "remove the copy"})
			}
		}
	}
	for _, f := range files {
		if n := len(rows[f]); n > 1 {
			out = append(out, answer{state: s.severity, runs: slices.Compact(rows[f]), text: fmt.Sprintf("%s holds %d records", f, n),
				evidence: []capture.Evidence{c.Capture.Quote(f, 1)}, advice: "one file per run keeps a second run from being read as the first"})
		}
	}
	if len(out) == 0 && len(files) > 0 {
		out = append(out, pass("every record file holds one record"))
	}
	return out
}

// sameRecord reports whether two runs state the same full-precision figures.
func sameRecord(a, b *run) bool {
	da, db := a.Client.Merged.Duration, b.Client.Merged.Duration
	if da == nil || db == nil || *da != *db || *da == math.Trunc(*da) {
		return false
	}
	for _, name := range []string{"mean_ttft_ms", "median_ttft_ms", "mean_e2e_latency_ms"} {
		fa, okA := a.Client.Merged.Printed[name]
		fb, okB := b.Client.Merged.Printed[name]
		if okA && okB && fa.Value != fb.Value {
			return false
		}
	}
	return len(a.Client.Merged.Printed) > 0
}

// unknownTimeBase (L19) fires where a log exists and a run cannot be placed on
// it.
func unknownTimeBase(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		switch {
		case len(c.logsOf(r)) == 0:
			return none("no server log")
		case r.Facts.Log != nil:
			return pass("the run has its place on the log")
		}
		return answer{state: s.severity, text: "the run has no certain place on the log: clocks, zones or several places that fit",
			advice: "keep the whole log of the run's time, with the requests that mark its ends"}
	})
}
