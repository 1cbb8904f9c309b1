package ingest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"coldcase/ingest/capture"
)

// A JSON document that nobody reads is no report, whatever its strings quote; a
// console that begins with one is read.
func TestUnreadDocument(t *testing.T) {
	report := "============ Serving Benchmark Result ============\\n"
	for _, c := range []struct {
		name, content, why string
		kind               capture.Kind
	}{
		{"a.ipynb", "{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"outputs\": [\n    \"" + report + "\",\n    \"Successful requests:                     16        \\n\"\n   ]\n  }\n ],\n \"nbformat\": 4\n}\n", "a notebook", capture.UnknownKind},
		{"ci.json", "[\n \"" + report + "\",\n \"[2026-11-29 15:48:31] Prefill batch, #new-seq: 1, #new-token: 512, #cached-token: 0\"\n]\n", "one JSON document", capture.UnknownKind},
		{"console.txt", "{\n \"status\": \"ok\"\n}\n[2026-11-29 15:48:31] Prefill batch, #new-seq: 1, #new-token: 512, #cached-token: 0, token usage: 0.00, #running-req: 0, #queue-req: 0\n", "", capture.SGLangServerLog},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, c.name), []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		got, err := Open(Options{}, dir)
		if err != nil {
			t.Fatal(err)
		}
		f := got.Files[0]
		if f.Kind != c.kind || !strings.HasPrefix(f.Why, c.why) || len(got.Runs) > 0 {
			t.Errorf("%s: %s, %q, %d runs", c.name, f.Kind, f.Why, len(got.Runs))
		}
	}
}
