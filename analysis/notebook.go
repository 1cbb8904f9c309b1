// Package analysis turns a Capture into a Notebook. It is pure: no files, no
// network, no clock, no randomness; the same Capture gives the same Notebook.
package analysis

import (
	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/confirm"
	"coldcase/analysis/latency"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

// Notebook is coldcase.notebook/1: the only thing that is drawn. A number in
// the page, the Markdown, the JSON and the terminal is the same field.
type Notebook struct {
	Schema       string                `json:"schema"`
	MadeBy       MadeBy                `json:"made_by"`
	Title        string                `json:"title"`
	Verdict      Verdict               `json:"verdict"`
	Count        *carryover.Document   `json:"count"`
	Check        *rules.Document       `json:"check"`
	Latency      []*latency.Run        `json:"latency"`
	Causes       []*causes.Cause       `json:"causes"`
	LeadingCause *string               `json:"leading_cause"`
	Inversion    *latency.Inversion    `json:"inversion"`
	Confirmation *confirm.Confirmation `json:"confirmation"`
	Unexplained  []Unexplained         `json:"unexplained"`
	Protocol     []Step                `json:"protocol"`
	Arguments    []Arguments           `json:"arguments"`
	Exercise     *Exercise             `json:"exercise"`
	Segments     []Segments            `json:"segments"`

	// Timeline holds, per run id, the prefill batches for the drawing; not
	// part of the document.
	Timeline map[string][]TimelineBatch `json:"-"`
	// Lines are the quoted prefill lines for "count it yourself", by run id.
	Lines map[string][]capture.Evidence `json:"-"`
}

// MadeBy is the version and the options that change the content.
type MadeBy struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Options map[string]string `json:"options"`
}

// Verdict is the notebook's one line.
type Verdict struct {
	State string   `json:"state"` // do-not-publish, publishable, unknown
	Text  string   `json:"text"`
	Scope string   `json:"scope"` // what the verdict covers, in words
	Not   []string `json:"not_checked"`
}

// Unexplained is what is left over, with its evidence.
type Unexplained struct {
	Text     string             `json:"text"`
	Evidence []capture.Evidence `json:"evidence"`
}

// Step is one command or instruction of the protocol.
type Step struct {
	Text    string `json:"text"`
	Command string `json:"command"`
}

// Arguments are the client arguments of one run that decide which prompts it
// sent and whether the cache was emptied before, as printed.
type Arguments struct {
	Run    string           `json:"run"`
	At     capture.Evidence `json:"at"`
	Values []Argument       `json:"values"`
	// Presumed says that the run shares the arguments of another file by the
	// pattern of their names; Note says which.
	Presumed bool   `json:"presumed"`
	Note     string `json:"note"`
}

// Argument is one argument as printed: seed and 7, dataset_name and 'random'.
type Argument struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Exercise is "count it yourself": a few prefill lines of one run, and the
// number of full hits that these lines alone prove.
type Exercise struct {
	Run      string             `json:"run"`
	Lines    []capture.Evidence `json:"lines"`
	FullHits carryover.Interval `json:"full_hits"`
	Why      string             `json:"why"` // the arithmetic, in a sentence
}

// TimelineBatch is one prefill batch, or an event between batches, as drawn.
type TimelineBatch struct {
	Line     int
	Kind     string // batch, warm-up, flush, start
	Seqs     int
	New      int
	Cached   int
	Seconds  float64 // since the first batch of the log, by its stamps
	Evidence capture.Evidence
}
