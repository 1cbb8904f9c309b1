package carryover

import (
	"fmt"
	"strings"
)

// why says in sentences what the verdict rests on, or what is missing.
func (k *runCase) why(r *Run, c combined) []string {
	var out []string
	if k.predicted != nil && len(k.predicted.from) > 0 && r.Seed != nil && !k.nothingCame(c) {
		s := fmt.Sprintf("same seed %d as %s", *r.Seed, k.predicted.from[len(k.predicted.from)-1])
		switch k.flush.state {
		case flushNone:
			s += ", same server, no flush between"
		case flushRefused:
			s += ", same server, and the flush between was refused"
		case flushProved:
			s += ", and a flush, which did not take its prompts out"
			if c.atStart.hi == 0 {
				s = fmt.Sprintf("same seed %d as %s, and a flush between", *r.Seed, k.predicted.from[len(k.predicted.from)-1])
			}
		default:
			s += ", and no flush between is proved"
		}
		out = append(out, s)
	}
	if r.Verdict == Contaminated && len(out) == 0 {
		out = append(out, fmt.Sprintf("%s of %d prompts were cached before the run started", c.atStart.span, k.prompts()))
	}
	if k.empty.ok {
		out = append(out, k.empty.by)
	}
	if r.Verdict == VerdictUnknown {
		out = append(out, k.missing(c)...)
	}
	if s := k.predictionAgainstCount(c); s != "" {
		out = append(out, s)
	}
	if len(out) == 0 {
		out = append(out, fmt.Sprintf("at most %s of %d prompts can have been cached at start", span{c.atStart.hi, c.atStart.hi}, k.prompts()))
	}
	return out
}

// missing names the evidence that would settle an unknown verdict.
func (k *runCase) missing(c combined) []string {
	switch {
	case len(c.conflicts) > 0:
		return []string{"the witnesses contradict each other"}
	case !c.atStart.known() && c.tokens.known() && c.tokens.lo > 0:
		return []string{fmt.Sprintf("%s cached tokens were counted, and nothing here tells what was there at start from what prompts of the run left to each other: cached tokens per prompt, or a run with a seed of its own after a flush, would", c.tokens.span)}
	case !c.atStart.known():
		return []string{"nothing here measures cached prompts: a server log of the run's time, metrics before and after, or the client's cached tokens per prompt would"}
	case len(k.places) > 1 || k.want.Maybe && len(k.places) > 0:
		return []string{"more than one place on the log fits this run: records with the client's duration, or metrics before and after, would tell them apart"}
	}
	return []string{fmt.Sprintf("%s prompts cached at start does not decide it: %s would", c.atStart.span, k.deciding())}
}

// deciding names the evidence that the run lacks, the plainest first.
func (k *runCase) deciding() string {
	q := k.run.Merged.Requests
	var lacks []string
	if k.run.Before == nil || k.run.After == nil {
		lacks = append(lacks, "metrics before and after each run")
	}
	if q == nil || len(q.Cached) == 0 {
		lacks = append(lacks, "cached tokens per prompt")
	}
	if len(lacks) == 0 {
		return "a flush between warm-up and prompts, or no other client,"
	}
	return strings.Join(lacks, ", or ")
}

// predictionAgainstCount puts prediction and measurement side by side where
// they differ.
func (k *runCase) predictionAgainstCount(c combined) string {
	f := k.predicted
	if f == nil || !c.atStart.known() || !c.atStart.grade.Measured() {
		return ""
	}
	if _, ok := f.prompts.and(c.atStart.span); ok {
		return ""
	}
	s := fmt.Sprintf("predicted %s, counted %s", f.prompts, c.atStart.span)
	if f.note != "" {
		s += ": " + f.note
	}
	return s
}

// nothingCame reports whether an earlier run of the same seed, which may have
// run later, left nothing: it is then no reason for anything.
func (k *runCase) nothingCame(c combined) bool {
	return c.atStart.known() && c.atStart.hi == 0 && k.predicted.prompts.lo == 0 && k.flush.state != flushProved
}
