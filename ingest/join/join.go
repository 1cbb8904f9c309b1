// Package join makes runs of results.
package join

import (
	"strconv"

	"coldcase/ingest/capture"
)

// Runs joins the results of a capture.
func Runs(c *capture.Capture) {
	for _, r := range c.Runs {
		first := r.Results[0]
		r.ID = first.Span.File + ":" + strconv.Itoa(first.Span.Line)
		r.Merged = *first
		r.Spans = []capture.Span{first.Span}
	}
}
