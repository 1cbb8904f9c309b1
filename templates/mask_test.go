package templates

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	for in, want := range map[string]string{
		"http://10.0.0.7:30000/v1":   "http://[host]/v1",
		"--host gpu-3 --port 30000":  "--host [host] --port 30000",
		"host='0.0.0.0', port=30000": "host='[address]', port=30000",
		"~/kit/a.jsonl":              "[home]/kit/a.jsonl",
		"/home/alice/kit":            "[home]/kit",
		"[2026-10-17 14:23:00] ok":   "[2026-10-17 14:23:00] ok",
		"0.5.22, seed 7, 677.61 ms":  "0.5.22, seed 7, 677.61 ms",
		"fe80::1ff:fe23:4567:890a x": "[address] x",
	} {
		got := mask(in)
		if got != want {
			t.Errorf("mask(%q) = %q, want %q", in, got, want)
		}
	}
}

// FuzzMarks: marking never changes a line.
func FuzzMarks(f *testing.F) {
	f.Add("#new-seq: 14, #new-token: 14, #cached-token: 6879, x")
	f.Add("Namespace(seed=7, dataset_name='random')")
	f.Fuzz(func(t *testing.T, s string) {
		var b strings.Builder
		for _, p := range markFields(s) {
			b.WriteString(p.Text)
		}
		if b.String() != s {
			t.Fatalf("%q became %q", s, b.String())
		}
	})
}

func TestMarks(t *testing.T) {
	var marked []string
	for _, p := range markFields("[t] Prefill batch, #new-seq: 14, #new-token: 14, #cached-token: 6879, token usage: 0.07") {
		if p.Mark {
			marked = append(marked, p.Text)
		}
	}
	if got := strings.Join(marked, "|"); got != "#new-seq: 14|#new-token: 14|#cached-token: 6879" {
		t.Errorf("marked %s", got)
	}
}
