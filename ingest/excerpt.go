package ingest

import (
	"fmt"
	"path"
	"sort"

	"coldcase/ingest/capture"
)

// excerptTable holds, per file, how the numbers of its lines map to those of
// the longer file that it is an excerpt of, in the order of the file's lines.
type excerptTable map[string][]capture.Excerpt

// printed gives the number that a line of a file is known by.
func (t excerptTable) printed(file string, line int) int {
	if line <= 0 {
		return line
	}
	for _, e := range t[file] {
		if line >= e.Line && line <= e.To {
			return line - e.Line + e.FirstLine
		}
	}
	return line
}

// stored gives the line of the file that a printed number means.
func (t excerptTable) stored(file string, line int) int {
	for _, e := range t[file] {
		if n := line - e.FirstLine + e.Line; n >= e.Line && n <= e.To {
			return n
		}
	}
	return line
}

// renumber gives everything that was read from an excerpt the numbers of the
// original's lines, by which documents quote it.
func renumber(c *capture.Capture) excerptTable {
	t := excerpts(c)
	if len(t) == 0 {
		return t
	}
	for _, l := range c.Logs {
		if e := t[l.File]; e != nil {
			l.Excerpts = e
			t.log(l)
		}
	}
	for _, r := range c.Runs {
		for _, x := range r.Results {
			if t[x.Span.File] != nil {
				t.result(x)
			}
		}
	}
	for _, a := range c.Answers {
		t.evidence(&a.At)
	}
	for _, cmd := range c.Commands {
		t.evidence(&cmd.At)
		t.evidence(&cmd.Workload.From)
	}
	infos := map[*capture.ServerInfo]bool{} // a record's settings may stand here as well
	for _, i := range c.Infos {
		infos[i] = true
	}
	for _, r := range c.Runs {
		for _, x := range r.Results {
			if x.Server != nil {
				infos[x.Server] = true
			}
		}
	}
	for i := range infos {
		t.evidence(&i.At)
	}
	for _, s := range c.Snapshots {
		t.snapshot(s)
	}
	return t
}

// excerpts sorts the excerpts that the notes name, finds their files and the
// lines at which they end. One of a file that is not there is reported.
func excerpts(c *capture.Capture) excerptTable {
	t := excerptTable{}
	for i := range c.Notes.Excerpts {
		e := &c.Notes.Excerpts[i]
		f := fileNamed(c.Files, e.File)
		if f == nil || e.Line > f.Lines {
			reportNotes(c, fmt.Sprintf("excerpt %d: no line %d in a file %s", i+1, e.Line, e.File))
			continue
		}
		e.File, e.To = f.Path, f.Lines
		t[f.Path] = append(t[f.Path], *e)
	}
	for _, list := range t {
		sort.SliceStable(list, func(i, j int) bool { return list[i].Line < list[j].Line })
		for i := range list[1:] {
			list[i].To = list[i+1].Line - 1
		}
	}
	return t
}

// fileNamed finds a file by its path, or by its name if one file alone has it.
func fileNamed(files []*capture.File, name string) *capture.File {
	var found *capture.File
	for _, f := range files {
		if f.Path == name {
			return f
		}
		if path.Base(f.Path) == path.Base(name) {
			if found != nil {
				return nil
			}
			found = f
		}
	}
	return found
}

func reportNotes(c *capture.Capture, why string) {
	for _, f := range c.Files {
		if f.Path == c.Notes.File {
			f.Read = capture.ReadPart
			addWhy(f, why)
		}
	}
}

func (t excerptTable) evidence(e *capture.Evidence) { e.Line = t.printed(e.File, e.Line) }

func (t excerptTable) span(s *capture.Span) {
	s.Line, s.To = t.printed(s.File, s.Line), t.printed(s.File, s.To)
}

func (t excerptTable) log(l *capture.ServerLog) {
	num := func(n *int) { *n = t.printed(l.File, *n) }
	num32 := func(n *int32) { *n = int32(t.printed(l.File, int(*n))) }
	t.span(&l.Span)
	for _, b := range l.Batches.All() {
		num32(&b.Line)
	}
	for _, a := range l.Access.All() {
		num32(&a.Line)
		num32(&a.To)
	}
	for _, s := range l.Served.All() {
		num32(&s.Line)
	}
	for _, i := range l.Iterations.All() {
		num32(&i.Line)
	}
	for i := range l.Flushes {
		num(&l.Flushes[i].Line)
	}
	for i := range l.Starts {
		num(&l.Starts[i].Line)
		num(&l.Starts[i].Ready)
		t.evidence(&l.Starts[i].Info.At)
	}
	for i := range l.Marks {
		num(&l.Marks[i].Line)
	}
	for i := range l.Stats {
		num(&l.Stats[i].Line)
	}
	for i := range l.Damaged {
		num(&l.Damaged[i].Line)
	}
}

func (t excerptTable) result(r *capture.Result) {
	for name, f := range r.Printed {
		f.Line = t.printed(r.Span.File, f.Line)
		r.Printed[name] = f
	}
	if r.Requests != nil {
		for i, n := range r.Requests.Line {
			r.Requests.Line[i] = int32(t.printed(r.Span.File, int(n)))
		}
	}
	if r.CacheTotals != nil {
		t.evidence(&r.CacheTotals.At)
	}
	for i := range r.Notes {
		t.evidence(&r.Notes[i])
	}
	t.evidence(&r.Workload.From)
	t.span(&r.Span)
}

func (t excerptTable) snapshot(s *capture.Snapshot) {
	if t[s.File] == nil {
		return
	}
	t.span(&s.Span)
	for _, samples := range s.Series {
		for i := range samples {
			samples[i].Line = t.printed(s.File, samples[i].Line)
		}
	}
}
