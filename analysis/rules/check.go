package rules

import (
	"slices"

	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Input is what the rules look at.
type Input struct {
	Capture   *capture.Capture
	Count     *carryover.Document
	Latency   []*latency.Run
	Inversion *latency.Inversion
	Causes    []*causes.Cause
}

// run is one run with all its sides.
type run struct{ *latency.Joined }

// context is the input with its runs joined. Runs of a sweep's repeat arm are
// warm on purpose: no rule looks at them.
type context struct {
	Input
	runs []*run
	// fired holds the rules before this one that fired, with their runs, for
	// the few rules that build on others.
	fired map[string][]string
}

// answer is what a rule says about some runs.
type answer struct {
	state    string
	runs     []string
	text     string
	evidence []capture.Evidence
	advice   string
}

// rule is one row of the table of rules.
type rule struct {
	id, name string
	check    func(c *context, s *setting) []answer
}

// Check applies every rule of the table. Findings stand in the order of rule,
// then run; those that passed or do not apply are among them (Trim takes them
// out).
func Check(in Input, t *Table) *Document {
	c := newContext(in)
	doc := &Document{Schema: "coldcase.check/1", Findings: []Finding{}}
	for _, r := range all {
		s := t.settings[r.id]
		answers := r.check(c, &s)
		if s.severity == "off" {
			answers = []answer{{state: NotApplicable, text: "switched off by the rules file"}}
		}
		if len(answers) == 0 {
			answers = []answer{{state: NotApplicable, text: "nothing in the capture that the rule could look at"}}
		}
		worst := NotApplicable
		for _, a := range merge(answers) {
			doc.Findings = append(doc.Findings, finding(r, &s, a))
			if fires(a.state) {
				c.fired[r.id] = append(c.fired[r.id], a.runs...)
			}
			if rank(a.state) < rank(worst) {
				worst = a.state
			}
		}
		doc.Summary.add(worst)
	}
	return doc
}

func newContext(in Input) *context {
	c := &context{Input: in, fired: map[string][]string{}}
	if c.Capture == nil {
		c.Capture = &capture.Capture{}
	}
	for _, j := range latency.Join(in.Count, in.Latency) {
		if !j.RepeatArm() {
			c.runs = append(c.runs, &run{j})
		}
	}
	return c
}

func fires(state string) bool { return state == Block || state == Warn || state == Info }

// order ranks the states, worst first. Missing evidence weighs more than a
// remark: it is never a pass.
var order = []string{Block, Warn, Unknown, Info, Pass, NotApplicable}

func rank(state string) int { return slices.Index(order, state) }

// merge joins answers that say the same of several runs.
func merge(answers []answer) []answer {
	var out []answer
	for _, a := range answers {
		i := slices.IndexFunc(out, func(o answer) bool {
			return o.state == a.state && o.text == a.text && o.advice == a.advice
		})
		if i < 0 {
			out = append(out, a)
			continue
		}
		out[i].runs = append(out[i].runs, a.runs...)
		out[i].evidence = append(out[i].evidence, a.evidence...)
	}
	return out
}

func finding(r rule, s *setting, a answer) Finding {
	f := Finding{Rule: r.id, Name: r.name, State: a.state, Scope: s.scope, Runs: a.runs, Text: a.text, Evidence: a.evidence, Advice: a.advice}
	if f.Runs == nil {
		f.Runs = []string{}
	}
	if f.Evidence == nil {
		f.Evidence = []capture.Evidence{}
	}
	return f
}

func (s *Summary) add(state string) {
	switch state {
	case Block:
		s.Block++
	case Warn:
		s.Warn++
	case Info:
		s.Info++
	case Unknown:
		s.Unknown++
	case Pass:
		s.Pass++
	default:
		s.NotApplicable++
	}
}

// Trim returns the document without findings that passed or do not apply; the
// summary still counts them.
func (d *Document) Trim() *Document {
	out := &Document{Schema: d.Schema, Findings: []Finding{}, Summary: d.Summary}
	for _, f := range d.Findings {
		if f.State != Pass && f.State != NotApplicable {
			out.Findings = append(out.Findings, f)
		}
	}
	return out
}

// Blocks reports whether a finding forbids the result or a comparison: exit
// code 1. Findings about one number or a headline do not.
func (d *Document) Blocks() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool {
		return f.State == Block && (f.Scope == "capture" || f.Scope == "comparison")
	})
}

// Unknowns reports whether a rule lacked its evidence: exit code 1 with
// --fail-on unknown.
func (d *Document) Unknowns() bool {
	return slices.ContainsFunc(d.Findings, func(f Finding) bool { return f.State == Unknown })
}

// perRun asks a question of every run.
func (c *context) perRun(f func(r *run) answer) []answer {
	var out []answer
	for _, r := range c.runs {
		a := f(r)
		a.runs = []string{r.Count.ID}
		out = append(out, a)
	}
	return out
}

func pass(text string) answer    { return answer{state: Pass, text: text} }
func unknown(text string) answer { return answer{state: Unknown, text: text} }
func none(text string) answer    { return answer{state: NotApplicable, text: text} }

// hasResult reports whether a run has figures of its own: a Namespace line
// without a result has none.
func (r *run) hasResult() bool {
	return r.Client.Merged.Completed != nil || len(r.Client.Merged.Printed) > 0 || r.Client.Merged.Requests != nil
}

// quoteFigures quotes the lines of printed figures, else the result from whose
// requests they were computed.
func (c *context) quoteFigures(r *run, names ...string) []capture.Evidence {
	if out := c.quotePrinted(r, names...); len(out) > 0 {
		return out
	}
	return c.quoteResult(r)
}

// quotePrinted quotes the lines of printed figures alone.
func (c *context) quotePrinted(r *run, names ...string) []capture.Evidence {
	var out []capture.Evidence
	for _, n := range names {
		if e := latency.FigureEvidence(c.Capture, r.Client, n); e != nil {
			out = append(out, *e)
		}
	}
	return out
}

// quoteResult quotes the first line of the run's first result.
func (c *context) quoteResult(r *run) []capture.Evidence {
	for _, res := range r.Client.Results {
		return []capture.Evidence{c.Capture.Quote(res.Span.File, res.Span.Line)}
	}
	return nil
}

// quoteMeasured quotes the witnesses that counted the run's warm prompts, else
// the arguments that say which prompts are alike.
func (c *context) quoteMeasured(r *run) []capture.Evidence {
	if out := r.MeasuredEvidence(); len(out) > 0 {
		return out
	}
	return c.quoteArguments(r)
}

// quoteArguments quotes the line of the run's arguments, else its result.
func (c *context) quoteArguments(r *run) []capture.Evidence {
	if from := r.Client.Merged.Workload.From; from.File != "" {
		return []capture.Evidence{from}
	}
	return c.quoteResult(r)
}
