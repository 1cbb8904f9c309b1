package analysis_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/ingest"
	"coldcase/samples"
)

// A log that lies in the folder twice, whole or from some line on, is counted
// once: the inventory says where, and no window is left over its lines.
func TestALogTwice(t *testing.T) {
	for _, from := range []int{0, 3} {
		dir := filepath.Join(t.TempDir(), "capture")
		if err := samples.Extract("inversion-lean", dir); err != nil {
			t.Fatal(err)
		}
		want := countOf(t, dir)
		log, err := os.ReadFile(filepath.Join(dir, "server.log"))
		if err != nil {
			t.Fatal(err)
		}
		if from > 0 {
			log = log[bytes.IndexByte(log[len(log)/from:], '\n')+len(log)/from+1:]
		}
		if err := os.WriteFile(filepath.Join(dir, "a-copy.log"), log, 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := ingest.Open(ingest.Options{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		doc := analysis.Analyze(c, analysis.Options{}).Count
		if len(doc.Runs) != len(want) {
			t.Errorf("%d runs and windows, want %d", len(doc.Runs), len(want))
		}
		for _, r := range doc.Runs {
			if w := want[r.ID]; w == nil || r.Verdict != w.Verdict || r.AtStart.Low != w.AtStart.Low || *r.AtStart.High != *w.AtStart.High {
				t.Errorf("%s: %s, %+v", r.ID, r.Verdict, r.AtStart)
			}
		}
		for _, f := range doc.Files {
			copied := strings.Contains(f.Why, "stand in ")
			if of := map[bool]string{true: "server.log", false: "a-copy.log"}[from == 0]; copied != (f.Path == of) {
				// Of two equal logs the one that stands first is read.
				if from != 0 || f.Path == "server.log" || f.Path == "a-copy.log" {
					t.Errorf("from 1/%d: %s: %q", from, f.Path, f.Why)
				}
			}
		}
	}
}
