package console

import (
	"fmt"
	"strings"

	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

// classes is the order in which the counts of a mixed file are printed.
var classes = []string{
	"prefill", "stat", "iteration", "decode", "access", "flush", "request", "other",
	"reports", "records", "samples", "malformed",
}

// close ends all machines and fills the row of the inventory.
func (r *reading) close(in *format.Input, out *format.Output) {
	row := out.File
	row.Lines = r.lines
	kept := map[capture.Kind]bool{}
	counts := map[string]int{}
	seen := map[string]bool{}
	damaged := 0 // lines of logs; a line that the next one completed is not among them
	named := len(r.order) > 1
	logs := len(out.Logs)
	for _, s := range r.order {
		name := ""
		if named {
			name = s.name
			if name == "" {
				name = r.first
			}
		}
		for _, m := range s.machines {
			if !m.known() {
				continue
			}
			c := m.Close(in.Path, name, out)
			if c == nil {
				continue
			}
			kept[m.kind] = true
			if m.log {
				damaged += c.Get("malformed")
			}
			for _, e := range c {
				counts[e.Key] += e.N
				seen[e.Key] = true
			}
		}
	}
	for _, l := range out.Logs[logs:] {
		l.Capture = in.Capture
		l.Complete = l.Complete && len(r.tooLong) == 0
	}
	out.Results = oneClient(out.Results)
	row.Parts, row.Kind = r.parts.finish(r.lines, func(k capture.Kind) bool { return kept[k] })
	if len(kept) == 0 {
		row.Parts, row.Kind, row.Read = []capture.Part{}, capture.UnknownKind, capture.ReadNone
		row.Why = "no line of a known format"
		return
	}
	row.Counts = ordered(counts, seen, r.others(row.Parts, counts, damaged))
	row.Read, row.Why = capture.ReadAll, why(r, out.Logs[logs:], kept)
	if row.Why != "" {
		row.Read = capture.ReadPart
	}
}

// others counts the lines of the logs that are of no class.
func (r *reading) others(parts []capture.Part, counts map[string]int, damaged int) int {
	lines, interleaved, logs := 0, len(r.parts.list) > maxParts, false
	for _, p := range parts {
		if isLog(p.Kind) {
			logs = true
			lines += p.To - p.Line + 1
		}
	}
	if !logs {
		return -1
	}
	if interleaved {
		lines = r.lines
	}
	for _, class := range []string{"prefill", "stat", "iteration", "decode", "access", "flush", "request"} {
		lines -= counts[class]
	}
	return max(lines-damaged, 0)
}

func ordered(counts map[string]int, seen map[string]bool, others int) capture.Counts {
	var c capture.Counts
	for _, class := range classes {
		switch {
		case class == "other" && others >= 0:
			c.Add(class, others)
		case seen[class]:
			c.Add(class, counts[class])
		}
		delete(seen, class)
	}
	for class := range seen {
		c.Add(class, counts[class])
	}
	return c
}

// why names the lines that were damaged or left out.
func why(r *reading, logs []*capture.ServerLog, kept map[capture.Kind]bool) string {
	var all []string
	named := map[int]bool{}
	for _, class := range []string{"prefill", "stat", "iteration", "decode", "access"} {
		var lines []int
		for _, l := range logs {
			for _, d := range l.Damaged {
				if d.Class == class {
					lines = append(lines, d.Line)
					named[d.Line] = true
				}
			}
		}
		all = appendLines(all, "malformed "+class, lines)
	}
	var rest []int
	for kind, lines := range r.malformed {
		for _, n := range lines {
			if kept[kind] && !isLog(kind) && !named[n] {
				rest = append(rest, n)
			}
		}
	}
	all = appendLines(all, "malformed report", rest)
	all = appendLines(all, fmt.Sprintf("over-long (more than %d MiB)", MaxLine>>20), r.tooLong)
	return strings.Join(all, "; ")
}

// mostLines bounds the line numbers that a reason names.
const mostLines = 20

func appendLines(all []string, what string, lines []int) []string {
	if len(lines) == 0 {
		return all
	}
	var b strings.Builder
	plural := "lines"
	if len(lines) == 1 {
		plural = "line"
	}
	fmt.Fprintf(&b, "%d %s %s: ", len(lines), what, plural)
	for i, n := range lines {
		if i == mostLines {
			fmt.Fprintf(&b, " and %d more", len(lines)-mostLines)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%d", n)
	}
	return append(all, b.String())
}

// oneClient drops a result that two readers of client texts both made of the
// same lines. Results of lines that only stand between each other's, as where
// two clients wrote to one terminal, are two.
func oneClient(results []*capture.Result) []*capture.Result {
	var kept []*capture.Result
	for _, r := range results {
		twice := false
		for i, k := range kept {
			if k.Kind == r.Kind || !sameLines(k, r) {
				continue
			}
			twice = true
			if surer(r, k) {
				kept[i] = r
			}
		}
		if !twice {
			kept = append(kept, r)
		}
	}
	return kept
}

// sameLines reports whether a line gave both results the same figure.
func sameLines(a, b *capture.Result) bool {
	if a.Span.File != b.Span.File {
		return false
	}
	for name, x := range a.Printed {
		if y, both := b.Printed[name]; both && x.Line == y.Line && x.Line > 0 {
			return true
		}
	}
	return a.Workload.From.Line > 0 && a.Workload.From.Line == b.Workload.From.Line
}

// surer reports whether a is the better reading of the lines than b: the reader
// knows the client, then it found its arguments. Else the reader that stands
// first in the list of machines wins.
func surer(a, b *capture.Result) bool {
	if known := a.Client != ""; known != (b.Client != "") {
		return known
	}
	return a.Workload.From.Line > 0 && b.Workload.From.Line == 0
}
