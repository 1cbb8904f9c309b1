package realtest

import (
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/ingest"
)

// TestRecorded reads kits and sweeps that were recorded on real servers with
// the engine's own client: what is known of them from how they were made must
// be what is counted.
func TestRecorded(t *testing.T) {
	folders, err := filepath.Glob(filepath.Join("testdata", "*", "kit.tar.gz"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no recorded captures: %v", err)
	}
	for _, kit := range folders {
		dir := filepath.Dir(kit)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			c, err := ingest.Open(ingest.Options{}, kit, filepath.Join(dir, "sweep.tar.gz"))
			if err != nil {
				t.Fatal(err)
			}
			nb := analysis.Analyze(c, analysis.Options{})
			fresh, repeat := 0, 0
			for _, r := range nb.Count.Runs {
				if r.Kind != "run" {
					// The slice of a cell's log is its run's, and nobody else's.
					t.Errorf("%s is a %s of its own", r.ID, r.Kind)
					continue
				}
				truth, verdict, flush := int64(0), "clean", r.Flush
				switch {
				case strings.HasPrefix(r.ID, "kit/c4."):
					truth, verdict = 12, "contaminated" // the prompts of the run before
				case strings.Contains(r.ID, "-repeat/"):
					truth, verdict = int64(*r.Prompts), "contaminated"
					repeat++
					// The log has all requests of the cell: no bound is open.
					if sglang := filepath.Base(dir) == "sglang-page1"; sglang && (r.AtStart.Low != truth || r.Origins.EarlierRun.Low != truth) {
						t.Errorf("%s: %+v from %+v", r.ID, r.AtStart, r.Origins)
					}
				case strings.Contains(r.ID, "-fresh/"):
					flush = "proved"
					fresh++
				}
				if r.AtStart.Low > truth || r.AtStart.High == nil || *r.AtStart.High < truth || r.Verdict != verdict || r.Flush != flush {
					t.Errorf("%s: %+v, %s, flush %s; want %d, %s", r.ID, r.AtStart, r.Verdict, r.Flush, truth, verdict)
				}
				if len(r.Conflicts) > 0 {
					t.Errorf("%s: %+v", r.ID, r.Conflicts)
				}
			}
			if fresh == 0 || repeat == 0 {
				t.Errorf("%d fresh and %d repeat cells", fresh, repeat)
			}
			for _, f := range nb.Check.Findings {
				if f.Rule == "L06" && f.State != "pass" && strings.Contains(strings.Join(f.Runs, " "), "-fresh/") {
					t.Errorf("L06 is %s: %s", f.State, f.Text)
				}
			}
			if nb.Confirmation == nil || nb.Confirmation.Text[0] != "every fresh cell started with no prompt in the cache" {
				t.Errorf("confirmation %+v", nb.Confirmation)
			}
		})
	}
}
