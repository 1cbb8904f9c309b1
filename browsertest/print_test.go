package browsertest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"
)

// TestPrint prints every report to a PDF and finds the text of every fold and
// of every static chart in it: paper has no folds.
func TestPrint(t *testing.T) {
	ctx := browser(t)
	pdftotext, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("no pdftotext on this machine (package poppler-utils)")
	}
	for _, r := range reports(t) {
		for _, scripts := range []bool{true, false} {
			v := view{scripts: scripts, scheme: "light", width: 1280}
			t.Run(r.name()+"/"+v.String(), func(t *testing.T) {
				t.Parallel()
				tab, done := openTab(ctx)
				defer done()
				v.open(t, tab, r.url())
				folds, err := chromedp.Run(tab, chromedp.Evaluate[[]string](foldTexts))
				if err != nil {
					t.Fatal(err)
				}
				pdf, err := chromedp.Run(tab, chromedp.PrintToPDF(chromedp.PDFPrintBackground()))
				if err != nil {
					t.Fatal(err)
				}
				if n := pageCount(pdf); r.mode == "publish" && (n < 1 || n > 2) {
					t.Errorf("%d printed pages, want one or two", n)
				}
				printed := letters(textOf(t, pdftotext, pdf))
				if len(folds) == 0 && r.mode != "publish" {
					t.Error("the page has no fold: nothing was looked for")
				}
				for _, f := range folds {
					if !strings.Contains(printed, letters(f)) {
						t.Errorf("not in the PDF: %q", f)
					}
				}
			})
		}
	}
}

// foldTexts returns short pieces of text from every fold: the first words of
// each paragraph, list item, table cell and line in it, and of each static
// chart's labels.
const foldTexts = `(() => {
  const out = [];
  const take = e => {
    const words = (e.textContent || '').trim().split(/\s+/).slice(0, 5).join(' ');
    if (/[a-z0-9]/i.test(words)) out.push(words);
  };
  for (const d of document.querySelectorAll('details')) {
    for (const e of d.querySelectorAll('p, li, td, th, summary')) {
      if (!e.querySelector('p, li, td, th, summary, input, svg')) take(e);
    }
  }
  return out;
})()`

// pageCount counts the page objects of a PDF as Chromium writes it.
func pageCount(pdf []byte) int {
	return len(regexp.MustCompile(`/Type\s*/Page\b`).FindAll(pdf, -1))
}

// textOf extracts the text of a PDF.
func textOf(t *testing.T, pdftotext string, pdf []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "page.pdf")
	if err := os.WriteFile(file, pdf, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(pdftotext, "-raw", file, "-").Output()
	if err != nil {
		t.Fatalf("pdftotext: %v", err)
	}
	return string(bytes.ToValidUTF8(out, nil))
}

// letters keeps letters and digits only, in lower case: line ends, hyphens and
// ligatures of the layout do not matter.
func letters(s string) string {
	s = strings.NewReplacer("ﬁ", "fi", "ﬂ", "fl", "ﬀ", "ff", "ﬃ", "ffi", "ﬄ", "ffl").Replace(s)
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}
