package main

import (
	"errors"
	"io"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

var errAbsent = errors.New("this part of coldcase is not built yet")

func countDocument(c *capture.Capture) *carryover.Document {
	return &carryover.Document{Schema: "coldcase.count/1", Captures: c.Sources, Files: c.Files}
}

func analyze(c *capture.Capture, ruleFile string) (*analysis.Notebook, error) {
	return nil, usageErrorf("%w", errAbsent)
}

func (o *reportOptions) render(nb *analysis.Notebook, c *capture.Capture, from captureFlags) ([]byte, error) {
	return nil, usageErrorf("%w", errAbsent)
}

func ruleTable() string { return "" }

func explainRule(t *terminal, id, table string) error { return usageErrorf("%w", errAbsent) }

func writeSARIF(w io.Writer, doc *rules.Document) error { return usageErrorf("%w", errAbsent) }

var sweepCommand = &command{name: "sweep", run: absent}
var labCommand = &command{name: "lab", run: absent}
var verifyCommand = &command{name: "verify", run: absent}

func absent(t *terminal, c *command, args []string) error { return usageErrorf("%w", errAbsent) }
