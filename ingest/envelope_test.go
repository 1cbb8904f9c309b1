package ingest

import (
	"fmt"
	"strings"
	"testing"

	"coldcase/ingest/capture"
)

// docker puts lines into the envelope of a container's log file.
func docker(lines ...string) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "{\"log\":%q,\"stream\":\"stderr\",\"time\":\"2026-03-04T11:20:05.1Z\"}\n", l+"\n")
	}
	return b.String()
}

func TestEnvelopes(t *testing.T) {
	line := strings.TrimSuffix(prefill, "\n")
	box := "╭" + strings.Repeat("─", 20) + "╮\n│ " + line + " │\n│ " + line + " │\n╰" + strings.Repeat("─", 20) + "╯\n"
	for _, c := range []struct {
		name, text string
		prefill    int
		first      int32
		why        string
	}{
		{"docker", docker(line, line), 2, 1, ""},
		{"blank line", docker(line) + "\n" + docker(line), 2, 1, ""},
		{"cloud", `{"severity":"INFO","textPayload":"` + line + `"}` + "\n", 1, 1, ""},
		{"two lines in one", `{"msg":"` + line + `\n  and more","ts":1}` + "\n", 1, 1, ""},
		{"box", box, 2, 2, ""},
		{"one line does not fit", docker(line, line) + line + "\n", 0, 0, "JSON lines around every line but line 3: not taken off"},
		{"cut at its end", docker(line, line)[:len(docker(line))+50], 0, 0, "JSON lines around every line but line 2: not taken off"},
	} {
		dir := folder(t, "kit", map[string]string{"server.log": c.text})
		got := open(t, Options{}, dir)
		f := got.Files[0]
		if c.why != "" {
			if f.Kind != capture.UnknownKind || f.Why != c.why || f.Read != capture.ReadNone {
				t.Errorf("%s: %s", c.name, row(f))
			}
			continue
		}
		if f.Kind != capture.SGLangServerLog || f.Counts.Get("prefill") != c.prefill {
			t.Errorf("%s: %s, %v", c.name, row(f), f.Counts)
			continue
		}
		if n := got.Logs[0].Batches.At(0).Line; n != c.first {
			t.Errorf("%s: the first batch is on line %d, want %d", c.name, n, c.first)
		}
	}
}

func FuzzEnvelope(f *testing.F) {
	f.Add([]byte(`{"log":"x\n","stream":"stderr"}`))
	f.Add([]byte("│ x │"))
	f.Add([]byte("╭─╮"))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, e := range envelopes {
			if inner, ok := e.open(line); ok && strings.Contains(string(inner), "\n") && !strings.Contains(string(line), "\n") {
				t.Errorf("%s: one line became two: %q", e.name, inner)
			}
		}
	})
}
