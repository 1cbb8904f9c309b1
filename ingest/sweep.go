package ingest

import (
	"coldcase/ingest/capture"
	"coldcase/ingest/format"
)

func sweepFormats() []format.Format { return nil }

func addCell(c *capture.Capture, it item, cell *capture.Cell) {}
