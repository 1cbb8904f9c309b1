package templates

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/templates/figure"
)

var (
	numeral = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
	// What is no statement of the page: scripts, quoted lines, code, pictures
	// (whose labels are looked at apart), numbers of sections and fields of forms.
	quoted = regexp.MustCompile(`(?s)<pre.*?</pre>|<code>.*?</code>|<td class="t">.*?</td>|<th scope="row" class="g">.*?</th>|<p class="cap">.*?</p>|<svg.*?</svg>`)
	steps  = regexp.MustCompile(`(?:Step|Evidence) \d|sha256`)
	// The same in Markdown: fences, code and targets of links.
	quotedMarkdown = regexp.MustCompile("(?s)```.*?\n```|`[^`]*`" + `|\]\(#[^)]*\)`)
	// places are said of the order of prompts, not measured.
	places = regexp.MustCompile(`counted from 1|count from 0|[Pp]rompt 1`)
)

// allNotebooks are the fixtures and the embedded captures.
func allNotebooks(t *testing.T) map[string]*analysis.Notebook {
	all := map[string]*analysis.Notebook{}
	for name, make := range fixtures {
		all["fixture "+name] = make()
	}
	for name, nb := range sampleNotebooks(t) {
		all["sample "+name] = nb
	}
	return all
}

// TestNumbersComeFromTheNotebook takes every number out of the prose and the
// tables of a page and of its Markdown, and finds it in the notebook's
// document, at the precision in which it is printed.
func TestNumbersComeFromTheNotebook(t *testing.T) {
	for name, nb := range allNotebooks(t) {
		known := numbersOf(t, nb)
		for _, mode := range modes {
			page := pageOf(t, nb, Options{Mode: mode, Charts: Static})
			body := page[strings.Index(page, "<main"):strings.Index(page, "<footer")]
			body = unescape(tag.ReplaceAllString(quoted.ReplaceAllString(body, " "), " "))
			known.holds(t, name+" "+string(mode), body)
			md := markdown(t, nb, Options{Mode: mode})
			known.holds(t, name+" "+string(mode)+" Markdown", strings.ReplaceAll(quotedMarkdown.ReplaceAllString(md, " "), `\`, ""))
		}
	}
}

// TestNumbersOfFigures does the same for the labels, tips and texts of every
// chart; its axes aside.
func TestNumbersOfFigures(t *testing.T) {
	for name, nb := range allNotebooks(t) {
		known := numbersOf(t, nb)
		for _, f := range figuresOf(nb) {
			var texts []string
			texts = append(texts, f.Title, f.Shows, f.N, f.Note, f.Read)
			for _, l := range f.Layers {
				texts = append(texts, l.Name)
				for _, p := range l.Points {
					texts = append(texts, p.Labels...)
					if !strings.HasPrefix(f.ID, "index-") && f.ID != "timeline" { // times of single requests and batches are not in the document
						texts = append(texts, p.Tip)
					}
				}
			}
			texts = append(texts, tableTexts(f)...)
			known.holds(t, name+" "+f.ID, strings.Join(texts, "\n"))
		}
	}
}

func tableTexts(f *figure.Figure) []string {
	var out []string
	for _, r := range f.Table.Rows {
		out = append(out, r...)
	}
	return out
}

// numbers are those of a document, rising.
type numbers []float64

// numbersOf lists every number of the document, those inside texts included.
func numbersOf(t *testing.T, nb *analysis.Notebook) numbers {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, nb); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var out numbers
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case float64:
			out = append(out, v)
		case string:
			for _, s := range numeral.FindAllString(v, -1) {
				out = append(out, atof(strings.ReplaceAll(s, ",", "")))
			}
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				walk(e)
				// The document counts prompts from 0, a report from 1.
				if place, ok := e.(float64); ok && (key == "first" || key == "last") {
					out = append(out, place+1)
				}
			}
		}
	}
	walk(doc)
	sort.Float64s(out)
	return out
}

// holds fails for each number of a text that stands nowhere in the document.
func (n numbers) holds(t *testing.T, where, text string) {
	t.Helper()
	text = places.ReplaceAllString(steps.ReplaceAllString(text, " "), " ")
	for _, m := range numeral.FindAllStringIndex(text, -1) {
		if !n.hold(text[m[0]:m[1]]) {
			t.Errorf("%s: %s stands nowhere in the notebook: …%s…", where, text[m[0]:m[1]], text[max(0, m[0]-60):min(len(text), m[1]+40)])
		}
	}
}

func (n numbers) hold(s string) bool {
	s = strings.TrimRight(strings.ReplaceAll(s, ",", ""), ".")
	_, decimals, _ := strings.Cut(s, ".")
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return false
	}
	half := 0.5*math.Pow(10, -float64(len(decimals))) + 1e-9
	if len(decimals) == 0 {
		half = 1e-9
	}
	at := sort.SearchFloat64s(n, v-half)
	return at < len(n) && n[at] <= v+half
}

// TestNumbersAreMissed: the test above finds a number that is not there.
func TestNumbersAreMissed(t *testing.T) {
	known := numbers{12, 180.524}
	for s, want := range map[string]bool{"12": true, "13": false, "180.52": true, "180.53": false, "181": false} {
		if known.hold(s) != want {
			t.Errorf("hold(%s) = %v", s, !want)
		}
	}
}
