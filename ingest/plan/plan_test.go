package plan

import (
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
