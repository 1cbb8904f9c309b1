//go:build realservers

package realtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// cellDoc is what the tests read of cell.json.
type cellDoc struct {
	ID     string `json:"id"`
	Client string `json:"client"`
	State  string `json:"state"`
	Why    string `json:"why"`
	Arm    string `json:"arm"`
	Flush  struct {
		Answered string `json:"answered"`
		Proved   bool   `json:"proved"`
		Canary   struct {
			Before *int `json:"before"`
			After  *int `json:"after"`
		} `json:"canary"`
	} `json:"flush"`
}

func cells(t *testing.T, sweep string) []cellDoc {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(sweep, "cells", "*", "cell.json"))
	if err != nil {
		t.Fatal(err)
	}
	var list []cellDoc
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var c cellDoc
		if err := json.Unmarshal(b, &c); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	return list
}

// plan plans from the kit, with all its caps.
func (s *server) plan(kit, client, seeds string) string {
	s.t.Helper()
	file := filepath.Join(filepath.Dir(kit), "plan-"+client+".json")
	args := []string{"sweep", "plan", "--from", kit, "--client", client, "--seeds", seeds, "--repeat-arm", "-o", file}
	coldcase(s.t, 0, args...)
	return file
}

// run is a sweep as a person types it.
func (s *server) run(plan, client, out string, more ...string) *exec.Cmd {
	args := append([]string{"sweep", "run", "--plan", plan, "--server", s.url, "--out", out, "--yes", "--server-log", s.log}, more...)
	if client != "builtin" {
		args = append(args, "--client-program", s.client())
	}
	cmd := exec.Command(binary, args...)
	cmd.Env = append(os.Environ(), s.env...)
	return cmd
}

// interruptIn starts a sweep, interrupts it twice some moments after its
// n-th cell began, and returns when it has ended.
func interruptIn(t *testing.T, cmd *exec.Cmd, n int) {
	t.Helper()
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	sc := bufio.NewScanner(io.TeeReader(pipe, &said))
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), fmt.Sprintf("cell %d of ", n)) && strings.Contains(sc.Text(), "started") {
			time.Sleep(2 * time.Second)
			cmd.Process.Signal(os.Interrupt)
			time.Sleep(200 * time.Millisecond)
			cmd.Process.Signal(os.Interrupt)
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("an interrupted sweep: %v, want exit 1\n%s", err, said.String())
	}
}

// checkSweep: kit and sweep together. Every fresh cell is done, proved and
// clean, every repeat cell is warm again.
func checkSweep(t *testing.T, kit, sweep string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	coldcase(t, 0, "report", "--format", "json", "-o", file, kit, sweep)
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Count        count `json:"count"`
		Confirmation struct {
			Outcome   string   `json:"outcome"`
			Inversion string   `json:"inversion"`
			Text      []string `json:"text"`
		} `json:"confirmation"`
		Check struct {
			Findings []struct {
				Rule  string   `json:"rule"`
				State string   `json:"state"`
				Runs  []string `json:"runs"`
				Text  string   `json:"text"`
			} `json:"findings"`
		} `json:"check"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	t.Logf("outcome %s, inversion %s: %s", doc.Confirmation.Outcome, doc.Confirmation.Inversion, strings.Join(doc.Confirmation.Text, "; "))
	// Whether the order of the medians returns is a matter of times, and those
	// of a tiny model on a shared machine say little; that it was cold does not.
	if doc.Confirmation.Outcome == "" || !slices.Contains(doc.Confirmation.Text, "every fresh cell started with no prompt in the cache") {
		t.Errorf("outcome %q: %q", doc.Confirmation.Outcome, doc.Confirmation.Text)
	}
	list := cells(t, sweep)
	if len(list) == 0 {
		t.Fatal("no cells")
	}
	for _, c := range list {
		if c.State != "done" {
			t.Errorf("%s: %s: %s", c.ID, c.State, c.Why)
			continue
		}
		if f := c.Flush; c.Arm == "fresh" && (!f.Proved || f.Canary.Before == nil || *f.Canary.Before < 128 || f.Canary.After == nil || *f.Canary.After != 0) {
			t.Errorf("%s: flush %+v", c.ID, f)
		}
		found := false
		for _, r := range doc.Count.Runs {
			if r.Kind != "run" || !strings.Contains(r.ID, "/"+c.ID+"/") {
				continue
			}
			found = true
			t.Logf("%s: %s of %d cached at start: %s, flush %s", c.ID, r.AtStart, *r.Prompts, r.Verdict, r.Flush)
			fresh := c.Arm == "fresh"
			if fresh && (!r.AtStart.holds(0) || *r.AtStart.High != 0 || r.Verdict != "clean" || r.Flush != "proved") {
				t.Errorf("%s: %s, %s, flush %s; want 0, clean, proved", c.ID, r.AtStart, r.Verdict, r.Flush)
			}
			// The record of vLLM's client names no prompts: counters give bounds.
			exact := c.Client != "builtin" || r.AtStart.Low == *r.Prompts
			if !fresh && (!r.AtStart.holds(*r.Prompts) || !exact || r.Verdict != "contaminated") {
				t.Errorf("%s: %s, %s; want all of %d, contaminated", c.ID, r.AtStart, r.Verdict, *r.Prompts)
			}
		}
		if !found {
			t.Errorf("%s: no run in the count", c.ID)
		}
	}
	for _, f := range doc.Check.Findings {
		if f.Rule == "L06" && (f.State == "unknown" || f.State == "block") && strings.Contains(strings.Join(f.Runs, " "), "-fresh") {
			t.Errorf("L06 is %s: %s", f.State, f.Text)
		}
	}
}

// interrupted runs a sweep that is interrupted in its second cell and resumed.
func (s *server) interrupted(kit, client, seeds string) string {
	s.t.Helper()
	plan, out := s.plan(kit, client, seeds), filepath.Join(filepath.Dir(kit), "sweep-"+client)
	interruptIn(s.t, s.run(plan, client, out), 2)
	before := cells(s.t, out)
	if len(before) != 2 || before[0].State != "done" || before[1].State != "aborted" {
		s.t.Fatalf("interrupted in cell 2: %+v", before)
	}
	first, _ := os.ReadFile(filepath.Join(out, "cells", before[0].ID, "cell.json"))
	s.finish(plan, client, out)
	again, _ := os.ReadFile(filepath.Join(out, "cells", before[0].ID, "cell.json"))
	if !bytes.Equal(first, again) {
		s.t.Errorf("%s was run again", before[0].ID)
	}
	return out
}

// finish runs a sweep to its end.
func (s *server) finish(plan, client, out string, more ...string) {
	s.t.Helper()
	began := time.Now()
	text, err := s.run(plan, client, out, more...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("sweep: %v\n%s", err, text)
	}
	s.t.Logf("sweep with client %s ended after %s", client, time.Since(began).Round(time.Second))
}

// refusedFlush: another client comes in behind the idle gate and stays. Real
// engines refuse to flush then.
func (s *server) refusedFlush(kit string) {
	s.t.Helper()
	out := filepath.Join(filepath.Dir(kit), "sweep-busy")
	path := map[string]string{"sglang": "/generate", "vllm": "/v1/completions"}[s.engine]
	cmd := s.run(s.plan(kit, "builtin", "31"), "builtin", out, "--flush-wait", "5s", "--idle-wait", "20s", "--max-minutes", "0.01")
	var said bytes.Buffer
	cmd.Stderr = &said
	seen := s.after(path)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	<-seen
	release := s.busy()
	err := cmd.Wait()
	release()
	list := cells(s.t, out)
	for _, c := range list {
		s.t.Logf("with another client: %s is %s: %s", c.ID, c.State, c.Why)
	}
	if err == nil || len(list) != 1 || list[0].State != "refused" || !strings.Contains(list[0].Why, "refused to flush") {
		s.t.Errorf("with another client: %v\n%s", err, said.String())
	}
	// The same client before the idle gate: nothing is sent at all.
	release = s.busy()
	defer release()
	time.Sleep(time.Second)
	text, err := s.run(filepath.Join(filepath.Dir(kit), "plan-builtin.json"), "builtin", out, "--idle-wait", "3s").CombinedOutput()
	if err == nil || !strings.Contains(string(text), "not idle") {
		s.t.Errorf("a busy server: %v\n%s", err, text)
	}
}

// restarted: the server ends in the middle of a sweep and comes back.
func (s *server) restarted(kit string) {
	s.t.Helper()
	plan, out := s.plan(kit, "builtin", "41"), filepath.Join(filepath.Dir(kit), "sweep-restarted")
	cmd := s.run(plan, "builtin", out, "--idle-wait", "5s")
	pipe, err := cmd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	sc := bufio.NewScanner(pipe)
	for sc.Scan() {
		if strings.HasPrefix(sc.Text(), "cell 2 of ") && strings.Contains(sc.Text(), "started") {
			time.Sleep(time.Second)
			syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL)
		}
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 1 {
		s.t.Errorf("a sweep whose server died: %v, want exit 1", err)
	}
	if list := cells(s.t, out); len(list) < 2 || list[0].State != "done" || list[1].State == "done" {
		s.t.Errorf("the server died in cell 2: %+v", list)
	} else {
		s.t.Logf("the server died: %s is %s: %s", list[1].ID, list[1].State, list[1].Why)
	}
	s.stop()
	s.start()
	// A repeat cell whose twin was measured in the life before is refused.
	text, err := s.run(plan, "builtin", out).CombinedOutput()
	for _, c := range cells(s.t, out) {
		s.t.Logf("after the restart: %s is %s %s", c.ID, c.State, c.Why)
		if c.Arm == "fresh" && (c.State != "done" || !c.Flush.Proved) {
			s.t.Errorf("%s: %s: %s (%v)\n%s", c.ID, c.State, c.Why, err, text)
		}
	}
}
