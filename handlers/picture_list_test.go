package handlers_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers"
	"dailies/handlers/create"
	"dailies/handlers/watch"
)

func TestAnUploadedPictureCanBeWithdrawn(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada, bo := h.joiner(t, kim, "ada"), h.joiner(t, kim, "bo")
	stranger := h.stranger(t)
	address := ada.uploaded(photo(t, 400, 300))
	path := "/p/" + db.PictureToken(address)
	tag := stranger.get(path).is(200).Header.Get("ETag")
	ada.get("/pictures").is(200).shows("harbour.jpg", path+"/small", `action="/pictures/1/delete"`, "1 picture").hides("who=all")
	bo.get("/pictures?who=all").is(200).hides("harbour.jpg")
	bo.post("/pictures/1/delete", nil).is(404)
	stranger.post("/pictures/1/delete", nil).is(303).leadsTo("/login")
	kim.get("/pictures").is(200).hides("harbour.jpg")
	kim.get("/pictures?who=all").is(200).shows("harbour.jpg", "ada", `action="/pictures/1/delete"`).hides(path) // an admin deletes it and does not look at it
	ada.get("/create/image-to-video").is(200).shows(`data-pick="`+address, `href="/pictures"`)

	ada.post("/pictures/1/delete", nil).is(303).leadsTo("/pictures")
	stranger.get(path, "If-None-Match", tag).is(404)
	ada.get(path+"/small", "If-None-Match", tag).is(404)
	ada.get("/pictures").is(200).hides(`action="/pictures/1/delete"`).shows("no longer works")
	ada.get("/create/image-to-video").is(200).hides(path)
	ada.post("/create/image-to-video", with(good(), "image_input", address)).is(422).shows("no longer kept here")
	ada.post("/pictures/1/delete", nil).is(404)
	ada.post("/pictures/x/delete", nil).is(404)

	if next := ada.uploaded(photo(t, 400, 300)); next == address {
		t.Error("uploaded again it has the address that was withdrawn")
	}
	kim.post("/pictures/2/delete", nil).is(303).leadsTo("/pictures?who=all")
}

func TestAPictureThatAVideoOnItsWayNeedsStays(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	address := p.uploaded(photo(t, 400, 300))
	id := made(t, p.post("/create/image-to-video", with(good(), "image_input", address)))
	p.post("/pictures/1/delete", nil).is(303)
	p.get("/pictures").is(200).shows("A video that is being made needs this picture", "harbour.jpg")
	h.work(t)
	h.reaches(t, id, db.Success)
	p.post("/pictures/1/delete", nil).is(303)
	p.get("/p/" + db.PictureToken(address)).is(404)
}

func TestAQuotaIsFreedByDeleting(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.elsewhere(t, func(c *handlers.Config) { c.Quota = create.Quota{Pictures: 1, Bytes: 1 << 20} })
	p.uploaded(photo(t, 400, 300))
	again := []file{{"file.image_input.0", "b.jpg", photo(t, 410, 300)}}
	typed := with(good(), "prompt", "the words that I typed")
	p.upload("/pictures?scene=image-to-video", typed, again).is(422).shows("all the room that one person has", "the words that I typed")
	p.post("/pictures/1/delete", nil).is(303)
	p.upload("/pictures?scene=image-to-video", typed, again).is(303)
}

func TestTheFileOfAnUnusedPictureGoes(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	address := p.uploaded(photo(t, 400, 300))
	kept, err := h.store.Picture(t.Context(), db.PictureToken(address))
	must(t, err)
	bin := watch.NewBin(h.store, h.config.Media, h.config.Log)
	later := db.Now().Add(db.PictureLife + time.Minute)
	must(t, bin.Round(t.Context(), later))
	p.get("/p/" + kept.Token).is(404)
	if !h.config.Media.Has(kept.Hash) {
		t.Error("a backup that has begun does not find the file")
	}
	must(t, bin.Round(t.Context(), later.Add(25*time.Hour)))
	if h.config.Media.Has(kept.Hash) {
		t.Error("the file is still there")
	}
}

func TestAnUploadIsShownSmall(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	var large bytes.Buffer
	noise := image.NewGray(image.Rect(0, 0, 2000, 1000))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 3)
	}
	must(t, jpeg.Encode(&large, noise, &jpeg.Options{Quality: 95}))
	address := p.uploaded(large.Bytes())
	path := "/p/" + db.PictureToken(address)
	id := made(t, p.post("/create/image-to-video", with(good(), "image_input", address)))
	for _, page := range []string{"/create/image-to-video?image_input=" + url.QueryEscape(address), fmt.Sprintf("/tasks/%d", id), "/pictures"} {
		p.get(page).is(200).shows(`src="` + path + `/small"`).hides(`src="` + path + `"`)
	}
	a := p.get(path + "/small").is(200)
	c, err := jpeg.DecodeConfig(strings.NewReader(a.body))
	if err != nil || c.Width != 320 || c.Height != 160 || len(a.body) > 40_000 {
		t.Errorf("%d × %d in %d bytes, %v", c.Width, c.Height, len(a.body), err)
	}
	if got := a.Header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("it is cached: %s", got)
	}
	p.get(path+"/small", "If-None-Match", a.Header.Get("ETag")).is(304)
	kept, err := h.store.Picture(t.Context(), db.PictureToken(address))
	must(t, err)
	must(t, h.config.Media.Remove(kept.Hash)) // it is made once
	if again := p.get(path + "/small").is(200); again.body != a.body {
		t.Error("it is another one the next time")
	}
}

// TestUploadsOfYesterdaysProgramGoOn opens its data folder.
func TestUploadsOfYesterdaysProgramGoOn(t *testing.T) {
	l := yesterday(t)
	h := newHouseAt(t, l.dir)
	kim := h.oldBrowser(t, l.person(t, "admin"))
	for _, address := range []string{l.Picture, l.Unused} {
		token := db.PictureToken(address)
		h.stranger(t).get("/p/" + token).is(200)
		kim.get("/p/" + token + "/small").is(200)
		kim.get("/create/image-to-video?image_input=" + url.QueryEscape(address)).is(200).shows(`value="` + address + `"`)
		kim.get("/pictures").is(200).shows("/p/" + token + "/small") // its address can still be built
		p, err := h.store.Picture(t.Context(), token)
		must(t, err)
		if opened, err := h.config.Vault.OpenToken(p.UserID, p.Sealed); opened != token || err != nil {
			t.Errorf("its token is not sealed: %v", err)
		}
	}
	later := db.Now().Add(db.PictureLife + time.Hour)
	bin := watch.NewBin(h.store, h.config.Media, h.config.Log)
	must(t, bin.Round(t.Context(), later))
	h.stranger(t).get("/p/" + db.PictureToken(l.Picture)).is(200)
	h.stranger(t).get("/p/" + db.PictureToken(l.Unused)).is(404)
}

// TestWithoutTheSecretOldAddressesWork is a folder that was restored without
// its secret: nothing but keys and sessions is missing.
func TestWithoutTheSecretOldAddressesWork(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	old := p.uploaded(photo(t, 400, 300))
	vault, err := db.NewVault([]byte("another secret"))
	must(t, err)
	h.elsewhere(t, func(c *handlers.Config) { c.Vault = vault })
	p.get("/pictures").is(200).shows("harbour.jpg").hides(old)
	p.get("/p/" + db.PictureToken(old)).is(200)
	fresh := p.uploaded(photo(t, 400, 300))
	if fresh == old || db.PictureToken(fresh) == "" {
		t.Errorf("uploaded again it is at %q", fresh)
	}
	for _, address := range []string{old, fresh} {
		h.stranger(t).get("/p/" + db.PictureToken(address)).is(200)
	}
	if again := p.uploaded(photo(t, 400, 300)); again != fresh {
		t.Errorf("and once more at %q", again)
	}
	_, err = h.store.PictureByID(t.Context(), 2)
	if !errors.Is(err, db.ErrNotFound) {
		t.Errorf("it is there twice: %v", err)
	}
}

// TestAWrongSecondFileClearsTheField keeps the next press from paying for the
// picture that was there before.
func TestAWrongSecondFileClearsTheField(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	first := p.uploaded(photo(t, 400, 300))
	typed := with(with(good(), "prompt", "the words that I typed"), "image_input", first)
	wrong := []file{{"file.image_input.0", "notes.txt", []byte("hello")}}
	p.upload("/pictures?scene=image-to-video", typed, wrong).is(422).shows("This file holds no picture", "the words that I typed").hides(`type="url" value="` + first + `"`)
	// Without script, and with the other button: only the file's name comes along.
	p.post("/create/image-to-video", with(typed, "file.image_input.0", "second.jpg")).is(422).shows("second.jpg is not uploaded yet")
	p.post("/create/image-to-video", with(typed, "file.image_input.0", "")).is(303)

	rec := h.addRecipe(t, 1, func(r *db.Recipe) {
		r.Scene, r.Prompt, r.Pictures = "image-to-video", "A boat", []string{"{{photo}}"}
		r.Options.AspectRatio = ""
	})
	path := fmt.Sprintf("/recipes/%d", rec.ID)
	page := p.get(path).is(200)
	field := regexp.MustCompile(`name="file\.([^"]+)"`).FindStringSubmatch(page.body)[1]
	name := regexp.MustCompile(`name="([^"]+)" type="url"`).FindStringSubmatch(page.body)[1]
	filled := url.Values{name: {first}}
	p.upload(path, filled, []file{{"file." + field, "notes.txt", []byte("hello")}}).is(422).shows("This file holds no picture").hides(`type="url" value="` + first + `"`)
	p.post(path, with(filled, "file."+field, "second.jpg")).is(422).shows("second.jpg is not uploaded yet")
}

// TestSlowPicturesAreToldTogether has two that are slow at the same moment; the
// race detector sees whether they get in each other's way.
func TestSlowPicturesAreToldTogether(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.elsewhere(t, func(c *handlers.Config) { c.Fetch = &http.Client{Transport: tired{}} })
	a := p.post("/create/frames-to-video", with(good(), "image_input", "http://a.example/1.png", "http://a.example/2.png")).is(422)
	if n := strings.Count(a.body, `name="slow_told"`); n != 2 {
		t.Errorf("%d are told", n)
	}
}

// tired is a network on which everything takes too long.
type tired struct{}

func (tired) RoundTrip(*http.Request) (*http.Response, error) { return nil, os.ErrDeadlineExceeded }

func TestOnePressAsksForAnAddressOnce(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		time.Sleep(20 * time.Millisecond)
		http.NotFound(w, r)
	}))
	defer s.Close()
	p.post("/create/frames-to-video", with(good(), "image_input", s.URL, s.URL)).is(422).
		shows("No picture shows up", `id="image_input-0-error"`, `id="image_input-1-error"`)
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAnotherSitesPageDoesNotMakeTheServerFetch(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = w.Write(photo(t, 400, 300))
	}))
	defer s.Close()
	path := "/create/picture?url=" + url.QueryEscape(s.URL)
	small := "/p/" + db.PictureToken(p.uploaded(photo(t, 400, 300))) + "/small"
	for from, want := range map[string]int{"cross-site": 403, "same-site": 403, "anything": 403, "same-origin": 200, "none": 200, "": 200} {
		asked.Store(0)
		for _, at := range []string{path + "?" + from, small} {
			p.get(at, "Sec-Fetch-Site", from).is(want)
		}
		if n := asked.Load(); (n > 0) != (want == 200) {
			t.Errorf("%q: asked %d times", from, n)
		}
	}
}
