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

func analyze(c *capture.Capture, rules *rulesFlag, from *captureFlags) (*analysis.Notebook, error) {
	return nil, usageErrorf("%w", errAbsent)
}

func ruleTable() string { return "" }

func explainRule(t *terminal, id string, table *rulesFlag) error { return usageErrorf("%w", errAbsent) }

func writeSARIF(w io.Writer, doc *rules.Document) error { return usageErrorf("%w", errAbsent) }

var sweepCommand = &command{name: "sweep", run: absent}

func absent(t *terminal, c *command, args []string) error { return usageErrorf("%w", errAbsent) }
