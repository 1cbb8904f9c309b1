// Package rules holds the checks L01 to L62: one table, one function a rule.
// A rule that lacks its evidence answers unknown, never pass.
package rules

import "coldcase/ingest/capture"

// States of a finding.
const (
	Block         = "block"
	Warn          = "warn"
	Info          = "info"
	Unknown       = "unknown"
	Pass          = "pass"
	NotApplicable = "not_applicable"
)

// Document is coldcase.check/1.
type Document struct {
	Schema   string    `json:"schema"`
	Findings []Finding `json:"findings"`
	Summary  Summary   `json:"summary"`
}

// Finding is one answer of a rule.
type Finding struct {
	Rule     string             `json:"rule"`
	Name     string             `json:"name"`
	State    string             `json:"state"`
	Scope    string             `json:"scope"` // capture, comparison, number, claim
	Runs     []string           `json:"runs"`
	Text     string             `json:"text"`
	Evidence []capture.Evidence `json:"evidence"`
	Advice   string             `json:"advice"`
}

// Summary counts rules by state.
type Summary struct {
	Block         int `json:"block"`
	Warn          int `json:"warn"`
	Info          int `json:"info"`
	Unknown       int `json:"unknown"`
	Pass          int `json:"pass"`
	NotApplicable int `json:"not_applicable"`
}
