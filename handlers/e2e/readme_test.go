package e2e

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/chromedp/chromedp"
)

// readmeFolder is where TestPicturesOfTheReadme saves its pictures.
var readmeFolder = os.Getenv("DAILIES_README")

// readmePrompts lists the sample videos that are made for the pictures of the README, in
// this order: the prompt of each, and the ratio of its width to its height.
var readmePrompts = [][2]string{
	{"A caravan crosses the dunes at sunset", "16:9"},
	{"Macro shot of dew drops on a fern", "4:3"},
	{"A red car on the coast road", "16:9"},
	{"Terraced fields in the morning mist", "3:4"},
	{"Time-lapse of stars over a hut", "21:9"},
	{"Waves run up a black beach, seen from above", "1:1"},
	{"A yellow tram crosses a bridge at night", "16:9"},
	{"A perfume bottle turns in soft light", "9:16"},
	{"Snow falls on a quiet harbour", "16:9"},
	{"Ferns open in the rain, slow push-in", "4:3"},
	{"A paper boat drifts out of the harbour", "16:9"},
	{"A lantern in a dark forest", "9:16"},
	{"A hot-air balloon above the clouds", "16:9"},
	{"Aurora over a lake", "16:9"},
}

// TestPicturesOfTheReadme saves the README's pictures of the real program in the folder
// that DAILIES_README names.
func TestPicturesOfTheReadme(t *testing.T) {
	if readmeFolder == "" {
		t.Skip("DAILIES_README names no folder")
	}
	s := newPlainServer(t)
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	who, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	var made []string
	for _, p := range readmePrompts {
		made = append(made, who.makeOf(t, "text-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {p[0]}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {p[1]}}))
	}
	for _, path := range made {
		who.finish(t, path)
	}
	p := newTabOf(t, who)
	p.open("/gallery") // the browser draws the posters
	p.await("all have posters", `document.querySelectorAll("#cards img").length === `+strconv.Itoa(len(made))+` && !document.querySelector("[data-poster]")`)
	for _, one := range []struct {
		name string
		path string
		look look
	}{
		{"create", "/create/text-to-video", look{"", 1440, 900, "light"}},
		{"gallery", "/gallery", look{"", 1440, 900, "light"}},
		{"phone", "/create/text-to-video", look{"", 360, 844, "dark"}},
	} {
		p.setLook(one.look)
		p.open(one.path)
		p.await("the page is at rest", atRest)
		p.save(filepath.Join(readmeFolder, one.name+".png"))
	}
}

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
