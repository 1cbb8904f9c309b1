package analysis

import (
	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/confirm"
	"coldcase/analysis/latency"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

// Schema is the name of the notebook document.
const Schema = "coldcase.notebook/1"

// Options change the content of a notebook, and nothing else does.
type Options struct {
	// Version is that of the program, as the notebook prints it.
	Version string
	// Rules are the thresholds and severities of the checks, nil for the
	// built-in table; RulesHash names a table that was given.
	Rules     *rules.Table
	RulesHash string
	// NotesHash names a notes file that was given beside the capture.
	NotesHash string
}

// Count counts the prompts cached at the start of each run.
func Count(c *capture.Capture) *carryover.Document { return carryover.Count(c) }

// Check applies the rules to a capture.
func Check(c *capture.Capture, o Options) *rules.Document { return Analyze(c, o).Check }

// Analyze turns a capture into its notebook.
func Analyze(c *capture.Capture, o Options) *Notebook {
	nb := &Notebook{Schema: Schema, MadeBy: madeBy(o)}
	nb.Count = carryover.Count(c)
	nb.Latency, nb.Inversion = latency.Analyze(c, nb.Count)
	in := causes.Input{Capture: c, Count: nb.Count, Latency: nb.Latency, Inversion: nb.Inversion}
	nb.Causes, nb.LeadingCause = causes.Analyze(in)
	nb.Unexplained = []Unexplained{}
	for _, l := range causes.Unexplained(in, nb.Causes, nb.LeadingCause) {
		nb.Unexplained = append(nb.Unexplained, Unexplained{Text: l.Text, Evidence: evidence(l.Evidence)})
	}
	table := o.Rules
	if table == nil {
		table = rules.DefaultTable()
	}
	nb.Check = rules.Check(rules.Input{
		Capture: c, Count: nb.Count, Latency: nb.Latency, Inversion: nb.Inversion, Causes: nb.Causes,
	}, table)
	nb.Confirmation = confirm.Read(c, nb.Count, nb.Latency)
	nb.Verdict = judge(nb, table)
	nb.Title = title(nb)
	nb.Protocol = protocol(c, nb)
	nb.Arguments = arguments(c, nb.Count)
	nb.Exercise = exercise(c, nb.Count)
	nb.Segments = PartPrompts(nb.Count)
	nb.Timeline, nb.Lines = drawn(c, nb.Count)
	return nb
}

func madeBy(o Options) MadeBy {
	m := MadeBy{Name: "coldcase", Version: o.Version, Options: map[string]string{}}
	if o.RulesHash != "" {
		m.Options["rules"] = o.RulesHash
	}
	if o.NotesHash != "" {
		m.Options["notes"] = o.NotesHash
	}
	return m
}

func evidence(e []capture.Evidence) []capture.Evidence {
	if e == nil {
		return []capture.Evidence{}
	}
	return e
}

// runsOf lists the runs of a count, windows left out.
func runsOf(d *carryover.Document) []*carryover.Run {
	var out []*carryover.Run
	for _, r := range d.Runs {
		if r.Kind == "run" {
			out = append(out, r)
		}
	}
	return out
}

// arm is the sweep arm of a run: "fresh", "repeat", or "" outside of a sweep.
func arm(r *carryover.Run) string {
	if r.Facts == nil || r.Facts.Run == nil || r.Facts.Run.Cell == nil {
		return ""
	}
	return r.Facts.Run.Cell.Arm
}
