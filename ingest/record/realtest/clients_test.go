//go:build realservers

package realtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"coldcase/samples/lab"
)

// TestClientsAgree compares the engines' own clients with the built-in one on
// the lab, whose times come from rates, with prompts of the same lengths, as the
// lab itself counts them. TestSGLangPage1 and TestVLLM do it on real servers.
func TestClientsAgree(t *testing.T) {
	for _, engine := range []string{"sglang", "vllm"} {
		t.Run(engine, func(t *testing.T) {
			s := startLab(t, engine)
			s.clientsAgree(s.tokenizer())
			s.checkLengths()
		})
	}
}

// clientsAgree runs an engine's own client and the built-in one in turn, each
// as it is, the same cap and the same lengths, a seed a round: what the machine
// does beside them then meets both. Every cell has to be done and proved, and
// the medians of the first-token times must not lie further apart than the
// repeats of a client do.
func (s *server) clientsAgree(tokenizer string) {
	s.t.Helper()
	var own, builtin []float64
	for seed := 1; seed <= clientSeeds; seed++ {
		own = append(own, s.median(s.engine, seed, tokenizer))
		builtin = append(builtin, s.median("builtin", seed, tokenizer))
	}
	s.t.Logf("median TTFT in ms, a seed each: %s client %.1f, built-in %.1f", s.engine, own, builtin)
	slices.Sort(own)
	slices.Sort(builtin)
	last := clientSeeds - 1
	spread := max(own[last]-own[0], builtin[last]-builtin[0])
	apart := own[clientSeeds/2] - builtin[clientSeeds/2]
	s.t.Logf("the medians of those: %.1f and %.1f, %.1f apart; spread of repeats %.1f and %.1f",
		own[clientSeeds/2], builtin[clientSeeds/2], apart, own[last]-own[0], builtin[last]-builtin[0])
	if max(apart, -apart) > spread {
		s.t.Errorf("the clients differ by more than their repeats")
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
// number in a cell, clientSeeds the cells of a client, an odd number.
const (
	clientInput   = 512
	clientPrompts = 48
	clientSeeds   = 5
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

var medianTTFT = regexp.MustCompile(`"median_ttft_ms": *([0-9.]+)`)

// median runs one fresh cell with a client and returns its own median of the
// first-token time.
func (s *server) median(client string, seed int, tokenizer string) float64 {
	s.t.Helper()
	dir := keep(s.t)
	name := fmt.Sprintf("%s-%d", client, seed)
	plan := filepath.Join(dir, "plan-agree-"+name+".json")
	coldcase(s.t, 0, "sweep", "plan", "--client", client, "--caps", "4", "--prompts", fmt.Sprint(clientPrompts), "--seeds", fmt.Sprint(seed), "--input-len", fmt.Sprint(clientInput), "--output-len", "8", "-o", plan)
	// A kit's plan would name the tokenizer. SGLang's data set random repeats
	// texts of ShareGPT, none of whose words the lab's tokenizer knows.
	edit(s.t, plan, func(w map[string]any) {
		w["tokenizer"] = tokenizer
		if client == "sglang" {
			w["dataset"] = "random-ids"
		}
	})
	out := filepath.Join(dir, "agree-"+name)
	s.finish(plan, client, out, "--idle-hold", "200ms")
	list := cells(s.t, out)
	if len(list) != 1 || list[0].State != "done" || !list[0].Flush.Proved {
		s.t.Fatalf("%s: %+v", name, list)
	}
	files, _ := filepath.Glob(filepath.Join(out, "cells", list[0].ID, "result.json*"))
	if len(files) != 1 {
		s.t.Fatalf("%s: results %v", name, files)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		s.t.Fatal(err)
	}
	// Not every client's record is JSON to the letter: SGLang's says Infinity.
	at := medianTTFT.FindSubmatch(b)
	if at == nil {
		s.t.Fatalf("%s: no median in %.300s", files[0], b)
	}
	ms, err := strconv.ParseFloat(string(at[1]), 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return ms
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
