package analysis_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coldcase/samples"
)

// With EAGLE a full hit computes two tokens, and the page does not tell it from
// a partial one: its count holds both readings, for the prompt that the warm-up
// sent as well.
func TestFullHitsOfEAGLE(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "capture")
	if err := samples.Extract("inversion-lean", dir); err != nil {
		t.Fatal(err)
	}
	rewrite := func(name string, f func(string) string) {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := f(string(b))
		if s == string(b) {
			t.Fatalf("%s: nothing was rewritten", name)
		}
		if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	prefill := regexp.MustCompile(`#new-token: (\d+), #cached-token: (\d+)`)
	rewrite("server.log", func(s string) string {
		s = strings.Replace(s, "'speculative_algorithm': None", "'speculative_algorithm': 'EAGLE'", 1)
		return prefill.ReplaceAllStringFunc(s, func(line string) string {
			m := prefill.FindStringSubmatch(line)
			fresh, _ := strconv.Atoi(m[1])
			cached, _ := strconv.Atoi(m[2])
			full := (cached + 255) / 511 // of prompts of 512 tokens
			return fmt.Sprintf("#new-token: %d, #cached-token: %d", fresh+full, cached-full)
		})
	})
	for _, cap := range []int{1, 8, 32} {
		rewrite(fmt.Sprintf("bench-random-c%d.jsonl", cap), func(s string) string {
			return strings.ReplaceAll(s, `"speculative_algorithm": null`, `"speculative_algorithm": "EAGLE"`)
		})
	}
	for id, want := range map[string]int64{"bench-random-c1.jsonl:1": 0, "bench-random-c8.jsonl:1": 16, "bench-random-c32.jsonl:1": 64} {
		r := countOf(t, dir)[id]
		if r == nil {
			t.Fatalf("no run %s", id)
		}
		if r.AtStart.Low != want || r.AtStart.High == nil {
			t.Errorf("%s: %d or more at start, want %d", id, r.AtStart.Low, want)
		}
		if high := r.Cached.High; r.Cached.Low > want || high != nil && *high < want {
			t.Errorf("%s: the full hits do not hold %d: %+v", id, want, r.Cached)
		}
		if r.PartlyCached.Low > 0 {
			t.Errorf("%s: %d partial hits or more, want 0", id, r.PartlyCached.Low)
		}
	}
}
