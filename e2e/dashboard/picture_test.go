package dashboard

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"
)

// pictures is where pictures go: a folder that git ignores.
var pictures = filepath.Join("..", "..", "artifacts", "dashboard")

// picture saves what the page looks like: the whole of it, or what one sees of it behind a dialog.
func (p *page) picture(name string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	defer cancel()
	shot := chromedp.FullScreenshot(100)
	if dialog, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`!!document.querySelector("dialog[open]")`)); err == nil && dialog {
		shot = chromedp.CaptureScreenshot()
	}
	png, err := chromedp.Run(ctx, shot)
	if err == nil {
		err = os.MkdirAll(pictures, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(pictures, name+".png"), png, 0o644)
	}
	if err != nil {
		p.t.Logf("no picture %s: %v", name, err)
	}
}
