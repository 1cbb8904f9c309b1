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
}

func (r report) name() string { return r.sample + "/" + r.mode }

func (r report) url() string { return "file://" + r.path }

var modes = []string{"review", "publish", "case"}

// command builds coldcase once for all tests.
var command = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "coldcase-browsertest-")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "coldcase")
	build := exec.Command("go", "build", "-o", bin, "./cmd/coldcase")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build coldcase: %w\n%s", err, out)
	}
	return bin, nil
})

// coldcase runs the command and returns its standard output.
func coldcase(t *testing.T, args ...string) []byte {
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

// reports writes the page of every sample in every mode below dir.
func reports(t *testing.T, dir string) []report {
	t.Helper()
	var out []report
	for _, sample := range sampleNames(t) {
		for _, mode := range modes {
			r := report{sample: sample, mode: mode, path: filepath.Join(dir, sample+"-"+mode+".html")}
			coldcase(t, "report", "--sample", sample, "--mode", mode, "-o", r.path)
			out = append(out, r)
		}
	}
	return out
}
