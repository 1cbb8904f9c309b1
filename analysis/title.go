package analysis

import (
	"fmt"

	"coldcase/analysis/carryover"
)

// title is the notebook's headline: the strongest thing that the count says.
func title(nb *Notebook) string {
	judged, kit := judgedRuns(nb)
	if len(judged) == 0 {
		return windowTitle(nb)
	}
	runs := "runs"
	if len(kit) > 0 { // the verdict is that of the sweep, and so is the headline
		runs = "fresh runs of the sweep"
	}
	if r := warmest(judged); r != nil {
		s := fmt.Sprintf("%s of the %s prompts at %s were cached before the run began", capital(r.AtStart.String()), total(r), capLabel(r))
		if p := r.Predicted; p != nil && p.High != nil && *p.High == p.Low && (r.AtStart.High == nil || *r.AtStart.High != r.AtStart.Low) {
			s += fmt.Sprintf("; the arguments predict %d", p.Low)
		}
		return s
	}
	unknown := withVerdict(judged, carryover.VerdictUnknown)
	switch {
	case len(unknown) == len(judged) && len(judged) == 1:
		return "Whether prompts were cached before " + one(runs, "this run") + " began is not known"
	case len(unknown) == len(judged):
		return fmt.Sprintf("Whether prompts were cached before these %d %s began is not known", len(judged), runs)
	case len(unknown) > 0:
		are, others := "are", "others"
		if len(judged)-len(unknown) == 1 {
			are = "is"
		}
		if len(unknown) == 1 {
			others = "other"
		}
		return fmt.Sprintf("%d of %d %s %s clean; of the %s it is not known", len(judged)-len(unknown), len(judged), runs, are, others)
	case len(judged) == 1:
		return "No prompt was cached before " + one(runs, "the run") + " began"
	}
	return fmt.Sprintf("No prompt was cached before any of the %d %s began", len(judged), runs)
}

// one names a single run: as it is, or as the sweep's.
func one(runs, single string) string {
	if runs == "runs" {
		return single
	}
	return "the one fresh run of the sweep"
}

// warmest is the contaminated run with the most prompts cached at start.
func warmest(runs []*carryover.Run) *carryover.Run {
	var best *carryover.Run
	for _, r := range withVerdict(runs, carryover.Contaminated) {
		if best == nil || r.AtStart.Low > best.AtStart.Low {
			best = r
		}
	}
	return best
}

func windowTitle(nb *Notebook) string {
	for _, r := range nb.Count.Runs {
		if r.Kind == "window" {
			return "The logs hold requests, but no run of a benchmark client was found"
		}
	}
	return "No run of a benchmark client was found"
}

func capital(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
