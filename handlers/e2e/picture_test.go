package e2e

import (
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
)

// newPictures starts a server with pictures /name.png and /name.jpg, each name in a
// different colour. Any other path is a 404.
func newPictures(t *testing.T) (base string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".png"):
			w.Header().Set("Content-Type", "image/png")
			_ = png.Encode(w, drawn(r.URL.Path))
		case strings.HasSuffix(r.URL.Path, ".jpg"):
			w.Header().Set("Content-Type", "image/jpeg")
			_ = jpeg.Encode(w, drawn(r.URL.Path), nil)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// drawn returns a picture with a gradient, which shows how it is cropped.
func drawn(name string) image.Image {
	const width, height = 320, 180
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			picture.Set(x, y, color.RGBA{R: uint8(x * 255 / width), G: uint8(y * 255 / height), B: name[1] * 7, A: 255})
		}
	}
	return picture
}

// An address is checked when nobody has typed for a moment. The answer may arrive while the
// rest is being typed, which must stay.
func TestAnAnswerAboutHalfAnAddressKeepsTheRest(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	p := newTabOf(t, s.member(t))
	p.open("/create/image-to-video")
	p.await("the form is there", `document.querySelector("input[name=image_input]")`)
	get[bool](p, `(() => {
		const ask = window.fetch;
		window.fetch = (...args) => String(args[0]).startsWith("/create/picture?") && String(args[0]).endsWith("half")
			? new Promise(done => (window.answer = async () => {
				const html = await (await ask(args[0], {headers: args[1].headers})).text();
				done({ok: true, text: async () => (setTimeout(() => (window.answered = true)), html)});
			}))
			: ask(...args);
		return true;
	})()`)
	p.fill("input[name=image_input]", "http://127.0.0.1:1/half")
	p.await("half of the address is looked at", `window.answer`)
	get[bool](p, `(() => {
		const field = document.querySelector("input[name=image_input]");
		field.value = "http://127.0.0.1:1/half-and-half.png";
		window.answer();
		return true;
	})()`)
	p.await("the answer is there", `window.answered`)
	if value := get[string](p, `document.querySelector("input[name=image_input]").value`); value != "http://127.0.0.1:1/half-and-half.png" {
		t.Errorf("the field has %q", value)
	}
}

// A new form takes the shape of the picture, says what would be cropped, and shows a pasted
// link as it is sent.
func TestThePictureDecidesTheShape(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	p := newTabOf(t, s.member(t))
	at := newPictures(t)
	p.open("/create/image-to-video?model=seedance-2.0")
	p.await("the form is there", `document.querySelector("input[name=image_input]")`)
	p.await("it is like the picture", `document.querySelector("[name=aspect_ratio]:checked").value === "picture"`)
	p.fill("input[name=image_input]", "<"+at+"/my picture.png>")
	p.await("the link is repaired", `document.querySelector("input[name=image_input]").value.endsWith("/my%20picture.png")`)
	p.await("nothing is cropped", `document.querySelector("[data-picture][data-filled] [data-fit]")?.hidden`)
	get[bool](p, `(() => { const nine = document.querySelector('[name=aspect_ratio][value="9:16"]'); nine.checked = true; nine.dispatchEvent(new Event("change", {bubbles: true})); return true; })()`)
	p.await("it would be cropped", `document.querySelector("[data-fit]").textContent.includes("16:9, will be cropped to 9:16")`)
}

// A table with more pictures of one host than are checked at once finishes by itself, and
// nothing can be made before.
func TestPicturesOfATableFinishByThemselves(t *testing.T) {
	t.Parallel()
	s := sharedServer(t)
	who := s.member(t)
	p := newTabOf(t, who)
	at := newPictures(t)
	page, err := who.post("/recipes", url.Values{"scene": {"image-to-video"}, "name": {"Photos move"}, "model": {"seedance-2.0"}, "prompt": {"It moves"}, "image_input": {"{{photo}}"}})
	if err != nil {
		t.Fatal(err)
	}
	recipe := regexp.MustCompile(`/recipes/\d+`).FindString(page)
	var table strings.Builder
	for i := range 26 {
		fmt.Fprintf(&table, "%s/%d.png\n", at, i)
	}
	p.open(recipe + "/batch")
	p.await("the table is there", `document.querySelector("form[data-rows] .cellfield")`)
	p.click("#paste summary")
	p.fill("#table", table.String())
	p.clickText("button", "Check table")
	p.awaitText(".total", "Checking the pictures of")
	p.await("nothing can be made", `!document.querySelector("button[value=make]")`)
	p.await("all of them are checked", `document.querySelector("button[value=make]")?.textContent === "Make 26 videos"`)
}

// The form, the video's page and the recent pictures show a linked picture, and its site
// hears only of the server.
func TestASiteWithPicturesSeesNoBrowser(t *testing.T) {
	t.Parallel()
	shows, err := url.Parse(newPictures(t))
	if err != nil {
		t.Fatal(err)
	}
	var browsers, servers atomic.Int64
	pass := httputil.NewSingleHostReverseProxy(shows)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.UserAgent(), "Chrome") {
			browsers.Add(1)
		} else {
			servers.Add(1)
		}
		pass.ServeHTTP(w, r)
	}))
	defer site.Close()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/image-to-video")
	p.fillPicture(0, site.URL+"/lake.png")
	p.await("the form shows it", `document.querySelector("[data-preview]").naturalWidth === 320`)
	path := who.makeOf(t, "image-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {"A lake"}, "image_input": {site.URL + "/lake.png"}})
	p.open(path)
	p.await("the page of the video shows it", `[...document.querySelectorAll(".strip img")].some(i => i.naturalWidth === 320)`)
	p.open("/create/image-to-video")
	p.await("it is among the recent pictures", `[...document.querySelectorAll("[data-thumb]")].some(i => i.naturalWidth === 320)`)
	if browsers.Load() != 0 || servers.Load() == 0 {
		t.Errorf("the site heard of a browser %d times, and of a server %d times", browsers.Load(), servers.Load())
	}
}
