package capture

// Span is a range of lines in one file of the capture. Lines are 1-based; To
// is 0 when the span is the one line.
type Span struct {
	File string `json:"file"`
	Line int    `json:"line"`
	To   int    `json:"to,omitempty"`
}

// Contains reports whether the 1-based line falls into the span.
func (s Span) Contains(line int) bool {
	to := s.To
	if to == 0 {
		to = s.Line
	}
	return line >= s.Line && line <= to
}

// Evidence is one quoted line: the file relative to the capture, the 1-based
// line (for a JSONL record its line, for a single JSON document 1, for an
// excerpt the original's number), and the text, redacted, cleaned of control
// characters and cut at MaxEvidence characters.
type Evidence struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

// MaxEvidence is the length, in characters, at which an evidence text is cut.
const MaxEvidence = 400

// Quoter looks up the text of lines. Ingest supplies it, so that analysis can
// name a line of a log of any size without holding the log in memory.
type Quoter interface {
	// Quote returns the evidence for a 1-based line of a file of the capture.
	// The text is empty if the line cannot be read again.
	Quote(file string, line int) Evidence
}

// Quote returns the evidence for a line of the capture, with an empty text if
// the capture has no Quoter (one made by a test).
func (c *Capture) Quote(file string, line int) Evidence {
	if c == nil || c.Quoter == nil || file == "" {
		return Evidence{File: file, Line: line}
	}
	return c.Quoter.Quote(file, line)
}
