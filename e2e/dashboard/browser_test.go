package dashboard

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"
)

// need ends the test for what is missing on this machine; in CI it fails.
func need(t *testing.T, missing string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(missing)
	}
	t.Skip(missing)
}

// browsers are the names under which Debian and others install it.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

var (
	// browser starts one Chromium for all tests; its error says that there is none.
	browser      = sync.OnceValues(startBrowser)
	closeBrowser = func() {}
)

var errNoBrowser = errors.New("no Chromium: apt-get install chromium")

func startBrowser() (context.Context, error) {
	var path string
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		return nil, errNoBrowser
	}
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(path), chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck, chromedp.Headless, chromedp.DisableGPU,
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("hide-scrollbars", true),
	}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox) // it refuses to run as root otherwise
	}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, leave := chromedp.NewContext(allocated)
	closeBrowser = func() {
		leave()
		stop()
	}
	return ctx, chromedp.Do(ctx)
}
