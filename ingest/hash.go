package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"sort"

	"coldcase/ingest/capture"
)

// hashFile sets the sha256 of a file's stored bytes.
func hashFile(it item, row *capture.File, wanted bool) {
	if !wanted {
		return
	}
	r, err := it.entry.Open()
	if err != nil {
		return
	}
	defer r.Close()
	h := sha256.New()
	if _, err := io.Copy(h, r); err == nil {
		row.SHA256 = hex.EncodeToString(h.Sum(nil))
	}
}

// hashCaptures sets the hash of each capture: the sha256 of the lines "path NUL
// size NUL sha256(file) LF", sorted by path. Reports of coldcase and links are
// left out, and members of an archive inside the capture are in the archive's
// own bytes. A capture with a file that cannot be read has no hash: its bytes
// are not known.
func hashCaptures(c *capture.Capture, items []item) {
	type line struct{ path, text string }
	lines := make([][]line, len(c.Sources))
	unknown := make([]bool, len(c.Sources))
	for i, it := range items {
		row := c.Files[i]
		if row.SHA256 == "" || it.entry.Member {
			skipped := it.entry.Member || it.entry.Why != "" || row.Kind == capture.ColdcaseReport
			unknown[it.capture] = unknown[it.capture] || !skipped
			continue
		}
		text := fmt.Sprintf("%s\x00%d\x00%s\n", it.entry.Path, row.Size, row.SHA256)
		lines[it.capture] = append(lines[it.capture], line{it.entry.Path, text})
	}
	for i := range c.Sources {
		if unknown[i] {
			continue
		}
		sort.Slice(lines[i], func(a, b int) bool { return lines[i][a].path < lines[i][b].path })
		h := sha256.New()
		for _, l := range lines[i] {
			io.WriteString(h, l.text)
		}
		sum := hex.EncodeToString(h.Sum(nil))
		c.Sources[i].SHA256 = &sum
	}
}
