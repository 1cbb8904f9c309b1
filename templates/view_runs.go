package templates

import (
	"strings"

	"coldcase/analysis/carryover"
	"coldcase/templates/mdx"
)

// Runs are the runs that a report speaks of: those of a client, or the windows
// of a log where there is nothing else.
func (v *view) Runs() []*row { return runsOrWindows(v.Rows) }

func runsOrWindows(rows []*row) []*row {
	var out []*row
	for _, r := range rows {
		if r.Kind != "window" {
			out = append(out, r)
		}
	}
	if len(out) == 0 {
		return rows
	}
	return out
}

// Windows are the stretches of logs that belong to no run, at most the bound,
// where there are runs beside them.
func (v *view) Windows() []*row {
	var out []*row
	if v.OnlyWindows() {
		return nil
	}
	for _, r := range v.Rows {
		if r.Kind == "window" && len(out) < v.Bounds.Runs {
			out = append(out, r)
		}
	}
	return out
}

// Firsts returns the runs that get a section of their own, those that matter
// most first when there are more than the bound.
func (v *view) Firsts() []*row {
	runs := v.Runs()
	if len(runs) <= v.Bounds.Runs {
		return runs
	}
	return byConcern(runs)[:v.Bounds.Runs]
}

// More reports whether Firsts left runs out.
func (v *view) More() bool { return len(v.Runs()) > v.Bounds.Runs }

// Worst is the run that decides: the one that matters most, nil without runs.
func (v *view) Worst() *row {
	if len(v.Rows) == 0 {
		return nil
	}
	return byConcern(v.Runs())[0]
}

// All reports whether every run has the verdict, and there is a run; windows
// are none.
func (v *view) All(verdict string) bool {
	if v.OnlyWindows() {
		return false
	}
	for _, r := range v.Runs() {
		if r.Verdict != verdict {
			return false
		}
	}
	return len(v.Rows) > 0
}

// Any reports whether some run has the verdict.
func (v *view) Any(verdict string) bool {
	for _, r := range v.Runs() {
		if r.Verdict == verdict {
			return true
		}
	}
	return false
}

// OneRun reports whether the capture holds a single run.
func (v *view) OneRun() bool {
	runs := v.Runs()
	return len(runs) == 1 && runs[0].Kind == "run"
}

// OnlyWindows reports whether there is a log and no client behind it.
func (v *view) OnlyWindows() bool {
	for _, r := range v.Rows {
		if r.Kind != "window" {
			return false
		}
	}
	return len(v.Rows) > 0
}

// NamesHits reports whether some witness names the prompts that were hits.
func (v *view) NamesHits() bool {
	for _, r := range v.Firsts() {
		if r.Hits() != "" {
			return true
		}
	}
	return false
}

// FactsBlock places the three key facts: of the runs that matter most, and what
// is known of flushes.
func (v *view) FactsBlock() mdx.Safe {
	order := byConcern(v.Runs())
	if len(order) == 0 {
		return ""
	}
	out := factsBlock{countFact(order[0])}
	if second := secondFact(order); second != nil {
		out = append(out, countFact(second))
	} else {
		out = append(out, tokensFact(order[0]))
	}
	return v.place(append(out, flushFact(order)))
}

// secondFact is the run to set beside the first: with a sweep, the fresh run
// that matters most, since the verdict is that of the fresh runs.
func secondFact(order []*row) *row {
	for _, r := range order[1:] {
		if r.Arm == "fresh" && order[0].Arm != "fresh" {
			return r
		}
	}
	if len(order) > 1 {
		return order[1]
	}
	return nil
}

func countFact(r *row) fact {
	big := count(r.Run.AtStart.Low, r.Run.AtStart.High)
	if big == unknown {
		big = "?"
	}
	notes := []string{grade(r.Run.AtStart.Grade)}
	if r.Predicted != nil {
		notes = append(notes, count(r.Predicted.Low, r.Predicted.High)+" predicted")
	}
	for _, c := range r.Claims {
		notes = append(notes, integer(int64(c.Prompts))+" claimed")
	}
	what := "prompts cached at start, "
	if r.Prompts == nil {
		what = "requests cached at start, "
	}
	return fact{Big: big, Of: strings.TrimSpace(of(r.Run)), Label: what + r.Label, Grade: strings.Join(notes, " · ")}
}

func tokensFact(r *row) fact {
	big := count(r.CachedTokens.Low, r.CachedTokens.High)
	if big == unknown {
		big = "?"
	}
	return fact{Big: big, Label: "prompt tokens served from the cache, whoever put them there", Grade: grade(r.CachedTokens.Grade)}
}

// flushFact says whether the cache was emptied before the runs.
func flushFact(rows []*row) fact {
	r := rows[0]
	same := true
	for _, o := range rows {
		same = same && o.Flush == r.Flush
	}
	f := fact{Big: r.FlushWord(), Label: "flush before " + r.Label, Grade: flushMeaning(r.Flush)}
	if same {
		f.Label = "flush before every run"
		if len(rows) == 1 {
			f.Label = "flush before the run"
			if r.Kind == "window" {
				f.Label = "flush before the window"
			}
		}
	}
	if f.Big == unknown {
		f.Big = "?"
	}
	return f
}

func flushMeaning(s string) string {
	switch s {
	case "none":
		return "a whole log without one"
	case "proved":
		return "proved by its outcome"
	case "refused":
		return "asked for, and refused"
	case "claimed":
		return "asked for, no proof"
	}
	return "nothing in the capture shows one or rules it out"
}

// Pair places what the lines of a witness prove of a run beside what they do
// not.
func (v *view) Pair(r *row, w *carryover.Witness) mdx.Safe { return v.place(proves(r, w)) }

// lines is what the template of quoted lines sees.
type lines struct {
	View    *view
	Row     *row
	Witness *carryover.Witness
}

// Lines are the quoted lines of a run's best measured witness.
func (v *view) Lines(r *row) lines { return lines{v, r, r.Measured()} }
