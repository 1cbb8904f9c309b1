package templates

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden holds the Markdown of every fixture, which is the text of its
// page, and one small page whole.
func TestGolden(t *testing.T) {
	for _, name := range fixtureNames() {
		golden(t, name+".md", markdown(t, fixtures[name](), Options{}))
		golden(t, name+"-case.md", markdown(t, fixtures[name](), Options{Mode: Case}))
	}
	golden(t, "incident-publish.md", markdown(t, incidentFixture(), Options{Mode: Publish}))
	golden(t, "incident-publish.html", pageOf(t, incidentFixture(), Options{Mode: Publish, Charts: Static}))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs from its golden file (-want +got):\n%s", name, d)
	}
}
