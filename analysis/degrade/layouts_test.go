package degrade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis"
)

// layout is how people lay a capture out. It may change the truth: lines move,
// files of a run are lost.
type layout struct {
	name string
	// loses is true where less is left than the capture without details.
	loses bool
	make  func(base files, t truth, other files) (files, truth)
}

// prefixLogs puts something in front of every line of the logs.
func prefixLogs(prefix func(line []byte) string) func(files, truth, files) (files, truth) {
	return func(base files, t truth, _ files) (files, truth) {
		out := maps.Clone(base)
		for name, content := range base {
			if isLog(name) {
				var b bytes.Buffer
				for line := range bytes.Lines(content) {
					b.WriteString(prefix(line))
					b.Write(line)
				}
				out[name] = b.Bytes()
			}
		}
		return out, t
	}
}

func always(prefix string) func([]byte) string { return func([]byte) string { return prefix } }

// clock is the time of day of a line.
var clock = regexp.MustCompile(`\b\d\d:\d\d:\d\d\b`)

var layouts = []layout{
	{"node-log", false, func(base files, t truth, _ files) (files, truth) {
		last := "00:00:00" // the collector writes a line down when it comes
		return prefixLogs(func(line []byte) string {
			if own := clock.Find(line); own != nil {
				last = string(own)
			}
			return "2026-11-29T" + last + ".123456789Z stdout F "
		})(base, t, nil)
	}},
	{"syslog", false, prefixLogs(always("Nov 29 15:45:51 node-03 python3[12345]: "))},
	{"ts", false, prefixLogs(always("Nov 29 15:45:51 "))},
	{"srun", false, prefixLogs(always("0: "))},
	{"mpirun", false, prefixLogs(always("[1,0]<stdout>:"))},
	{"torchrun", false, prefixLogs(always("[default0]:"))},
	{"stern", false, prefixLogs(always("engine-7c9d8f-abcde server "))},
	{"grep", false, func(base files, t truth, _ files) (files, truth) {
		n := 0
		return prefixLogs(func([]byte) string { n++; return fmt.Sprintf("server.log:%d:", n) })(base, t, nil)
	}},
	{"quoted", false, func(base files, t truth, _ files) (files, truth) {
		out := files{}
		for name, content := range base {
			if isText(name) && !isMetrics(name) {
				content = bytes.ReplaceAll(append([]byte("> "), bytes.TrimSuffix(content, []byte("\n"))...), []byte("\n"), []byte("\n> "))
			}
			out[name] = content
		}
		return out, t
	}},
	{"notebook", false, func(base files, t truth, _ files) (files, truth) {
		out := maps.Clone(base)
		out["analysis.ipynb"] = notebookOf(base)
		return out, t
	}},
	{"log-tee", false, func(base files, t truth, _ files) (files, truth) {
		out := maps.Clone(base)
		for name, content := range base {
			if isLog(name) {
				out["since-"+path.Base(name)] = content[bytes.IndexByte(content[len(content)/3:], '\n')+len(content)/3+1:]
			}
		}
		return out, t
	}},
	{"records-by-name", false, recordsByName},
	{"other-server", true, func(base files, t truth, other files) (files, truth) {
		out := files{}
		for name, content := range base {
			if !isLog(name) && !isMetrics(name) {
				out[name] = content
			}
		}
		for name, content := range other {
			if isLog(name) {
				out["server.log"] = content
			}
		}
		return out, t
	}},
	{"first-run-lost", true, firstRunLost},
}

// notebookOf is a notebook whose cells printed the capture's reports.
func notebookOf(base files) []byte {
	type output struct {
		Type string   `json:"output_type"`
		Text []string `json:"text"`
	}
	type cell struct {
		Type    string   `json:"cell_type"`
		Outputs []output `json:"outputs"`
	}
	var cells []cell
	for _, name := range sorted(base) {
		if isText(name) && !isMetrics(name) {
			cells = append(cells, cell{"code", []output{{"stream", strings.SplitAfter(string(base[name]), "\n")}}})
		}
	}
	b, err := json.MarshalIndent(map[string]any{"cells": cells, "nbformat": 4}, "", " ")
	if err != nil {
		panic(err)
	}
	return b
}

// recordsByName puts the records of several files into one, in the order of
// their names, as cat *.jsonl does.
func recordsByName(base files, t truth, _ files) (files, truth) {
	out, moved := files{}, map[string]string{}
	var all []byte
	n := 0
	for _, name := range sorted(base) {
		if path.Ext(name) != ".jsonl" || path.Dir(name) != "." {
			out[name] = base[name]
			continue
		}
		all = append(all, base[name]...)
		for i := range bytes.Count(base[name], []byte("\n")) {
			n++
			moved[fmt.Sprintf("%s:%d", name, i+1)] = fmt.Sprintf("all.jsonl:%d", n)
		}
	}
	if len(all) == 0 {
		return nil, t
	}
	out["all.jsonl"] = all
	runs := slices.Clone(t.Runs)
	for i := range runs {
		runs[i].Files = slices.Clone(runs[i].Files)
		for k, f := range runs[i].Files {
			if to, ok := moved[f]; ok {
				runs[i].Files[k] = to
			}
		}
	}
	t.Runs = runs
	return out, t
}

// firstRunLost leaves out what the first run's client wrote and the commands;
// its lines stay on the log.
func firstRunLost(base files, t truth, _ files) (files, truth) {
	if len(t.Runs) < 2 {
		return nil, t
	}
	out := files{}
	for name, content := range base {
		if !isKit(name) {
			out[name] = content
		}
	}
	runs := slices.Clone(t.Runs[1:])
	for _, f := range t.Runs[0].Files {
		name, line, _ := strings.Cut(f, ":")
		if strings.HasSuffix(name, "/") {
			maps.DeleteFunc(out, func(n string, _ []byte) bool { return strings.HasPrefix(n, name) })
			continue
		}
		lines := bytes.SplitAfter(bytes.TrimSuffix(out[name], []byte("\n")), []byte("\n"))
		if line == "" || len(lines) < 2 {
			delete(out, name)
			continue
		}
		if line != "1" {
			return nil, t // its records do not stand first
		}
		out[name] = append(bytes.Join(lines[1:], nil), '\n')
		for i := range runs {
			runs[i].Files = slices.Clone(runs[i].Files)
			for k, g := range runs[i].Files {
				if n, ok := strings.CutPrefix(g, name+":"); ok {
					runs[i].Files[k] = fmt.Sprintf("%s:%d", name, lineOf(n)-1)
				}
			}
		}
	}
	t.Runs = runs
	return out, t
}

// What lies in a capture in other ways, or beside it, changes no count; what is
// lost, or another's, makes none wrong.
func TestLayouts(t *testing.T) {
	recordings := load(t)
	for i, rec := range recordings {
		name := rec.group + "/" + rec.name
		if !strings.Contains(name, *captures) {
			continue
		}
		base, other := files{}, files{}
		for n, content := range rec.files {
			base[n] = withoutDetails(n, content)
		}
		for n, content := range recordings[(i+1)%len(recordings)].files {
			other[n] = withoutDetails(n, content)
		}
		decided := -1
		for _, l := range layouts {
			if plain := !l.loses && l.name != "log-tee" && l.name != "records-by-name"; plain && !*all && !slices.Contains(someCaptures, name) {
				continue
			}
			left, truth := l.make(base, rec.truth, other)
			if left == nil {
				continue
			}
			v := &variant{kind: l.name, files: left, truth: truth}
			t.Run(name+"/"+l.name, func(t *testing.T) {
				j := judge(v, analysis.Count(open(t, v)))
				for _, f := range j.faults {
					t.Error(f)
				}
				if l.loses {
					return
				}
				if decided < 0 {
					plain := &variant{kind: "no-details", files: base, truth: rec.truth}
					decided = judge(plain, analysis.Count(open(t, plain))).decided
				}
				if j.decided < decided {
					t.Errorf("%d runs decided, %d without", j.decided, decided)
				}
			})
		}
	}
}
