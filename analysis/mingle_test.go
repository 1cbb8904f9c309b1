package analysis_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/ingest"
	"coldcase/samples"
)

// countOf counts a folder.
func countOf(t *testing.T, dir string) map[string]*carryover.Run {
	t.Helper()
	c, err := ingest.Open(ingest.Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*carryover.Run{}
	for _, r := range analysis.Analyze(c, analysis.Options{}).Count.Runs {
		if r.Kind != "window" {
			out[r.ID] = r
		}
	}
	return out
}

// On a log without access lines another client's requests stand between a
// run's own, and push its last ones out of the stretch that seems to be the
// run's. Its interval still holds what the whole log says.
func TestOthersOnALogWithoutAccessLines(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	if err := samples.Extract("inversion-lean", dir); err != nil {
		t.Fatal(err)
	}
	want := countOf(t, dir)
	path := filepath.Join(dir, "server.log")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	prefills := bytes.Count(log, []byte("Prefill batch"))
	for _, after := range []int{prefills / 16, prefills / 4, prefills / 2, prefills * 3 / 4} {
		var kept []string
		n := 0
		for _, line := range strings.SplitAfter(string(log), "\n") {
			if strings.Contains(line, "HTTP/1.1") {
				continue
			}
			if _, rest, stamped := strings.Cut(line, "] "); stamped && line[0] == '[' {
				line = rest // with times the client's duration would tell the places apart
			}
			kept = append(kept, line)
			if strings.Contains(line, "Prefill batch") {
				if n++; n == after {
					for range 12 {
						kept = append(kept, "Prefill batch, #new-seq: 1, #new-token: 300, #cached-token: 0, token usage: 0.01, #running-req: 1, #queue-req: 0, \n")
					}
				}
			}
		}
		if err := os.WriteFile(path, []byte(strings.Join(kept, "")), 0o644); err != nil {
			t.Fatal(err)
		}
		for id, r := range countOf(t, dir) {
			was := want[id]
			if high := r.Sequences.High; high != nil {
				t.Errorf("others after prefill line %d: %s: %d sequences at most, although whose the lines are is not told", after, id, *high)
			}
			if was.AtStart.High == nil || was.AtStart.Low != *was.AtStart.High {
				continue
			}
			if r.AtStart.Low > was.AtStart.Low || r.AtStart.High != nil && *r.AtStart.High < was.AtStart.Low {
				t.Errorf("others after prefill line %d: %s: %d to %v at start, %d were", after, id, r.AtStart.Low, r.AtStart.High, was.AtStart.Low)
			}
			if r.Verdict != carryover.VerdictUnknown && r.Verdict != was.Verdict {
				t.Errorf("others after prefill line %d: %s: %s, it was %s", after, id, r.Verdict, was.Verdict)
			}
		}
	}
}
