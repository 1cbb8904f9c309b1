package rules

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Every fact that a rule looks up in the notes is named in the documentation.
func TestFactsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("provenance.go")
	if err != nil {
		t.Fatal(err)
	}
	docs, err := os.ReadFile("../../docs/reading.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := regexp.MustCompile(`Notes\.Facts, "(\w+)"`).FindAllStringSubmatch(string(source), -1)
	if len(keys) < 5 {
		t.Fatalf("%d facts in the rules, want at least 5", len(keys))
	}
	for _, k := range keys {
		if !strings.Contains(string(docs), "\n"+k[1]+" = ") {
			t.Errorf("docs/reading.md does not show [facts] %s", k[1])
		}
	}
}
