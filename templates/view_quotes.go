package templates

import (
	"regexp"
	"strings"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/analysis/rules"
	"coldcase/ingest/capture"
	"coldcase/templates/mdx"
)

// tableHead is the head of a table of notes: its place tells something, its
// text does not.
var tableHead = regexp.MustCompile(`^\s*\[{1,2}[\w."-]+\]{1,2}\s*$`)

// telling returns the lines whose text says something.
func telling(lines []capture.Evidence) []capture.Evidence {
	var out []capture.Evidence
	for _, e := range lines {
		if e.Text != "" && !tableHead.MatchString(e.Text) {
			out = append(out, e)
		}
	}
	return out
}

// Quote places lines of the capture.
func (v *view) Quote(title string, lines []capture.Evidence) mdx.Safe {
	lines = telling(lines)
	if len(lines) == 0 {
		return ""
	}
	b := quoteBlock{Title: title, Lines: lines}
	if len(lines) > v.Bounds.Lines {
		b.Lines, b.More = lines[:v.Bounds.Lines], "More lines of this kind are in the notebook's JSON."
	}
	return v.place(b)
}

// QuoteAll places lines that belong together, whatever the bound.
func (v *view) QuoteAll(lines []capture.Evidence) mdx.Safe {
	return v.place(quoteBlock{Lines: lines})
}

// ClaimText is the line that a claim rests on, "" if it says nothing itself.
func (v *view) ClaimText(c carryover.Claim) string {
	if len(telling([]capture.Evidence{c.Evidence})) == 0 {
		return ""
	}
	return c.Evidence.Text
}

// ArgumentQuote places the arguments of a run that decide.
func (v *view) ArgumentQuote(a *analysis.Arguments) mdx.Safe {
	if len(a.Values) == 0 {
		return ""
	}
	title := "the arguments that decide it; the others are left out"
	return v.place(quoteBlock{Title: title, Lines: []capture.Evidence{argumentLine(a)}})
}

func argumentLine(a *analysis.Arguments) capture.Evidence {
	var parts []string
	for _, x := range a.Values {
		parts = append(parts, x.Name+"="+x.Value)
	}
	return capture.Evidence{File: a.At.File, Line: a.At.Line, Text: "… " + strings.Join(parts, ", … ") + " …"}
}

// Strongest returns at most five lines that carry the verdict best, all of the
// run that decides: the lines of its best witness, its arguments, then those of
// its other witnesses and of the findings that block it.
func (v *view) Strongest() []capture.Evidence {
	r := v.Worst()
	if r == nil {
		return nil
	}
	var out []capture.Evidence
	seen := map[string]bool{}
	add := func(lines []capture.Evidence, most int) {
		for _, e := range telling(lines) {
			if key := place(e); len(out) < 5 && most > 0 && !seen[key] {
				seen[key] = true
				out = append(out, e)
				most--
			}
		}
	}
	if w := r.Measured(); w != nil {
		add(w.Evidence, 3)
	}
	if a := r.Arguments; a != nil && !a.Presumed && len(a.Values) > 0 {
		add([]capture.Evidence{argumentLine(a)}, 1)
	}
	for _, w := range r.Witnesses {
		if w.Grade != carryover.None {
			add(w.Evidence, 1)
		}
	}
	for _, f := range v.Findings(rules.Block) {
		for _, id := range f.ids {
			if id == r.ID {
				add(f.evidence, 1)
			}
		}
	}
	return out
}
