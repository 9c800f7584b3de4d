package e2e

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"net/url"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/emulation"
)

// A load is what is dropped or pasted: files by name, and data by type.
type load struct {
	Files []loadFile        `json:"files"`
	Data  map[string]string `json:"data"`
}

type loadFile struct{ Name, Type, Content string }

// pictureFiles returns so many picture files.
func pictureFiles(t *testing.T, n int) load {
	t.Helper()
	var l load
	for i := range n {
		var b bytes.Buffer
		if err := png.Encode(&b, drawn(fmt.Sprintf("/dropped-%d", i))); err != nil {
			t.Fatal(err)
		}
		l.Files = append(l.Files, loadFile{fmt.Sprintf("boat-%d.png", i), "image/png", base64.StdEncoding.EncodeToString(b.Bytes())})
	}
	return l
}

// bring drops or pastes the load on the target, and fails the test unless the page
// handles it, so that the browser does not open it.
func (p *tab) bring(kind, target string, l load) {
	p.t.Helper()
	text, err := json.Marshal(l)
	if err != nil {
		p.t.Fatal(err)
	}
	handled := get[bool](p, fmt.Sprintf(`((kind, {files, data}) => {
		const from = new DataTransfer();
		for (const f of files ?? []) from.items.add(new File([Uint8Array.from(atob(f.Content), c => c.charCodeAt(0))], f.Name, {type: f.Type}));
		for (const [type, text] of Object.entries(data ?? {})) from.setData(type, text);
		const target = document.querySelector(%q), all = {bubbles: true, cancelable: true};
		if (kind === "paste") return !target.dispatchEvent(new ClipboardEvent("paste", {clipboardData: from, ...all}));
		target.dispatchEvent(new DragEvent("dragover", {dataTransfer: from, ...all}));
		return !target.dispatchEvent(new DragEvent("drop", {dataTransfer: from, ...all}));
	})(%q, %s)`, target, kind, text))
	if !handled {
		p.t.Errorf("what was brought to %s by %s is left to the browser", target, kind)
	}
}

const pictureLinks = `[...document.querySelectorAll("input[name=image_input]")].map(i => i.value)`

func TestADroppedPictureChangesTheSceneAndNothingElse(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.typeAll("The boat sails")
	get[bool](p, `(document.querySelector("[name=count][value='2']").click(), true)`)
	p.await("two are asked for", `document.querySelector(".make").textContent.includes("Make 2") && !document.querySelector(".htmx-request")`)
	p.mark()
	p.bring("drop", promptField, pictureFiles(t, 1))
	p.awaitText(".toast [role=status]", "Switched to Picture for your picture.")
	p.uploadedPicture(0)
	p.awaitPath("/create/image-to-video")
	kept := func() {
		p.t.Helper()
		p.awaitTyped("The boat sails")
		p.await("still two are asked for", `document.querySelector("[name=count]:checked").value === "2"`)
	}
	kept()
	p.await("its tab is current", `document.querySelector("[data-tabs] [aria-current]").textContent === "Picture"`)
	p.await("it goes to the scene", `document.querySelector("form#make").action.endsWith("/create/image-to-video")`)

	p.clickText(".toast button", "Undo")
	p.awaitPath("/create/text-to-video")
	p.await("the form has no picture", `!document.querySelector("[data-picture]") && document.querySelector("[data-tabs] [aria-current]").textContent === "Words"`)
	kept()

	p.bring("drop", "body", pictureFiles(t, 1))
	p.awaitPath("/create/image-to-video")
	p.uploadedPicture(0)
	p.pick("duration", "6 s")
	p.fill(promptField, "The boat sails away")
	p.stayed()
	p.open("/create/image-to-video")
	p.uploadedPicture(0)
	p.await("it is kept like anything typed", `document.querySelector("textarea").value === "The boat sails away"`)
	p.pick("model", "Quick")
	p.leave(func() { p.clickText(makeButton, "Make") })
	p.awaitVideo()
}

func TestSeveralPicturesFindTheirScene(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "From here to there")
	p.mark()
	p.bring("drop", promptField, pictureFiles(t, 2))
	p.awaitText(".toast", "Switched to Start and end for your 2 pictures.")
	p.awaitPath("/create/frames-to-video")
	p.uploadedPicture(0)
	p.uploadedPicture(1)
	p.bring("paste", "body", pictureFiles(t, 1))
	p.awaitText(".toast", "Switched to References for your 3 pictures.")
	p.awaitPath("/create/reference-to-video")
	for i := range 3 {
		p.uploadedPicture(i)
	}
	p.bring("drop", "body", pictureFiles(t, 1))
	p.awaitText(".toast", "No room for another picture.")
	p.clickText("[data-picture='image_input.1'] button", "")
	p.await("there is room", pictureLinks+`.filter(Boolean).length === 2`)
	p.bring("drop", "body", pictureFiles(t, 1))
	p.uploadedPicture(2)
	p.stayed()
	p.await("the words are there", `document.querySelector("textarea").value === "From here to there"`)

	// The first thing that happens on a page may be a paste.
	p.open("/create/image-to-video")
	p.bring("paste", "body", pictureFiles(t, 5))
	p.awaitText(".toast", "Switched to References for your 3 pictures. Room for 3 pictures.")
}

func TestWhatIsNoPictureGetsASentence(t *testing.T) {
	t.Parallel()
	pictures := newPictures(t)
	p := newTabOf(t, sharedServer(t).member(t))
	p.expect("422")
	p.open("/create/text-to-video")
	p.fill(promptField, "Still here")
	p.mark()
	text := base64.StdEncoding.EncodeToString([]byte("no picture at all"))
	for _, c := range []struct {
		kind, target string
		brings       load
		says         string
	}{
		{"drop", "body", load{Files: []loadFile{{"notes.pdf", "application/pdf", text}}}, "notes.pdf isn’t a picture"},
		{"drop", promptField, load{Files: []loadFile{{"boat.mp4", "video/mp4", text}}}, "boat.mp4 is a video"},
		{"paste", "body", load{Files: []loadFile{{"notes.png", "image/png", text}}}, "We can’t use this file"},
		{"drop", "body", load{Data: map[string]string{"text/uri-list": pictures + "/nothing"}}, "No picture at this link"},
		{"drop", "body", load{Data: map[string]string{"text/uri-list": "ftp://example.com/a.png"}}, "isn’t a link to a picture"},
	} {
		p.bring(c.kind, c.target, c.brings)
		p.awaitText(".toast", c.says)
	}
	p.stayed()
	p.awaitPath("/create/text-to-video")
	p.await("the words are there", `document.querySelector("textarea").value === "Still here"`)
	mixed := pictureFiles(t, 1)
	mixed.Files = append(mixed.Files, loadFile{"notes.txt", "text/plain", text})
	p.bring("drop", "body", mixed)
	p.awaitText(".toast", "Switched to Picture for your picture. notes.txt isn’t a picture.")
}

func TestLinksToPicturesAreTaken(t *testing.T) {
	t.Parallel()
	pictures := newPictures(t)
	p := newTabOf(t, sharedServer(t).member(t))
	p.open("/create/text-to-video")
	p.fill(promptField, "Before and after")
	p.bring("drop", "body", load{Data: map[string]string{"text/uri-list": "# two\r\n" + pictures + "/one.png\r\n" + pictures + "/two.png"}})
	p.awaitPath("/create/frames-to-video")
	p.await("both links are there", pictureLinks+`.join() === "`+pictures+`/one.png,`+pictures+`/two.png"`)
	p.clickText(".toast button", "Undo")
	p.awaitPath("/create/text-to-video")
	p.bring("drop", promptField, load{Data: map[string]string{"text/uri-list": "https://example.com/", "text/html": `<a href="https://example.com/"><img src="` + pictures + `/three.png"></a>`, "text/plain": "https://example.com/"}})
	p.awaitPath("/create/image-to-video")
	p.await("the picture in the link is meant", pictureLinks+`.join() === "`+pictures+`/three.png"`)
	p.clickText(".toast button", "Undo")
	p.awaitPath("/create/text-to-video")
	p.bring("paste", promptField, load{Data: map[string]string{"text/plain": pictures + "/four.png"}})
	p.awaitPath("/create/image-to-video")
	p.await("the pasted link is the picture", pictureLinks+`.join() === "`+pictures+`/four.png"`)
	p.await("only the newest message is there", `document.querySelectorAll(".toast").length === 1`)
	p.clickText(".toast button", "Undo")
	p.await("undo brings the pasted text back", `location.pathname === "/create/text-to-video" && document.querySelector("textarea").value.includes("/four.png")`)

	if get[bool](p, `!document.querySelector("textarea").dispatchEvent(new ClipboardEvent("paste", {bubbles: true, cancelable: true, clipboardData: (from => (from.setData("text/plain", "See https://example.com/a.png"), from))(new DataTransfer())}))`) {
		t.Error("a sentence with a link is no text any more")
	}
}

func TestPicturesAreTakenByEveryForm(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/recipes/new")
	p.fill("#name", "A boat")
	p.fill(promptField, "A {{boat}} sails")
	p.fill("#ceiling", "12")
	p.mark()
	p.bring("drop", "#name", pictureFiles(t, 1))
	p.awaitText(".toast", "Switched to Picture for your picture.")
	p.uploadedPicture(0)
	p.await("nothing typed is lost", `["#name", "#prompt", "#ceiling"].map(id => document.querySelector(id).value).join() === "A boat,A {{boat}} sails,12"`)
	p.stayed()
	p.leave(func() { p.clickText(makeButton, "Save recipe") })
	p.awaitText("h1", "A boat")
	p.awaitText(".locked", "Picture")

	page, err := who.post("/recipes", url.Values{"name": {"Words alone"}, "scene": {"text-to-video"}, "model": {"quick"}, "duration": {"1"}, "prompt": {"A {{thing}}"}})
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile(`/recipes/\d+`).FindString(page)
	p.open(recipe)
	p.fill("[data-blank=thing]", "boat")
	p.mark()
	p.bring("drop", "[data-blank=thing]", pictureFiles(t, 1))
	p.awaitText(".toast", "asks for no picture")
	p.stayed()
	p.open(recipe + "/batch")
	p.mark()
	p.bring("drop", "body", pictureFiles(t, 1))
	p.awaitText(".toast", "takes a table")
	p.stayed()
}

func TestTheMessageOfADropFitsAPhone(t *testing.T) {
	t.Parallel()
	p := newTabOf(t, sharedServer(t).member(t))
	for _, scheme := range []string{"light", "dark"} {
		p.media([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}})
		p.open("/create/text-to-video")
		p.size(390, 844)
		p.bring("drop", "body", pictureFiles(t, 2))
		p.awaitText(".toast", "Switched to Start and end")
		p.fits(390)
		p.await("the message is in sight", `(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector(".toast").getBoundingClientRect())`)
	}
}

// A video that was made here is dragged onto the form to go on from its last frame.
func TestADroppedVideoOffersItsLastFrame(t *testing.T) {
	t.Parallel()
	who := sharedServer(t).member(t)
	ready := who.make(t, "A boat to go on from")
	who.finish(t, ready)
	p := newTabOf(t, who)
	p.open("/create/text-to-video")
	p.mark()
	p.click(promptField) // which loads the script
	dragged := p.base + ready
	p.await("the take in the strip is dragged as its video", fmt.Sprintf(`(() => {
		const data = new DataTransfer();
		document.querySelector("#latest .take a").dispatchEvent(new DragEvent("dragstart", {dataTransfer: data, bubbles: true}));
		return data.getData("text/uri-list") === %q;
	})()`, dragged))
	p.bring("drop", promptField, load{Data: map[string]string{"text/uri-list": dragged, "text/plain": dragged}})
	p.awaitText(".toast", "This is a video.")
	p.await("the prompt is left alone", `document.querySelector("textarea").value === ""`)
	p.stayed()
	p.leave(func() { p.clickText(".toast a", "Begin with its last frame") })
	if p.path() != ready+"#next" {
		t.Errorf("it leads to %s", p.path())
	}
}
