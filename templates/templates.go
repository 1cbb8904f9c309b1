// Package templates draws a notebook: as one HTML page, as Markdown for a
// thread, as JSON, and as an archive of all three with the figures. All are
// pictures of the same value; nothing here computes what a reader could take
// for a finding. The same notebook and options give the same bytes.
//
// The texts are Markdown templates under text/. They render to the body of the
// page and are, with their blocks written out in plain Markdown, the twin of
// the page. The pieces that Markdown has no word for (the verdict's box,
// quoted lines with a gutter, figures, the forms of the teaching mode) are
// blocks: each is one value that knows how to write itself in both.
//
// A page needs no network and no script. Everything that comes from a capture
// is cleaned when it enters (see prepare) and escaped where it is written: by
// the escaper that package mdx appends to every printed value, by
// html/template in blocks, by package svg in figures.
//
// Out of scope: reading captures, deciding anything, and writing files.
package templates

import (
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	jsonv1 "github.com/go-json-experiment/json/v1"

	"coldcase/analysis"
)

// Mode is who a report is for.
type Mode string

// The modes of a report.
const (
	Review  Mode = "review"  // everything, for somebody who doubts the numbers
	Publish Mode = "publish" // one or two pages to attach to a result
	Case    Mode = "case"    // the teaching form
)

// Answers says whether a teaching page gives its answers at once.
type Answers string

// Hidden answers stand behind folds; shown ones are open, with the teacher's
// view.
const (
	Hidden Answers = "hidden"
	Shown  Answers = "shown"
)

// Charts says how charts are drawn.
type Charts string

// The kinds of charts. Auto is interactive where the library is built in.
const (
	Auto        Charts = "auto"
	Static      Charts = "static"
	Interactive Charts = "interactive"
)

// Options change how a notebook is drawn, never what it says. Zero values are
// Review, Hidden and Auto.
type Options struct {
	Mode    Mode
	Answers Answers
	Charts  Charts
	// KeepNames keeps host names, user paths and addresses in mode Publish.
	KeepNames bool
	// EChartsJS is a copy of ECharts to embed instead of the one built in.
	EChartsJS []byte
}

func (o Options) withDefaults() Options {
	if o.Mode == "" {
		o.Mode = Review
	}
	if o.Answers == "" {
		o.Answers = Hidden
	}
	if o.Charts == "" {
		o.Charts = Auto
	}
	return o
}

// check reports an option value that is not known.
func (o Options) check() error {
	switch o.Mode {
	case Review, Publish, Case:
	default:
		return fmt.Errorf("mode %q: want review, publish or case", o.Mode)
	}
	switch o.Answers {
	case Hidden, Shown:
	default:
		return fmt.Errorf("answers %q: want hidden or shown", o.Answers)
	}
	switch o.Charts {
	case Auto, Static, Interactive:
	default:
		return fmt.Errorf("charts %q: want auto, static or interactive", o.Charts)
	}
	return nil
}

// HTML writes the notebook as one page that needs neither network nor script.
// It fails if interactive charts are asked for and no library is there.
func HTML(w io.Writer, nb *analysis.Notebook, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return err
	}
	page, err := renderPage(nb, opts)
	if err != nil {
		return fmt.Errorf("page: %w", err)
	}
	_, err = w.Write(page)
	return err
}

// Markdown writes the notebook as plain Markdown of fewer than 65,000
// characters, which is what code hosts take in one comment.
func Markdown(w io.Writer, nb *analysis.Notebook, opts Options) error {
	opts = opts.withDefaults()
	if err := opts.check(); err != nil {
		return err
	}
	out, err := renderMarkdown(nb, opts, false)
	if err != nil {
		return fmt.Errorf("markdown: %w", err)
	}
	_, err = w.Write(out)
	return err
}

// JSON writes the notebook's document, coldcase.notebook/1.
func JSON(w io.Writer, nb *analysis.Notebook) error { return Document(w, nb) }

// Document writes any of the JSON documents as every contract wants it: keys in
// the order of the type, two spaces of indentation, empty lists rather than
// null in their place, nothing escaped for HTML, one final newline.
func Document(w io.Writer, doc any) error {
	err := json.MarshalWrite(w, doc,
		jsontext.WithIndent("  "),
		jsontext.AllowInvalidUTF8(true),
		json.Deterministic(true),
		jsonv1.OmitEmptyWithLegacySemantics(true))
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n")
	return err
}
