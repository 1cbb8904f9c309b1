//go:build realservers

package realtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The kit: two caps, one seed, no flush. The second run sends the prompts of
// the first again.
const (
	kitSeed  = 7
	lowCap   = 2
	highCap  = 4
	lowN     = 12
	highN    = 32
	inputLen = 128
	outLen   = 8
)

// client is the program of the engine's own client.
func (s *server) client() string {
	if s.engine == "sglang" {
		return filepath.Join(prefix(), "sglang", "venv", "bin", "python")
	}
	return filepath.Join(prefix(), "vllm", "venv", "bin", "vllm")
}

// recordKit measures as many kits do, with the engine's own client.
func (s *server) recordKit() string {
	s.t.Helper()
	dir := filepath.Join(keep(s.t), "kit")
	for _, run := range []struct{ cap, n int }{{lowCap, lowN}, {highCap, highN}} {
		base := filepath.Join(dir, fmt.Sprintf("c%d", run.cap))
		s.metrics(base + ".metrics-before.prom")
		args := []string{"-m", "sglang.bench_serving", "--backend", "sglang", "--dataset-path", filepath.Join(prefix(), "tiny", "invented-sharegpt.json"),
			"--random-range-ratio", "1.0", "--output-file", base + ".jsonl", "--output-details", "--cache-report"}
		if s.engine == "vllm" {
			args = []string{"bench", "serve", "--backend", "vllm", "--save-result", "--save-detailed", "--result-filename", base + ".json"}
		}
		args = append(args, "--host", "127.0.0.1", "--port", s.port, "--model", "tiny-llama", "--tokenizer", model(), "--dataset-name", "random",
			"--random-input-len", fmt.Sprint(inputLen), "--random-output-len", fmt.Sprint(outLen),
			"--num-prompts", fmt.Sprint(run.n), "--max-concurrency", fmt.Sprint(run.cap), "--seed", fmt.Sprint(kitSeed))
		cmd := exec.Command(s.client(), args...)
		cmd.Env = append(os.Environ(), s.env...)
		text, err := cmd.CombinedOutput()
		writeFile(s.t, base+".txt", text)
		if err != nil {
			s.t.Fatalf("%v: %v\n%s", cmd.Args, err, text)
		}
		s.metrics(base + ".metrics-after.prom")
	}
	log, err := os.ReadFile(s.log)
	if err != nil {
		s.t.Fatal(err)
	}
	writeFile(s.t, filepath.Join(dir, "server.log"), log)
	return dir
}

// keep is where a test leaves its captures: REALTEST_KEEP, so that they can be
// looked at, else a folder that goes with the test.
func keep(t *testing.T) string {
	top := os.Getenv("REALTEST_KEEP")
	if top == "" {
		return t.TempDir()
	}
	dir := filepath.Join(top, t.Name())
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// count is what the tests read of a count document.
type count struct {
	Runs []struct {
		ID      string   `json:"id"`
		Kind    string   `json:"kind"`
		Prompts *int64   `json:"prompts"`
		Flush   string   `json:"flush"`
		AtStart interval `json:"at_start"`
		Verdict string   `json:"verdict"`
	} `json:"runs"`
}

type interval struct {
	Low   int64  `json:"low"`
	High  *int64 `json:"high"`
	Grade string `json:"grade"`
}

func (i interval) String() string {
	if i.High == nil {
		return fmt.Sprintf("%d or more (%s)", i.Low, i.Grade)
	}
	return fmt.Sprintf("%d to %d (%s)", i.Low, *i.High, i.Grade)
}

func (i interval) holds(n int64) bool { return i.Low <= n && i.High != nil && n <= *i.High }

// checkKit: the count of the kit holds the truth, and calls the second run
// what it is.
func checkKit(t *testing.T, kit string) {
	t.Helper()
	var doc count
	if err := json.Unmarshal(coldcase(t, 0, "count", "--format", "json", kit), &doc); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, r := range doc.Runs {
		if r.Kind != "run" {
			continue
		}
		t.Logf("kit %s: %s of %d cached at start: %s", r.ID, r.AtStart, *r.Prompts, r.Verdict)
		truth, verdict := int64(0), "clean"
		if *r.Prompts == highN {
			truth, verdict = lowN, "contaminated"
		}
		if !r.AtStart.holds(truth) || r.Verdict != verdict {
			t.Errorf("kit %s: %s, %s; the truth is %d, %s", r.ID, r.AtStart, r.Verdict, truth, verdict)
		}
		seen++
	}
	if seen != 2 {
		t.Errorf("kit: %d runs, want 2", seen)
	}
}

var binary string

// coldcase runs the command and checks its exit code.
func coldcase(t *testing.T, code int, args ...string) []byte {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.Command(binary, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != code {
		t.Fatalf("coldcase %v: %v, want exit %d\n%s", args, err, code, errs.String())
	}
	return out.Bytes()
}

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "realtest")
	if err == nil {
		binary = filepath.Join(dir, "coldcase")
		build := exec.Command("go", "build", "-o", binary, "coldcase/cmd/coldcase")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "realtest:", err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
