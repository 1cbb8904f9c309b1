package plan

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `{"schema":"coldcase.plan/1","client":"builtin","order_seed":1,"cells":[
 {"id":"001-c8-s1-fresh","cap":8,"prompts":64,"seed":1,"arm":"fresh"},{"id":"002-c8-s1-repeat","cap":8,"prompts":64,"seed":1,"arm":"repeat"},
 {"id":"003-c2-s3-fresh","cap":2,"prompts":16,"seed":3,"arm":"fresh"}],"kit":{"seeds":[7]}}`

func TestDecode(t *testing.T) {
	p, err := Decode([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if pts := p.Points(); len(pts) != 2 || pts[0] != (Point{2, 16}) || pts[1] != (Point{8, 64}) {
		t.Errorf("points %v", pts)
	}
	if s := p.Seeds(); len(s) != 2 || s[0] != 1 || s[1] != 3 || p.seedText() != "1, 3" {
		t.Errorf("seeds %v", s)
	}
	if !p.HasCap(8) || p.HasCap(4) {
		t.Error("caps")
	}
}

// TestDecodeRefuses: what cannot be run as it stands is no plan.
func TestDecodeRefuses(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"coldcase.plan/1", "coldcase.plan/2", `schema "coldcase.plan/2"`},
		{"001-c8-s1-fresh", "../x", "not usable as a folder name"},
		{"003-c2-s3-fresh", "001-c8-s1-fresh", "used twice"},
		{`"prompts":16`, `"prompts":0`, "at least 1"},
		{`"arm":"repeat"`, `"arm":"again"`, `arm "again"`},
		{`"seed":1,"arm":"repeat"`, `"seed":2,"arm":"repeat"`, "repeats nothing"},
		{`"seed":3`, `"seed":7`, "is one of the kit's"},
		{`{"id"`, `[{"id"`, "plan: "},
	} {
		_, err := Decode([]byte(strings.Replace(sample, tt.old, tt.new, 1)))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.new, err, tt.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"schema":"coldcase.plan/1","cells":[{"id":"../x","cap":1,"prompts":1,"arm":"fresh"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Decode(data)
		if err != nil {
			return
		}
		for _, c := range p.Cells {
			if filepath.Base(c.ID) != c.ID || strings.HasPrefix(c.ID, ".") {
				t.Errorf("cell id %q leaves its folder", c.ID)
			}
		}
	})
}

// TestBlocks: a block has each cap once, and repeats stay with what they
// repeat.
func TestBlocks(t *testing.T) {
	p := &Plan{Cells: []Cell{{ID: "a", Cap: 2, Arm: Fresh}, {ID: "b", Cap: 8, Arm: Fresh}, {ID: "c", Cap: 8, Arm: Fresh}, {ID: "d", Cap: 8, Arm: Repeat},
		{ID: "e", Cap: 2, Arm: Fresh}, {ID: "f", Cap: 2, Arm: Repeat}}}
	got := ""
	for _, b := range p.Blocks() {
		for _, c := range b {
			got += c.ID
		}
		got += " "
	}
	if got != "ab cdef " {
		t.Errorf("blocks %q", got)
	}
}

func TestSame(t *testing.T) {
	p, err := Decode([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	q := *p
	q.Server, q.Engine = "http://127.0.0.1:1", "vllm"
	if !p.Same(&q) {
		t.Error("a registered plan is not the plan that was given")
	}
	q.Expectation = "something else"
	if p.Same(&q) {
		t.Error("another expectation is the same plan")
	}
}

// TestExport: every cell is in one task, and the plan in the job is the plan.
func TestExport(t *testing.T) {
	p, err := Decode([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for scheduler, is := range map[string]struct{ tasks, start, end string }{
		"slurm": {"--array=0-0", "<<'COLDCASE_PLAN'\n", "COLDCASE_PLAN\n"},
		"k8s":   {"completions: 1\n", "plan.json: |\n", "---\n"},
	} {
		var b strings.Builder
		if err := p.Export(&b, scheduler); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), is.tasks) || !strings.Contains(b.String(), "0) cells=001-c8-s1-fresh,002-c8-s1-repeat,003-c2-s3-fresh ;;\n") {
			t.Errorf("%s:\n%s", scheduler, b.String())
		}
		_, rest, _ := strings.Cut(b.String(), is.start)
		inner, _, ok := strings.Cut(rest, is.end)
		if scheduler == "k8s" {
			inner = strings.ReplaceAll("\n"+inner, "\n    ", "\n")[1:]
		}
		if !ok || inner != string(want) {
			t.Errorf("%s: the plan in the job is\n%s", scheduler, inner)
		}
	}
	if err := p.Export(io.Discard, "pbs"); err == nil {
		t.Error("an unknown scheduler is taken")
	}
}
