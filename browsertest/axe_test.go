package browsertest

import (
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

const axePath = "node_modules/axe-core/axe.min.js"

// TestAccessible lets axe-core look at every report, wide and narrow, in both
// colour schemes.
func TestAccessible(t *testing.T) {
	ctx := browser(t)
	axe, err := os.ReadFile(axePath)
	if err != nil {
		t.Skip("axe-core is not installed: npm ci --ignore-scripts in this folder")
	}
	for _, r := range reports(t) {
		for _, v := range []view{{scripts: true, scheme: "light", width: 1280}, {scripts: true, scheme: "dark", width: 390}} {
			t.Run(r.name()+"/"+v.String(), func(t *testing.T) {
				t.Parallel()
				tab, done := openTab(ctx)
				defer done()
				v.open(t, tab, r.url())
				unfold(t, tab)
				if _, err := chromedp.Run(tab, chromedp.Evaluate[bool](string(axe)+"; true")); err != nil {
					t.Fatal(err)
				}
				found, err := chromedp.Run(tab, chromedp.Evaluate[[]string](runAxe, chromedp.EvalAwaitPromise))
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range found {
					t.Error(f)
				}
			})
		}
	}
}

// runAxe looks at a page whose folds are open: what is in them must be readable
// as well.
const runAxe = `(async () => {
  const result = await axe.run(document, {resultTypes: ['violations']});
  return result.violations.flatMap(v => v.nodes.slice(0, 3).map(n =>
    v.id + ': ' + v.help + ': ' + n.html.slice(0, 120) + ' ' + (n.failureSummary || '').replace(/\s+/g, ' ').slice(0, 200)));
})()`
