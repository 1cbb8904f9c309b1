package analysis_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/ingest"
)

const (
	ready = "[2026-08-09 14:00:00] The server is fired up and ready to roll!\n"
	cold  = "[2026-08-09 14:01:00] Prefill batch, #new-seq: 1, #new-token: 1500, #cached-token: 0, token usage: 0.01, #running-req: 0, #queue-req: 0\n"
	again = "[2026-08-09 14:01:05] Prefill batch, #new-seq: 2, #new-token: 2, #cached-token: 2998, token usage: 0.01, #running-req: 0, #queue-req: 0\n"
	torn  = "[2026-08-09 14:01:09] Prefill batch, #new-seq: 2, #new-token: 2, #cac\n"
	probe = "[2026-08-09 14:02:00] Prefill batch, #new-seq: 1, #new-token: 1, #cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 0\n"
)

// A window is clean only if its server's start is seen, every prefill line in
// it is whole, and something but probes was served.
func TestWindowVerdict(t *testing.T) {
	for _, c := range []struct {
		name, log string
		want      string
		unbounded bool // cached tokens
	}{
		{"from the start, one prompt", ready + cold, "clean", false},
		{"from the start, with hits of its own", ready + cold + again, "clean", false},
		{"without the start", cold + again, "unknown", false},
		{"cold, without the start", cold, "unknown", false},
		{"a torn line in the middle", ready + cold + torn + again, "unknown", true},
		{"a torn line at the end", ready + cold + torn, "unknown", true},
		{"a torn line at the beginning", ready + torn + cold, "unknown", true},
		{"probes alone", ready + probe + probe, "unknown", false},
		{"a probe beside a prompt", ready + cold + probe, "clean", false},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "server.log"), []byte(c.log), 0o644); err != nil {
			t.Fatal(err)
		}
		capt, err := ingest.Open(ingest.Options{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		doc := analysis.Count(capt)
		if len(doc.Runs) != 1 || doc.Runs[0].Kind != "window" {
			t.Errorf("%s: %d runs and windows, want one window", c.name, len(doc.Runs))
			continue
		}
		w := doc.Runs[0]
		if w.Verdict != c.want || (w.CachedTokens.High == nil) != c.unbounded {
			t.Errorf("%s: %s, cached tokens %s, want %s, unbounded %v", c.name, w.Verdict, ends(w.CachedTokens.Low, w.CachedTokens.High), c.want, c.unbounded)
		}
		if w.Verdict == "clean" && (w.AtStart.High == nil || *w.AtStart.High != 0) {
			t.Errorf("%s: clean with %s at start", c.name, ends(w.AtStart.Low, w.AtStart.High))
		}
		if !strings.HasPrefix(w.ID, "server.log:") || w.Prompts != nil || w.Completed != nil || w.Seed != nil || w.Client != nil {
			t.Errorf("%s: %s has prompts, a seed or a client of its own", c.name, w.ID)
		}
	}
}
