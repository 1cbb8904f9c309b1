package rules

import (
	"fmt"
	"strings"

	"coldcase/analysis/causes"
	"coldcase/ingest/capture"
)

// Rules on what the capture says of itself: identity, correctness, secrets,
// files that were not read, headlines, confirmations.

// identityMissing (L54) lists what a reader would need to name the system.
func identityMissing(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		server, args := &r.Facts.Server, r.Facts.Server.Args
		var missing []string
		for _, item := range []struct {
			name  string
			known bool
		}{
			{"model", r.Client.Merged.Model != "" || server.Model != ""},
			{"model revision", stated(args, "revision") || stated(r.Client.Merged.Workload.Args, "revision") || stated(c.Capture.Notes.Facts, "model_revision")},
			{"engine version", r.Count.EngineVersion != nil || server.Version != ""},
			{"image digest", stated(c.Capture.Notes.Facts, "image_digest")},
			{"GPU", len(c.Capture.GPU) > 0 && c.Capture.GPU[0].Device != "" || stated(c.Capture.Notes.Facts, "gpu")},
			{"driver", stated(c.Capture.Notes.Facts, "driver")},
			{"client command", r.Client.Command != nil || r.ArgumentsKnown()},
			{"server command", server.At.File != "" || len(args) > 0},
		} {
			if !item.known {
				missing = append(missing, item.name)
			}
		}
		if len(missing) == 0 {
			return pass("model, versions, machine and commands are stated")
		}
		return answer{state: s.severity, text: "not stated: " + strings.Join(missing, ", "), advice: "put them into coldcase.toml under [facts], or keep the files that name them"}
	})
}

func stated(m map[string]any, key string) bool {
	v, ok := m[key]
	return ok && v != nil && fmt.Sprint(v) != "" && fmt.Sprint(v) != "None"
}

// correctnessNotChecked (L55) notes that no output was looked at. A person may
// state that one was.
func correctnessNotChecked(c *context, s *setting) []answer {
	if len(c.runs) == 0 {
		return nil
	}
	if stated(c.Capture.Notes.Facts, "correctness") {
		return []answer{pass("a correctness check is stated")}
	}
	return []answer{{state: s.severity, runs: c.ids(), text: "no sample of the output is checked: a fast wrong answer looks like a fast answer",
		advice: "keep a few outputs of the same process, and say in coldcase.toml ([facts] correctness) how they were checked"}}
}

// redacted is what ingest puts in the place of a secret.
const redacted = "[redacted]"

// secretFound (L59) fires where ingest had to take something out of what the
// model holds: arguments, start lines, commands, settings, answers, remarks,
// and every line that is quoted.
func secretFound(c *context, s *setting) []answer {
	f := secrets{seen: map[string]bool{}}
	for _, r := range c.runs {
		m := &r.Client.Merged
		f.line(m.Workload.From)
		f.args(m.Workload.From, m.Workload.Args)
		f.lines(m.Notes)
		for _, w := range r.Count.Witnesses {
			f.lines(w.Evidence)
		}
	}
	for _, l := range c.Capture.Logs {
		for _, st := range l.Starts {
			f.line(st.Info.At)
			f.args(capture.Evidence{File: l.File, Line: st.Line}, st.Info.Args)
		}
	}
	for _, k := range c.Capture.Commands {
		f.line(k.At)
		f.args(k.At, k.Workload.Args)
		if k.Server != nil {
			f.args(k.At, k.Server.Args)
		}
	}
	for _, info := range c.Capture.Infos {
		f.line(info.At)
		f.args(info.At, info.Args)
	}
	for _, a := range c.Capture.Answers {
		f.line(a.At)
		f.line(capture.Evidence{File: a.File, Line: 1, Text: a.Body})
	}
	var out []answer
	for _, e := range f.found {
		out = append(out, answer{state: s.severity, text: e.File + " holds something that looks like a key; it is redacted here, and still in the file", evidence: []capture.Evidence{e},
			advice: "replace the key and take it out of the file before the folder is passed on"})
	}
	if len(out) == 0 && len(c.Capture.Files) > 0 {
		out = append(out, pass("no key-like string in arguments, commands, settings, answers and quoted lines; other lines of the files are not looked at"))
	}
	return out
}

// secrets collects one redacted place a file.
type secrets struct {
	seen  map[string]bool
	found []capture.Evidence
}

func (f *secrets) line(e capture.Evidence) {
	if strings.Contains(e.Text, redacted) && !f.seen[e.File] {
		f.seen[e.File] = true
		f.found = append(f.found, e)
	}
}

func (f *secrets) lines(list []capture.Evidence) {
	for _, e := range list {
		f.line(e)
	}
}

// args looks at arguments that stand on a line.
func (f *secrets) args(at capture.Evidence, args map[string]any) {
	if holdsRedacted(args) {
		f.line(capture.Evidence{File: at.File, Line: at.Line, Text: redacted})
	}
}

func holdsRedacted(args map[string]any) bool {
	for _, v := range args {
		if strings.Contains(fmt.Sprint(v), redacted) {
			return true
		}
	}
	return false
}

// fileNotRead (L60) lists files that were skipped, cut or read in part.
func fileNotRead(c *context, s *setting) []answer {
	files := c.Capture.Files
	if len(files) == 0 && c.Count != nil {
		files = c.Count.Files
	}
	var out []answer
	for _, f := range files {
		if f.Read == capture.ReadAll || f.Kind == capture.ColdcaseReport {
			continue
		}
		text := fmt.Sprintf("%s (%s) was read in %s", f.Path, f.Kind, f.Read)
		if f.Read == capture.ReadNone {
			text = fmt.Sprintf("%s (%s) was not read", f.Path, f.Kind)
		}
		if why := strings.TrimSuffix(f.Why, "; not read"); why != "" {
			text += ": " + why
		}
		out = append(out, answer{state: s.severity, text: text, evidence: []capture.Evidence{{File: f.Path, Line: 1}}})
	}
	if len(out) == 0 && len(files) > 0 {
		out = append(out, pass("every file was read in whole"))
	}
	return out
}

// claimWithoutNumber (L61) looks at the results that the capture only states:
// a median without n, range and state of the cache is a headline, no result.
func claimWithoutNumber(c *context, s *setting) []answer {
	var out []answer
	for _, p := range c.Capture.Notes.Points {
		var missing []string
		if p.Requests == nil {
			missing = append(missing, "the number of requests")
		}
		if p.Low == nil || p.High == nil {
			missing = append(missing, "a range")
		}
		if p.Step == "" {
			missing = append(missing, "the state of the cache")
		}
		if len(missing) > 0 {
			out = append(out, answer{state: s.severity, text: fmt.Sprintf("stated (%s) without %s", p.Label, strings.Join(missing, ", ")), evidence: evidenceOf(p.At),
				advice: "write n, the range over the runs and the state of the cache beside every figure"})
		}
	}
	if len(out) == 0 && len(c.Capture.Notes.Points) > 0 {
		out = append(out, pass("stated results have n, a range and a state of the cache"))
	}
	return out
}

// wrongWay (L62) fires where a confirmation reads less than the contaminated
// run, or less than the kit's own prefill rate allows.
func wrongWay(c *context, s *setting) []answer {
	in := causes.Input{Capture: c.Capture, Count: c.Count, Latency: c.Latency, Inversion: c.Inversion}
	var out []answer
	for _, k := range causes.Clashes(in) {
		out = append(out, answer{state: s.severity, runs: []string{k.Kit}, text: k.Text, evidence: k.At,
			advice: "do not compare its milliseconds with the kit's; record the confirmation's arguments, token totals and log, and send the kit's own workload"})
	}
	switch {
	case len(out) > 0:
		return out
	case causes.Compared(in):
		return []answer{pass("the confirmation reads what fresh prompts allow")}
	case causes.Unreadable(in):
		return []answer{{state: Unknown, text: "a confirmation is there, and the kit's figures at its caps are not"}}
	}
	return nil
}
