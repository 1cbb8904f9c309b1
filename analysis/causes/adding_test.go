package causes

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"coldcase/analysis/latency/latencytest"
)

// begin cause
var coldStorage = definition{
	name:      "cold-storage",
	predicts:  []string{"an end-to-end time far above first token and decode together"},
	refutes:   []string{"an end-to-end time that its parts add up to"},
	settledBy: "the same run with the model's files in memory",
	judge: func(v *view) judgement {
		j := judgement{}
		j.runs = v.each(func(r *run) (string, string) {
			ttft, okTTFT := r.Printed("mean_ttft_ms")
			tpot, okTPOT := r.Printed("mean_tpot_ms")
			e2e, okE2E := r.Printed("mean_e2e_latency_ms")
			tokens, okTokens := r.OutputTokens()
			if !okTTFT || !okTPOT || !okE2E || !okTokens {
				return NotTestable, "first token, decode or end-to-end time missing"
			}
			if parts := ttft + tpot*(tokens-1); e2e > 1.5*parts {
				return Supported, fmt.Sprintf("%.0f ms end to end, %.0f ms by its parts", e2e, parts)
			}
			return Against, "the end-to-end time is the sum of its parts"
		})
		for _, r := range v.supportedRuns(j.runs) {
			j.evidence = append(j.evidence, v.figureEvidence(r, "mean_e2e_latency_ms")...)
		}
		return j
	},
}

// end cause

// Example_cause judges the worked example of docs/adding.md on one run.
func Example_cause() {
	w := latencytest.New()
	_, r := w.AddRun("a.jsonl", 8, 64, 1)
	latencytest.Print(r, "mean_ttft_ms", 100.0, "mean_tpot_ms", 10.0, "mean_e2e_latency_ms", 3000.0)
	c := judge(coldStorage, newView(Input{Capture: w.Capture, Count: w.Count}))
	fmt.Println(c.Name, c.State+":", c.Runs[0].Why)
	// Output: cold-storage supported: 3000 ms end to end, 1370 ms by its parts
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
	_, rest, _ := strings.Cut(string(source), "// begin cause\n")
	code, _, found := strings.Cut(rest, "\n// end cause\n")
	if !found || !strings.Contains(string(doc), strings.TrimSpace(code)) {
		t.Error("docs/adding.md does not hold the cause of this file word for word")
	}
}
