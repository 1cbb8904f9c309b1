package join

import (
	"path"

	"coldcase/ingest/capture"
)

// cells ties the runs of a sweep to the cells that made them: a cell's folder
// holds its cell.json beside the files of its one run.
func cells(c *capture.Capture) {
	byDir := map[string]*capture.Cell{}
	for _, p := range c.Plans {
		for _, cell := range p.Cells {
			byDir[path.Dir(cell.File)] = cell
		}
	}
	for _, r := range c.Runs {
		for _, s := range r.Spans {
			if cell := byDir[path.Dir(s.File)]; cell != nil {
				r.Cell = cell
			}
		}
	}
}
