package samples

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSampleFiles(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files int
		some  []string
	}{
		{"inversion", 16, []string{"bench-random-c32.jsonl", "bench-random-c32.txt", "server.log", "kit.sh"}},
		{"inversion-lean", 9, []string{"bench-random-c8.txt", "server.log"}},
		{"clean-sweep", 21, []string{"results.jsonl", "bench-c8-seed3.txt", "server.log"}},
		{"incident", 5, []string{"coldcase.toml", "server-default.log", "server-default.command.txt"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files, err := FS(tt.name)
			if err != nil {
				t.Fatal(err)
			}
			if err := fstest.TestFS(files, tt.some...); err != nil {
				t.Error(err)
			}
			entries, err := fs.ReadDir(files, ".")
			if err != nil {
				t.Fatal(err)
			}
			if len(entries) != tt.files {
				t.Errorf("%d files, want %d", len(entries), tt.files)
			}
		})
	}
}

func TestListNamesEverySample(t *testing.T) {
	for _, s := range List() {
		if s.About == "" || strings.ContainsAny(s.Name+s.About, "\n\t") {
			t.Errorf("%q: %q does not fit one line of the list", s.Name, s.About)
		}
		if _, err := FS(s.Name); err != nil {
			t.Error(err)
		}
	}
}

func TestUnknownName(t *testing.T) {
	for _, name := range []string{"", "nosuch", "../samples", "incident/coldcase.toml"} {
		if _, err := FS(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("FS(%q): %v, want ErrUnknown", name, err)
		}
		if err := Extract(name, t.TempDir()); !errors.Is(err, ErrUnknown) {
			t.Errorf("Extract(%q): %v, want ErrUnknown", name, err)
		}
	}
}

func TestExtract(t *testing.T) {
	for _, name := range []string{"incident", "inversion-lean"} {
		dir := filepath.Join(t.TempDir(), "new", name)
		if err := Extract(name, dir); err != nil {
			t.Fatal(err)
		}
		files, err := FS(name)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := fs.Glob(files, "*")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			want, err := fs.ReadFile(files, path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(filepath.Join(dir, path))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s/%s: extracted file differs", name, path)
			}
		}
		if err := Extract(name, dir); !errors.Is(err, fs.ErrExist) {
			t.Errorf("second Extract(%q): %v, want an error that a file exists", name, err)
		}
	}
}

// The incident holds facts, figures and lines of files; the sentences of its
// publication stay where they were published.
func TestIncidentHoldsLinesOnly(t *testing.T) {
	files, err := FS("incident")
	if err != nil {
		t.Fatal(err)
	}
	starts := map[string][]string{
		"bench-random-c8.txt":        {"---------------Time to First Token", "Mean TTFT", "Median TTFT", "P90 TTFT", "P95 TTFT", "P99 TTFT"},
		"bench-random-c32.txt":       {"benchmark_args=Namespace(", "---------------Time to First Token", "Mean TTFT", "Median TTFT", "P90 TTFT", "P95 TTFT", "P99 TTFT"},
		"server-default.log":         {"[2026-10-17 14:23:00] Prefill batch, #new-seq: 14,", "[2026-10-17 14:23:00] Prefill batch, #new-seq: 15,"},
		"server-default.command.txt": {"sglang serve "},
	}
	for name, want := range starts {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
		if len(lines) != len(want) {
			t.Errorf("%s: %d lines, want %d", name, len(lines), len(want))
			continue
		}
		for i, start := range want {
			if !strings.HasPrefix(lines[i], start) {
				t.Errorf("%s:%d: %.40q does not start with %q", name, i+1, lines[i], start)
			}
		}
	}
}
