package templates

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"strconv"
	"strings"

	"coldcase/analysis"
	"coldcase/templates/figure"
	"coldcase/templates/mdx"
)

// renderPage makes the whole page. It is written piece by piece rather than by
// a template, so that the hashes in its content policy are those of exactly the
// bytes between the tags.
func renderPage(nb *analysis.Notebook, opts Options) ([]byte, error) {
	library, err := opts.library()
	if err != nil {
		return nil, err
	}
	v := newView(nb, opts, false, pageBound)
	body, err := v.body()
	if err != nil {
		return nil, err
	}
	stamp, err := newStamp(nb, opts, hexHash(library))
	if err != nil {
		return nil, err
	}
	stampJSON, err := stamp.embed()
	if err != nil {
		return nil, err
	}
	p := &page{style: asset("page.css") + figure.CSS()}
	p.data = append(p.data, stampOpen+string(stampJSON)+scriptClose)
	if library != nil && len(v.drawn) > 0 {
		charts, err := chartData(v.drawn)
		if err != nil {
			return nil, err
		}
		p.data = append(p.data, `<script type="application/json" id="coldcase-charts">`+charts+scriptClose)
		p.scripts = append(p.scripts, strings.TrimRight(string(library), "\n"), asset("charts.js"))
	}
	if opts.Mode == Case {
		p.scripts = append(p.scripts, asset("case.js"))
	}
	return p.write(v, body, stamp)
}

// body renders the Markdown source and draws the blocks in it.
func (v *view) body() ([]byte, error) {
	src, err := v.source()
	if err != nil {
		return nil, err
	}
	var contents []mdx.Heading
	html := func(id string) (string, error) {
		n, err := strconv.Atoi(id)
		if err != nil || n < 0 || n >= len(v.blocks) {
			return "", fmt.Errorf("no block %q", id)
		}
		if _, ok := v.blocks[n].(contentsBlock); ok {
			return contentsMark, nil
		}
		return v.blocks[n].HTML()
	}
	out, headings, err := mdx.Render(src, html)
	if err != nil {
		return nil, err
	}
	for _, h := range headings {
		if h.Level == 2 {
			contents = append(contents, h)
		}
	}
	nav, err := contentsBlock(contents).HTML()
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(out, []byte(contentsMark), []byte(nav)), nil
}

// contentsMark stands for the contents until the headings are known. Escaped
// text cannot hold it.
const contentsMark = "<!--contents-->"

// ContentsBlock places the list of sections.
func (v *view) ContentsBlock() mdx.Safe { return v.place(contentsBlock(nil)) }

// chartData is the JSON block of the interactive options, by figure id, and the
// colours that a dark screen puts in the place of the light ones.
func chartData(figures []*figure.Figure) (string, error) {
	type chart struct {
		ID     string          `json:"id"`
		Option json.RawMessage `json:"option"`
		Narrow json.RawMessage `json:"narrow"` // what differs on a narrow screen
	}
	data := struct {
		Charts []chart           `json:"charts"`
		Dark   map[string]string `json:"dark"`
	}{Dark: map[string]string{}}
	for _, s := range figure.Palette {
		data.Dark[s.Light] = s.Dark
	}
	for _, f := range figures {
		option, err := f.Options()
		if err != nil {
			return "", err
		}
		narrow, err := f.NarrowOptions()
		if err != nil {
			return "", err
		}
		data.Charts = append(data.Charts, chart{f.ID, option, narrow})
	}
	out, err := json.Marshal(data)
	return string(out), err
}

// page is the shell around the body.
type page struct {
	style   string
	scripts []string // in order; each hashed
	data    []string // blocks of data, whole elements
}

func (p *page) write(v *view, body []byte, stamp *Stamp) ([]byte, error) {
	for _, s := range append([]string{p.style}, p.scripts...) {
		if l := strings.ToLower(s); strings.Contains(l, "</script") || strings.Contains(l, "</style") {
			return nil, errors.New("a script or style holds its own end tag")
		}
	}
	var b bytes.Buffer
	put := func(parts ...string) {
		for _, s := range parts {
			b.WriteString(s)
		}
	}
	title := v.Title
	if v.Opts.Mode == Case {
		title = v.Surprise() // the tab gives no answer away
	}
	title = html.EscapeString(oneLine(title))
	put("<!doctype html>\n<html lang=\"en\" data-mode=\"", string(v.Opts.Mode), "\">\n<head>\n<meta charset=\"utf-8\">\n",
		`<meta http-equiv="Content-Security-Policy" content="`, p.policy(), "\">\n",
		`<meta name="viewport" content="width=device-width, initial-scale=1">`, "\n",
		`<meta name="color-scheme" content="light dark">`, "\n",
		"<title>", title, " · coldcase</title>\n<style>", p.style, "</style>\n</head>\n<body>\n",
		`<a class="skip" href="#main">Skip to the content</a>`, "\n<main id=\"main\">\n")
	b.Write(body)
	put("</main>\n", p.footer(v, stamp))
	for _, d := range p.data {
		put(d, "\n")
	}
	for _, s := range p.scripts {
		put("<script>", s, scriptClose, "\n")
	}
	put("</body>\n</html>\n")
	return b.Bytes(), nil
}

// policy is the content policy: nothing from anywhere, and of scripts and
// styles only these.
func (p *page) policy() string {
	scripts := "'none'"
	if len(p.scripts) > 0 {
		var hashes []string
		for _, s := range p.scripts {
			hashes = append(hashes, sourceHash(s))
		}
		scripts = strings.Join(hashes, " ")
	}
	return "default-src 'none'; script-src " + scripts + "; style-src " + sourceHash(p.style) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
}

func sourceHash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func hexHash(b []byte) string {
	if b == nil {
		return ""
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func (p *page) footer(v *view, stamp *Stamp) string {
	charts := "Charts are still pictures; no chart library is in this page."
	if stamp.ECharts != "" && len(v.drawn) > 0 {
		charts = "Charts use Apache ECharts (Apache License 2.0, The Apache Software Foundation), sha256 " + stamp.ECharts + "."
	}
	return "<footer><p>" + html.EscapeString(oneLine(v.MadeBy.Name+" "+v.MadeBy.Version)) +
		" · notebook sha256 <code>" + stamp.Notebook + "</code> · nothing in this page loads from a network.</p><p>" + charts + "</p></footer>\n"
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
