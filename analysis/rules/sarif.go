package rules

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"

	"coldcase/ingest/capture"
)

// The parts of SARIF 2.1.0 that a finding needs. Levels are only meant for
// results of kind "fail"; a rule without its evidence is kind "open".

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	Name             string    `json:"name"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	Help             sarifText `json:"help"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID     string          `json:"ruleId"`
	RuleIndex  int             `json:"ruleIndex"`
	Kind       string          `json:"kind"`
	Level      string          `json:"level"`
	Message    sarifText       `json:"message"`
	Locations  []sarifLocation `json:"locations"`
	Properties sarifProperties `json:"properties"`
}

type sarifProperties struct {
	State string   `json:"state"`
	Scope string   `json:"scope"`
	Runs  []string `json:"runs"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine int        `json:"startLine"`
	Snippet   *sarifText `json:"snippet,omitempty"`
}

// SARIF writes the findings as SARIF 2.1.0, one result a finding, with a
// location for each line of evidence. version is coldcase's own, "" unknown.
func SARIF(w io.Writer, d *Document, version string) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "coldcase", Version: version, Rules: sarifRules()}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	index := map[string]int{}
	for i, r := range all {
		index[r.id] = i
	}
	for _, f := range d.Findings {
		run.Results = append(run.Results, sarifOf(f, index[f.Rule]))
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}})
}

func sarifRules() []sarifRule {
	known := texts()
	out := make([]sarifRule, 0, len(all))
	for _, r := range all {
		x := known[r.id]
		out = append(out, sarifRule{ID: r.id, Name: r.name, ShortDescription: sarifText{x.What}, FullDescription: sarifText{x.Why}, Help: sarifText{"Evidence needed: " + x.Needs + "."}})
	}
	return out
}

func sarifOf(f Finding, index int) sarifResult {
	message := f.Text
	if f.Advice != "" {
		message += ". " + f.Advice
	}
	r := sarifResult{RuleID: f.Rule, RuleIndex: index, Message: sarifText{message}, Locations: []sarifLocation{},
		Properties: sarifProperties{State: f.State, Scope: f.Scope, Runs: f.Runs}}
	switch f.State {
	case Block:
		r.Kind, r.Level = "fail", "error"
	case Warn:
		r.Kind, r.Level = "fail", "warning"
	case Info:
		r.Kind, r.Level = "fail", "note"
	case Unknown:
		r.Kind, r.Level = "open", "none"
	case Pass:
		r.Kind, r.Level = "pass", "none"
	default:
		r.Kind, r.Level = "notApplicable", "none"
	}
	for _, e := range f.Evidence {
		if e.File != "" {
			r.Locations = append(r.Locations, sarifLocationOf(e))
		}
	}
	return r
}

// sarifLocationOf makes the path a relative URI: a colon in its first segment
// would otherwise read as a scheme.
func sarifLocationOf(e capture.Evidence) sarifLocation {
	u := url.URL{Path: e.File}
	p := sarifPhysical{Artifact: sarifArtifact{URI: u.String()}}
	if e.Line > 0 {
		p.Region = &sarifRegion{StartLine: e.Line}
		if e.Text != "" {
			p.Region.Snippet = &sarifText{e.Text}
		}
	}
	return sarifLocation{p}
}

// String prints a summary in one line.
func (s Summary) String() string {
	return fmt.Sprintf("%d block, %d warn, %d info, %d unknown, %d pass, %d not applicable", s.Block, s.Warn, s.Info, s.Unknown, s.Pass, s.NotApplicable)
}
