package analysis

import (
	"fmt"
	"slices"
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/analysis/confirm"
	"coldcase/analysis/latency"
	"coldcase/analysis/rules"
)

// States of the notebook's verdict.
const (
	DoNotPublish   = "do-not-publish"
	Publishable    = "publishable"
	VerdictUnknown = "unknown"
)

// mustKnow are the checks whose answer may not be missing in a publishable
// result: repeated seeds, hits at start, proved flushes, failures, hollow
// successes and other traffic.
var mustKnow = []string{"L01", "L02", "L06", "L20", "L21", "L34"}

// leastRuns is the number of runs with fresh prompts that a point needs.
const leastRuns = 3

// judge decides the verdict. A result is publishable only if nothing speaks
// against it and everything that must be known is; missing evidence is its own
// state. With a kit and its sweep the verdict is that of the fresh arm.
func judge(nb *Notebook, table *rules.Table) Verdict {
	judged, kit := judgedRuns(nb)
	v := Verdict{Not: notChecked(nb)}
	blocks := blocking(nb, judged)
	warm := withVerdict(judged, carryover.Contaminated)
	unknown := withVerdict(judged, carryover.VerdictUnknown)
	missing := unanswered(nb, table, judged)
	thin := thinPoints(judged)
	switch {
	case len(judged) == 0:
		v.State, v.Text = VerdictUnknown, "no run of a benchmark client was found: there is nothing to publish or to hold back"
	case len(warm) > 0:
		v.State, v.Text = DoNotPublish, warmText(warm)
	case len(blocks) > 0:
		v.State, v.Text = DoNotPublish, forbids(blocks[0])
	case len(unknown) > 0:
		v.State, v.Text = VerdictUnknown, fmt.Sprintf("whether prompts were cached before %s began is not known: %s", runList(unknown), firstWhy(unknown[0]))
	case len(missing) > 0:
		v.State, v.Text = VerdictUnknown, "every run is clean, but these checks have no evidence: "+strings.Join(missing, ", ")
	case len(thin) > 0:
		v.State, v.Text = VerdictUnknown, "every run is clean, but a point needs "+fmt.Sprint(leastRuns)+" runs with fresh prompts for its range: "+strings.Join(thin, ", ")
	default:
		v.State, v.Text = Publishable, fmt.Sprintf("every one of the %d runs began without its prompts in the cache", len(judged))
		v.Scope = "as a comparison of these caps on this server with prompts that are new to the cache; a server in use will have hits of its own"
	}
	if len(kit) > 0 {
		v.Text += "; this is the verdict of the sweep's fresh arm, and the kit's own numbers are not to be published"
	}
	if v.State != Publishable {
		v.Scope = "the numbers as they stand in this capture"
	}
	return v
}

// forbids says which check forbids the result, and in which run if it is one.
func forbids(f rules.Finding) string {
	text := f.Text
	if len(f.Runs) == 1 {
		text = f.Runs[0] + ": " + text
	}
	return "check " + f.Rule + " forbids it: " + text
}

// judgedRuns are the runs that the verdict is about. Runs of a repeat arm are
// warm on purpose; with a sweep the kit's runs are what the sweep replaces.
func judgedRuns(nb *Notebook) (judged, kit []*carryover.Run) {
	var fresh []*carryover.Run
	for _, r := range runsOf(nb.Count) {
		switch arm(r) {
		case "repeat":
		case "":
			kit = append(kit, r)
		default:
			fresh = append(fresh, r)
		}
	}
	if len(fresh) > 0 {
		return fresh, kit
	}
	return kit, nil
}

// blocking lists the findings that forbid the result of the judged runs.
func blocking(nb *Notebook, judged []*carryover.Run) []rules.Finding {
	var out []rules.Finding
	for _, f := range nb.Check.Findings {
		if f.State != rules.Block || (f.Scope != "capture" && f.Scope != "comparison") {
			continue
		}
		if len(f.Runs) == 0 || anyOf(f.Runs, judged) {
			out = append(out, f)
		}
	}
	return out
}

func anyOf(ids []string, runs []*carryover.Run) bool {
	for _, r := range runs {
		if slices.Contains(ids, r.ID) {
			return true
		}
	}
	return false
}

func withVerdict(runs []*carryover.Run, verdict string) []*carryover.Run {
	var out []*carryover.Run
	for _, r := range runs {
		if r.Verdict == verdict {
			out = append(out, r)
		}
	}
	return out
}

// unanswered lists the checks of mustKnow that lack their evidence, or that a
// rules file has switched off: what was not asked is not known.
func unanswered(nb *Notebook, table *rules.Table, judged []*carryover.Run) []string {
	var out []string
	for _, id := range mustKnow {
		if table.Off(id) {
			out = append(out, id+" (switched off)")
		}
	}
	for _, f := range nb.Check.Findings {
		about := len(f.Runs) == 0 || anyOf(f.Runs, judged)
		if about && f.State == rules.Unknown && slices.Contains(mustKnow, f.Rule) && !slices.Contains(out, f.Rule+" "+f.Name) {
			out = append(out, f.Rule+" "+f.Name)
		}
	}
	return out
}

// thinPoints lists the caps of each workload with too few runs of prompts of
// their own.
func thinPoints(runs []*carryover.Run) []string {
	type point struct {
		key   string
		label string
		seeds map[int64]bool
		n     int
	}
	var points []*point
	for _, r := range runs {
		key, label := latency.WorkloadKey(r)+capLabel(r), capLabel(r)
		var p *point
		for _, x := range points {
			if x.key == key {
				p = x
			}
		}
		if p == nil {
			p = &point{key: key, label: label, seeds: map[int64]bool{}}
			points = append(points, p)
		}
		p.n++
		if r.Seed != nil {
			p.seeds[*r.Seed] = true
		}
	}
	var out []string
	for _, p := range points {
		if p.n < leastRuns || len(p.seeds) < leastRuns {
			out = append(out, fmt.Sprintf("%s has %d", p.label, min(p.n, max(len(p.seeds), 1))))
		}
	}
	return out
}

func capLabel(r *carryover.Run) string {
	switch c := r.MaxConcurrency.(type) {
	case int:
		return fmt.Sprintf("cap %d", c)
	case string:
		return "no cap"
	}
	return "an unknown cap"
}

func warmText(warm []*carryover.Run) string {
	parts := []string{}
	for _, r := range warm {
		parts = append(parts, fmt.Sprintf("%s of %s at %s", r.AtStart, total(r), capLabel(r)))
		if len(parts) == 3 && len(warm) > 3 {
			parts = append(parts, fmt.Sprintf("and more in %d other runs", len(warm)-3))
			break
		}
	}
	return "prompts were in the cache before the runs began: " + strings.Join(parts, ", ")
}

func total(r *carryover.Run) string {
	switch {
	case r.Prompts != nil:
		return fmt.Sprint(*r.Prompts)
	case r.Completed != nil:
		return fmt.Sprint(*r.Completed)
	}
	return "an unknown number"
}

func runList(runs []*carryover.Run) string {
	if len(runs) == 1 {
		return "the run at " + capLabel(runs[0])
	}
	return fmt.Sprintf("%d runs", len(runs))
}

func firstWhy(r *carryover.Run) string {
	if len(r.Why) == 0 {
		return "no witness decides it"
	}
	return r.Why[len(r.Why)-1]
}

// notChecked says in words what no evidence here speaks about.
func notChecked(nb *Notebook) []string {
	words := map[string]string{
		"L50": "the GPU's clock, power and throttling: no samples lie in the capture",
		"L55": "whether the answers were right",
	}
	out := []string{}
	for _, f := range nb.Check.Findings {
		w := words[f.Rule]
		if f.Rule == "L54" {
			w = unnamed(nb)
		}
		if w != "" && f.State != rules.Pass && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	if nb.Confirmation != nil && nb.Confirmation.Outcome == confirm.Incomplete {
		out = append(out, "cells of the sweep that did not finish")
	}
	return out
}

// unnamed says what of the identity of the things that ran no file names. A
// name that is read is a name: nothing here checks it against the machine.
func unnamed(nb *Notebook) string {
	var missing []string
	for _, f := range nb.Check.Findings {
		_, list, ok := strings.Cut(f.Text, "not stated: ")
		if f.Rule != "L54" || !ok {
			continue
		}
		for _, name := range strings.Split(list, ", ") {
			if !slices.Contains(missing, name) {
				missing = append(missing, name)
			}
		}
	}
	const names = "the identity of what ran: names that the files give are read, not verified"
	if len(missing) == 0 {
		return names
	}
	return names + "; not named by every run: " + strings.Join(missing, ", ")
}
