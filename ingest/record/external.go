package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"coldcase/ingest/plan"
	"coldcase/ingest/pyjson"
)

// external runs a client as a program of its own, inside the folder of the
// cell, its output kept as client.txt.
func (s *session) external(ctx context.Context, cell *plan.Cell, doc *cellDoc, c command) (*clientResult, error) {
	doc.Command = c.line
	doc.Result = c.result
	dir := s.store.cellDir(cell.ID)
	cmd := exec.CommandContext(ctx, "sh", "-c", c.line)
	if c.args != nil {
		cmd = exec.CommandContext(ctx, absolute(c.args[0]), c.args[1:]...)
	}
	cmd.Dir = dir
	cmd.Env = s.environment()
	// The client has children of its own; all of them end with it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	text, err := os.Create(filepath.Join(dir, textFile))
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = text, text
	runErr := cmd.Run()
	if err := errors.Join(text.Sync(), text.Close()); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if runErr != nil {
		return nil, fmt.Errorf("the client ended with %v: see %s", runErr, textFile)
	}
	r, err := readResult(filepath.Join(dir, c.result))
	if err != nil {
		return nil, err
	}
	r.warmups = c.warmups
	if s.plan.Client == clientVLLM && c.warmups != nil {
		said, err := os.ReadFile(filepath.Join(dir, textFile))
		if err != nil {
			return nil, err
		}
		n := *c.warmups + readyChecks(said)
		r.warmups = &n
	}
	return r, syncFile(filepath.Join(dir, c.result))
}

// readyChecks is the number of requests by which vLLM's client tried whether
// the server answers: prompt 1, once, until August 2025 always and since then
// unless it says that it skips it.
func readyChecks(said []byte) int {
	if bytes.Contains(said, []byte("initial single prompt test run")) && !bytes.Contains(said, []byte("Skipping endpoint ready check")) {
		return 1
	}
	return 0
}

// environment hands the key to the client in the variable that both engines'
// clients read; nothing else is added.
func (s *session) environment() []string {
	env := os.Environ()
	if s.t.key != "" {
		env = append(env, "OPENAI_API_KEY="+s.t.key)
	}
	return env
}

// readResult takes from a result file what the sweep itself needs. Other
// clients' files may hold none of it.
func readResult(path string) (*clientResult, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the client left no result: %w", err)
	}
	defer f.Close()
	var doc struct {
		Completed *int     `json:"completed"`
		Input     []int    `json:"input_lens"`
		Cached    []*int   `json:"cached_tokens"`
		Errors    []string `json:"errors"`
	}
	r := &clientResult{file: filepath.Base(path)}
	if json.NewDecoder(pyjson.NewReader(f)).Decode(&doc) != nil {
		return r, nil
	}
	r.completed, r.input = doc.Completed, doc.Input
	for _, c := range doc.Cached {
		n := -1
		if c != nil {
			n = *c
		}
		r.cached = append(r.cached, n)
	}
	for i, e := range doc.Errors {
		if e != "" {
			r.firstError = fmt.Sprintf("prompt %d: %s", i, shorten([]byte(e)))
			break
		}
	}
	return r, nil
}

// syncFile makes what another program wrote durable before the cell is called
// done.
func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}
