package rules

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"coldcase/analysis/latency/latencytest"
)

// begin rule
// slowDecode fires where the median time per output token is above a limit.
func slowDecode(c *context, s *setting) []answer {
	return c.perRun(func(r *run) answer {
		tpot, ok := r.Printed("median_tpot_ms")
		if !ok {
			return unknown("no time per output token")
		}
		if tpot > s.limit("limit_ms") {
			return answer{
				state:    s.severity,
				text:     fmt.Sprintf("median time per output token %.1f ms", tpot),
				evidence: c.quoteFigures(r, "median_tpot_ms"),
				advice:   "look at the decode batches of the log",
			}
		}
		return pass("the time per output token is below the limit")
	})
}

// end rule

// Example_rule applies the worked example of docs/adding.md to one run.
func Example_rule() {
	w := latencytest.New()
	_, r := w.AddRun("a.jsonl", 8, 64, 1)
	latencytest.Print(r, "median_tpot_ms", 41.5)
	row := rule{"L63", "slow-decode", slowDecode}
	worth := &setting{severity: Warn, scope: "number", limits: map[string]float64{"limit_ms": 40}}
	c := newContext(Input{Capture: w.Capture, Count: w.Count})
	for _, a := range row.check(c, worth) {
		fmt.Println(row.id, a.state, a.text, a.evidence[0].Text)
	}
	// Output: L63 warn median time per output token 41.5 ms line 1 of a.jsonl
}

// TestDocs holds the worked example of docs/adding.md against the code above.
func TestDocs(t *testing.T) {
	source, err := os.ReadFile("adding_test.go")
	if err != nil {
		t.Fatal(err)
	}
	doc, err := os.ReadFile("../../docs/adding.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(source), "// begin rule\n")
	code, _, found := strings.Cut(rest, "\n// end rule\n")
	if !found || !strings.Contains(string(doc), strings.TrimSpace(code)) {
		t.Error("docs/adding.md does not hold the rule of this file word for word")
	}
}
