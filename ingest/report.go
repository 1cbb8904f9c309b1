package ingest

import (
	"bytes"
	"regexp"
)

// reportMarks are what the outputs of coldcase hold near their start: the page
// and its Markdown name their maker, documents their schema.
var reportMarks = [][]byte{
	[]byte(`name="generator" content="coldcase`),
	[]byte("<!-- coldcase "),
	[]byte(`"schema":"coldcase.notebook/`),
	[]byte(`"schema":"coldcase.count/`),
	[]byte(`"schema":"coldcase.check/`),
	[]byte(`"driver":{"name":"coldcase"`),
}

// colonSpace is the blank that indented JSON has and compact JSON has not.
var colonSpace = regexp.MustCompile(`([:{,])\s+`)

// isReport tells files that coldcase wrote, so that a report may lie in its own
// capture without becoming evidence.
func isReport(head []byte) bool {
	head = head[:min(len(head), 4096)]
	compact := colonSpace.ReplaceAll(head, []byte("$1"))
	for _, m := range reportMarks {
		if bytes.Contains(head, m) || bytes.Contains(compact, m) {
			return true
		}
	}
	return false
}
