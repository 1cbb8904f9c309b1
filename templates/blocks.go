package templates

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"sync"

	"coldcase/ingest/capture"
	"coldcase/templates/figure"
	"coldcase/templates/mdx"
)

// block is a piece of a report that Markdown has no word for. It is one value
// that writes itself in both forms.
type block interface {
	Markdown() mdx.Safe
	HTML() (string, error)
}

//go:embed page
var pageFiles embed.FS

// blockTemplates are parsed when the first report is written: most commands
// write none.
var blockTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"marks": markFields, "place": place, "terms": htmlTerms,
	}).ParseFS(pageFiles, "page/*.html.tmpl"))
})

// execute runs the template of a block, which escapes all that it prints.
func execute(name string, data any) (string, error) {
	var b bytes.Buffer
	if err := blockTemplates().ExecuteTemplate(&b, name, data); err != nil {
		return "", err
	}
	return strings.TrimSpace(b.String()), nil
}

// verdictBlock is the one line that everything else supports.
type verdictBlock struct {
	State, Sign, Word string
	Text, Scope       string
	Not               []string
	Terms             bool // the report has a glossary to link to
}

func (b verdictBlock) HTML() (string, error) { return execute("verdict", b) }

func (b verdictBlock) Markdown() mdx.Safe {
	kind := map[string]string{"do-not-publish": "CAUTION", "publishable": "TIP"}[b.State]
	if kind == "" {
		kind = "WARNING"
	}
	s := "> [!" + kind + "]\n> **" + b.Sign + " " + mdx.Escape(b.Word) + ".** " + mdx.Escape(b.Text)
	if b.Scope != "" {
		s += "\n>\n> Scope: " + mdx.Escape(b.Scope)
	}
	for i, n := range b.Not {
		if i == 0 {
			s += "\n>\n> Not checked:\n>"
		}
		s += "\n> - " + mdx.Escape(n)
	}
	return mdx.Safe(s)
}

// fact is one card: a number with its n, what it is, and its grade.
type fact struct{ Big, Of, Label, Grade string }

type factsBlock []fact

func (b factsBlock) HTML() (string, error) { return execute("facts", b) }

func (b factsBlock) Markdown() mdx.Safe {
	var s strings.Builder
	s.WriteString("| fact | value | grade |\n| --- | --- | --- |\n")
	for _, f := range b {
		s.WriteString("| " + mdx.Escape(f.Label) + " | **" + mdx.Escape(f.Big) + "**" + strings.TrimRight(" "+mdx.Escape(f.Of), " ") + " | " + mdx.Escape(f.Grade) + " |\n")
	}
	return mdx.Safe(strings.TrimRight(s.String(), "\n"))
}

// quoteBlock shows lines of the capture as they stand there.
type quoteBlock struct {
	Title string
	Lines []capture.Evidence
	More  string // said below if lines were left out
}

func (b quoteBlock) HTML() (string, error) { return execute("quote", b) }

// OneFile is the file of all lines, "" if they come from several.
func (b quoteBlock) OneFile() string {
	for _, e := range b.Lines {
		if e.File != b.Lines[0].File {
			return ""
		}
	}
	if len(b.Lines) == 0 {
		return ""
	}
	return b.Lines[0].File
}

func (b quoteBlock) Markdown() mdx.Safe {
	var s strings.Builder
	for _, e := range b.Lines {
		s.WriteString(place(e) + "  " + strings.ReplaceAll(e.Text, "\n", " ") + "\n")
	}
	out := mdx.Safe("")
	if b.Title != "" {
		out = mdx.Safe(mdx.Escape(b.Title) + ":\n\n")
	}
	out += mdx.Fence("text", s.String())
	if b.More != "" {
		out += mdx.Safe("\n\n" + mdx.Escape(b.More))
	}
	return out
}

// pairBlock puts what lines prove beside what they do not.
type pairBlock struct{ Proves, Not []string }

func (b pairBlock) HTML() (string, error) { return execute("pair", b) }

func (b pairBlock) Markdown() mdx.Safe {
	return mdx.Safe("**They prove**\n\n" + list(b.Proves) + "\n\n**They do not prove**\n\n" + list(b.Not))
}

func list(items []string) string {
	var s []string
	for _, i := range items {
		s = append(s, "- "+mdx.Escape(i))
	}
	return strings.Join(s, "\n")
}

// figureBlock is a chart with what a reader needs to read it.
type figureBlock struct {
	*figure.Figure
	Pictures bool // the figure's file lies beside the Markdown
	Short    bool // without its fold: the report has the table elsewhere
}

func (b figureBlock) HTML() (string, error) { return execute("figure", b) }

func (b figureBlock) Markdown() mdx.Safe {
	picture := ""
	if b.Pictures {
		picture = "![" + mdx.Escape(b.Title) + "](figures/" + b.ID + ".svg)\n\n"
	}
	s := picture + "**" + mdx.Escape(b.Shows) + "** " + mdx.Escape(b.N) + " " + mdx.Escape(b.Note)
	if b.Short {
		return mdx.Safe(strings.TrimSpace(s))
	}
	return mdx.Safe(strings.TrimSpace(s)) + "\n\n" + markdownTable(b.Table)
}

func markdownTable(t figure.Table) mdx.Safe {
	if len(t.Rows) == 0 {
		return ""
	}
	var s strings.Builder
	cells := func(row []string) {
		for _, c := range row {
			s.WriteString("| " + mdx.Escape(c) + " ")
		}
		s.WriteString("|\n")
	}
	cells(t.Head)
	for _, right := range t.Right {
		if right {
			s.WriteString("| ---: ")
		} else {
			s.WriteString("| --- ")
		}
	}
	s.WriteString("|\n")
	for _, r := range t.Rows {
		cells(r)
	}
	return mdx.Safe(strings.TrimRight(s.String(), "\n"))
}

// choiceBlock lets a reader commit to a cause, or keep or change it; nothing of
// it leaves the page.
type choiceBlock struct {
	ID, Question string
	Options      []string
}

func (b choiceBlock) HTML() (string, error) { return execute("choice", b) }

func (b choiceBlock) Markdown() mdx.Safe {
	var s []string
	for _, o := range b.Options {
		s = append(s, "- [ ] "+mdx.Escape(o))
	}
	return mdx.Safe("**" + mdx.Escape(b.Question) + "**\n\n" + strings.Join(s, "\n"))
}

// countBlock is "count it yourself": a field for the reader's number and a
// check of it that works in the page alone.
type countBlock struct {
	Question string
	Low      int64
	High     *int64
}

func (b countBlock) HTML() (string, error) { return execute("count", b) }

// Answer is what the check compares with: one number, or the ends of a range.
func (b countBlock) Answer() string {
	high := ""
	if b.High != nil {
		high = strconv.FormatInt(*b.High, 10)
	}
	return fmt.Sprintf("%d-%s", b.Low, high)
}

func (b countBlock) Markdown() mdx.Safe {
	return mdx.Safe("**" + mdx.Escape(b.Question) + "** Write your number down before you go on.")
}

// contentsBlock is the row of links below the verdict.
type contentsBlock []mdx.Heading

func (b contentsBlock) HTML() (string, error) { return execute("contents", b) }
func (b contentsBlock) Markdown() mdx.Safe    { return "" }
