// Package confirm plans the sweep that settles a suspicion and reads its
// result: what was expected before the first cell, and what came.
package confirm

import "coldcase/ingest/capture"

// Confirmation is the notebook's confirmation section.
type Confirmation struct {
	Plan        any      `json:"plan"` // coldcase.plan/1 or null
	Stated      []Stated `json:"stated,omitempty"`
	Expectation string   `json:"expectation"`
	RefutedIf   string   `json:"refuted_if"`
	Outcome     string   `json:"outcome"` // confirmed, refuted, not-comparable, incomplete
	Ranges      []Range  `json:"ranges"`
	// Inversion says whether the inversion came back: "yes", "no", "unknown".
	Inversion string             `json:"inversion"`
	Repeat    []Range            `json:"repeat"`
	Text      []string           `json:"text"`
	Evidence  []capture.Evidence `json:"evidence"`
}

// Range is a statistic over the runs of one cap: never a confidence interval.
type Range struct {
	Cap      int       `json:"cap"`
	Arm      string    `json:"arm"` // kit, fresh, repeat, stated
	Stat     string    `json:"stat"`
	N        int       `json:"n"` // runs
	Requests int       `json:"requests"`
	Low      float64   `json:"low"`
	Median   float64   `json:"median"`
	High     float64   `json:"high"`
	Values   []float64 `json:"values"`
	Runs     []string  `json:"runs"`
	Cached   []int64   `json:"cached"` // cached at start, low ends, by run
}

// Stated is one row of a [[points]] table.
type Stated struct {
	Label      string           `json:"label"`
	Step       string           `json:"step"`
	Engine     string           `json:"engine"`
	Model      string           `json:"model"`
	Hardware   string           `json:"hardware"`
	Cap        *int             `json:"cap"`
	Requests   *int             `json:"requests"`
	Seeds      []int64          `json:"seeds"`
	MedianTTFT *float64         `json:"median_ttft_ms"`
	Low        *float64         `json:"low_ms"`
	High       *float64         `json:"high_ms"`
	Evidence   capture.Evidence `json:"evidence"`
}
