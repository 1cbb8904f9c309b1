package mdx

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

func render(t *testing.T, src string) string {
	t.Helper()
	out, _, err := Render([]byte(src), func(id string) (string, error) { return "<b>" + id + "</b>", nil })
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"fold", "<details>\n<summary>a &lt; b</summary>\n\ntext\n\n</details>\n", "<details>\n<summary>a &lt; b</summary>\n<p>text</p>\n</details>\n"},
		{"other html", "<script>x</script>\n", "<pre>&lt;script&gt;x&lt;/script&gt;</pre>\n"},
		{"inline html", "a <b>c</b>\n", "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"},
		{"alert", "> [!WARNING]\n> text\n", "<blockquote class=\"alert warning\"><p>text</p>\n</blockquote>\n"},
		{"block", string(Block("7")), "<b>7</b>\n"},
		{"link inside", "[a](#b)\n", "<p><a href=\"#b\">a</a></p>\n"},
		{"link outside", "[a](http://b)\n", "<p>a</p>\n"},
		{"heading", "## Partial hit and trace\n", "<h2 id=\"partial-hit-and-trace\">Partial hit and trace</h2>\n"},
		{"state", "| a |\n| --- |\n| ✓ clean |\n", "class=\"st good\""},
	} {
		if got := render(t, c.src); !strings.Contains(got, c.want) {
			t.Errorf("%s: got %q, want %q in it", c.name, got, c.want)
		}
	}
}

func TestPicturesAndUnknownBlocksAreErrors(t *testing.T) {
	for _, src := range []string{"![a](http://x/y.png)\n", string(Block("9"))} {
		if _, _, err := Render([]byte(src), func(string) (string, error) { return "", errors.New("no such block") }); err == nil {
			t.Errorf("%q renders", src)
		}
	}
}

func TestEscapeReadsWell(t *testing.T) {
	for in, want := range map[string]string{
		"677.61": "677.61", "a_b": "a_b", "bench-c8.txt": "bench-c8.txt", "1. x": `1\. x`, "- x": `\- x`,
		"a\nb": "a b", "http://x": `http:\//x`, "\x1b[31mred": "red", "a\u202Eb": "a\uFFFDb",
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestParseEscapesEveryPipeline(t *testing.T) {
	tmpl := template.Must(template.New("t").Funcs(Funcs()).Parse(
		`{{.A}}{{if .A}} {{.A}}{{else}}{{.B}}{{end}}{{range .L}} {{.}}{{end}}{{with .A}} {{.}}{{end}}` +
			`{{define "u"}} {{.}}{{end}}{{template "u" .A}}{{$x := .A}} {{$x}} {{code .A}} {{.A | print}}`))
	Parse(tmpl)
	var b strings.Builder
	if err := tmpl.Execute(&b, map[string]any{"A": "<*>", "B": "b", "L": []string{"<*>"}}); err != nil {
		t.Fatal(err)
	}
	e := `\<\*\>`
	if want := e + " " + e + " " + e + " " + e + " " + e + " " + e + " `<*>` " + e; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

var element = regexp.MustCompile(`<[^>]*>`)

// FuzzEscape: whatever the text, a paragraph of it is one paragraph and a cell
// one cell.
func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a|b", "<script>", "`x`", "# h", "> q", "1) x", "&lt;", "[a](b)", "~~~", "***", "===", "\u202Ex", "a\n\n    b", "http://a.b", "\\", "*a_b_*"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := render(t, "text "+Escape(s)+" end\n\n"+Escape(s)+"\n\n| h |\n| --- |\n| "+Escape(s)+" |\n")
		for _, e := range element.FindAllString(out, -1) {
			switch {
			case e == "<p>", e == "</p>", strings.HasPrefix(e, "<div"), e == "</div>", strings.HasPrefix(e, "<t"), strings.HasPrefix(e, "</t"):
			default:
				t.Fatalf("%q gives the element %q in %q", s, e, out)
			}
		}
		if n := strings.Count(out, "<td"); n != 1 {
			t.Fatalf("%q gives %d cells", s, n)
		}
		if n := strings.Count(out, "<p>"); n > 2 {
			t.Fatalf("%q gives %d paragraphs", s, n)
		}
	})
}

// FuzzFence: nothing closes a fence but its own end.
func FuzzFence(f *testing.F) {
	for _, s := range []string{"", "```", "````\n```", "~~~", "a\n``` \nb"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := render(t, string(Fence("text", s))+"\n\nafter\n")
		if strings.Count(out, "<pre") != 1 || !strings.HasSuffix(out, "<p>after</p>\n") {
			t.Fatalf("%q leaves its fence: %q", s, out)
		}
	})
}

// FuzzSummary: a fold's heading stays a heading.
func FuzzSummary(f *testing.F) {
	f.Add("a</summary><script>")
	f.Add("\n\nx")
	f.Fuzz(func(t *testing.T, s string) {
		out := render(t, string(Summary(s))+"\nx\n"+string(EndFold)+"\n")
		if strings.Count(out, "<summary>") != 1 || strings.Count(out, "</details>") != 1 || strings.Contains(out, "<script") {
			t.Fatalf("%q breaks its fold: %q", s, out)
		}
	})
}
