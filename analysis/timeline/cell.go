package timeline

import (
	"path"

	"coldcase/ingest/capture"
)

// slices are the folders of a sweep's cells. A log in one of them is the slice
// of that cell's run, and no other run stands on it, however well it fits:
// every cell of a sweep sends the same number of requests of the same lengths.
type slices map[string]bool

func slicesOf(c *capture.Capture) slices {
	s := slices{}
	for _, p := range c.Plans {
		for _, cell := range p.Cells {
			s[path.Dir(cell.File)] = true
		}
	}
	return s
}

// holds reports whether a run may stand on a log.
func (s slices) holds(log *capture.ServerLog, r *capture.Run) bool {
	dir := path.Dir(log.File)
	return !s[dir] || r.Cell != nil && path.Dir(r.Cell.File) == dir
}
