package browsertest

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

//go:embed probe.js
var probe string

// view is one way of looking at a page.
type view struct {
	scripts bool
	scheme  string // light or dark
	width   int64  // CSS px
	height  int64  // CSS px, 0 for an ordinary window
}

func (v view) String() string {
	scripts := "scripts"
	if !v.scripts {
		scripts = "no-scripts"
	}
	return fmt.Sprintf("%s-%s-%d", scripts, v.scheme, v.width)
}

func views() []view {
	var out []view
	for _, scripts := range []bool{true, false} {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				out = append(out, view{scripts: scripts, scheme: scheme, width: width})
			}
		}
	}
	return out
}

// TestPages opens every report in every view: no request, no error, no policy
// violation, no sideways scroll, every chart visible, no label over another.
func TestPages(t *testing.T) {
	ctx := browser(t)
	for _, r := range reports(t) {
		for _, v := range views() {
			t.Run(r.name()+"/"+v.String(), func(t *testing.T) {
				t.Parallel()
				for _, fault := range look(t, ctx, r, v) {
					t.Error(fault)
				}
			})
		}
	}
}

// look opens a report in a tab of its own and returns what is wrong with it.
func look(t *testing.T, ctx context.Context, r report, v view) []string {
	t.Helper()
	tab, done := openTab(ctx)
	defer done()
	heard := listen(t, tab, r.url())
	v.open(t, tab, r.url())
	unfold(t, tab)
	seen, err := chromedp.Run(tab, chromedp.Evaluate[[]string](probe))
	if err != nil {
		t.Fatal(err)
	}
	return append(seen, heard()...)
}

func openTab(ctx context.Context) (context.Context, func()) {
	tab, closeTab := chromedp.NewContext(ctx)
	timed, cancel := context.WithTimeout(tab, 60*time.Second)
	return timed, func() { cancel(); closeTab() }
}

// open sets the tab up for the view, opens the page and waits until its charts
// have been drawn.
func (v view) open(t testing.TB, tab context.Context, url string) {
	t.Helper()
	if v.height == 0 {
		v.height = 900
	}
	err := errors.Join(
		send(tab, network.Enable, network.EnableParams{}),
		send(tab, log.Enable, cdp.Empty{}),
		send(tab, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: !v.scripts}),
		send(tab, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
			Width: v.width, Height: v.height, DeviceScaleFactor: 1, Mobile: v.width < 500}),
		send(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: v.scheme}}}),
		chromedp.Do(tab, chromedp.Navigate(url), chromedp.Sleep(150*time.Millisecond)),
	)
	if err != nil {
		t.Fatalf("open %s: %v", url, err)
	}
}

// unfold opens every fold and waits until the charts in them have been drawn.
func unfold(t testing.TB, tab context.Context) {
	t.Helper()
	_, err := chromedp.Run(tab, chromedp.Evaluate[bool](`document.querySelectorAll('details').forEach(d => { d.open = true; }), true`))
	if err := errors.Join(err, chromedp.Do(tab, chromedp.Sleep(100*time.Millisecond))); err != nil {
		t.Fatalf("open the folds: %v", err)
	}
}

// send runs a protocol command whose result does not matter.
func send[P, R any](tab context.Context, command cdp.Command[P, R], params P) error {
	_, err := chromedp.Call(tab, command, params)
	return err
}

// listen collects requests other than the page itself, messages of the console
// and what the browser logs (policy violations are among it). The returned
// func gives what was heard.
func listen(t *testing.T, tab context.Context, page string) func() []string {
	t.Helper()
	var mu sync.Mutex
	var heard []string
	add := func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, fmt.Sprintf(format, args...))
	}
	err := chromedp.Listen(tab, func(ev any) {
		switch e := ev.(type) {
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != page && !strings.HasPrefix(u, "data:") {
				add("request: %s", u)
			}
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeWarning {
				add("console %s: %v", e.Type, e.Args)
			}
		case *runtime.EventExceptionThrown:
			add("exception: %v", e.ExceptionDetails)
		case *log.EventEntryAdded:
			if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
				add("browser: %s", e.Entry.Text)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return heard
	}
}
