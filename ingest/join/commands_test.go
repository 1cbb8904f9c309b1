package join

import (
	"fmt"
	"testing"

	"coldcase/ingest/capture"
)

// command is the client command of a run in a kit.
func (m measured) command(index int, output string) *capture.Command {
	return &capture.Command{
		Kind: capture.CommandClient, Client: "sglang.bench_serving", Output: output, Index: index, At: capture.Evidence{File: "kit.sh", Line: index + 1},
		Cap: capture.Cap{Known: true, N: m.cap},
		Workload: capture.Workload{
			Form: "command", Seed: ptr(m.seed), Prompts: ptr(m.prompts), InputLen: ptr(512), OutputLen: ptr(128), Dataset: "random",
			Args: map[string]any{"backend": "sglang"},
		},
	}
}

// kitOf is the commands of runs, all with one output if output is not empty.
func kitOf(output string, runs ...measured) []*capture.Command {
	var out []*capture.Command
	for i, m := range runs {
		o := output
		if o == "" {
			o = fmt.Sprintf("c%d-s%d.jsonl", m.cap, m.seed)
		}
		out = append(out, m.command(i, o))
	}
	return out
}

func TestCommandsLendSeeds(t *testing.T) {
	mixed := []measured{{64, 8, 1, 6.1, 110.7}, {128, 32, 1, 9.3, 220.9}, {64, 8, 2, 6.2, 111.3}, {128, 32, 2, 9.4, 221.1}}
	t.Run("by the name of the output", func(t *testing.T) {
		runs := joined(&capture.Capture{Commands: kitOf("", sweep...)}, sweep[1].record("c8-s2.jsonl", 1), sweep[0].record("c8-s1.jsonl", 1))
		expect(t, runs, "c8-s1.jsonl:1 = c8-s1.jsonl, seed 1", "c8-s2.jsonl:1 = c8-s2.jsonl, seed 2")
		if runs[0].CommandBy != byOutput || runs[0].Command.Index != 0 {
			t.Errorf("tied by %q to %+v", runs[0].CommandBy, runs[0].Command)
		}
	})
	t.Run("by the redirection", func(t *testing.T) {
		kit := kitOf("", sweep[:2]...)
		kit[1].Output, kit[1].Stdout = "", []string{"two.txt"}
		text := sweep[1].report("two.txt")
		text.Workload = capture.Workload{}
		expect(t, joined(&capture.Capture{Commands: kit[1:]}, text), "two.txt:15 = two.txt, seed 2")
	})
	t.Run("by the order in one file", func(t *testing.T) {
		c := &capture.Capture{Commands: kitOf("all.jsonl", mixed...)}
		var records []*capture.Result
		for i, m := range mixed {
			records = append(records, m.record("renamed.jsonl", i+1))
		}
		runs := joined(c, records...)
		expect(t, runs, "renamed.jsonl:1 = renamed.jsonl, seed 1", "renamed.jsonl:2 = renamed.jsonl, seed 1",
			"renamed.jsonl:3 = renamed.jsonl, seed 2", "renamed.jsonl:4 = renamed.jsonl, seed 2")
		if runs[0].CommandBy != byArguments {
			t.Errorf("tied by %q", runs[0].CommandBy)
		}
	})
	t.Run("a record is missing in the middle", func(t *testing.T) {
		c := &capture.Capture{Commands: kitOf("all.jsonl", mixed...)}
		// c8, c32, c32: only one c8 stands before two of c32.
		runs := joined(c, mixed[0].record("all.jsonl", 1), mixed[1].record("all.jsonl", 2), mixed[3].record("all.jsonl", 3))
		expect(t, runs, "all.jsonl:1 = all.jsonl, seed 1", "all.jsonl:2 = all.jsonl, seed 1", "all.jsonl:3 = all.jsonl, seed 2",
			"kit.sh:3 = kit.sh, seed 2")
	})
	t.Run("two seeds could fit", func(t *testing.T) {
		c := &capture.Capture{Commands: kitOf("", sweep...)}
		runs := joined(c, sweep[1].record("renamed.jsonl", 1))
		expect(t, runs, "renamed.jsonl:1 = renamed.jsonl, no seed")
		if p := runs[0].Merged.Workload.Prompts; p == nil || *p != 64 || runs[0].Command.Index != -1 {
			t.Errorf("what the commands agree on was not taken: %v of %+v", p, runs[0].Command)
		}
	})
	t.Run("one command in a loop", func(t *testing.T) {
		kit := kitOf("all.jsonl", sweep[0])
		kit[0].Cap, kit[0].Workload.Prompts, kit[0].Repeats = capture.Cap{}, nil, true
		expect(t, joined(&capture.Capture{Commands: kit}, mixed[0].record("all.jsonl", 1), mixed[1].record("all.jsonl", 2)),
			"all.jsonl:1 = all.jsonl, seed 1", "all.jsonl:2 = all.jsonl, seed 1")
	})
	t.Run("one command, no loop, two records", func(t *testing.T) {
		// It made one of them, and which is not shown.
		kit := kitOf("all.jsonl", sweep[0])
		kit[0].Cap, kit[0].Workload.Prompts = capture.Cap{}, nil
		expect(t, joined(&capture.Capture{Commands: kit}, mixed[0].record("all.jsonl", 1), mixed[1].record("all.jsonl", 2)),
			"all.jsonl:1 = all.jsonl, no seed", "all.jsonl:2 = all.jsonl, no seed")
	})
	t.Run("arguments differ", func(t *testing.T) {
		expect(t, joined(&capture.Capture{Commands: kitOf("all.jsonl", mixed[1])}, mixed[0].record("all.jsonl", 1)),
			"all.jsonl:1 = all.jsonl, no seed")
	})
	t.Run("the Rust client keeps its seed", func(t *testing.T) {
		kit := kitOf("rust.jsonl", sweep[0])
		kit[0].Client = "sglang.rust"
		record := sweep[0].record("rust.jsonl", 1)
		record.Client = "sglang.rust"
		runs := joined(&capture.Capture{Commands: kit}, record)
		expect(t, runs, "rust.jsonl:1 = rust.jsonl, no seed")
		if runs[0].Command == nil || *runs[0].Merged.Workload.Prompts != 64 {
			t.Error("its command was not found")
		}
	})
}

func TestCommandsWithoutAResult(t *testing.T) {
	runs := []measured{{16, 1, 7, 12.1, 65.7}, {64, 8, 7, 6.1, 110.7}, {128, 32, 7, 9.3, 220.9}}
	kit := kitOf("", runs...)
	got := joined(&capture.Capture{Commands: kit}, runs[1].record("c8-s7.jsonl", 1))
	// The script passed over its first command; whether it reached its last is
	// not known.
	expect(t, got, "c8-s7.jsonl:1 = c8-s7.jsonl, seed 7", "kit.sh:1 = kit.sh, seed 7")
	if m := got[1].Merged; m.Completed != nil || *m.Workload.Prompts != 16 || len(got[1].Results) != 0 {
		t.Errorf("a command without a result: %+v", m)
	}
}

func TestPresumedArguments(t *testing.T) {
	c8, c32 := measured{64, 8, 7, 12.1, 677.61}, measured{128, 32, 7, 9.3, 390.38}
	silent := c8.report("bench-random-c8.txt")
	silent.Workload = capture.Workload{}
	runs := joined(&capture.Capture{}, silent, c32.report("bench-random-c32.txt"))
	r := runs[1]
	w := r.Merged.Workload
	if !w.Presumed || len(r.PresumedFrom) != 1 || r.PresumedFrom[0] != "bench-random-c32.txt" || *w.Seed != 7 || *w.InputLen != 512 {
		t.Errorf("presumed %v from %v: %+v", w.Presumed, r.PresumedFrom, w)
	}
	if w.Prompts != nil {
		t.Errorf("the number of prompts was presumed: %d", *w.Prompts)
	}
	if runs[0].Merged.Workload.Presumed {
		t.Error("a run with arguments of its own presumes others")
	}

	// The names vary the seed, or the twins do not agree.
	s1, s2, s3 := sweep[0].report("c8-seed1.txt"), sweep[1].report("c8-seed2.txt"), sweep[2].report("c8-seed3.txt")
	s3.Workload = capture.Workload{}
	for _, r := range joined(&capture.Capture{}, s1, s2, s3) {
		if r.ID == "c8-seed3.txt:15" && (r.Merged.Workload.Seed != nil || *r.Merged.Workload.InputLen != 512) {
			t.Errorf("a seed that the names vary was presumed: %+v", r.Merged.Workload)
		}
	}
	other := c8.report("gsp-repeat.txt")
	other.Workload = capture.Workload{}
	for _, r := range joined(&capture.Capture{}, other, c32.report("gsp-flushed.txt")) {
		if r.Merged.Workload.Presumed {
			t.Errorf("%s presumes arguments of another pattern", r.ID)
		}
	}
}

func TestStatedFacts(t *testing.T) {
	text := sweep[0].report("x.txt")
	c := &capture.Capture{Notes: capture.Notes{Runs: map[string]map[string]any{
		"x.txt": {"seed": int64(99), "warmups": int64(2), "request_rate": "inf", "max_concurrency": int64(99)},
	}}}
	m := joined(c, text)[0].Merged
	if *m.Workload.Seed != 1 || m.MaxConcurrency.N != 8 || *m.Workload.Warmups != 2 || !m.RequestRate.Inf {
		t.Errorf("stated facts won over the file, or were left out: %+v", m)
	}
}
