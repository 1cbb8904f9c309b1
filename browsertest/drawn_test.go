package browsertest

import (
	_ "embed"
	"testing"

	"github.com/chromedp/chromedp"
)

//go:embed drawn.js
var drawn string

// TestInteractiveCharts holds what ECharts drew against its data: that a chart
// appeared is no proof that it is the right one.
func TestInteractiveCharts(t *testing.T) {
	ctx := browser(t)
	for _, r := range reports(t) {
		if !r.interactive {
			continue
		}
		t.Run(r.name(), func(t *testing.T) {
			t.Parallel()
			tab, done := openTab(ctx)
			defer done()
			view{scripts: true, scheme: "light", width: 1280}.open(t, tab, r.url())
			unfold(t, tab)
			got, err := chromedp.Run(tab, chromedp.Evaluate[struct {
				Faults              []string
				Charts, Steps, Bars int
			}](drawn))
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range got.Faults {
				t.Error(f)
			}
			if got.Charts == 0 {
				t.Error("no chart was looked at")
			}
			if r.sample == "inversion" && r.mode == "review" && (got.Steps == 0 || got.Bars == 0) {
				t.Errorf("%d step lines and %d bars were looked at", got.Steps, got.Bars)
			}
		})
	}
}
