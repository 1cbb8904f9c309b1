package causes

import (
	"slices"

	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// Input is what the causes look at.
type Input struct {
	Capture   *capture.Capture
	Count     *carryover.Document
	Latency   []*latency.Run
	Inversion *latency.Inversion
}

// definition is a cause before it looks: its name, what it predicts, what would
// refute it, the run that would settle it, and how it judges.
type definition struct {
	name      string
	predicts  []string
	refutes   []string
	settledBy string
	judge     func(v *view) judgement
}

// judgement is what a cause found.
type judgement struct {
	runs     []RunState
	seen     []string
	explains *Explains
	evidence []capture.Evidence
}

// table lists the causes in the order in which they print.
func table() []definition {
	return []definition{
		scheduler, warmCache, warmUpPrompt, inRunSharing, openingWave, firstRun, thinnedMean,
		clockOrPower, poolPressure, otherTraffic, differentWorkload, outputLength, clientLimit, noise,
	}
}

// Names returns the names of the causes in the order in which they print.
func Names() []string {
	var out []string
	for _, d := range table() {
		out = append(out, d.name)
	}
	return out
}

// Analyze judges every cause. leading is the cause of what needs explaining,
// nil if nothing does or if no supported cause accounts for it.
func Analyze(in Input) (list []*Cause, leading *string) {
	v := newView(in)
	for _, d := range table() {
		list = append(list, judge(d, v))
	}
	return list, lead(v, list)
}

func judge(d definition, v *view) *Cause {
	j := d.judge(v)
	c := &Cause{Name: d.name, Runs: j.runs, Predicts: d.predicts, Refutes: d.refutes, Seen: j.seen,
		Explains: j.explains, Evidence: j.evidence, SettledBy: d.settledBy}
	c.State = overall(j.runs)
	if c.Runs == nil {
		c.Runs = []RunState{}
	}
	if c.Seen == nil {
		c.Seen = []string{}
	}
	if c.Evidence == nil {
		c.Evidence = []capture.Evidence{}
	}
	return c
}

// overall is supported if the cause is in any run. It is against only if every
// run speaks against it: one that could not be tested leaves it open.
func overall(runs []RunState) string {
	state := NotTestable
	open := len(runs) == 0
	for _, r := range runs {
		switch r.State {
		case Supported:
			return Supported
		case NotTestable:
			open = true
		}
	}
	if !open {
		state = Against
	}
	return state
}

// alternatives are the causes that may lead where a statistic moves against the
// load and no prompt was warm, nearest first.
var alternatives = []string{
	"first-run", "different-workload", "output-length", "pool-pressure", "clock-or-power",
	"other-traffic", "in-run-sharing", "opening-wave", "thinned-mean", "client-limit", "scheduler", "noise",
}

// muchShared is the share of a run's prompts that have to share a prefix before
// sharing alone is worth naming.
const muchShared = 0.05

func sharesMuch(r *run) bool {
	return r.Prompts() > 0 && float64(r.Count.Origins.InRun.Low) >= muchShared*float64(r.Prompts())
}

// lead names the leading cause. Prompts that were served from the cache need
// explaining whether or not a statistic inverts; other causes lead only where
// they are supported in a run of the inversion.
func lead(v *view, list []*Cause) *string {
	byName := map[string]*Cause{}
	for _, c := range list {
		byName[c.Name] = c
	}
	if c := byName["warm-cache"]; c.State == Supported {
		return &c.Name
	}
	if c := byName["other-traffic"]; c.State == Supported && slices.ContainsFunc(v.runs, func(r *run) bool { return r.Count.Verdict == "contaminated" }) {
		return &c.Name
	}
	if c := byName["in-run-sharing"]; c.State == Supported && slices.ContainsFunc(v.runs, sharesMuch) {
		return &c.Name
	}
	if v.in.Inversion == nil {
		return nil
	}
	for _, name := range alternatives {
		c := byName[name]
		for _, r := range c.Runs {
			if r.State == Supported && slices.Contains(v.in.Inversion.Runs, r.Run) && (name != "in-run-sharing" || sharesMuch(v.byID(r.Run))) {
				return &c.Name
			}
		}
	}
	return nil
}
