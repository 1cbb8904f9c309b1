package templates

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"coldcase/analysis"
)

var (
	numeral = regexp.MustCompile(`\d[\d,]*(?:\.\d+)?`)
	// What is no statement of the page: scripts, quoted lines, code, axes.
	quoted = regexp.MustCompile(`(?s)<pre.*?</pre>|<code>.*?</code>|<td class="t">.*?</td>|<th scope="row" class="g">.*?</th>|<p class="cap">.*?</p>|<svg.*?</svg>`)
	steps  = regexp.MustCompile(`(?:Step|Evidence) \d|sha256`)
)

// TestNumbersComeFromTheNotebook takes every number out of the prose and the
// tables of a page and finds it in the notebook's document, at the precision in
// which it is printed.
func TestNumbersComeFromTheNotebook(t *testing.T) {
	for name, make := range fixtures {
		nb := make()
		known := numbersOf(t, nb)
		for _, mode := range modes {
			page := pageOf(t, nb, Options{Mode: mode, Charts: Static})
			body := page[strings.Index(page, "<main"):strings.Index(page, "<footer")]
			body = tag.ReplaceAllString(quoted.ReplaceAllString(body, " "), " ")
			body = steps.ReplaceAllString(body, " ")
			for _, s := range numeral.FindAllString(unescape(body), -1) {
				if !stands(s, known) {
					at := strings.Index(body, s)
					t.Errorf("%s %s: %s stands nowhere in the notebook: …%s…", name, mode, s, body[max(0, at-60):min(len(body), at+40)])
				}
			}
		}
	}
}

// numbersOf lists every number of the document, those inside texts included.
func numbersOf(t *testing.T, nb *analysis.Notebook) []float64 {
	t.Helper()
	var b bytes.Buffer
	if err := JSON(&b, nb); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var out []float64
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
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(doc)
	return out
}

func stands(s string, known []float64) bool {
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
	for _, k := range known {
		if math.Abs(k-v) <= half {
			return true
		}
	}
	return false
}
