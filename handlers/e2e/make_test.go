package e2e

import (
	"fmt"
	"math"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// These are the parts of the form that the contract with external programs names.
const (
	promptField = `textarea[name=prompt]`
	makeButton  = `form button.primary`
	makeWords   = "Make the video"
)

func TestEachSceneMakesAVideoThatPlays(t *testing.T) {
	pictures := newPictures(t)
	for scene, names := range map[string][]string{
		"text-to-video":      nil,
		"image-to-video":     {"lake.png"},
		"frames-to-video":    {"bud.jpg", "flower.png"},
		"reference-to-video": {"cat.png", "hat.jpg"},
	} {
		t.Run(scene, func(t *testing.T) {
			t.Parallel()
			p := newTabOf(t, sharedServer(t).member(t))
			p.open("/create/" + scene)
			p.fill(promptField, "A quiet film about "+scene)
			for i, name := range names {
				p.fillPicture(i, pictures+"/"+name)
			}
			p.leave(func() { p.clickText(makeButton, makeWords) })
			p.awaitVideo()
			p.play("#latest video", 2)
		})
	}
}

// fillPicture types the URL into the picture field with the index, and waits until the
// picture is shown.
func (p *tab) fillPicture(index int, address string) {
	p.t.Helper()
	input := fmt.Sprintf(`[...document.querySelectorAll("input[name=image_input]")][%d]`, index)
	p.await("the form is there", input)
	id := get[string](p, input+`.id`)
	p.fill(`[id="`+id+`"]`, address)
	p.await("the picture shows", input+`.closest("[data-picture]").querySelector("img").naturalWidth === 320`)
}

// awaitVideo waits until the newest video is on the stage of the same page. Because it
// was finished while the page was open, it plays by itself, muted.
func (p *tab) awaitVideo() {
	p.t.Helper()
	id := regexp.MustCompile(`from=(\d+)`).FindStringSubmatch(p.path())
	if id == nil {
		p.t.Fatalf("the form led to %s", p.path())
	}
	p.mark()
	p.awaitFor(videoPatience, "the video is ready", fmt.Sprintf(`document.querySelector("#latest #video-%s")`, id[1]))
	p.stayed()
}

// play presses the play button if the video is not playing yet, waits until it runs,
// and seeks to near its end.
func (p *tab) play(selector string, seconds float64) {
	p.t.Helper()
	video := fmt.Sprintf(`document.querySelector(%q)`, selector)
	p.await("the video has controls of its own", `!`+video+`.controls`)
	if get[bool](p, video+`.paused`) {
		p.click("[data-film-do=play]")
	}
	p.await("the video runs", video+`.currentTime > 0.1 && `+video+`.readyState >= 2`)
	if got := get[float64](p, video+`.duration`); math.Abs(got-seconds) > 0.2 {
		p.t.Errorf("the video lasts %v s, want %v s", got, seconds)
	}
	if got := get[float64](p, video+`.videoHeight`); got < 96 {
		p.t.Errorf("the video is %v pixels high", got)
	}
	get[bool](p, fmt.Sprintf(`(v => {
		v.pause();
		v.addEventListener("seeked", () => v.jumped = true, {once: true});
		v.currentTime = %f;
		return true;
	})(%s)`, seconds*0.75, video))
	p.await("the video has jumped", video+`.jumped && Math.abs(`+video+fmt.Sprintf(`.currentTime - %f) < 0.2`, seconds*0.75))
}

func TestCtrlEnterMakesTheVideo(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "Keys are enough")
	p.leave(func() { p.press("\r", ctrl) })
	p.awaitVideo()
}

func TestTwoPressesMakeOneVideo(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.fill(promptField, "Only once, please")
	at := p.place(makeButton, makeWords)
	p.leave(func() { p.doubleClick(at) })
	p.awaitVideo()
	page, err := who.get("/gallery?who=me&status=all")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page, `href="/tasks/`); n != 1 {
		t.Errorf("two presses made %d videos", n)
	}
	if left := who.credits(t); left != "998" {
		t.Errorf("%s credits are left, want 998", left)
	}
}

func TestFailureTellsTheReasonAndThatCreditsCameBack(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.fill(promptField, "This goes wrong #fail")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.mark()
	p.awaitText("#latest .making", "The sandbox was asked to fail this one")
	p.awaitText("#latest .making", "2 credits came back")
	p.stayed()
	if left := who.credits(t); left != "1000" {
		t.Errorf("%s credits are left, want 1000", left)
	}
}

func TestRefusalAppearsInTheFormWithTheText(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("422")
	p.open("/create/text-to-video")
	p.fill(promptField, "Not this one #refuse")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText("form [role=alert]", "The sandbox was asked to refuse this one")
	if got := get[string](p, `document.querySelector("textarea").value`); got != "Not this one #refuse" {
		t.Errorf("the text is now %q", got)
	}
}

func TestWithoutAKeyNothingTypedIsLost(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	if _, err := who.post("/settings/key/delete", url.Values{}); err != nil {
		t.Fatal(err)
	}
	p := newTabOf(t, who)
	p.expect("422")
	p.open("/create/text-to-video")
	p.awaitText("form .say", "Add a key to make videos")
	p.fill(promptField, "Wait for my key")
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitText("form [role=alert]", "Add a key first")
	p.leave(func() { p.click(`form a[href^="/settings"]`) })
	p.leave(func() { p.click(`form[action="/settings/sandbox/key"] button`) })
	p.awaitText("body", "You have a new practice key.")
	p.open("/")
	p.await("the text is still there", `document.querySelector("textarea").value === "Wait for my key"`)
	p.leave(func() { p.clickText(makeButton, makeWords) })
	p.awaitVideo()
}
