// Package causes is the differential: every explanation of a result that moves
// the wrong way, each in a file of its own. A cause states what it predicts and
// what would refute it before it looks, then answers supported, against or
// not-testable for each run. "Unexplained" is a result: what no cause accounts
// for is listed by Unexplained, with its evidence.
//
// Nothing here counts cached prompts or reads latencies anew; it lays what
// carryover and latency found beside each cause. To add a cause, write one file
// with a definition and add it to the table in analyze.go.
package causes

import "coldcase/ingest/capture"

// States of a cause.
const (
	Supported   = "supported"
	Against     = "against"
	NotTestable = "not-testable"
)

// Cause is one entry of the notebook's causes.
type Cause struct {
	Name      string             `json:"name"`
	Runs      []RunState         `json:"runs"`
	State     string             `json:"state"`
	Predicts  []string           `json:"predicts"`
	Refutes   []string           `json:"refuted_by"`
	Seen      []string           `json:"seen"`
	Explains  *Explains          `json:"explains"`
	Evidence  []capture.Evidence `json:"evidence"`
	SettledBy string             `json:"settled_by"`
}

// RunState is a cause's answer for one run.
type RunState struct {
	Run   string `json:"run"`
	State string `json:"state"`
	Why   string `json:"why"`
}

// Explains is the size of the effect that a cause accounts for, seen in its own
// runs only.
type Explains struct {
	Text   string   `json:"text"`
	Runs   []string `json:"runs"`
	FromMS *float64 `json:"from_ms"`
	ToMS   *float64 `json:"to_ms"`
}

// LeftOver is one sentence of what stays unexplained, with its evidence.
type LeftOver struct {
	Text     string
	Evidence []capture.Evidence
}
