package browsertest

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestProbeFindsFaults shows a page with one of each fault to the same eyes
// that look at the reports.
func TestProbeFindsFaults(t *testing.T) {
	ctx := browser(t)
	path, err := filepath.Abs("testdata/bad.html")
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Join(look(t, ctx, report{path: path}, view{scripts: true, scheme: "light", width: 1280}), "\n")
	for _, want := range []string{
		"request: https://example.invalid/pixel.png",
		"violates the following Content Security Policy",
		"scrolls sideways",
		"figure without a visible chart",
		`text over text: "one label" and "another label"`,
	} {
		if !strings.Contains(found, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if strings.Contains(found, `"far away"`) {
		t.Error("a label that stands alone is called a fault")
	}
	if t.Failed() {
		t.Logf("found:\n%s", found)
	}
}
