package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestScreenshots saves a picture of every page in the folder that DAILIES_SCREENSHOTS
// names, in five widths, light and dark.
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
				p.setLook(l)
				if scheme == "light" {
					show()
				}
				p.await("the page is at rest", atRest)
				p.shoot(filepath.Join(dir, name+"-"+l.name), l)
			}
		}
	})
}

// atRest is true once the pictures are loaded and a player has hidden its opening hint,
// which only time can tell.
const atRest = `document.readyState === "complete"
	&& [...document.images].every(i => i.complete || i.loading === "lazy")
	&& (!document.querySelector("video") || performance.now() > 2500)`

// shoot saves a picture of the window and, if the page is longer, one of the whole
// page.
func (p *tab) shoot(file string, l look) {
	p.t.Helper()
	p.save(file + ".png")
	if height := get[int64](p, `document.documentElement.scrollHeight`); height > l.height {
		p.size(l.width, min(height, maxHeight))
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
