package browsertest

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// sandboxHeight is the height of the frame: the first screens of a report, with
// its first charts and folds.
const sandboxHeight = 3000

// TestSandboxedFrame puts reports into sandboxed frames, as threads and wikis
// do, and holds what is seen against the page on its own: all of its charts are
// there, its folds open, and nothing complains. With scripts the frame still has
// no origin of its own.
func TestSandboxedFrame(t *testing.T) {
	// The browser keeps the frame in the process of its page, so that its
	// messages are heard on the page.
	ctx, done := startBrowser(chromium(t), chromedp.Flag("disable-features", "IsolateSandboxedIframes,site-per-process,Translate"))
	defer done()
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	for _, r := range reports(t) {
		if name := r.name(); name != "inversion/review" && name != "incident/case" {
			continue
		}
		for _, scripts := range []bool{true, false} {
			for _, inline := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/scripts=%v/srcdoc=%v", r.name(), scripts, inline), func(t *testing.T) {
					host := framed(t, r, scripts, inline)
					v := view{scripts: scripts, scheme: "light", width: 1280}
					alone := showFold(t, ctx, v, r.url(), "")
					v.scripts = true // the frame forbids them, not the browser
					in := showFold(t, ctx, v, host, r.url())
					if !scripts && len(in.heard) == 0 && r.interactive {
						t.Error("the browser did not say that it blocked the scripts: nothing can have been heard")
					}
					for _, s := range in.heard {
						if scripts || !strings.Contains(s, "Blocked script execution") {
							t.Error(s)
						}
					}
					for i, what := range []string{"at first", "with a fold open"} {
						if n := differing(t, alone.shots[i], in.shots[i]); n > 200 {
							t.Errorf("%s: %d pixels differ from the page on its own", what, n)
						}
					}
					if differing(t, in.shots[0], in.shots[1]) < 1000 {
						t.Error("the fold did not open")
					}
				})
			}
		}
	}
}

// framed writes a page that shows the report in a sandboxed frame.
func framed(t *testing.T, r report, scripts, inline bool) string {
	t.Helper()
	allow := ""
	if scripts {
		allow = "allow-scripts"
	}
	source := `src="` + r.url() + `"`
	if inline {
		page, err := os.ReadFile(r.path)
		if err != nil {
			t.Fatal(err)
		}
		source = `srcdoc="` + html.EscapeString(string(page)) + `"`
	}
	path := filepath.Join(t.TempDir(), "host.html")
	host := fmt.Sprintf(`<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>host</title>
<style>body { margin: 0 } iframe { display: block; border: 0; width: 100%%; height: %dpx }</style>
<iframe sandbox="%s" title="report" %s></iframe>`, sandboxHeight, allow, source)
	if err := os.WriteFile(path, []byte(host), 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + path
}

// shown is what was seen and heard of a page.
type shown struct {
	shots [2][]byte // before and after the first fold of a chart was clicked
	heard []string
}

// showFold opens a page, takes its picture, clicks where the first fold of the
// report stands, and takes another. A framed report tells nothing of itself: its
// fold is found on the report opened on its own.
func showFold(t *testing.T, ctx context.Context, v view, url, report string) shown {
	t.Helper()
	tab, done := openTab(ctx)
	defer done()
	find := url
	if report != "" {
		find = report
	}
	v.height = sandboxHeight
	v.open(t, tab, find)
	at, err := chromedp.Run(tab, chromedp.Evaluate[[]float64](
		`(() => { const r = document.querySelector('figcaption summary').getBoundingClientRect(); return [r.x + 40, r.y + r.height / 2]; })()`))
	if err != nil {
		t.Fatal(err)
	}
	if at[1] > sandboxHeight-100 {
		t.Fatalf("the first fold stands at %v: the frame is too low", at)
	}
	heard := listen(t, tab, url)
	v.open(t, tab, url)
	var out shown
	for i := range out.shots {
		if i == 1 {
			if err := chromedp.Do(tab, chromedp.MouseClickXY(at[0], at[1]), chromedp.Sleep(300*time.Millisecond)); err != nil {
				t.Fatal(err)
			}
		}
		if out.shots[i], err = chromedp.Run(tab, chromedp.CaptureScreenshot()); err != nil {
			t.Fatal(err)
		}
	}
	for _, s := range heard() {
		if s != "request: "+report { // the frame asks for its document
			out.heard = append(out.heard, s)
		}
	}
	return out
}

// differing counts the pixels in which two pictures differ.
func differing(t *testing.T, a, b []byte) int {
	t.Helper()
	x, y := pixels(t, a), pixels(t, b)
	if len(x) != len(y) {
		t.Fatalf("pictures of %d and %d bytes", len(x), len(y))
	}
	n := 0
	for i := 0; i < len(x); i += 4 {
		if !bytes.Equal(x[i:i+4], y[i:i+4]) {
			n++
		}
	}
	return n
}

// pixels are the colours of a picture, four bytes each.
func pixels(t *testing.T, b []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Bounds(), img, img.Bounds().Min, draw.Src)
	return out.Pix
}
