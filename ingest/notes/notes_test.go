package notes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"coldcase/ingest/capture"
)

const sample = `[facts]
order = ["bench-c8.txt", "bench-c32.txt"]
engine = "sglang"
page_size = 1
colour = "blue"

[runs."bench-random-c8.txt"]
max_concurrency = 8
prompts = 64
mood = "good"

[[claim]]
run = "bench-random-c32.txt"
cached_at_start = 64
source = """
[[claim]] is not a table here"""

[[excerpt]]
file = "server-default.log"
line = 1
first_line = 341
run = "bench-random-c32.txt"
[[excerpt]]
file = "x"

[[points]]
label = "three seeds"
seeds = [1, 2, 3]
cap = 8
median_ttft_ms = 209.98
low_ms = 185
high_ms = "216"
`

func TestParse(t *testing.T) {
	n, problems, err := Parse("coldcase.toml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	one, eight, median, low := 1, 8, 209.98, 185.0
	want := &capture.Notes{
		File:     "coldcase.toml",
		Order:    []string{"bench-c8.txt", "bench-c32.txt"},
		Engine:   "sglang",
		PageSize: &one,
		Facts:    map[string]any{"order": []any{"bench-c8.txt", "bench-c32.txt"}, "engine": "sglang", "page_size": int64(1)},
		Runs:     map[string]map[string]any{"bench-random-c8.txt": {"max_concurrency": int64(8), "prompts": int64(64)}},
		Claims: []capture.Claim{{Run: "bench-random-c32.txt", Prompts: 64, Source: "[[claim]] is not a table here",
			At: capture.Evidence{File: "coldcase.toml", Line: 12, Text: "[[claim]]"}}},
		Excerpts: []capture.Excerpt{{File: "server-default.log", Line: 1, FirstLine: 341, Run: "bench-random-c32.txt"}},
		Points: []capture.Points{{Label: "three seeds", Seeds: []int64{1, 2, 3}, Cap: &eight, MedianTTFT: &median, Low: &low,
			At: capture.Evidence{File: "coldcase.toml", Line: 26, Text: "[[points]]"}}},
	}
	if d := cmp.Diff(want, n); d != "" {
		t.Errorf("notes (-want +got):\n%s", d)
	}
	wantProblems := []string{
		"excerpt 2: needs file, and line and first_line of at least 1",
		"unknown key colour of facts",
		"high_ms of points 1 is no number",
		`unknown key runs."bench-random-c8.txt".mood`,
	}
	if d := cmp.Diff(wantProblems, problems); d != "" {
		t.Errorf("problems (-want +got):\n%s", d)
	}
}

func TestParseError(t *testing.T) {
	_, _, err := Parse("coldcase.toml", []byte("[facts]\norder = [\n"))
	if err == nil || !strings.HasPrefix(err.Error(), "line ") {
		t.Errorf("error %v does not name its line", err)
	}
}

func TestParseRedacts(t *testing.T) {
	n, _, err := Parse("coldcase.toml", []byte("[[claim]]\nrun = \"a\"\ncached_at_start = 1\nsource = \"see http://u:hunter22@h/\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s := n.Claims[0].Source; strings.Contains(s, "hunter22") {
		t.Errorf("source %q holds a password", s)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("[[claim]]\n[[claim]]\n"))
	f.Add([]byte("facts = 3\nruns = 2\nclaim = 1"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, _, err := Parse("coldcase.toml", data)
		if (n == nil) == (err == nil) {
			t.Errorf("notes %v and error %v", n, err)
		}
	})
}
