package create_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io"
	"mime/multipart"
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
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/handlers/watch"
)

func TestOneMembersSlowUploadsHoldUpNobodyElse(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada := h.Joiner(t, kim, "ada")
	film := h.Film(t, 2, handlerstest.Saying("a paper boat"))
	bare := h.AddKept(t, 2, "film")
	rec := h.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Scene, r.Pictures = "image-to-video", []string{"{{photo}}"} })
	content, upload := handlerstest.Photo(t, 400, 300), "/pictures?scene=image-to-video"
	var turned []<-chan int
	ended := 0          // of hers, other than by being told that they are too many
	for i := range 20 { // she fills all slots of one user, and more uploads wait
		path := []string{upload, fmt.Sprintf("/tasks/%d/next", film.ID), fmt.Sprintf("/tasks/%d/poster", bare.ID), fmt.Sprintf("/recipes/%d", rec.ID)}[i%4]
		_, status := kim.Begin(t, path, "file.image_input.0", content)
		turned = append(turned, status)
	}
	handlerstest.Eventually(t, "somebody who sends far too much at one time is told so", func() bool {
		for _, status := range turned {
			select {
			case got := <-status:
				if got == 429 {
					return true
				}
				ended++
			default:
			}
		}
		_, status := kim.Begin(t, upload, "file.image_input.0", content)
		turned = append(turned, status)
		return false
	})
	ada.Uploaded(content)
	ada.Upload(fmt.Sprintf("/tasks/%d/next", film.ID), nil, []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}).Is(303)
	ada.SendPoster(t, bare.ID, handlerstest.FrameOf(t, 640, 360)).Is(204)
	ada.Upload(fmt.Sprintf("/recipes/%d", rec.ID), nil, []handlerstest.File{{Field: "photo", Name: "a.jpg", Content: content}}).Is(200)
	for _, status := range turned {
		select {
		case got := <-status:
			if got != 429 {
				ended++
			}
		default:
		}
	}
	// Each of hers ends when it has brought nothing for a while. Sixteen wait for that.
	if ended > 8 {
		t.Errorf("%d of the slow ones had ended before", ended)
	}
}

func TestRoomIsSetAsideWhileAnUploadIsUnderWay(t *testing.T) {
	h := handlerstest.New(t)
	founder := h.Founder(t)
	path, part := "/pictures?scene=image-to-video", []string{"HX-Request-Type", "partial"}
	other := []handlerstest.File{{Field: "file.image_input.0", Name: "b.jpg", Content: handlerstest.Photo(t, 410, 300)}}
	size := int64(len(other[0].Content))
	for name, tt := range map[string]struct {
		change func(*handlers.Config)
		says   string
	}{
		"so many pictures": {func(c *handlers.Config) { c.Quota = ordering.Quota{Pictures: 1, Bytes: 1 << 30} }, "picture storage is full"},
		"so many bytes":    {func(c *handlers.Config) { c.Quota = ordering.Quota{Pictures: 9, Bytes: 2 * size} }, "picture storage is full"},
		"the disk": {func(c *handlers.Config) {
			c.Quota = ordering.Quota{}
			c.Space = func(context.Context) (schedule.Space, error) {
				return schedule.Space{Free: 2<<30 + 2*size, Max: 0}, nil
			}
		}, "Picture storage is full"},
	} {
		t.Run(name, func(t *testing.T) {
			h.Restart(t, func(c *handlers.Config) { c.Space = nil; tt.change(c) })
			p := h.Joiner(t, founder, strings.ReplaceAll(name, " ", ""))
			finish, status := p.Begin(t, path, "file.image_input.0", append(handlerstest.Photo(t, 400, 300), make([]byte, 1000)...))
			handlerstest.Eventually(t, "the first one is being received", func() bool { return h.Receiving(t) == 1 })
			p.Upload(path, nil, other, part...).Is(422).Shows(tt.says)
			finish()
			if got := <-status; got != 200 {
				t.Errorf("the first one: %d", got)
			}
			a := p.Upload(path, nil, other, part...)
			if name == "the disk" {
				a.Is(200) // the reserved room is free again
				return
			}
			if name == "so many pictures" {
				a.Is(422).Shows(tt.says)
			}
		})
	}
}

func TestTheLastOfTheRoomIsForVideos(t *testing.T) {
	for name, tt := range map[string]struct {
		space schedule.Space
		want  int64
	}{
		"no bound":             {schedule.Space{Free: -1}, 1 << 62},
		"a tenth of the bound": {schedule.Space{Max: 100 << 30, Used: 80 << 30, Free: -1}, 10 << 30},
		"only that is left":    {schedule.Space{Max: 100 << 30, Used: 95 << 30, Free: -1}, 0},
		"a gigabyte of a disk": {schedule.Space{Free: 5 << 30}, 3 << 30},
		"only that is free":    {schedule.Space{Free: 3 << 29}, 0},
	} {
		if got := tt.space.ForUploads(); got != tt.want || got > tt.space.Left() {
			t.Errorf("%s: %d of %d, want %d", name, got, tt.space.Left(), tt.want)
		}
	}
}

// lines is a connection that records its read deadlines.
type lines struct {
	*httptest.ResponseRecorder
	reads []time.Time
}

func (l *lines) SetReadDeadline(at time.Time) error {
	l.reads = append(l.reads, at)
	return nil
}

func (l *lines) SetWriteDeadline(time.Time) error { return nil }

// TestEveryUploadHasToKeepUp sends a body that stalls: each route that accepts
// pictures must have set a deadline for the next part of the body.
func TestEveryUploadHasToKeepUp(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.Film(t, 1, handlerstest.Saying("a paper boat"))
	bare := h.AddKept(t, 1, "film")
	rec := h.AddRecipe(t, 1)
	app, err := h.App.Handler()
	must(t, err)
	at, err := url.Parse(h.URL)
	must(t, err)
	for _, path := range []string{
		"/pictures?scene=image-to-video", fmt.Sprintf("/tasks/%d/next", film.ID), fmt.Sprintf("/tasks/%d/poster", bare.ID),
		"/recipes", fmt.Sprintf("/recipes/%d", rec.ID), fmt.Sprintf("/recipes/%d/edit", rec.ID),
	} {
		start := "--x\r\nContent-Disposition: form-data; name=\"poster\"; filename=\"a.jpg\"\r\n\r\n" + strings.Repeat("x", 1000)
		body := io.MultiReader(strings.NewReader(start), stopped{})
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, io.NopCloser(body))
		r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
		for _, c := range p.Jar.Cookies(at) {
			r.AddCookie(c)
		}
		w := &lines{ResponseRecorder: httptest.NewRecorder()}
		app.ServeHTTP(w, r)
		if w.Code != 408 || !strings.Contains(w.Body.String(), "too slow") {
			t.Errorf("%s: %d %.300s", path, w.Code, w.Body)
		}
		if len(w.reads) < 2 || time.Until(w.reads[len(w.reads)-1]) > 30*time.Second {
			t.Errorf("%s: the body may come until %v", path, w.reads)
		}
	}
	if n := h.Receiving(t); n > 0 {
		t.Errorf("%d files are left", n)
	}
}

// stopped is a body whose read deadline has passed.
type stopped struct{}

func (stopped) Read([]byte) (int, error) {
	return 0, fmt.Errorf("read: %w", errors.Join(os.ErrDeadlineExceeded))
}

func TestNamesOfFieldsAreBoundedToo(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	name := strings.Repeat("n", 10_000)
	for range 200 { // 2 MB of names without any text
		must(t, form.WriteField(name, ""))
	}
	must(t, form.Close())
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+"/pictures?scene=image-to-video", &body)
	must(t, err)
	r.Header.Set("Content-Type", form.FormDataContentType())
	resp, err := kim.Do(r)
	must(t, err)
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("got %s", resp.Status)
	}
}

func TestAFormTakesFewFiles(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	files := func(n int) (files []handlerstest.File) {
		for i := range n {
			files = append(files, handlerstest.File{Field: fmt.Sprintf("file.image_input.%d", i), Name: "a.txt", Content: []byte("x")})
		}
		return files
	}
	p.Upload("/pictures?scene=reference-to-video", handlerstest.FilledForm(), files(20)).Is(422)
	p.Upload("/pictures?scene=reference-to-video", handlerstest.FilledForm(), files(21)).Is(413).Shows("20 pictures at a time")
	p.Upload("/recipes", handlerstest.FilledForm(), files(21)).Is(413).Shows("20 pictures at a time")
}

func TestAnUploadedPictureCanBeWithdrawn(t *testing.T) {
	h := handlerstest.New(t)
	kim := h.Founder(t)
	ada, bo := h.Joiner(t, kim, "ada"), h.Joiner(t, kim, "bo")
	stranger := h.Stranger(t)
	address := ada.Uploaded(handlerstest.Photo(t, 400, 300))
	path := "/p/" + ordering.PictureToken(address)
	tag := stranger.Get(path).Is(200).Header.Get("ETag")
	ada.Get("/pictures").Is(200).Shows("harbour.jpg", path+"/small", "1 picture").Has(`[action="/pictures/1/delete"]`).Hides("who=all")
	bo.Get("/pictures?who=all").Is(200).Hides("harbour.jpg")
	bo.Post("/pictures/1/delete", nil).Is(404)
	stranger.Post("/pictures/1/delete", nil).Is(303).LeadsTo("/login")
	kim.Get("/pictures").Is(200).Hides("harbour.jpg")
	kim.Get("/pictures?who=all").Is(200).Shows("harbour.jpg", "ada").Has(`[action="/pictures/1/delete"]`).Hides(path) // an admin may delete it, but not look at it
	ada.Get("/create/image-to-video").Is(200).Shows(`data-pick="` + address).Has(`[href="/pictures"]`)

	ada.Post("/pictures/1/delete", nil).Is(303).LeadsTo("/pictures")
	stranger.Get(path, "If-None-Match", tag).Is(404)
	ada.Get(path+"/small", "If-None-Match", tag).Is(404)
	ada.Get("/pictures").Is(200).Lacks(`[action="/pictures/1/delete"]`).Shows("no longer works")
	ada.Get("/create/image-to-video").Is(200).Hides(path)
	ada.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)).Is(422).Shows("is gone. Add")
	ada.Post("/pictures/1/delete", nil).Is(404)
	ada.Post("/pictures/x/delete", nil).Is(404)

	if next := ada.Uploaded(handlerstest.Photo(t, 400, 300)); next == address {
		t.Error("uploaded again it has the address that was withdrawn")
	}
	kim.Post("/pictures/2/delete", nil).Is(303).LeadsTo("/pictures?who=all")

	ada.Uploaded(handlerstest.Photo(t, 400, 300))
	kim.Get("/pictures?who=all").Is(200).Hides("of people who left")
	kim.Post("/members/2/deactivate", url.Values{"hand_to": {"1"}}).Is(303)
	kim.Get("/pictures?who=all").Is(200).Shows("1 picture of people who left").Shows("counts for the team.")
	kim.Get("/pictures").Is(200).Shows("0 pictures").Hides("of people who left")
}

func TestAPictureThatAVideoOnItsWayNeedsStays(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	address := p.Uploaded(handlerstest.Photo(t, 400, 300))
	id := handlerstest.Made(t, p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)))
	p.Post("/pictures/1/delete", nil).Is(303)
	p.Get("/pictures").Is(200).Shows("A video in progress needs this picture", "harbour.jpg")
	h.Run(t)
	h.Reaches(t, id, db.Success)
	p.Post("/pictures/1/delete", nil).Is(303)
	p.Get("/p/" + ordering.PictureToken(address)).Is(404)
}

func TestAQuotaIsFreedByDeleting(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Restart(t, func(c *handlers.Config) { c.Quota = ordering.Quota{Pictures: 1, Bytes: 1 << 20} })
	p.Uploaded(handlerstest.Photo(t, 400, 300))
	again := []handlerstest.File{{Field: "file.image_input.0", Name: "b.jpg", Content: handlerstest.Photo(t, 410, 300)}}
	typed := handlerstest.WithField(handlerstest.GoodForm(), "prompt", "the words that I typed")
	p.Upload("/pictures?scene=image-to-video", typed, again).Is(422).Shows("picture storage is full", "the words that I typed")
	p.Post("/pictures/1/delete", nil).Is(303)
	p.Upload("/pictures?scene=image-to-video", typed, again).Is(303)
}

func TestTheFileOfAnUnusedPictureGoes(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	address := p.Uploaded(handlerstest.Photo(t, 400, 300))
	kept, err := h.Store.Pictures.Picture(t.Context(), ordering.PictureToken(address))
	must(t, err)
	bin := watch.NewBin(h.Store, h.Config.Media, h.Config.Log)
	later := db.Now().Add(ordering.PictureLife + time.Minute)
	must(t, bin.Round(t.Context(), later))
	p.Get("/p/" + kept.Token).Is(404)
	if !keeps(t, h, kept.Hash) {
		t.Error("a backup that has begun does not find the file")
	}
	must(t, bin.Round(t.Context(), later.Add(25*time.Hour)))
	if keeps(t, h, kept.Hash) {
		t.Error("the file is still there")
	}
}

func TestAnUploadIsShownSmall(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var large bytes.Buffer
	noise := image.NewGray(image.Rect(0, 0, 2000, 1000))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 3)
	}
	must(t, jpeg.Encode(&large, noise, &jpeg.Options{Quality: 95}))
	address := p.Uploaded(large.Bytes())
	path := "/p/" + ordering.PictureToken(address)
	id := handlerstest.Made(t, p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)))
	for _, page := range []string{"/create/image-to-video?image_input=" + url.QueryEscape(address), fmt.Sprintf("/tasks/%d", id), "/pictures"} {
		p.Get(page).Is(200).Has(`[src="` + path + `/small"]`).Lacks(`[src="` + path + `"]`)
	}
	a := p.Get(path + "/small").Is(200)
	c, err := jpeg.DecodeConfig(strings.NewReader(a.Text))
	if err != nil || c.Width != 320 || c.Height != 160 || len(a.Text) > 40_000 {
		t.Errorf("%d × %d in %d bytes, %v", c.Width, c.Height, len(a.Text), err)
	}
	if got := a.Header.Get("Cache-Control"); got != "private, no-cache" {
		t.Errorf("it is cached: %s", got)
	}
	p.Get(path+"/small", "If-None-Match", a.Header.Get("ETag")).Is(304)
	kept, err := h.Store.Pictures.Picture(t.Context(), ordering.PictureToken(address))
	must(t, err)
	must(t, h.Config.Media.Remove(t.Context(), kept.Hash)) // the thumbnail does not need it any more
	if again := p.Get(path + "/small").Is(200); again.Text != a.Text {
		t.Error("it is another one the next time")
	}
}

// TestUploadsOfYesterdaysProgramGoOn opens the data folder of the previous version.
func TestUploadsOfYesterdaysProgramGoOn(t *testing.T) {
	l := handlerstest.Yesterday(t)
	h := handlerstest.NewAt(t, l.Dir)
	kim := handlerstest.OldBrowser(t, h, l.Person(t, "admin"))
	for _, address := range []string{l.Picture, l.Unused} {
		token := ordering.PictureToken(address)
		h.Stranger(t).Get("/p/" + token).Is(200)
		kim.Get("/p/" + token + "/small").Is(200)
		kim.Get("/create/image-to-video?image_input=" + url.QueryEscape(address)).Is(200).Has(`[value="` + address + `"]`)
		kim.Get("/pictures").Is(200).Shows("/p/" + token + "/small") // its URL can still be built
		p, err := h.Store.Pictures.Picture(t.Context(), token)
		must(t, err)
		if opened, err := h.Config.Vault.OpenToken(p.UserID, p.Sealed); opened != token || err != nil {
			t.Errorf("its token is not sealed: %v", err)
		}
	}
	later := db.Now().Add(ordering.PictureLife + time.Hour)
	bin := watch.NewBin(h.Store, h.Config.Media, h.Config.Log)
	must(t, bin.Round(t.Context(), later))
	h.Stranger(t).Get("/p/" + ordering.PictureToken(l.Picture)).Is(200)
	h.Stranger(t).Get("/p/" + ordering.PictureToken(l.Unused)).Is(404)
}

// TestWithoutTheSecretOldAddressesWork checks a folder that was restored without its
// secret: only keys and sessions are lost.
func TestWithoutTheSecretOldAddressesWork(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	old := p.Uploaded(handlerstest.Photo(t, 400, 300))
	vault, err := secrets.NewVault([]byte("another secret"))
	must(t, err)
	h.Restart(t, func(c *handlers.Config) { c.Vault = vault })
	p.Get("/pictures").Is(200).Shows("harbour.jpg").Hides(old)
	p.Get("/p/" + ordering.PictureToken(old)).Is(200)
	fresh := p.Uploaded(handlerstest.Photo(t, 400, 300))
	if fresh == old || ordering.PictureToken(fresh) == "" {
		t.Errorf("uploaded again it is at %q", fresh)
	}
	for _, address := range []string{old, fresh} {
		h.Stranger(t).Get("/p/" + ordering.PictureToken(address)).Is(200)
	}
	if again := p.Uploaded(handlerstest.Photo(t, 400, 300)); again != fresh {
		t.Errorf("and once more at %q", again)
	}
	_, err = h.Store.Pictures.PictureByID(t.Context(), 2)
	if !errors.Is(err, db.ErrNotFound) {
		t.Errorf("it is there twice: %v", err)
	}
}

// TestAWrongSecondFileClearsTheField prevents the next submission from paying for a
// video with the picture that was in the field before.
func TestAWrongSecondFileClearsTheField(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	first := p.Uploaded(handlerstest.Photo(t, 400, 300))
	typed := handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "prompt", "the words that I typed"), "image_input", first)
	wrong := []handlerstest.File{{Field: "file.image_input.0", Name: "notes.txt", Content: []byte("hello")}}
	p.Upload("/pictures?scene=image-to-video", typed, wrong).Is(422).Shows("We can’t use this file", "the words that I typed").Lacks(`[type=url][value="` + first + `"]`)
	// Without JavaScript and with the other button, only the file's name is
	// submitted.
	p.Post("/create/image-to-video", handlerstest.WithField(typed, "file.image_input.0", "second.jpg")).Is(422).Shows("second.jpg isn’t uploaded yet")
	p.Post("/create/image-to-video", handlerstest.WithField(typed, "file.image_input.0", "")).Is(303)

	rec := h.AddRecipe(t, 1, func(r *ordering.Recipe) {
		r.Scene, r.Prompt, r.Pictures = "image-to-video", "A boat", []string{"{{photo}}"}
		r.Options.AspectRatio = ""
	})
	path := fmt.Sprintf("/recipes/%d", rec.ID)
	page := p.Get(path).Is(200)
	field := regexp.MustCompile(`name="file\.([^"]+)"`).FindStringSubmatch(page.Text)[1]
	name := regexp.MustCompile(`name="([^"]+)" type="url"`).FindStringSubmatch(page.Text)[1]
	filled := url.Values{name: {first}}
	p.Upload(path, filled, []handlerstest.File{{Field: "file." + field, Name: "notes.txt", Content: []byte("hello")}}).Is(422).Shows("We can’t use this file").Lacks(`[type=url][value="` + first + `"]`)
	p.Post(path, handlerstest.WithField(filled, "file."+field, "second.jpg")).Is(422).Shows("second.jpg isn’t uploaded yet")
}

// TestSlowPicturesAreReportedTogether checks two slow pictures at the same time; the race
// detector checks that they do not interfere.
func TestSlowPicturesAreReportedTogether(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Restart(t, func(c *handlers.Config) { c.Fetch = &http.Client{Transport: tired{}} })
	a := p.Post("/create/frames-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", "http://a.example/1.png", "http://a.example/2.png")).Is(422)
	if n := strings.Count(a.Text, `name="slow_told"`); n != 2 {
		t.Errorf("%d are told", n)
	}
}

// tired is a network on which every request times out.
type tired struct{}

func (tired) RoundTrip(*http.Request) (*http.Response, error) { return nil, os.ErrDeadlineExceeded }

func TestOnePressAsksForAnAddressOnce(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		time.Sleep(20 * time.Millisecond)
		http.NotFound(w, r)
	}))
	defer s.Close()
	p.Post("/create/frames-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", s.URL, s.URL)).Is(422).
		Shows("No picture at this link").Has("#image_input-0-error", "#image_input-1-error")
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAnotherSitesPageDoesNotMakeTheServerFetch(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	s, asked := countingPhotoServer(t)
	path := "/create/picture?url=" + url.QueryEscape(s.URL)
	small := "/p/" + ordering.PictureToken(p.Uploaded(handlerstest.Photo(t, 400, 300))) + "/small"
	for from, want := range map[string]int{"cross-site": 403, "same-site": 403, "anything": 403, "same-origin": 200, "none": 200, "": 200} {
		asked.Store(0)
		for _, at := range []string{path + "?" + from, small} {
			p.Get(at, "Sec-Fetch-Site", from).Is(want)
		}
		if n := asked.Load(); (n > 0) != (want == 200) {
			t.Errorf("%q: asked %d times", from, n)
		}
	}
}

func keeps(t *testing.T, h *handlerstest.Server, hash string) bool {
	t.Helper()
	here, err := h.Config.Media.Has(t.Context(), hash)
	must(t, err)
	return here
}
