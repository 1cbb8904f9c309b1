package templates

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"coldcase/analysis"
	"coldcase/templates/mdx"
)

func pageOf(t *testing.T, nb *analysis.Notebook, opts Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, nb, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func markdown(t *testing.T, nb *analysis.Notebook, opts Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Markdown(&b, nb, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var modes = []Mode{Review, Publish, Case}

func TestSameBytes(t *testing.T) {
	for _, name := range fixtureNames() {
		opts := Options{Charts: Static}
		first, second := pageOf(t, fixtures[name](), opts), pageOf(t, fixtures[name](), opts)
		if first != second {
			t.Errorf("%s: two pages of one notebook differ", name)
		}
		var a, b bytes.Buffer
		if err := Zip(&a, fixtures[name](), opts); err != nil {
			t.Fatal(err)
		}
		if err := Zip(&b, fixtures[name](), opts); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: two archives of one notebook differ", name)
		}
	}
}

const hostile = "x</script><script>alert(1)</script><img src=x onerror=alert(1)>\u202Egnp.\x1b[31mred\x07 `tick` ```fence | bar **b** [a](javascript:alert(1)) ![p](http://e/x.png) <details> &lt; # h\n- item\n```\nhttp://evil.example/ \x00\u2028 __f__alert(1)__f__ {{.}} -->"

// poison replaces every string of a notebook by hostile text, but for the words
// that steer the drawing.
func poison(nb *analysis.Notebook) *analysis.Notebook {
	keep := map[string]bool{}
	for _, w := range []string{"do-not-publish", "publishable", "unknown", "run", "window", "contaminated", "clean", "block", "warn", "info", "median_ttft_ms", "fresh", "stated", "kit", "repeat", "supported", "against", "not-testable", "batch", "warm-up", "flush", "start", "yes", "no", "prefill-lines", "per-prompt", "per-batch", "bounded", "predicted", "suspected", "none", "cap"} {
		keep[w] = true
	}
	for _, f := range nb.Count.Files {
		for _, c := range f.Counts { // the keys of one object
			keep[c.Key] = true
		}
	}
	ids := map[string]bool{}
	for _, r := range nb.Count.Runs {
		ids[r.ID] = true
	}
	c := copier{change: func(s string) string {
		switch {
		case keep[s]:
			return s
		case ids[s]: // joined by id: poisoned, and still one of a kind
			return s + hostile
		}
		return hostile
	}}
	return c.copy(reflect.ValueOf(nb)).Interface().(*analysis.Notebook)
}

var (
	tag       = regexp.MustCompile(`<[^>]*>`)
	tagName   = regexp.MustCompile(`^</?([a-z][a-z0-9]*)`)
	attribute = regexp.MustCompile(`\s([a-zA-Z-]+)(?:="([^"]*)")?`)
	allowed   = set("b html head meta title style body a main p strong em code pre h1 h2 h3 h4 ul ol li table thead tbody tr th td div section span small nav figure figcaption details summary blockquote mark footer script fieldset legend label input button output svg rect line path circle g text desc hr br")
	attrs     = set("lang charset http-equiv content name class href id aria-label aria-hidden aria-labelledby role tabindex scope align open type value min inputmode autocomplete hidden xmlns viewbox font-family font-size text-anchor x y x1 x2 y1 y2 cx cy r d width height fill stroke stroke-width stroke-dasharray stroke-linecap stroke-linejoin paint-order opacity start data-mode data-chart data-choice data-answer data-h")
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}

// scripts takes the contents of style and script elements out.
var scripts = regexp.MustCompile(`(?s)(<style>|<script[^>]*>).*?(</style>|</script>)`)

// checkMarkup fails if a tag, an attribute or a reference is not one of ours.
func checkMarkup(t *testing.T, where, page string) {
	t.Helper()
	page = scripts.ReplaceAllString(strings.TrimPrefix(page, "<!doctype html>"), "$1$2")
	for _, one := range tag.FindAllString(page, -1) {
		name := tagName.FindStringSubmatch(one)
		if name == nil || !allowed[name[1]] {
			t.Fatalf("%s: tag %q", where, one)
		}
		for _, a := range attribute.FindAllStringSubmatch(one, -1) {
			if !attrs[strings.ToLower(a[1])] {
				t.Fatalf("%s: attribute %s in %q", where, a[1], one)
			}
			if a[1] == "href" && !strings.HasPrefix(a[2], "#") {
				t.Fatalf("%s: reference %q", where, a[2])
			}
			if strings.Contains(a[2], "http") && a[1] != "xmlns" && a[1] != "value" && a[1] != "id" && !strings.HasPrefix(a[1], "aria") {
				t.Fatalf("%s: address in %s=%q", where, a[1], a[2])
			}
		}
	}
	for _, r := range page {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7F && r <= 0x9F || r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069 || r == 0x2028 {
			t.Fatalf("%s: control %U left", where, r)
		}
	}
}

func TestHostileText(t *testing.T) {
	for name, clean := range allNotebooks(t) {
		nb := poison(clean)
		for _, mode := range modes {
			page := pageOf(t, nb, Options{Mode: mode, Charts: Static})
			checkMarkup(t, name+" "+string(mode), page)
			if n := strings.Count(page, "<script"); n > 2 {
				t.Errorf("%s %s: %d scripts", name, mode, n)
			}
			md := markdown(t, nb, Options{Mode: mode})
			out, _, err := mdx.Render([]byte(md), func(string) (string, error) { return "", nil })
			if err != nil {
				t.Fatalf("%s %s: %v", name, mode, err)
			}
			checkMarkup(t, name+" "+string(mode)+" Markdown", string(out))
		}
	}
}

func TestMarkupOfFixtures(t *testing.T) {
	for _, name := range fixtureNames() {
		for _, mode := range modes {
			page := pageOf(t, fixtures[name](), Options{Mode: mode, Charts: Static})
			checkMarkup(t, name, page)
			for _, bad := range []string{"url(", "@import", "style=\"", "-0<"} {
				if strings.Contains(page, bad) {
					t.Errorf("%s %s: page holds %q", name, mode, bad)
				}
			}
		}
	}
}

func TestContentPolicyHashes(t *testing.T) {
	page := pageOf(t, inversionFixture(), Options{Mode: Case, EChartsJS: []byte("window.echarts=null;\r\n")})
	for _, m := range regexp.MustCompile(`(?s)<(style|script)>(.*?)</(?:style|script)>`).FindAllStringSubmatch(page, -1) {
		sum := sha256.Sum256([]byte(m[2]))
		want := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
		if !strings.Contains(page, want) {
			t.Errorf("no hash for the %s of %d bytes", m[1], len(m[2]))
		}
	}
	still := pageOf(t, inversionFixture(), Options{Charts: Static})
	if !strings.Contains(still, "script-src 'none'") {
		t.Error("a still page allows scripts")
	}
}

func TestStamp(t *testing.T) {
	nb := incidentFixture()
	for _, mode := range modes {
		s, err := FindStamp([]byte(pageOf(t, nb, Options{Mode: mode, Charts: Static})))
		if err != nil {
			t.Fatal(err)
		}
		want, err := Hash(nb)
		if err != nil {
			t.Fatal(err)
		}
		if s.Notebook != want || s.Options["mode"] != string(mode) || len(s.Files) != len(nb.Count.Files) || *s.Captures[0].SHA256 != *nb.Count.Captures[0].SHA256 {
			t.Errorf("stamp %+v does not describe the notebook", s)
		}
	}
	if _, err := FindStamp([]byte("<html>")); err == nil {
		t.Error("a page without a stamp has one")
	}
}

func TestOptionErrors(t *testing.T) {
	for _, o := range []Options{{Mode: "x"}, {Answers: "x"}, {Charts: "x"}} {
		if err := HTML(&bytes.Buffer{}, oneFixture(), o); err == nil {
			t.Errorf("options %+v are accepted", o)
		}
	}
	if builtinECharts() == nil {
		if err := HTML(&bytes.Buffer{}, oneFixture(), Options{Charts: Interactive}); err == nil {
			t.Error("interactive charts without a library are accepted")
		}
	}
}

func TestPublishMasksNames(t *testing.T) {
	nb := incidentFixture()
	nb.Verdict.Text = "ran on gpu7.internal at 10.1.2.3:30000 from /home/alice/kit for bob@corp.example, host='node-9'"
	masked := pageOf(t, nb, Options{Mode: Publish, Charts: Static})
	kept := pageOf(t, nb, Options{Mode: Publish, Charts: Static, KeepNames: true})
	for _, name := range []string{"gpu7.internal", "10.1.2.3", "alice", "bob@corp", "node-9"} {
		if strings.Contains(masked, name) {
			t.Errorf("%s is not masked", name)
		}
		if !strings.Contains(kept, name) {
			t.Errorf("%s is masked although names are to be kept", name)
		}
	}
	if !strings.Contains(masked, "677.61") {
		t.Error("a number was masked")
	}
}

func TestAnswersAreFolded(t *testing.T) {
	hidden := pageOf(t, inversionFixture(), Options{Mode: Case, Charts: Static})
	shown := pageOf(t, inversionFixture(), Options{Mode: Case, Answers: Shown, Charts: Static})
	if strings.Count(hidden, "<details>\n<summary>Show the resolution") != 1 || strings.Count(shown, "<details open>\n<summary>Show the resolution") != 1 {
		t.Error("the resolution is not folded as asked for")
	}
	if strings.Contains(hidden, "Teacher") || !strings.Contains(shown, "Teacher") {
		t.Error("the teacher's view stands in the wrong form")
	}
}

func hundredRuns() *analysis.Notebook {
	nb := base("hundred")
	for i := range 100 {
		kitRun{cap: 8 << (i % 4), prompts: 1000, seed: int64(i), warm: int64(i % 3 * 100), warmMS: 90, coldMS: 700 + float64(i), from: "x", details: true, log: true, flush: "none"}.add(nb, fmt.Sprintf("runs/r%03d.jsonl:1", i))
	}
	addLog(nb, "")
	addCauses(nb, nil)
	nb.Segments = analysis.PartPrompts(nb.Count)
	return nb
}

func TestSizes(t *testing.T) {
	for name, nb := range sampleNotebooks(t) {
		for _, mode := range modes {
			if n := len(pageOf(t, nb, Options{Mode: mode, Charts: Static})); n > 350_000 {
				t.Errorf("%s, %s: %d bytes without the chart library", name, mode, n)
			}
			if n := len(pageOf(t, nb, Options{Mode: mode})); n > 1_300_000 {
				t.Errorf("%s, %s: %d bytes with the chart library", name, mode, n)
			}
			if n := len([]rune(markdown(t, nb, Options{Mode: mode}))); n >= 65_000 {
				t.Errorf("%s, %s Markdown: %d characters", name, mode, n)
			}
		}
	}
	nb := hundredRuns()
	if n := len(pageOf(t, nb, Options{Charts: Static})); n > 1_500_000 {
		t.Errorf("page of a hundred runs: %d bytes", n)
	}
	for _, mode := range modes {
		if n := len([]rune(markdown(t, nb, Options{Mode: mode}))); n >= 65_000 {
			t.Errorf("%s Markdown of a hundred runs: %d characters", mode, n)
		}
	}
}
