package main

import (
	"errors"

	"coldcase/analysis"
	"coldcase/ingest/capture"
)

var errAbsent = errors.New("this part of coldcase is not built yet")

func analyze(c *capture.Capture, rules *rulesFlag, from *captureFlags) (*analysis.Notebook, error) {
	return nil, usageErrorf("%w", errAbsent)
}
