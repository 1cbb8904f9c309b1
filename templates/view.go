package templates

import (
	"fmt"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/causes"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
	"coldcase/templates/figure"
	"coldcase/templates/mdx"
)

// view is what the Markdown templates see: the notebook, its runs joined, and
// functions that place blocks. For a page a block stands in the source by its
// id and is drawn later; for plain Markdown it is written out at once.
type view struct {
	*analysis.Notebook
	Opts   Options
	Plain  bool // plain Markdown, without a page around it
	Bounds bound
	// Pictures says that the figures' files lie beside plain Markdown.
	Pictures bool
	Rows     []*row
	Figures  []*figure.Figure

	blocks []block
	drawn  []*figure.Figure // figures placed, in order
}

// bound limits what a report repeats per run or per file. Where it bites the
// text says that the rest is in the full page or in the JSON.
type bound struct{ Runs, Lines, Files, Findings int }

// pageBound holds a page of a hundred runs within its size; for a usual capture
// nothing of it bites.
var pageBound = bound{Runs: 24, Lines: 5, Files: 400, Findings: 400}

func newView(nb *analysis.Notebook, opts Options, plain bool, b bound) *view {
	v := &view{Notebook: prepare(nb, opts), Opts: opts, Plain: plain, Bounds: b}
	v.Rows = rows(v.Notebook)
	v.Figures = buildFigures(v.Notebook, v.Rows)
	return v
}

// place puts a block where the template stands.
func (v *view) place(b block) mdx.Safe {
	if v.Plain {
		return b.Markdown()
	}
	v.blocks = append(v.blocks, b)
	return mdx.Block(fmt.Sprint(len(v.blocks) - 1))
}

// Kicker is the line above the title.
func (v *view) Kicker() []string {
	var parts []string
	if v.Count == nil {
		return nil
	}
	for _, c := range v.Count.Captures {
		parts = append(parts, c.Name)
	}
	seen := map[string]bool{}
	for _, r := range v.Rows {
		if r.Engine == nil {
			continue
		}
		s := engine(*r.Engine)
		if r.EngineVersion != nil {
			s += " " + *r.EngineVersion
		}
		if !seen[s] {
			seen[s] = true
			parts = append(parts, s)
		}
	}
	return parts
}

// VerdictBlock places the verdict.
func (v *view) VerdictBlock() mdx.Safe {
	s, word, _ := strings.Cut(sign(v.Verdict.State), " ")
	if word != "" {
		word = strings.ToUpper(word[:1]) + word[1:]
	}
	b := verdictBlock{State: slug(v.Verdict.State), Sign: s, Word: word, Text: sentence(v.Verdict.Text), Scope: v.Verdict.Scope}
	if v.Opts.Mode != Publish { // which has a section for it
		b.Not = v.Verdict.Not
	}
	return v.place(b)
}

// FactsBlock places the key facts: the two runs that matter most, and what is
// known of flushes.
func (v *view) FactsBlock() mdx.Safe {
	var out factsBlock
	order := byConcern(v.Rows)
	for _, r := range order {
		if len(out) < 2 {
			out = append(out, countFact(r))
		}
	}
	if len(order) > 0 {
		out = append(out, flushFact(order))
	}
	if len(out) == 0 {
		return ""
	}
	return v.place(out)
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

// flushFact says whether the cache was emptied before the runs.
func flushFact(rows []*row) fact {
	r := rows[0]
	same := true
	for _, o := range rows {
		same = same && o.Flush == r.Flush
	}
	f := fact{Big: r.Flush, Label: "flush before " + r.Label, Grade: flushMeaning(r.Flush)}
	if same {
		f.Label = "flush before every run"
		if len(rows) == 1 {
			f.Label = "flush before the run"
		}
	}
	if r.Flush == "unknown" || r.Flush == "" {
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

// Figure places a chart by its id; nothing if the capture does not carry it.
func (v *view) Figure(id string) mdx.Safe {
	for _, f := range v.Figures {
		if f.ID == id {
			return v.placeFigure(f)
		}
	}
	return ""
}

// FiguresOf places all charts whose ids start with a prefix.
func (v *view) FiguresOf(prefix string) mdx.Safe {
	var out []string
	for _, f := range v.Figures {
		if strings.HasPrefix(f.ID, prefix) {
			out = append(out, string(v.placeFigure(f)))
		}
	}
	return mdx.Safe(strings.Join(out, "\n\n"))
}

// Has reports whether the notebook carries a chart.
func (v *view) Has(id string) bool {
	for _, f := range v.Figures {
		if f.ID == id {
			return true
		}
	}
	return false
}

// LeadFigure places the one chart below the verdict: the first of a list that
// the capture carries.
func (v *view) LeadFigure() mdx.Safe {
	if id := v.lead(); id != "" {
		return v.Figure(id)
	}
	return ""
}

// Lead is the id of the chart below the verdict, "" if there is none.
func (v *view) lead() string {
	first := []string{"medians", "origins", "timeline", "ecdf", "seeds", "apart"}
	if one := len(v.Rows) == 1; one {
		first = []string{"origins", "timeline", "ecdf", "medians", "apart"}
	}
	for _, id := range first {
		if v.Has(id) {
			return id
		}
	}
	return ""
}

// NotLead places a chart unless it is the one below the verdict.
func (v *view) NotLead(id string) mdx.Safe {
	if id == v.lead() {
		return ""
	}
	return v.Figure(id)
}

func (v *view) placeFigure(f *figure.Figure) mdx.Safe {
	for _, d := range v.drawn {
		if d == f { // a chart stands once in a report
			return mdx.Safe("See [the chart above](#figure-" + f.ID + ").")
		}
	}
	v.drawn = append(v.drawn, f)
	return v.place(figureBlock{Figure: f, Pictures: v.Pictures})
}

// Quote places lines of the capture.
func (v *view) Quote(title string, lines []capture.Evidence) mdx.Safe {
	if len(lines) == 0 {
		return ""
	}
	b := quoteBlock{Title: title, Lines: lines}
	if len(lines) > v.Bounds.Lines {
		b.Lines, b.More = lines[:v.Bounds.Lines], "More lines of this kind are in the notebook's JSON."
	}
	return v.place(b)
}

// ArgumentQuote places the arguments of a run that decide.
func (v *view) ArgumentQuote(a *analysis.Arguments) mdx.Safe {
	var parts []string
	for _, x := range a.Values {
		parts = append(parts, x.Name+"="+x.Value)
	}
	title := "the arguments that decide it; the others are left out"
	return v.place(quoteBlock{Title: title, Lines: []capture.Evidence{{File: a.At.File, Line: a.At.Line, Text: "… " + strings.Join(parts, ", … ") + " …"}}})
}

// Firsts returns the rows that get a section of their own, those that matter
// most first when there are more than the bound.
func (v *view) Firsts() []*row {
	if len(v.Rows) <= v.Bounds.Runs {
		return v.Rows
	}
	return byConcern(v.Rows)[:v.Bounds.Runs]
}

// Worst is the run that matters most, nil without runs.
func (v *view) Worst() *row {
	if len(v.Rows) == 0 {
		return nil
	}
	return byConcern(v.Rows)[0]
}

// More reports whether Firsts left runs out.
func (v *view) More() bool { return len(v.Rows) > v.Bounds.Runs }

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

// Findings returns the findings in the given states, at most the bound.
func (v *view) Findings(states ...string) []rules.Finding {
	var out []rules.Finding
	if v.Check == nil {
		return nil
	}
	for _, s := range states {
		for _, f := range v.Check.Findings {
			if f.State == s && len(out) < v.Bounds.Findings {
				out = append(out, f)
			}
		}
	}
	return out
}

// Files returns the inventory, at most the bound.
func (v *view) Files() []*capture.File {
	if v.Count == nil {
		return nil
	}
	return v.Count.Files[:min(len(v.Count.Files), v.Bounds.Files)]
}

// MoreFiles reports whether the inventory was cut.
func (v *view) MoreFiles() bool { return v.Count != nil && len(v.Count.Files) > v.Bounds.Files }

// Label names a run by its id.
func (v *view) Label(id string) string {
	for _, r := range v.Rows {
		if r.ID == id {
			return r.Label
		}
	}
	return id
}

// Labels names several runs.
func (v *view) Labels(ids []string) string {
	var out []string
	for _, id := range ids {
		out = append(out, v.Label(id))
	}
	return strings.Join(out, ", ")
}

// Verdicts reports whether every run has the verdict, and there is a run.
func (v *view) All(verdict string) bool {
	for _, r := range v.Rows {
		if r.Verdict != verdict {
			return false
		}
	}
	return len(v.Rows) > 0
}

// Any reports whether some run has the verdict.
func (v *view) Any(verdict string) bool {
	for _, r := range v.Rows {
		if r.Verdict == verdict {
			return true
		}
	}
	return false
}

// OneRun reports whether the capture holds a single run.
func (v *view) OneRun() bool { return len(v.Rows) == 1 && v.Rows[0].Kind == "run" }

// OnlyWindows reports whether there is a log and no client behind it.
func (v *view) OnlyWindows() bool {
	for _, r := range v.Rows {
		if r.Kind != "window" {
			return false
		}
	}
	return len(v.Rows) > 0
}

// HasLog reports whether a server's log was read.
func (v *view) HasLog() bool {
	if v.Count == nil {
		return false
	}
	for _, f := range v.Count.Files {
		kinds := []capture.Kind{f.Kind}
		for _, p := range f.Parts {
			kinds = append(kinds, p.Kind)
		}
		for _, k := range kinds {
			if k == capture.SGLangServerLog || k == capture.VLLMServerLog || k == capture.EngineLog {
				return true
			}
		}
	}
	return false
}

// Strongest returns the five evidence lines that carry the verdict best: the
// lines of measured witnesses of the runs that matter most, then of blocking
// findings.
func (v *view) Strongest() []capture.Evidence {
	var out []capture.Evidence
	seen := map[string]bool{}
	add := func(lines []capture.Evidence, most int) {
		for _, e := range lines {
			if key := place(e); len(out) < 5 && most > 0 && e.Text != "" && !seen[key] {
				seen[key] = true
				out = append(out, e)
				most--
			}
		}
	}
	order := byConcern(v.Rows)
	for _, r := range order {
		if w := r.Measured(); w != nil {
			add(w.Evidence, 2)
		}
	}
	for _, f := range v.Findings(rules.Block) {
		add(f.Evidence, 1)
	}
	for _, r := range order {
		for _, w := range r.Witnesses {
			if w.Grade != carryover.None {
				add(w.Evidence, 1)
			}
		}
	}
	return out
}
