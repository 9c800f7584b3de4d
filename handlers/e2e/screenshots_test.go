package e2e

import (
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// A shot is one state of one page: how to get there.
type shot struct {
	name string
	show func(p *tab)
}

// at is a shot of a page as it opens.
func at(name, path string) shot { return shot{name, func(p *tab) { p.open(path) }} }

// TestScreenshots draws every page into the folder that DAILIES_SCREENSHOTS
// names: in two widths, light and dark.
func TestScreenshots(t *testing.T) {
	dir := os.Getenv("DAILIES_SCREENSHOTS")
	if dir == "" {
		t.Skip("DAILIES_SCREENSHOTS names no folder")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s := newPlainServer(t)
	guest := newTab(t, s.base)
	guest.shootAll(dir, []shot{at("setup", "/setup?token="+setupToken), at("setup-without-token", "/setup"), {"setup-errors", setUpWrong}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	guest.shootAll(dir, []shot{at("login", "/login"), {"login-error", logInWrong}, at("join-closed", "/join/none"), at("guest-404", "/nothing")})

	ada, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, ada)
	p.shootAll(dir, []shot{at("create-first", "/create/text-to-video"), at("gallery-empty", "/gallery"), at("usage-empty", "/usage")})
	films := newPictures(t)
	tasks := fill(t, ada, films)
	p.shootAll(dir, formShots(films))
	p.shootAll(dir, []shot{
		at("gallery", "/gallery"), at("gallery-everything", "/gallery?status=all"), at("gallery-nothing-found", "/gallery?q=elephant"),
		at("task-ready", tasks["ready"]), at("task-pictures", tasks["pictures"]), at("task-failed", tasks["failed"]),
		at("task-canceled", tasks["canceled"]), at("task-running", tasks["running"]), {"task-answers", func(p *tab) { showAnswers(p, tasks["ready"]) }},
		at("settings", "/settings"), {"settings-error", keyWrong}, at("members", "/members"), {"members-new-link", newLink},
		at("usage", "/usage"), at("404", "/nothing"), {"menu", openMenu},
	})
	noKey := s.member(t)
	if _, err := noKey.post("/settings/key/delete", nil); err != nil {
		t.Fatal(err)
	}
	newTabOf(t, noKey).shootAll(dir, []shot{at("create-without-key", "/create/text-to-video"), at("settings-without-key", "/settings")})
}

// fill makes what the pages are to show.
func fill(t *testing.T, who *person, films string) (tasks map[string]string) {
	draft := func(prompt, ratio string) url.Values {
		return url.Values{"model": {"seedance-2.0"}, "prompt": {prompt}, "duration": {"4"}, "resolution": {"480p"}, "aspect_ratio": {ratio}}
	}
	tasks = map[string]string{}
	tasks["failed"] = who.makeOf(t, "text-to-video", draft("The lighthouse keeper waves at a passing ship #fail", "16:9"))
	tasks["canceled"] = who.makeOf(t, "text-to-video", draft("A cat that changes its mind #cancel", "16:9"))
	for i, prompt := range []string{
		"Macro shot of dew drops on a fern at sunrise, focus moves from the front leaf to the back",
		"A yellow tram crosses a bridge at night, rain on the lens, city lights blurred behind it",
		"Waves run up a black beach, seen from straight above, slow and even",
	} {
		who.makeOf(t, "text-to-video", draft(prompt, []string{"16:9", "9:16", "1:1"}[i]))
	}
	pictures := draft("The bud opens into a flower, the light turns from blue to gold", "16:9")
	pictures["image_input"] = []string{films + "/bud.png", films + "/flower.jpg"}
	tasks["pictures"] = who.makeOf(t, "frames-to-video", pictures)
	tasks["ready"] = who.makeOf(t, "text-to-video", draft("A paper boat drifts out of a quiet harbour as the morning fog lifts. Slow push-in, soft light, gentle ripples.", "16:9"))
	who.finish(t, tasks["pictures"])
	who.finish(t, tasks["ready"])
	tasks["running"] = who.makeOf(t, "text-to-video", draft("A market square fills with people, time lapse from dawn to noon #slow", "16:9"))
	return tasks
}

// formShots are the scenes, the options of several models, and mistakes.
func formShots(films string) []shot {
	shots := []shot{
		at("create-text", "/create/text-to-video"), at("create-image", "/create/image-to-video"),
		at("create-frames", "/create/frames-to-video"), at("create-references", "/create/reference-to-video"),
		{"create-pictures", func(p *tab) {
			p.open("/create/frames-to-video")
			p.fillPicture(0, films+"/bud.png")
			p.fill("[id='image_input-1'], [id='image_input.1']", films+"/missing")
			p.awaitText("[data-picture]", "No picture shows up")
		}},
		{"create-errors", func(p *tab) {
			p.open("/create/image-to-video")
			p.fill("input[name=image_input]", "ftp://example.com/a.png")
			p.leave(func() { p.clickText(makeButton, makeWords) })
		}},
		{"create-refused", func(p *tab) {
			p.open("/create/text-to-video")
			p.fill(promptField, "A door that stays shut #refuse")
			p.leave(func() { p.clickText(makeButton, makeWords) })
		}},
	}
	for name, model := range map[string]string{"veo": "Veo 3.1", "pro-1.5": "Seedance 1.5 Pro", "v1-lite": "ByteDance V1 Lite"} {
		shots = append(shots, shot{"create-options-" + name, func(p *tab) {
			p.open("/create/text-to-video")
			p.clickText(".models label", model)
			p.await("the options are there", `document.querySelector("#options .htmx-settling, .htmx-request") === null && document.querySelector("#options details")`)
			p.click("#options details summary")
		}})
	}
	return shots
}

func setUpWrong(p *tab) {
	p.open("/setup?token=" + setupToken)
	p.fill("input[name=email]", "not an address")
	p.leave(func() { p.clickText("button", "Start") })
}

func logInWrong(p *tab) {
	p.open("/login")
	p.fill("input[name=email]", "nobody@example.com")
	p.fill("input[name=password]", "a wrong password")
	p.leave(func() { p.clickText("button", "Sign in") })
}

func keyWrong(p *tab) {
	p.open("/settings")
	p.leave(func() { p.clickText("button", "Save the key") })
}

func newLink(p *tab) {
	p.open("/members")
	p.leave(func() { p.clickText("button", "Make a link") })
}

func openMenu(p *tab) {
	p.open("/gallery")
	p.click("[data-menu] summary")
}

func showAnswers(p *tab, task string) {
	p.open(task)
	p.click("#answers details summary")
}

// atRest is true when pictures are there and a player has stopped to show that
// it begins, which nothing in the page tells.
const atRest = `document.readyState === "complete"
	&& [...document.images].every(i => i.complete || i.loading === "lazy")
	&& (!document.querySelector("video") || performance.now() > 2500)`

// shootAll takes each shot in both widths and both themes: of the window, and
// of the whole page where that is more.
func (p *tab) shootAll(dir string, shots []shot) {
	p.t.Helper()
	p.expect("HTTP") // pages with mistakes are part of the picture
	p.expect("status of 4")
	for _, theme := range []string{"light", "dark"} {
		p.theme(theme)
		for name, size := range map[string][2]int64{"wide": {1280, 900}, "phone": {390, 844}} {
			for _, s := range shots {
				p.size(size[0], size[1])
				s.show(p)
				p.await("the page is at rest", atRest)
				p.shoot(filepath.Join(dir, s.name+"-"+name+"-"+theme), size)
			}
		}
	}
}

func (p *tab) shoot(file string, size [2]int64) {
	p.t.Helper()
	p.save(file + ".png")
	if height := get[int64](p, `document.documentElement.scrollHeight`); height > size[1] {
		p.size(size[0], min(height, 6000))
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

// theme makes the page light or dark.
func (p *tab) theme(scheme string) {
	p.t.Helper()
	params := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, params); err != nil {
		p.t.Fatal(err)
	}
}
