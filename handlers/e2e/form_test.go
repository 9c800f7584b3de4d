package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp/kb"
)

// pick opens the menu of one of the form's options, chooses the item with the words,
// and waits until the page is updated.
func (p *tab) pick(option, words string) {
	p.t.Helper()
	p.click("#open-" + option)
	p.clickText("#choose-"+option+" label", words)
	p.await(words+" is chosen", fmt.Sprintf(`document.querySelector("#open-%s").ariaLabel.includes(%q) && !document.querySelector("[popover]:popover-open, .htmx-request")`, option, words))
}

func TestAnotherModelRefreshesOnlyItsOptions(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "A boat, whichever model")
	get[bool](p, `document.querySelector("textarea").mine = true`)
	p.mark()
	p.pick("model", "Seedance 2.0")
	p.await("its lengths are offered", `document.querySelector("input[name=duration][value='7']")`)
	p.pick("duration", "7 s")
	p.pick("model", "ByteDance V1 Pro")
	p.awaitText("#options [role=status]", "doesn’t make 7 s, so we set 5 s")
	p.await("the other length is chosen", `document.querySelector("input[name=duration]:checked").value === "5"`)
	p.await("the camera can be held still", `document.querySelector("input[name=camera_fixed]")`)
	p.stayed()
	if got := get[string](p, `document.querySelector("textarea").mine && document.querySelector("textarea").value`); got != "A boat, whichever model" {
		t.Errorf("the field for the prompt was not left alone: %q", got)
	}
}

// Sample videos can show Latin, Greek and Cyrillic letters, which matters only for prompts
// with others.
func TestLettersThatSampleVideosLackAreMentioned(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	const mentioned = `document.querySelector(".practice [data-letters]").checkVisibility()`
	for _, c := range []struct {
		prompt string
		want   bool
	}{{"A boat, λίμνη, лодка, 3 × 🚤 ·", false}, {"紙の舟", true}, {"A boat", false}} {
		p.fill(promptField, c.prompt)
		p.await(c.prompt+": letters are mentioned or not", fmt.Sprintf("%s === %t", mentioned, c.want))
		p.open("/create/text-to-video?" + url.Values{"prompt": {c.prompt}}.Encode())
		if got := get[bool](p, mentioned); got != c.want {
			t.Errorf("%s, as the server sends it: %t", c.prompt, got)
		}
	}
}

func TestPictureIsShownOrTheMessageSaysWhyNot(t *testing.T) {
	t.Parallel()
	pictures := newPictures(t)
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("404") // the missing picture
	p.open("/create/image-to-video")
	p.fill("input[name=image_input]", pictures+"/nothing")
	p.awaitText("[data-picture]", "No picture at this link")
	p.fillPicture(0, pictures+"/lake.png")
	p.awaitText("[data-picture]", "320 × 180")
	p.fill("input[name=image_input]", "lake.png")
	p.awaitText("[data-picture]", "isn’t a web address")
}

func TestPicturesAreAddedAndRemovedOneByOne(t *testing.T) {
	t.Parallel()
	pictures := newPictures(t)
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/reference-to-video")
	for i, name := range []string{"/one.png", "/two.png", "/three.png"} {
		p.fillPicture(i, pictures+name)
	}
	p.await("a fourth cannot be added", `document.querySelectorAll("[data-picture]").length === 3 && !document.querySelector("[data-picture]:not([data-filled])")`)
	p.click("[data-picture='image_input.1'] [data-remove]")
	const given = `[...document.querySelectorAll("input[name=image_input]")].map(i => i.value.split("/").pop()).join()`
	p.await("the others close up", given+` === "one.png,three.png,"`)
}

func TestMistakesAreToldBesideTheFieldsAndEverythingStays(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("422")
	p.open("/create/frames-to-video")
	p.pick("model", "Veo 3.1")
	p.await("the seed is offered", `document.querySelector("input[name=seed]")`)
	p.fill(promptField, "From here to there")
	p.fill("#image_input-0, [id='image_input.0']", "ftp://example.com/a.png")
	p.click("#open-generate_audio")
	p.fill("input[name=seed]", "many")
	p.press(kb.Escape)
	p.await("the choices are closed", `!document.querySelector(":popover-open")`)
	p.leave(func() { p.clickText(makeButton, makeWords) })

	p.awaitText("form [role=alert]", "Fix this first")
	const beside = `(name, i) => document.querySelectorAll("[name=" + name + "]")[i].closest("[data-picture], .field").querySelector(".error")?.innerText ?? ""`
	for place, part := range map[string]string{
		`("image_input", 0)`: "isn’t a web address",
		`("image_input", 1)`: "Add a picture to end with",
		`("seed", 0)`:        "whole number",
	} {
		if got := get[string](p, `(`+beside+`)`+place); !strings.Contains(got, part) {
			t.Errorf("beside %s stands %q, not %q", place, got, part)
		}
	}
	const kept = `[...document.querySelectorAll("[name=prompt], [name=image_input], [name=seed], [name=model]:checked")].map(i => i.value).join("|")`
	if got := get[string](p, kept); got != "From here to there|ftp://example.com/a.png||veo3|many" {
		t.Errorf("the form kept %q", got)
	}
}

func TestAnotherSceneTakesAlongWhatWasTyped(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "Moves with me")
	p.leave(func() { p.clickText("nav a", "References") })
	p.awaitPath("/create/reference-to-video")
	p.await("the text came along", `document.querySelector("textarea").value === "Moves with me"`)
}

// The choices of an option never lie over the scenes, and nobody is asked for a
// provider.
func TestChoicesLeaveTheScenesInSight(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.media([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}})
	for _, path := range []string{"/create/text-to-video?model=veo3", "/create/image-to-video?model=bytedance/v1-lite-image-to-video"} {
		p.open(path)
		for _, height := range []int64{520, 700, 900, 1200} {
			p.size(1280, height)
			for _, name := range []string{"model", "duration", "aspect_ratio", "resolution", "generate_audio"} {
				get[bool](p, `(scrollTo(0, 0), document.querySelector("#choose-`+name+`")?.showPopover(), true)`)
				covered := get[string](p, `(() => {
					const pop = document.querySelector(".opt:popover-open")?.getBoundingClientRect(), tabs = document.querySelector("[data-tabs]").getBoundingClientRect();
					return pop && (pop.top < tabs.bottom && pop.bottom > tabs.top || pop.height < 60 || pop.bottom > innerHeight + 1) ? Math.round(pop.top) + " to " + Math.round(pop.bottom) : "";
				})()`)
				if covered != "" {
					t.Errorf("%s, %d high: the choices of %s lie at %s", path, height, name, covered)
				}
				get[bool](p, `(document.querySelector(".opt:popover-open")?.hidePopover(), true)`)
			}
		}
		if get[bool](p, `document.querySelector("main").textContent.includes("rovider")`) {
			t.Error("the form asks for a provider")
		}
	}
}
