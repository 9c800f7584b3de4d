package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshots draws every page into the folder that DAILIES_SCREENSHOTS
// names: in five widths, light and dark.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("DAILIES_SCREENSHOTS")
	if dir == "" {
		t.Skip("DAILIES_SCREENSHOTS names no folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	walk(t, func(p *tab, name string, show func()) {
		for _, size := range sizes {
			for _, scheme := range []string{"light", "dark"} {
				l := look{fmt.Sprintf("%04d-%s", size[0], scheme), size[0], size[1], scheme}
				p.wear(l)
				if scheme == "light" {
					show()
				}
				p.await("the page is at rest", atRest)
				p.shoot(filepath.Join(dir, name+"-"+l.name), l)
			}
		}
	})
}

// atRest is true when pictures are there and a player has stopped to show that
// it begins, which nothing in the page tells.
const atRest = `document.readyState === "complete"
	&& [...document.images].every(i => i.complete || i.loading === "lazy")
	&& (!document.querySelector("video") || performance.now() > 2500)`

// shoot takes a picture of the window, and of the whole page where that is more.
func (p *tab) shoot(file string, l look) {
	p.t.Helper()
	p.save(file + ".png")
	if height := get[int64](p, `document.documentElement.scrollHeight`); height > l.height {
		p.size(l.width, min(height, highest))
		p.save(file + "-whole.png")
	}
}

func (p *tab) save(file string) {
	p.t.Helper()
	ctx, cancel := p.within()
	defer cancel()
	picture, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(file, picture, 0o644)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}
