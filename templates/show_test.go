package templates

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestWritePages writes every fixture in every mode into the folder named by
// COLDCASE_PAGES, for looking at.
func TestWritePages(t *testing.T) {
	dir := os.Getenv("COLDCASE_PAGES")
	if dir == "" {
		t.Skip("COLDCASE_PAGES names no folder to write pages to")
	}
	fixtures["hundred"] = hundredRuns
	defer delete(fixtures, "hundred")
	for _, name := range fixtureNames() {
		for _, mode := range []Mode{Review, Publish, Case} {
			var page, md bytes.Buffer
			nb := fixtures[name]()
			if err := HTML(&page, nb, Options{Mode: mode, Charts: Charts(os.Getenv("COLDCASE_CHARTS"))}); err != nil {
				t.Fatalf("%s %s: %v", name, mode, err)
			}
			if err := Markdown(&md, nb, Options{Mode: mode}); err != nil {
				t.Fatalf("%s %s: %v", name, mode, err)
			}
			base := filepath.Join(dir, name+"-"+string(mode))
			if err := os.WriteFile(base+".html", page.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(base+".md", md.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
