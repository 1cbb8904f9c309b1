package browsertest

import (
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// chromium returns the path of the browser, or skips the test.
func chromium(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("COLDCASE_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium on this machine: install one or set COLDCASE_CHROMIUM")
	return ""
}

// browser gives the browser of all tests, which has no network access. Each tab
// of it is a child of the returned context.
func browser(t testing.TB) context.Context {
	t.Helper()
	path := chromium(t)
	started.Do(func() { shared, closeBrowser = startBrowser(path) })
	if err := chromedp.Do(shared); err != nil {
		t.Fatalf("start the browser: %v", err)
	}
	return shared
}

var (
	started      sync.Once
	shared       context.Context
	closeBrowser = func() {}
)

func startBrowser(path string, more ...chromedp.ExecAllocatorOption) (context.Context, func()) {
	opts := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.DisableGPU,
		// Names resolve to nothing: a page that asks for anything is caught
		// by its request and cannot be served from a cache.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
		chromedp.Flag("force-device-scale-factor", "1"),
		chromedp.Flag("disable-dev-shm-usage", true),
	)
	if os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox)
	}
	opts = append(opts, more...)
	allocator, stop := chromedp.NewExecAllocator(context.Background(), opts...)
	ctx, cancel := chromedp.NewContext(allocator)
	return ctx, func() { cancel(); stop() }
}
