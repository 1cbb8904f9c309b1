package main

import (
	"errors"
	"io"

	"coldcase/analysis"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

var errAbsent = errors.New("this part of coldcase is not built yet")

func analyze(c *capture.Capture, rules *rulesFlag, from *captureFlags) (*analysis.Notebook, error) {
	return nil, usageErrorf("%w", errAbsent)
}

func explainRule(t *terminal, id string, table *rulesFlag) error { return usageErrorf("%w", errAbsent) }

func writeSARIF(w io.Writer, doc *rules.Document) error { return usageErrorf("%w", errAbsent) }
