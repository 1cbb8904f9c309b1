package templates

import (
	"path/filepath"
	"sync"
	"testing"

	"coldcase/analysis"
	"coldcase/ingest"
	"coldcase/samples"
)

var readSamples = struct {
	sync.Once
	notebooks map[string]*analysis.Notebook
}{}

// sampleNotebooks are the notebooks of the embedded captures: real ones, and
// the published incident.
func sampleNotebooks(t testing.TB) map[string]*analysis.Notebook {
	t.Helper()
	readSamples.Do(func() {
		dir := t.TempDir()
		readSamples.notebooks = map[string]*analysis.Notebook{}
		for _, s := range samples.List() {
			folder := filepath.Join(dir, s.Name)
			if err := samples.Extract(s.Name, folder); err != nil {
				t.Fatal(err)
			}
			c, err := ingest.Open(ingest.Options{}, folder)
			if err != nil {
				t.Fatal(err)
			}
			readSamples.notebooks[s.Name] = analysis.Analyze(c, analysis.Options{Version: "test"})
		}
	})
	return readSamples.notebooks
}
