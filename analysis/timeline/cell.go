package timeline

import (
	"path"

	"coldcase/ingest/capture"
)

// cellFolders are the folders of a sweep's cells. A log in one of them is the slice
// of that cell's run, and no other run stands on it, however well it fits:
// every cell of a sweep sends the same number of requests of the same lengths.
type cellFolders map[string]bool

func foldersOf(c *capture.Capture) cellFolders {
	s := cellFolders{}
	for _, p := range c.Plans {
		for _, cell := range p.Cells {
			s[path.Dir(cell.File)] = true
		}
	}
	return s
}

// holds reports whether a run may stand on a log.
func (s cellFolders) holds(log *capture.ServerLog, r *capture.Run) bool {
	dir := path.Dir(log.File)
	return !s[dir] || r.Cell != nil && path.Dir(r.Cell.File) == dir
}
