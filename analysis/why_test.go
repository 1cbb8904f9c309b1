package analysis_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis/carryover"
	"coldcase/samples"
)

// A run that was started and has no result may have been the first or the last:
// that it has the seed of a clean run is no reason why that one is clean.
func TestWhyCleanBesideAnAbortedRun(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	if err := samples.Extract("inversion-lean", dir); err != nil {
		t.Fatal(err)
	}
	report, err := os.ReadFile(filepath.Join(dir, "bench-random-c8.txt"))
	if err != nil {
		t.Fatal(err)
	}
	begun, _, found := bytes.Cut(report, []byte("============ Serving"))
	if !found {
		t.Fatal("no report")
	}
	if err := os.WriteFile(filepath.Join(dir, "aborted.txt"), begun, 0o644); err != nil {
		t.Fatal(err)
	}
	// Nothing but the server's start comes before the first run.
	log, err := os.ReadFile(filepath.Join(dir, "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, line := range strings.SplitAfter(string(log), "\n") {
		if !strings.Contains(line, "flush") {
			kept = append(kept, line)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "server.log"), []byte(strings.Join(kept, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"flush.txt", "kit.sh"} { // the commands would tell the order
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	clean := 0
	runs := countOf(t, dir)
	if r := runs["bench-random-c8.jsonl:1"]; r == nil || r.AtStart.Low != 16 || r.AtStart.High == nil || *r.AtStart.High != 16 {
		t.Errorf("the run that was tried again: %+v, want 16", r)
	}
	aborted := 0
	for id, r := range runs {
		if strings.HasPrefix(id, "aborted.txt") {
			aborted++
			if r.Completed != nil || r.Verdict != carryover.VerdictUnknown {
				t.Errorf("%s: completed %v, %s", id, r.Completed, r.Verdict)
			}
		}
		if r.Verdict == carryover.Clean {
			clean++
		}
		if why := strings.Join(r.Why, " "); r.Verdict == carryover.Clean && strings.Contains(why, "same seed") {
			t.Errorf("%s is clean: %s", id, why)
		}
	}
	if p := runs["bench-random-c32.jsonl:1"].Predicted; p == nil || p.Low != 0 || p.High == nil || *p.High != 64 || !strings.Contains(p.Note, "aborted.txt:3 has no result") {
		t.Errorf("the prediction counts on an aborted run: %+v", p)
	}
	if aborted != 1 || clean != 1 {
		t.Errorf("%d runs of the aborted report and %d clean ones, want 1 of each", aborted, clean)
	}
}
