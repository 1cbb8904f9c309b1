package browsertest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// report is one page under test.
type report struct {
	sample, mode string
	path         string
	interactive  bool // ECharts is built in, and the mode has charts
}

func (r report) name() string { return r.sample + "/" + r.mode }

func (r report) url() string { return "file://" + r.path }

var modes = []string{"review", "publish", "case"}

// command builds coldcase once for all tests.
var command = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "coldcase")
	build := exec.Command("go", "build", "-o", bin, "./cmd/coldcase")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build coldcase: %w\n%s", err, out)
	}
	return bin, nil
})

// coldcase runs the command and returns its standard output.
func coldcase(t testing.TB, args ...string) []byte {
	t.Helper()
	bin, err := command()
	if err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(bin, args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("coldcase %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return stdout.Bytes()
}

// sampleNames asks the command for its samples.
func sampleNames(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, line := range strings.Split(strings.TrimSpace(string(coldcase(t, "samples", "list"))), "\n") {
		names = append(names, strings.Fields(line)[0])
	}
	return names
}

// reports gives the page of every sample in every mode, written once.
func reports(t *testing.T) []report {
	t.Helper()
	once.Do(func() {
		dir := folder(t, "pages")
		for _, sample := range sampleNames(t) {
			for _, mode := range modes {
				r := report{sample: sample, mode: mode, path: filepath.Join(dir, sample+"-"+mode+".html")}
				coldcase(t, "report", "--sample", sample, "--mode", mode, "-o", r.path)
				page, err := os.ReadFile(r.path)
				if err != nil {
					t.Fatal(err)
				}
				r.interactive = bytes.Contains(page, []byte(`id="coldcase-charts"`))
				pages = append(pages, r)
			}
		}
	})
	if len(pages) == 0 {
		t.Fatal("the reports could not be written: see the first test")
	}
	return pages
}

var (
	once  sync.Once
	pages []report
)

// folder makes a folder for all tests, which TestMain removes.
func folder(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(scratch, name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// scratch is a folder for the time of all tests.
var scratch string

// TestMain makes what all tests share: a folder, and at the end it closes the
// browser that the first of them started.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "coldcase-browsertest-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	scratch = dir
	code := m.Run()
	closeBrowser()
	os.RemoveAll(dir)
	os.Exit(code)
}
