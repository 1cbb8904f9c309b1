package lab_test

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestTutorial runs every block of docs/tutorial.md, in order, in one shell, as
// a reader does. It has to make the mistake, find it, and confirm it.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("takes two minutes")
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "tutorial.md"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := filepath.Join(dir, "bin")
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "coldcase"), "coldcase/cmd/coldcase").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	script := "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
	for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllSubmatch(text, -1) {
		script += string(block[1])
	}
	for _, port := range []string{"30411", "30412"} {
		if !strings.Contains(script, port) {
			t.Fatalf("the tutorial does not use port %s", port)
		}
		script = strings.ReplaceAll(script, port, freePort(t))
	}
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("bash", "-euc", script)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	began := time.Now()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("the tutorial took %s", time.Since(began).Round(time.Second))
	for _, want := range []string{"\n64\n", "8 done, 0 refused", "refused, as it should be", "0 done, 1 refused"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the tutorial does not print %q:\n%s", want, out)
		}
	}
	if low, high := median(t, work, "c8"), median(t, work, "c32"); high >= low {
		t.Errorf("no inversion: %.1f ms at cap 8, %.1f ms at cap 32", low, high)
	}
	report := exec.Command(filepath.Join(bin, "coldcase"), "report", "kit", "sweep", "--format", "json", "-o", "-")
	report.Dir = work
	b, err := report.Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Confirmation struct {
			Outcome string   `json:"outcome"`
			Text    []string `json:"text"`
		} `json:"confirmation"`
	}
	if err := json.Unmarshal(b, &doc); err != nil || doc.Confirmation.Outcome != "confirmed" {
		t.Errorf("outcome %q, %v: %q", doc.Confirmation.Outcome, err, doc.Confirmation.Text)
	}
}

func median(t *testing.T, work, run string) float64 {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(work, "kit", run+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Median float64 `json:"median_ttft_ms"`
	}
	if err := json.Unmarshal(b, &r); err != nil || r.Median <= 0 {
		t.Fatalf("%s: median %v, %v", run, r.Median, err)
	}
	return r.Median
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
}
