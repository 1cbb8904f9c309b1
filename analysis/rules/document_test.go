package rules

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"coldcase/analysis/latency/latencytest"
	"coldcase/ingest/capture"
)

func real(t *testing.T, name string) *world {
	t.Helper()
	w, err := latencytest.Real(name, false)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestIncidentAndControl: the incident and its replay block for the reasons
// that the published analysis and its arithmetic give; the clean sweep does not.
func TestIncidentAndControl(t *testing.T) {
	want := []string{"L01", "L02", "L13", "L40", "L41", "L47"}
	for name, w := range map[string]*world{"incident": latencytest.Incident(), "32B kit": real(t, "s22")} {
		d := check(w).Trim()
		if !d.Blocks() {
			t.Errorf("%s does not block", name)
		}
		var ids []string
		for _, f := range d.Findings {
			if fires(f.State) {
				ids = append(ids, f.Rule)
			}
		}
		if !slices.IsSorted(ids) {
			t.Errorf("%s: findings are not in the order of rules: %v", name, ids)
		}
		for _, id := range want {
			if !slices.Contains(ids, id) {
				t.Errorf("%s: %s does not fire: %v", name, id, ids)
			}
		}
	}
	if state, _ := stateOf(check(latencytest.Incident()), "L62"); state != Block {
		t.Errorf("incident: L62 is %s, want block", state)
	}
	for _, name := range []string{"s23", "s02"} {
		if d := check(real(t, name)); d.Blocks() {
			t.Errorf("%s, a clean sweep, blocks: %+v", name, d.Trim().Findings)
		}
	}
}

// TestCleanSweepFindings lists what fires on the clean control: each is true of
// it, and a change of this list is a change of what the tool says.
func TestCleanSweepFindings(t *testing.T) {
	var got []string
	for _, f := range check(real(t, "s23")).Findings {
		if fires(f.State) && !slices.Contains(got, f.Rule) {
			got = append(got, f.Rule)
		}
	}
	// L15: 64 prompts at cap 8, 128 at cap 32. L35, L36: P99 of 64 and 128
	// requests. L37: three seeds. L42 to L44: fixed lengths in lockstep.
	want := []string{"L15", "L35", "L36", "L37", "L42", "L43", "L44", "L55"}
	got = slices.DeleteFunc(got, func(id string) bool { return id == "L18" }) // one file holds the six records
	if !slices.Equal(got, want) {
		t.Errorf("on the clean sweep %v fire, want %v", got, want)
	}
}

func TestAdviceKnowsTheKit(t *testing.T) {
	advice := func(edit func(w *world)) string {
		w := real(t, "s22")
		edit(w)
		for _, f := range check(w).Findings {
			if f.Rule == "L01" && f.State == Block {
				return f.Advice
			}
		}
		t.Fatal("L01 does not fire")
		return ""
	}
	if a := advice(func(*world) {}); !strings.Contains(a, "--flush-cache") {
		t.Errorf("a kit that never flushed is not told how: %q", a)
	}
	asked := advice(func(w *world) {
		for _, r := range w.Capture.Runs {
			r.Merged.Workload.FlushAsked = ptr(true)
		}
	})
	if strings.Contains(asked, "--flush-cache") {
		t.Errorf("a kit that passed --flush-cache is told to pass it: %q", asked)
	}
}

func TestRepeatArmIsNoFault(t *testing.T) {
	w := real(t, "s22")
	for _, r := range w.Capture.Runs {
		r.Cell = &capture.Cell{Arm: "repeat"}
	}
	if d := check(w); d.Blocks() {
		t.Errorf("runs that are warm on purpose block: %+v", d.Trim().Findings)
	}
}

func TestSummaryCountsRules(t *testing.T) {
	s := check(real(t, "s22")).Summary
	if n := s.Block + s.Warn + s.Info + s.Unknown + s.Pass + s.NotApplicable; n != 62 {
		t.Errorf("%s: %d rules, want 62", s, n)
	}
	empty := Check(Input{}, DefaultTable())
	if empty.Summary.NotApplicable != 62 {
		t.Errorf("an empty capture: %s, want nothing applicable", empty.Summary)
	}
}

func TestTables(t *testing.T) {
	def := DefaultTable()
	for _, r := range all {
		s, ok := def.settings[r.id]
		if !ok || s.severity == "" || s.scope == "" {
			t.Errorf("%s has no entry in the rules file", r.id)
		}
		if !strings.Contains(DefaultTOML(), "["+r.id+"] # "+r.name+"\n") {
			t.Errorf("%s is not named %s in the rules file", r.id, r.name)
		}
		if x := texts()[r.id]; x.What == "" || x.Why == "" || x.Needs == "" || x.Source == "" {
			t.Errorf("%s is not explained", r.id)
		}
	}
	if _, err := ParseTable("printed.toml", DefaultTOML()); err != nil {
		t.Errorf("the printed file cannot be given back: %v", err)
	}
	for _, c := range []struct{ text, err string }{
		{"[L02]\nwarn_share = 0.5\n", ""},
		{"[L02]\nwarn_share = 1\n", ""},
		{"[L99]\nseverity = \"warn\"\n", "my.toml: no rule L99"},
		{"[L02]\nwarn = 0.5\n", `my.toml: rule L02: no key "warn"`},
		{"[L02]\nseverity = \"loud\"\n", "my.toml: rule L02: severity: loud is not one of block, warn, info, unknown, off"},
		{"[L02]\nwarn_share = \"much\"\n", "my.toml: rule L02: warn_share: much is not a number"},
		{"[L02]\nwarn_share = \n", "my.toml: line 2: expected value but found '\\n' instead"},
	} {
		_, err := ParseTable("my.toml", c.text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.err {
			t.Errorf("%q: error %q, want %q", c.text, got, c.err)
		}
	}
}

func TestTableChangesTheAnswer(t *testing.T) {
	table, err := ParseTable("my.toml", "[L01]\nseverity = \"off\"\n[L02]\nhigh = \"info\"\n")
	if err != nil {
		t.Fatal(err)
	}
	d := checkWith(real(t, "s22"), table)
	if state, _ := stateOf(d, "L01"); state != NotApplicable {
		t.Errorf("L01 switched off is %s", state)
	}
	if state, _ := stateOf(d, "L02"); state != Info {
		t.Errorf("L02 is %s, want info", state)
	}
	if state, _ := stateOf(check(real(t, "s22")), "L02"); state != Block {
		t.Errorf("the default table changed with the parsed one: L02 is %s", state)
	}
}

func TestExplain(t *testing.T) {
	text, err := Explain("l02", DefaultTable())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"L02 cached-at-start", "evidence needed:", "limit block_share: 0.05", "source:"} {
		if !strings.Contains(text, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, text)
		}
	}
	if byName, err := Explain("cached-at-start", DefaultTable()); err != nil || byName != text {
		t.Errorf("by name: %v", err)
	}
	if _, err := Explain("L63", DefaultTable()); err == nil {
		t.Error("L63 is explained")
	}
}

// TestSARIF checks what the published schema asks of a result: the version, a
// rule behind each index, levels only on failures, lines from 1, and relative
// locations.
func TestSARIF(t *testing.T) {
	d := check(latencytest.Incident())
	d.Findings[0].Evidence = append(d.Findings[0].Evidence, capture.Evidence{File: "a:b c.log", Line: 3})
	var b bytes.Buffer
	if err := SARIF(&b, d, "1.0.0"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Tool.Driver.Rules) != 62 || len(run.Results) != len(d.Findings) {
		t.Fatalf("version %s, %d rules, %d results of %d findings", log.Version, len(run.Tool.Driver.Rules), len(run.Results), len(d.Findings))
	}
	located := 0
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule index %d is not %s", r.RuleIndex, r.RuleID)
		}
		if (r.Kind == "fail") == (r.Level == "none") {
			t.Errorf("%s: kind %s with level %s", r.RuleID, r.Kind, r.Level)
		}
		if r.Message.Text == "" {
			t.Errorf("%s has no message", r.RuleID)
		}
		for _, l := range r.Locations {
			located++
			if l.Physical.Region != nil && l.Physical.Region.StartLine < 1 || strings.Contains(strings.SplitN(l.Physical.Artifact.URI, "/", 2)[0], " ") {
				t.Errorf("%s: location %+v", r.RuleID, l.Physical)
			}
		}
	}
	if located == 0 {
		t.Error("no finding points at a line")
	}
	if !strings.Contains(b.String(), `"uri": "./a:b%20c.log"`) {
		t.Error("a path with a colon and a space is no relative URI")
	}
}
