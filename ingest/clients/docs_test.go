package clients

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/ingest/format"
)

func formatsDoc(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Every kind has its row in the table of formats.
func TestEveryKindIsDocumented(t *testing.T) {
	doc := formatsDoc(t)
	for _, f := range Formats() {
		if !strings.Contains(doc, "`"+string(f.Kind)+"`") {
			t.Errorf("docs/formats.md has no row for %s", f.Kind)
		}
	}
}

// The worked example of the documents is the code that runs here.
func TestNewClientExample(t *testing.T) {
	code, err := os.ReadFile("pingbench_test.go")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(formatsDoc(t), "```go\n"+string(code)+"```\n") {
		t.Error("docs/formats.md does not show pingbench_test.go as it is")
	}
	r := fixture(t, "pingbench/run.json")
	if q := r.Requests; !equal(q.Cached, []int32{496, 0}) || r.MaxConcurrency.N != 8 || r.Printed["median_ttft_ms"].Value != 90 || intOf(r.Workload.Seed) != 7 {
		t.Errorf("%+v %+v", r, q)
	}
}

// Every client has a folder of fixtures, and its own readers want each of them.
func TestEveryClientHasAFixtureFolder(t *testing.T) {
	for _, c := range registry {
		files := 0
		err := filepath.WalkDir(filepath.Join("testdata", c.name), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			files++
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			in := &format.Input{Path: filepath.ToSlash(name), Head: b[:min(len(b), format.HeadSize)]}
			for _, f := range c.formats() {
				if f.Sniff(in) > 0 {
					return nil
				}
			}
			t.Errorf("%s: no reader of %s wants it", name, c.name)
			return nil
		})
		if err != nil || files == 0 {
			t.Errorf("%s: %d fixtures, %v", c.name, files, err)
		}
	}
}
