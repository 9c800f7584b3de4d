package handlers_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"log/slog"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
	"dailies/static"
	"dailies/web/htmltest"
)

// detailed returns a cover with more detail than most photographs.
func detailed(t *testing.T, seed uint64) []byte {
	t.Helper()
	from, img := rand.New(rand.NewPCG(seed, 1)), image.NewRGBA(image.Rect(0, 0, 1280, 720))
	const spot = 20
	for y := 0; y < 720; y += spot {
		for x := 0; x < 1280; x += spot {
			c := color.RGBA{uint8(from.Uint32()), uint8(from.Uint32()), uint8(x / 8), 255}
			for i := range spot * spot {
				img.SetRGBA(x+i%spot, y+i/spot, c)
			}
		}
	}
	var out bytes.Buffer
	must(t, jpeg.Encode(&out, img, &jpeg.Options{Quality: 90}))
	return out.Bytes()
}

// addCovered adds a finished video with the file as its cover.
func addCovered(t *testing.T, h *handlerstest.Server, userID int64, cover []byte) db.Task {
	t.Helper()
	film := h.AddKept(t, userID, fmt.Sprintf("film %d", rand.Uint32()))
	m := h.File(t, db.Cover, "image/jpeg", cover)
	return h.Alter(t, film.ID, func(t *db.Task) { t.Media = append(t.Media, m) })
}

func thumbs(h *handlerstest.Server) *watch.Thumbs {
	return watch.NewThumbs(h.Store, h.Config.Media, slog.New(slog.DiscardHandler))
}

// makeThumbs makes all missing thumbnails.
func makeThumbs(t *testing.T, h *handlerstest.Server) {
	t.Helper()
	for th := thumbs(h); ; {
		if made, err := th.Step(t.Context()); !made {
			must(t, err)
			return
		}
	}
}

func TestAPageOfTheGalleryIsLight(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	for i := range 24 {
		addCovered(t, h, 1, detailed(t, uint64(i)))
	}
	makeThumbs(t, h)
	page := p.Get("/gallery").Is(200)
	weight := len(page.Text) / 4 // an estimate of the compressed size
	pictures := htmltest.All(page.Root(), ".cell img")
	for _, img := range pictures {
		file := p.Get(htmltest.Attr(img, "src")).Is(200)
		weight += len(file.Text)
		if kept := file.Header.Get("Cache-Control"); kept != "private, no-cache" {
			t.Errorf("a thumbnail is kept as %q", kept)
		}
		p.Get(htmltest.Attr(img, "src"), "If-None-Match", file.Header.Get("ETag")).Is(304)
		size, err := jpeg.DecodeConfig(strings.NewReader(file.Text))
		if err != nil || size.Width < 320 || size.Width > 640 || fmt.Sprint(size.Width) != htmltest.Attr(img, "width") {
			t.Errorf("a thumbnail of %d pixels in place of %s, %v", size.Width, htmltest.Attr(img, "width"), err)
		}
	}
	for _, name := range []string{"app.css", "wall.css", "app.js", "gallery.js", "poster.js", "cinema.js", "vendor/htmx/htmx.min.js"} {
		file := p.Get(static.URL(name), "Accept-Encoding", "gzip").Is(200)
		weight += len(file.Text)
	}
	if len(pictures) != 24 || weight >= 400_000 {
		t.Errorf("%d pictures, %d bytes in all", len(pictures), weight)
	}
	t.Logf("a page of the gallery has %d bytes", weight)
}

func TestThumbnailsAreMadeOnceAndFollowTheirCover(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film, th := addCovered(t, h, 1, detailed(t, 7)), thumbs(h)
	if made, err := th.Step(t.Context()); !made || err != nil {
		t.Fatalf("no thumbnail of it, %v", err)
	}
	if made, err := th.Step(t.Context()); made || err != nil {
		t.Fatalf("it is made again, %v", err)
	}
	task, err := h.Store.Tasks.Task(t.Context(), film.ID)
	must(t, err)
	thumb, _ := task.Thumb()
	at := fmt.Sprintf("/media/%d", thumb.ID)
	kim.Get("/gallery").Is(200).Has(`.cell img[src="` + at + `"]`)
	ada.Get(at).Is(200)
	must(t, h.Store.Files.RemovePoster(t.Context(), film.ID, db.Now()))
	kim.Get(at).Is(404)
	kim.Get("/gallery").Is(200).Has(".plain")

	broken := addCovered(t, h, 1, []byte("\xff\xd8\xff no picture"))
	if made, err := th.Step(t.Context()); !made || err != nil {
		t.Fatalf("a cover that is no picture: %v", err)
	}
	if made, err := th.Step(t.Context()); made || err != nil {
		t.Errorf("it is tried for ever, %v", err)
	}
	if task, err = h.Store.Tasks.Task(t.Context(), broken.ID); err != nil || slices.ContainsFunc(task.Media, func(m db.Media) bool { return m.Kind == db.Thumb }) {
		t.Errorf("it has %+v, %v", task.Media, err)
	}
}

func TestACoverThatCannotBeReadNowGetsItsThumbnailLater(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	film := addCovered(t, h, 1, detailed(t, 8))
	cover, _ := film.Cover()
	path := h.Blob(cover)
	must(t, errors.Join(os.Remove(path), os.Symlink(path, path))) // a symbolic link to itself cannot be opened
	if made, err := thumbs(h).Step(t.Context()); !made || err == nil {
		t.Errorf("the disk's error is taken for that of the picture: %v", err)
	}
}

// A picture that makes the program panic ends neither the job nor the program.
func TestAPanicEndsNoThumbnailsButItsOwn(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	addCovered(t, h, 1, detailed(t, 10))
	broken := watch.NewThumbs(h.Store, nil, slog.New(slog.DiscardHandler))
	if waited, err := broken.Step(t.Context()); !waited || err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("waited %v, %v", waited, err)
	}
	addCovered(t, h, 1, detailed(t, 11))
	if made, err := thumbs(h).Step(t.Context()); !made || err != nil {
		t.Errorf("the next one is not made: %v", err)
	}
}

func TestAThumbnailThatWasBegunIsMadeAfterItsLease(t *testing.T) {
	h := handlerstest.New(t)
	h.Founder(t)
	addCovered(t, h, 1, detailed(t, 9))
	now := db.Now()
	first, err := h.Store.Files.ClaimCover(t.Context(), now, now.Add(time.Minute))
	must(t, err)
	if _, err := h.Store.Files.ClaimCover(t.Context(), now.Add(time.Second), now.Add(time.Minute)); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("two make the same one: %v", err)
	}
	again, err := h.Store.Files.ClaimCover(t.Context(), now.Add(time.Minute), now.Add(2*time.Minute))
	if err != nil || again.ID != first.ID {
		t.Errorf("it is lost with whoever began it: %v", err)
	}
}
