package analysis_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/ingest"
	"coldcase/samples"
)

// A log that lies in the folder twice gives every run two places. The lines of
// either are nobody's for certain, and yet no traffic of their own: a window
// over them is not clean.
func TestALogTwice(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	if err := samples.Extract("inversion", dir); err != nil {
		t.Fatal(err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "server-copy.log"), log, 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := ingest.Open(ingest.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	windows := 0
	for _, r := range analysis.Analyze(c, analysis.Options{}).Count.Runs {
		if r.Kind != "window" {
			continue
		}
		windows++
		if why := strings.Join(r.Why, " "); r.Verdict != carryover.VerdictUnknown || !strings.Contains(why, "these lines may be those of") {
			t.Errorf("%s: %s: %s", r.ID, r.Verdict, why)
		}
	}
	if windows == 0 {
		t.Error("no window")
	}
}
