package templates

import (
	"fmt"
	"strings"

	"coldcase/analysis"
	"coldcase/ingest/capture"
	"coldcase/templates/figure"
	"coldcase/templates/mdx"
)

// view is what the Markdown templates see: the notebook, its runs joined, and
// functions that place blocks. For a page a block stands in the source by its
// id and is drawn later; for plain Markdown it is written out at once.
type view struct {
	*analysis.Notebook
	speaker
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
type bound struct {
	Runs, Lines, Files, Findings int
	Text                         int // bytes of one text, 0 for all of it
}

// pageBound holds a page of a hundred runs within its size; for a usual capture
// nothing of it bites.
var pageBound = bound{Runs: 24, Lines: 5, Files: 400, Findings: 400}

func newView(nb *analysis.Notebook, opts Options, plain bool, b bound) *view {
	v := &view{Notebook: prepare(nb, opts, b.Text), Opts: opts, Plain: plain, Bounds: b}
	v.Rows = rows(v.Notebook)
	v.speaker = newSpeaker(v.Rows, b.Runs)
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
	seen, versioned := map[string]bool{}, map[string]bool{}
	for _, r := range v.Rows {
		if r.Engine != nil && r.EngineVersion != nil {
			versioned[*r.Engine] = true
		}
	}
	for _, r := range v.Rows {
		if r.Engine == nil {
			continue
		}
		s := engine(*r.Engine)
		if r.EngineVersion != nil {
			s += " " + *r.EngineVersion
		} else if versioned[*r.Engine] {
			continue
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
	b := verdictBlock{State: slug(v.Verdict.State), Sign: s, Word: word, Text: v.Sentence(v.Verdict.Text), Scope: v.Sentence(v.Verdict.Scope)}
	if v.Opts.Mode != Publish { // which has a section for it, and no glossary
		b.Terms = true
		for _, n := range v.Verdict.Not {
			b.Not = append(b.Not, v.Sentence(n))
		}
	}
	return v.place(b)
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
