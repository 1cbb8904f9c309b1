package rules

import (
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// A redacted string is found wherever the model holds text of the capture, and
// its file is named.
func TestSecretFoundInEveryPlace(t *testing.T) {
	hidden := capture.Evidence{File: "secret.txt", Line: 7, Text: "--api-key [redacted]"}
	args := map[string]any{"api_key": redacted}
	for name, put := range map[string]func(w *world){
		"arguments": func(w *world) {
			w.Capture.Runs[0].Merged.Workload.Args, w.Capture.Runs[0].Merged.Workload.From = args, capture.Evidence{File: hidden.File, Line: 7}
		},
		"a remark of the client": func(w *world) { w.Capture.Runs[0].Merged.Notes = []capture.Evidence{hidden} },
		"a start line": func(w *world) {
			l := *w.Capture.Logs[0]
			l.File, l.Starts = hidden.File, []capture.Start{{Line: 7, Info: capture.ServerInfo{Args: args}}}
			w.Capture.Logs = append(w.Capture.Logs, &l)
		},
		"a command": func(w *world) { w.Capture.Commands = []*capture.Command{{At: hidden}} },
		"a command that starts it": func(w *world) {
			w.Capture.Commands = []*capture.Command{{At: capture.Evidence{File: hidden.File}, Server: &capture.ServerInfo{Args: args}}}
		},
		"settings": func(w *world) {
			w.Capture.Infos = []*capture.ServerInfo{{At: capture.Evidence{File: hidden.File}, Args: args}}
		},
		"an answer": func(w *world) { w.Capture.Answers = []*capture.Answer{{File: hidden.File, Body: "token=[redacted]"}} },
		"a quoted line": func(w *world) {
			w.Count.Runs[0].Witnesses = append(w.Count.Runs[0].Witnesses, carryover.Witness{Name: "prefill-lines", Evidence: []capture.Evidence{hidden}})
		},
	} {
		w := full()
		put(w)
		fired := false
		for _, f := range check(w).Findings {
			if f.Rule == "L59" && f.State == Block && strings.HasPrefix(f.Text, hidden.File) && len(f.Evidence) == 1 && f.Evidence[0].File == hidden.File {
				fired = true
			}
		}
		if !fired {
			t.Errorf("%s: L59 does not name the file", name)
		}
	}
}

// A file is named once, however often it holds a key.
func TestSecretFoundOnceAFile(t *testing.T) {
	w := full()
	for line := range 3 {
		w.Capture.Commands = append(w.Capture.Commands, &capture.Command{At: capture.Evidence{File: "kit.sh", Line: line + 1, Text: "X=[redacted]"}})
	}
	n := 0
	for _, f := range check(w).Findings {
		if f.Rule == "L59" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d findings, want 1", n)
	}
}
