package ingest

import "coldcase/ingest/capture"

// excerptTable holds, per file, how the numbers of its lines map to the
// numbers of the longer file that it is an excerpt of.
type excerptTable map[string][]capture.Excerpt

// stored gives the line of the file that a printed number means.
func (t excerptTable) stored(file string, line int) int {
	for _, e := range t[file] {
		if n := line - e.FirstLine + e.Line; line >= e.FirstLine && n <= e.To {
			return n
		}
	}
	return line
}

func renumber(c *capture.Capture) excerptTable { return nil }
