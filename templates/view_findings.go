package templates

import (
	"strings"

	"coldcase/analysis/causes"
	"coldcase/analysis/confirm"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
)

// ruling is what one rule found in one state: what it says of each run, and what
// to do, said once.
type ruling struct {
	Rule, Name, State string
	Scope             string // what it forbids: capture, comparison, number or claim
	Text, Advice      string

	said     []remark
	ids      []string
	evidence []capture.Evidence
}

// Findings returns the findings in the given states, one for each rule and
// state, at most the bound.
func (v *view) Findings(states ...string) []*ruling {
	all := v.findings(states)
	return all[:min(len(all), v.Bounds.Findings)]
}

// MoreFindings reports whether Findings left some out.
func (v *view) MoreFindings(states ...string) bool {
	return len(v.findings(states)) > v.Bounds.Findings
}

func (v *view) findings(states []string) []*ruling {
	var out []*ruling
	if v.Check == nil {
		return nil
	}
	for _, s := range states {
		at := map[string]*ruling{}
		for _, f := range v.Check.Findings {
			if f.State != s {
				continue
			}
			one := at[f.Rule]
			if one == nil {
				one = &ruling{Rule: f.Rule, Name: f.Name, State: f.State, Scope: f.Scope, Advice: v.Sentence(f.Advice)}
				at[f.Rule] = one
				out = append(out, one)
			}
			one.add(f)
		}
	}
	for _, f := range out {
		f.Text = v.remarks(f.said)
	}
	return out
}

// Sign is the state with its sign. A rule that forbids one printed figure or a
// headline says so: it leaves the result as a whole alone.
func (f *ruling) Sign() string {
	switch {
	case f.State != rules.Block:
	case f.Scope == "number":
		return sign(f.State) + ", one figure"
	case f.Scope == "claim":
		return sign(f.State) + ", a headline"
	}
	return sign(f.State)
}

func (f *ruling) add(one rules.Finding) {
	f.ids = append(f.ids, one.Runs...)
	f.evidence = append(f.evidence, one.Evidence...)
	f.said = addRemark(f.said, one.Text, one.Runs)
}

// ByState returns the causes with the supported ones first, then those that
// cannot be tested.
func (v *view) ByState() []*causes.Cause {
	var out []*causes.Cause
	for _, s := range []string{causes.Supported, causes.NotTestable, causes.Against} {
		for _, c := range v.Causes {
			if c.State == s {
				out = append(out, c)
			}
		}
	}
	return out
}

// LeadingText words the leading cause, "" if none leads.
func (v *view) LeadingText() string {
	if v.LeadingCause == nil {
		return ""
	}
	return words(*v.LeadingCause) + ": " + explanation(*v.LeadingCause)
}

// Untested names the causes that the capture cannot test.
func (v *view) Untested() string {
	var out []string
	for _, c := range v.Causes {
		if c.State == causes.NotTestable {
			out = append(out, words(c.Name))
		}
	}
	return strings.Join(out, ", ")
}

// InversionFact is what moves against the load, "" if nothing does.
func (v *view) InversionFact() string {
	if v.Inversion == nil {
		return ""
	}
	return inversionFact(v.Notebook)
}

// RangesOfSeeds are the ranges over runs with fresh prompts, of the median
// alone where it is known.
func (v *view) RangesOfSeeds() []confirm.Range {
	var all, medians []confirm.Range
	if v.Confirmation == nil {
		return nil
	}
	for _, r := range v.Confirmation.Ranges {
		if r.Arm != "fresh" && r.Arm != "stated" {
			continue
		}
		all = append(all, r)
		if r.Stat == "median_ttft_ms" {
			medians = append(medians, r)
		}
	}
	if len(medians) > 0 {
		return medians
	}
	return all
}

// Answers are a cause's states by run, the runs of one answer together; none
// where Seen says all of it.
func (v *view) Answers(c *causes.Cause) []string {
	type answer struct{ state, why string }
	var order []answer
	runs := map[answer][]string{}
	for _, r := range c.Runs {
		a := answer{r.State, r.Why}
		if runs[a] == nil {
			order = append(order, a)
		}
		runs[a] = append(runs[a], r.Run)
	}
	var out []string
	for _, a := range order {
		if len(c.Seen) == 0 && a.state == c.State || a.why == "" {
			continue
		}
		out = append(out, v.someRuns(runs[a])+": "+words(a.state)+". "+v.Sentence(a.why))
	}
	return out
}
