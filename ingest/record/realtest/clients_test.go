//go:build realservers

package realtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"coldcase/samples/lab"
)

// TestClientsAgree runs the engines' own clients and the built-in one against
// the lab, whose times come from rates: each as it is, three seeds, the same
// cap and the same lengths, as the lab itself counts them. Every cell has to be
// done and proved, and the medians of the first-token times must not lie further
// apart than the repeats of a client do.
func TestClientsAgree(t *testing.T) {
	for _, engine := range []string{"sglang", "vllm"} {
		t.Run(engine, func(t *testing.T) {
			s := startLab(t, engine)
			own, builtin := s.medians(engine), s.medians("builtin")
			s.checkLengths()
			spread := max(slices.Max(own)-slices.Min(own), slices.Max(builtin)-slices.Min(builtin))
			apart := slices.Sorted(slices.Values(own))[1] - slices.Sorted(slices.Values(builtin))[1]
			t.Logf("median TTFT in ms: %s client %.1f, built-in %.1f; %.1f apart, spread of repeats %.1f", engine, own, builtin, apart, spread)
			if max(apart, -apart) > spread {
				t.Errorf("the clients differ by more than their repeats")
			}
		})
	}
}

// startLab starts a lab as a server that a real client can be sent to.
func startLab(t *testing.T, engine string) *server {
	t.Helper()
	s := &server{t: t, engine: engine, log: filepath.Join(t.TempDir(), "lab.log"), env: []string{"HF_HUB_OFFLINE=1", "VLLM_NO_USAGE_STATS=1"}}
	s.cmd = exec.Command(binary, "lab", "--engine", engine, "--page-size", "16", "--log", s.log, "--tokenizer", s.tokenizer())
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.cmd.Process.Signal(os.Interrupt)
		s.cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	s.url = strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
	return s
}

// tokenizer is the folder of the lab's tokenizer, truth the lab's own record.
func (s *server) tokenizer() string { return filepath.Join(filepath.Dir(s.log), "tokenizer") }
func (s *server) truth() string     { return filepath.Join(filepath.Dir(s.log), "truth.jsonl") }

// clientInput is the length of every prompt of a client, clientPrompts their
// number in a cell, clientSeeds the cells of a client.
const (
	clientInput   = 512
	clientPrompts = 48
	clientSeeds   = 3
)

// checkLengths compares what the lab was sent with what the plan asks for: a
// client that makes its prompts as text can send other lengths than it means
// to, and its times are then those of other prompts.
func (s *server) checkLengths() {
	s.t.Helper()
	f, err := os.Open(s.truth())
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	sent, other := map[string]int{}, map[int]int{}
	for d := json.NewDecoder(f); d.More(); {
		var r lab.Truth
		if err := d.Decode(&r); err != nil {
			s.t.Fatal(err)
		}
		if r.Event != "request" || r.Role != "client" && r.Role != "measured" {
			continue
		}
		sent[r.Role]++
		if r.PromptTokens != clientInput {
			other[r.PromptTokens]++
		}
	}
	if len(other) > 0 {
		s.t.Errorf("prompts that are not %d tokens long, by length: %v", clientInput, other)
	}
	for _, role := range []string{"client", "measured"} {
		if sent[role] < clientSeeds*clientPrompts {
			s.t.Errorf("the lab was sent %d prompts as %s, want at least %d", sent[role], role, clientSeeds*clientPrompts)
		}
	}
}

// medians runs three fresh cells with a client and returns its own medians of
// the first-token time.
func (s *server) medians(client string) []float64 {
	s.t.Helper()
	dir := keep(s.t)
	plan := filepath.Join(dir, "plan-"+client+".json")
	coldcase(s.t, 0, "sweep", "plan", "--client", client, "--caps", "4", "--prompts", fmt.Sprint(clientPrompts), "--seeds", "1,2,3", "--input-len", fmt.Sprint(clientInput), "--output-len", "8", "-o", plan)
	// A kit's plan would name the tokenizer. SGLang's data set random repeats
	// texts of ShareGPT, none of whose words the lab's tokenizer knows.
	edit(s.t, plan, func(w map[string]any) {
		w["tokenizer"] = s.tokenizer()
		if client == "sglang" {
			w["dataset"] = "random-ids"
		}
	})
	out := filepath.Join(dir, "sweep-"+client)
	s.finish(plan, client, out, "--idle-hold", "200ms")
	var medians []float64
	for _, c := range cells(s.t, out) {
		if c.State != "done" || !c.Flush.Proved {
			s.t.Errorf("%s: %s %s", c.ID, c.State, c.Why)
		}
		files, _ := filepath.Glob(filepath.Join(out, "cells", c.ID, "result.json*"))
		if len(files) != 1 {
			s.t.Fatalf("%s: results %v", c.ID, files)
		}
		b, err := os.ReadFile(files[0])
		if err != nil {
			s.t.Fatal(err)
		}
		var r struct {
			Median float64 `json:"median_ttft_ms"`
		}
		if err := json.Unmarshal(b, &r); err != nil {
			s.t.Fatal(err)
		}
		medians = append(medians, r.Median)
	}
	if len(medians) != clientSeeds {
		s.t.Fatalf("%d medians", len(medians))
	}
	return medians
}

// edit changes the workload of a plan.
func edit(t *testing.T, file string, change func(workload map[string]any)) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var p map[string]any
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	change(p["workload"].(map[string]any))
	if b, err = json.Marshal(p); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, b)
}
