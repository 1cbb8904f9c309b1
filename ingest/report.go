package ingest

import (
	"bytes"
	"errors"
	"io"
	"path"
	"regexp"

	"coldcase/ingest/format"
	"coldcase/ingest/source"
)

// reportMarks are what the outputs of coldcase hold near their start. JSON is
// looked at without the blanks of indentation.
var reportMarks = [][]byte{
	[]byte(`id="coldcase-stamp"`),
	[]byte(`"schema":"coldcase.notebook/`),
	[]byte(`"schema":"coldcase.count/`),
	[]byte(`"schema":"coldcase.check/`),
	[]byte(`"driver":{"name":"coldcase"`),
}

var (
	// jsonBlanks are the blanks that indented JSON has and compact JSON has not.
	jsonBlanks = regexp.MustCompile(`([:{,])\s+`)
	// reportText matches the first line of the page, of its Markdown, of the
	// table of counts and of a list of findings.
	reportText = regexp.MustCompile(`^(?:` +
		`<!doctype html>\n<html lang="en" data-mode="(?:publish|review|case)">|` +
		`\*\*coldcase\*\* (?:evidence notebook|case)|` +
		`run +cap +seed +prompts +cached at start +grade|` +
		`(?:BLOCK|WARN|INFO|UNKNOWN|PASS) L[0-9]+ [a-z0-9-]+|` +
		`[0-9]+ block, [0-9]+ warn, [0-9]+ info, [0-9]+ unknown, [0-9]+ pass,)`)
)

// isReport tells files that coldcase wrote, so that a report may lie in its own
// capture without becoming evidence.
func isReport(head []byte) bool {
	if reportText.Match(head) {
		return true
	}
	for _, m := range reportMarks {
		if bytes.Contains(head, m) {
			return true
		}
	}
	if b := bytes.TrimLeft(head, " \t\r\n"); len(b) == 0 || b[0] != '{' {
		return false
	}
	compact := jsonBlanks.ReplaceAll(head[:min(len(head), 4096)], []byte("$1"))
	for _, m := range reportMarks {
		if bytes.Contains(compact, m) {
			return true
		}
	}
	return false
}

// isReportArchive tells the archive that holds a page, its Markdown and its
// JSON: its members are no evidence either.
func isReportArchive(e *source.Entry) bool {
	for _, m := range e.Members {
		if ext := path.Ext(m.Path); m.Why != "" || ext != ".html" && ext != ".json" && ext != ".md" {
			continue
		}
		r, err := m.Content().Open()
		if err != nil {
			continue
		}
		head := make([]byte, format.HeadSize)
		n, err := io.ReadFull(r, head)
		r.Close()
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			continue
		}
		if isReport(head[:n]) {
			return true
		}
	}
	return false
}
