package analysis

import (
	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
)

// Count counts the prompts cached at the start of each run.
func Count(c *capture.Capture) *carryover.Document { return carryover.Count(c) }
