package mdx

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// BlockInfo is the info string of a fence that stands for a block of the page;
// its one line of text is the block's id.
const BlockInfo = "coldcase-block"

// Block returns the source that stands for a block.
func Block(id string) Safe { return Fence(BlockInfo, id) }

// Heading is one entry of the table of contents.
type Heading struct {
	Level    int
	ID, Text string
}

// Render turns the source into HTML. block supplies the HTML of a block by its
// id; an id that it does not know is an error, and so is a picture.
func Render(source []byte, block func(id string) (string, error)) ([]byte, []Heading, error) {
	r := &nodes{block: block}
	md := goldmark.New(
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
		goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(shaper{r}, 500))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(r, 100))),
	)
	var out bytes.Buffer
	if err := md.Convert(source, &out); err != nil {
		return nil, nil, err
	}
	return out.Bytes(), r.headings, nil
}

// nodes renders the node kinds in which the dialect differs from Markdown.
type nodes struct {
	block    func(id string) (string, error)
	headings []Heading
}

// RegisterFuncs implements renderer.NodeRenderer.
func (r *nodes) RegisterFuncs(reg renderer.NodeRendererFuncRegisterer) {
	reg.Register(ast.KindHTMLBlock, r.htmlBlock)
	reg.Register(ast.KindRawHTML, r.rawHTML)
	reg.Register(ast.KindImage, r.image)
	reg.Register(ast.KindLink, r.link)
	reg.Register(ast.KindAutoLink, r.autoLink)
	reg.Register(ast.KindFencedCodeBlock, r.fence)
	reg.Register(extast.KindTable, r.table)
}

var fold = regexp.MustCompile(`^<details( open)?>\n<summary>[^<>]*</summary>$|^</details>$`)

func (r *nodes) htmlBlock(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	raw := string(n.Lines().Value(source))
	if b := n.(*ast.HTMLBlock); b.HasClosure() {
		raw += string(b.ClosureLine.Value(source))
	}
	raw = strings.TrimRight(raw, "\n")
	if fold.MatchString(raw) {
		_, _ = w.WriteString(raw + "\n")
	} else {
		_, _ = w.WriteString("<pre>" + html.EscapeString(raw) + "</pre>\n")
	}
	return ast.WalkContinue, nil
}

func (r *nodes) rawHTML(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		_, _ = w.WriteString(html.EscapeString(string(segments.Value(source))))
	}
	return ast.WalkSkipChildren, nil
}

func (r *nodes) image(_ util.BufWriter, _ []byte, n ast.Node, _ bool) (ast.WalkStatus, error) {
	return ast.WalkStop, fmt.Errorf("picture %q: only figures may be drawn", n.(*ast.Image).Destination)
}

// link lets links inside the page through and prints the text of all others.
func (r *nodes) link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(n.(*ast.Link).Destination)
	if !strings.HasPrefix(to, "#") {
		return ast.WalkContinue, nil
	}
	if entering {
		_, _ = w.WriteString(`<a href="` + html.EscapeString(to) + `">`)
	} else {
		_, _ = w.WriteString("</a>")
	}
	return ast.WalkContinue, nil
}

func (r *nodes) autoLink(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString(html.EscapeString(string(n.(*ast.AutoLink).Label(source))))
	}
	return ast.WalkContinue, nil
}

func (r *nodes) fence(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	code := n.(*ast.FencedCodeBlock)
	content := string(code.Lines().Value(source))
	if string(code.Language(source)) != BlockInfo {
		_, _ = w.WriteString(`<pre class="code" tabindex="0"><code>` + html.EscapeString(strings.TrimRight(content, "\n")) + "</code></pre>\n")
		return ast.WalkContinue, nil
	}
	out, err := r.block(strings.TrimSpace(content))
	if err != nil {
		return ast.WalkStop, err
	}
	_, _ = w.WriteString(out + "\n")
	return ast.WalkContinue, nil
}

// table lets wide tables scroll inside their own box.
func (r *nodes) table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		_, _ = w.WriteString("<div class=\"scroll\" role=\"group\" aria-label=\"table\" tabindex=\"0\"><table>\n")
	} else {
		_, _ = w.WriteString("</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// shaper sets what depends on the content of a node: ids of headings, classes
// of alerts and of cells that hold a state.
type shaper struct{ r *nodes }

// Transform implements parser.ASTTransformer.
func (s shaper) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	source := reader.Source()
	seen := map[string]int{}
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			words := plain(n, source)
			id := unique(Slug(words), seen)
			n.SetAttributeString("id", []byte(id))
			s.r.headings = append(s.r.headings, Heading{n.Level, id, words})
		case *ast.Blockquote:
			alert(n, source)
		case *extast.Table:
			headCells(n, source)
		case *extast.TableCell:
			if c := stateClass(plain(n, source)); c != "" {
				n.SetAttributeString("class", []byte(c))
			}
		}
		return ast.WalkContinue, nil
	})
}

// headCells gives each cell the name of its column: a narrow screen sets the
// cells of a row below each other, each beside its name.
func headCells(table *extast.Table, source []byte) {
	var heads []string
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		i := 0
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			if row.Kind() == extast.KindTableHeader {
				heads = append(heads, plain(cell, source))
			} else if i < len(heads) {
				cell.SetAttributeString("data-h", []byte(heads[i]))
			}
			i++
		}
	}
}

func unique(id string, seen map[string]int) string {
	n := seen[id]
	seen[id]++
	if n > 0 {
		return fmt.Sprintf("%s-%d", id, n)
	}
	return id
}

// Slug is the id of a heading, as code hosts make it: lower case, without
// punctuation, hyphens for spaces.
func Slug(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, s)
}

// plain is the text of a node without its marks.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(c ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := c.(*ast.Text); ok && entering {
			b.Write(util.UnescapePunctuations(t.Segment.Value(source)))
			if t.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

var alertKind = regexp.MustCompile(`^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]`)

// alert gives a block quote that starts with [!KIND] its class and takes the
// marker off.
func alert(q *ast.Blockquote, source []byte) {
	p, ok := q.FirstChild().(*ast.Paragraph)
	if !ok || p.Lines().Len() == 0 {
		return
	}
	first := p.Lines().At(0)
	m := alertKind.FindSubmatch(first.Value(source))
	if m == nil {
		return
	}
	q.SetAttributeString("class", []byte("alert "+strings.ToLower(string(m[1]))))
	end := first.Stop
	for c := p.FirstChild(); c != nil; {
		next := c.NextSibling()
		t, ok := c.(*ast.Text)
		if !ok || t.Segment.Start >= end {
			break
		}
		p.RemoveChild(p, c)
		c = next
	}
}

// States are the signs in front of a state, so that colour is never alone.
var States = map[string]string{"■": "st bad", "▲": "st warn", "✓": "st good", "○": "st quiet", "?": "st open", "·": "st quiet"}

func stateClass(cell string) string {
	sign, _, ok := strings.Cut(cell, " ")
	if !ok {
		return ""
	}
	return States[sign]
}
