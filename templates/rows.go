package templates

import (
	"sort"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/latency"
	"coldcase/ingest/capture"
)

// row is one run of the notebook with everything that is said of it.
type row struct {
	*carryover.Run
	Latency   *latency.Run // nil without latencies
	Arguments *analysis.Arguments
	Segments  analysis.Segments
	Label     string // short and unlike every other run's
	Arm       string // of a sweep: fresh or repeat; "" outside of one
	Index     int    // position among the runs
}

// rows joins the sections of a notebook by run.
func rows(nb *analysis.Notebook) []*row {
	var out []*row
	if nb.Count == nil {
		return nil
	}
	byRun := map[string]*row{}
	for i, r := range nb.Count.Runs {
		one := &row{Run: r, Index: i, Arm: armOf(r.ID)}
		byRun[r.ID] = one
		out = append(out, one)
	}
	for _, l := range nb.Latency {
		if r := byRun[l.Run]; r != nil {
			r.Latency = l
		}
	}
	for i := range nb.Arguments {
		if r := byRun[nb.Arguments[i].Run]; r != nil {
			r.Arguments = &nb.Arguments[i]
		}
	}
	for _, one := range nb.Segments {
		if r := byRun[one.Run]; r != nil {
			r.Segments = one
		}
	}
	label(out)
	return out
}

// Figure returns a printed figure of the run, else the computed one.
func (r *row) Figure(name string) (latency.Figure, bool) {
	if r.Latency == nil {
		return latency.Figure{}, false
	}
	for _, list := range [][]latency.Figure{r.Latency.Printed, r.Latency.Computed} {
		for _, f := range list {
			if f.Name == name {
				return f, true
			}
		}
	}
	return latency.Figure{}, false
}

// Ms prints a figure of the run, or that it is not known.
func (r *row) Ms(name string) string {
	if f, ok := r.Figure(name); ok {
		return ms(f.Value)
	}
	return unknown
}

// HitsBy says who had left the hits, where that is one origin alone.
func (r *row) HitsBy() string {
	s := r.Segments
	all := s.EarlierRun + s.OtherClient + s.WarmUp + s.InRun + s.Unknown
	switch all {
	case 0:
		return ""
	case s.EarlierRun:
		return "left by an earlier run"
	case s.OtherClient:
		return "left by another client"
	case s.WarmUp:
		return "left by the run's own warm-up"
	case s.InRun:
		return "shared inside the run"
	}
	return ""
}

// AtStart words the prompts cached at start, with n and grade.
func (r *row) AtStart() string { return atStart(r.Run) }

// AtStartCount is AtStart without the grade, for tables that have a column for
// it.
func (r *row) AtStartCount() string {
	return count(r.Run.AtStart.Low, r.Run.AtStart.High) + of(r.Run)
}

// State is the verdict with its sign. A run that a sweep meant to be warm says
// so.
func (r *row) State() string {
	if r.Arm == "repeat" && r.Verdict == "contaminated" {
		return "○ warm on purpose"
	}
	return sign(r.Verdict)
}

// FlushWord is what is known of a flush before the run.
func (r *row) FlushWord() string {
	if r.Flush == "unknown" || r.Flush == "" {
		return unknown
	}
	return r.Flush
}

// Hits names the prompts that were hits, "" where no witness names them. A
// report counts prompts from 1, the first one sent, as the words of the
// contract do; the lists of the document count from 0.
func (r *row) Hits() string {
	var parts []string
	for _, s := range r.Segments.Hits {
		if s.First == s.Last {
			parts = append(parts, integerPlain(s.First+1))
		} else {
			parts = append(parts, integerPlain(s.First+1)+" to "+integerPlain(s.Last+1))
		}
	}
	switch h := r.Segments.Hits; {
	case len(h) == 0:
		return ""
	case len(h) == 1 && h[0].First == h[0].Last:
		return "prompt " + parts[0]
	}
	return "prompts " + strings.Join(parts, ", ")
}

// N is the number of requests that the run's figures are over.
func (r *row) N() string {
	if r.Latency != nil {
		return integer(int64(r.Latency.N))
	}
	return optional(r.Completed)
}

// Witness returns a witness by name, nil if it did not testify.
func (r *row) Witness(name string) *carryover.Witness {
	for i := range r.Witnesses {
		if r.Witnesses[i].Name == name {
			return &r.Witnesses[i]
		}
	}
	return nil
}

// Measured returns the witness whose lines are best shown: the best grade that
// is measured and has lines to quote.
func (r *row) Measured() *carryover.Witness {
	order := []carryover.Grade{carryover.PerPrompt, carryover.PerBatch, carryover.Bounded}
	var lines *carryover.Witness
	if lines = r.Witness("prefill-lines"); lines != nil && len(lines.Evidence) > 0 {
		return lines
	}
	for _, g := range order {
		for i := range r.Witnesses {
			if w := &r.Witnesses[i]; w.Grade == g && len(w.Evidence) > 0 {
				return w
			}
		}
	}
	return nil
}

// Measuring names the witnesses that measured the run, "" if none did.
func (r *row) Measuring() string {
	var out []string
	for _, w := range r.Witnesses {
		switch w.Grade {
		case carryover.PerPrompt, carryover.PerBatch, carryover.Bounded:
			out = append(out, words(w.Name)+" ("+grade(w.Grade)+")")
		}
	}
	return strings.Join(out, ", ")
}

// Share is the proved share of prompts cached at start; nil if not known.
func (r *row) Share() *float64 {
	if r.Prompts == nil || *r.Prompts == 0 || r.AtStart0() == nil {
		return nil
	}
	s := float64(r.Run.AtStart.Low) / float64(*r.Prompts)
	return &s
}

// AtStart0 is the low end of the count, nil where nothing is known.
func (r *row) AtStart0() *int64 {
	if r.Run.AtStart.High == nil && r.Run.AtStart.Low == 0 {
		return nil
	}
	return &r.Run.AtStart.Low
}

// cap0 is the cap as a number, 0 where it is none.
func (r *row) cap0() int {
	switch c := r.MaxConcurrency.(type) {
	case int:
		return c
	case int64:
		return int(c)
	case float64:
		return int(c)
	}
	return 0
}

// byConcern orders rows by how much they matter: contaminated ones first, the
// most cached in front, then unknown, then clean ones. Runs that a sweep meant
// to be warm matter least.
func byConcern(in []*row) []*row {
	out := append([]*row(nil), in...)
	rank := map[string]int{"contaminated": 0, "unknown": 1, "clean": 2}
	sort.SliceStable(out, func(a, b int) bool {
		if out[a].Arm != out[b].Arm && (out[a].Arm == "repeat" || out[b].Arm == "repeat") {
			return out[b].Arm == "repeat"
		}
		ra, rb := rank[out[a].Verdict], rank[out[b].Verdict]
		if ra != rb {
			return ra < rb
		}
		return out[a].Run.AtStart.Low > out[b].Run.AtStart.Low
	})
	return out
}

// Workload says in a sentence what the run is known to have sent.
func (r *row) Workload() string {
	var parts []string
	if r.Dataset != nil {
		parts = append(parts, "dataset "+*r.Dataset)
	}
	if r.Seed != nil {
		parts = append(parts, "seed "+optional(r.Seed))
	}
	if r.Prompts != nil {
		parts = append(parts, integer(int64(*r.Prompts))+" prompts")
	}
	return sentence(strings.Join(parts, ", "))
}

// place words the position of a quoted line.
func place(e capture.Evidence) string {
	if e.Line == 0 {
		return e.File
	}
	return e.File + ":" + integerPlain(e.Line)
}

// Allowed prints a percentile of the run if its n carries it at a 95 % bound.
func (r *row) Allowed(name string) string {
	f, ok := r.Figure(name)
	if !ok {
		return unknown
	}
	p, _, _ := strings.Cut(name, "_")
	for _, a := range r.Latency.Allowed {
		if strings.EqualFold(a, p) {
			return ms(f.Value)
		}
	}
	return "n too small"
}
