package templates

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"unicode/utf8"

	"coldcase/analysis"
	"coldcase/analysis/carryover"
	"coldcase/ingest/capture"
	"coldcase/templates/mdx"
)

//go:embed text
var textFiles embed.FS

// texts are the Markdown templates; every value that they print is escaped. They
// are parsed when the first report is written.
var texts = sync.OnceValue(parseTexts)

func parseTexts() *template.Template {
	t := template.Must(template.New("").Funcs(mdx.Funcs()).Funcs(template.FuncMap{
		"sign": sign, "words": words, "ms": ms, "count": count, "grade": grade, "place": place,
		"statistic": statistic, "capText": capText, "optional": optional[int], "seed": optional[int64],
		"text": text, "bounds": bounds, "graded": graded, "integer": func(n int) string { return integer(int64(n)) },
		"join": join, "hits": hits, "unpresumed": unpresumed,
		"claim":     func(cause string) string { return sentence(explanation(cause)) },
		"interval":  func(i carryover.Interval) string { return count(i.Low, i.High) },
		"stated":    func(parts ...string) string { return strings.Join(strings.Fields(strings.Join(parts, " ")), " ") },
		"spanPlace": func(s capture.Span) string { return place(capture.Evidence{File: s.File, Line: s.Line}) }, "int64": func(n int) int64 { return int64(n) },
		"term": func(word, id string) mdx.Safe { return mdx.Safe("[" + mdx.Escape(word) + "](#" + id + ")") },
	}).ParseFS(textFiles, "text/*.md.tmpl"))
	mdx.Parse(t)
	return t
}

// source runs the Markdown template of the view's mode.
func (v *view) source() ([]byte, error) {
	name := string(v.Opts.Mode) + ".md.tmpl"
	if v.Plain && v.Opts.Mode == Review {
		name = "thread.md.tmpl"
	}
	var b bytes.Buffer
	if err := texts().ExecuteTemplate(&b, name, v); err != nil {
		return nil, fmt.Errorf("template %s: %w", name, err)
	}
	if v.Opts.Mode == Publish {
		used := v.Verdict.Text + "\n" + b.String()
		if err := texts().ExecuteTemplate(&b, "publish-words", shortWords(used)); err != nil {
			return nil, fmt.Errorf("template publish-words: %w", err)
		}
	}
	return linkTerms(tidy(b.Bytes())), nil
}

var blankLines = regexp.MustCompile(`\n[ \t]*\n(?:[ \t]*\n)+`)

// tidy takes out the empty lines that template actions leave behind. Lines
// inside fences are evidence of one line each, so none of them is empty.
func tidy(src []byte) []byte {
	src = blankLines.ReplaceAll(bytes.TrimSpace(src), []byte("\n\n"))
	return append(src, '\n')
}

// maxMarkdown is what code hosts take in one comment, less a margin.
const maxMarkdown = 64_000

// plainBounds are tried in order until a report fits.
var plainBounds = []bound{
	{Runs: 24, Lines: 8, Files: 60, Findings: 60},
	{Runs: 10, Lines: 5, Files: 30, Findings: 25},
	{Runs: 4, Lines: 3, Files: 10, Findings: 10},
	{Runs: 1, Lines: 2, Files: 3, Findings: 3},
	{Runs: 1, Lines: 2, Files: 3, Findings: 3, Text: 160},
	{Runs: 1, Lines: 1, Files: 1, Findings: 1, Text: 60},
}

func renderMarkdown(nb *analysis.Notebook, opts Options, pictures bool) ([]byte, error) {
	for _, b := range plainBounds {
		v := newView(nb, opts, true, b)
		v.Pictures = pictures
		out, err := v.source()
		if err != nil {
			return nil, err
		}
		if utf8.RuneCount(out) < maxMarkdown {
			return out, nil
		}
	}
	return nil, errors.New("the notebook does not fit into a comment of a code host, even shortened")
}
