package create_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
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
	"dailies/web/fetch"
	"dailies/web/picture"
	"dailies/web/scopetest"
)

// oddities serves various contents that a picture's address may lead to.
func oddities(t testing.TB) (base string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!DOCTYPE html><html>") })
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
	mux.HandleFunc("/heic", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "\x00\x00\x00\x1cftypheic") })
	mux.HandleFunc("/film", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "\x00\x00\x00\x1cftypisom") })
	mux.HandleFunc("/shut", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) })
	mux.HandleFunc("/tired", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(handlerstest.Photo(t, 400, 300)[:20]) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(picture.MaxBytes+1))
		_, _ = w.Write(handlerstest.Photo(t, 400, 300))
	})
	for path, size := range map[string]image.Point{"/good": {400, 300}, "/small": {64, 36}, "/long": {2000, 310}} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(handlerstest.Photo(t, size.X, size.Y)) })
	}
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

func TestAnUnusablePictureIsReportedBeforeAnythingIsSent(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	odd := oddities(t)
	for path, want := range map[string]string{
		"/page": "That’s a web page", "/text": "use this link", "/heic": "a HEIC picture", "/film": "That’s a video",
		"/shut": "isn’t open to everybody", "/tired": "has trouble (", "/nothing": "No picture at this link", "/cut": "Damaged file",
		"/large": "ver 20 MB",
	} {
		a := p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", odd+path)).Is(422)
		a.Shows(want, `value="`+odd+path+`"`, "a tram crosses the bridge").Has("#image_input-0-error")
		p.Get("/create/picture?url="+url.QueryEscape(odd+path)).Is(200).Shows(want, "data-bad")
	}
	frames := p.Post("/create/frames-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "image_input", odd+"/good", odd+"/page",
	)).Is(422)
	frames.Has("#image_input-1-error").Lacks("#image_input-0-error")
	end := handlerstest.WithField(
		handlerstest.WithField(
			handlerstest.WithField(handlerstest.GoodForm(), "aspect_ratio", ""), "model", "bytedance/v1-lite-image-to-video",
		),
		"image_input", odd+"/good",
	)
	p.Post("/create/image-to-video", handlerstest.WithField(
		handlerstest.WithField(handlerstest.WithField(end, "end_image_url", odd+"/text"), "duration", "5"), "generate_audio",
		"",
	)).Is(422).Has("#end_image_url-error")
	if n := h.Wire.Count("/api/ai/generate"); n != 0 {
		t.Errorf("%d create calls", n)
	}
	p.Get("/create/picture?url="+url.QueryEscape(odd+"/good")).Is(200).Shows("400 × 300", "data-good")
	p.Get("/create/picture?url="+url.QueryEscape(odd+"/small")).Is(200).Shows("Small: many models").Hides("data-bad", "data-good")
	p.Get("/create/picture?url=" + url.QueryEscape(odd+"/long")).Is(200).Shows("Long and narrow").Hides("data-bad")
	p.Get("/create/picture?url=ftp://x").Is(200).Shows("isn’t a web address", "data-bad")
	p.Get("/create/picture?url=").Is(200).Hides("data-bad", "data-good")
	p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", odd+"/small")).Is(303)
}

func TestAPrivateAddressIsRefused(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	guarded, err := fetch.NewClient(false, fetch.Trust{})
	must(t, err)
	h.Restart(t, func(c *handlers.Config) { c.Fetch = guarded })
	odd := oddities(t)
	p.Post("/create/image-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "image_input", odd+"/good",
	)).Is(422).Shows("only works inside your network")
	p.Get("/create/picture?url=" + url.QueryEscape("http://169.254.169.254/latest")).Is(200).Shows("only works inside your network")
}

func TestANameThatIsUnknownHereMayBeKnownToARealService(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	form := handlerstest.WithField(handlerstest.GoodForm(), "image_input", "https://pictures.invalid/a.png")
	p.Get("/create/picture?url=https://pictures.invalid/a.png").Is(200).Shows("No server has this name", "data-bad")
	p.Post("/create/image-to-video", form).Is(422).Shows("No server has this name")
	h.Connect(t, "https://service.example.com")
	p.Post("/create/image-to-video", form).Is(303)
}

func TestASlowPictureIsReportedOnceAndThenSent(t *testing.T) {
	scopetest.Whole(t)
	t.Parallel()
	h := handlerstest.New(t) // nothing is sent, because the service would ask for the pictures, too
	p := h.Founder(t)
	var asked, waiting, most atomic.Int32
	odd := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		waiting.Add(1)
		defer waiting.Add(-1)
		select {
		case <-time.After(time.Second): // a request that was given up before this one is gone by then
			most.Store(max(most.Load(), waiting.Load()))
			<-r.Context().Done()
		case <-r.Context().Done():
		}
	}))
	defer odd.Close()
	defer odd.CloseClientConnections()
	form := handlerstest.WithField(handlerstest.GoodForm(), "image_input", odd.URL+"/slow", odd.URL+"/slow?2")
	a := p.Post("/create/frames-to-video", form).Is(422).Shows("No picture within", "Press again").Has(
		`[name=slow_told][value="` + odd.URL + `/slow"]`,
	)
	if n := most.Load(); n != 2 {
		t.Errorf("%d were waited for at one time", n)
	}
	if strings.Count(a.Text, `name="slow_told"`) != 2 {
		t.Error("not both are told")
	}
	p.Get("/create/picture?url="+url.QueryEscape(odd.URL+"/slow")).Is(200).Shows("No picture within", "data-slow")
	before := asked.Load()
	p.Post("/create/frames-to-video", handlerstest.WithField(form, "slow_told", odd.URL+"/slow", odd.URL+"/slow?2")).Is(303)
	if n := asked.Load(); n != before {
		t.Errorf("pressed again, they are asked for %d times", n-before)
	}
}

// countingPhotoServer serves a picture and counts the requests for it.
func countingPhotoServer(t *testing.T) (*httptest.Server, *atomic.Int64) {
	t.Helper()
	asked := new(atomic.Int64)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = w.Write(handlerstest.Photo(t, 400, 300))
	}))
	t.Cleanup(s.Close)
	return s, asked
}

func TestPressingTheButtonDoesNotFetchAGoodPictureAgain(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	s, fetched := countingPhotoServer(t)
	p.Get("/create/picture?url=" + url.QueryEscape(s.URL)).Is(200).Has("[data-good]")
	p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", s.URL)).Is(303)
	if n := fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
}

func TestAnUploadedPictureBecomesAVideo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	address := p.Uploaded(handlerstest.Photo(t, 400, 300))
	token := ordering.PictureToken(address)
	if token == "" || !strings.HasPrefix(address, "http://dailies.invalid/p/") {
		t.Fatalf("its address is %s", address)
	}
	id := handlerstest.Made(t, p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)))
	h.Reaches(t, id, db.Success)
	p.Get(fmt.Sprintf("/tasks/%d", id)).Is(200).Has(
		`[src="/p/`+token+`/small"]`, `[href="/p/`+token+`"]`,
	).Hides(`src="http://dailies.invalid`)
	p.Get("/create/image-to-video").Is(200).Shows("harbour.jpg").Has(`[data-pick="` + address + `"]`)
	// Whatever form of the address is submitted, the service gets the one that works.
	id = handlerstest.Made(t, p.Post("/create/image-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "image_input", h.URL+"/p/"+token,
	)))
	if task := h.Reaches(t, id, db.Success); task.Pictures[0] != address {
		t.Errorf("the service was given %s", task.Pictures[0])
	}
	p.Get("/create/image-to-video?image_input=/p/" + token).Is(200).Has(`[value="` + address + `"]`)
}

func TestAnUploadedPictureIsServedWithoutSessionAndSecrets(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	content := handlerstest.Photo(t, 400, 300)
	path := "/p/" + ordering.PictureToken(p.Uploaded(content))
	if again := "/p/" + ordering.PictureToken(p.Uploaded(content)); again != path {
		t.Error("the same picture has two addresses")
	}
	stranger := h.Stranger(t)
	a := stranger.Get(path).Is(200).Hides(handlerstest.Position)
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "X-Robots-Tag": "noindex, nofollow",
		"Cache-Control": "no-cache", "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if c, err := jpeg.DecodeConfig(strings.NewReader(a.Text)); err != nil || c.Width != 400 {
		t.Errorf("what is served is no picture: %v", err)
	}
	stranger.Get(path, "Range", "bytes=0-9").Is(206)
	stranger.Get(path, "If-None-Match", a.Header.Get("ETag")).Is(304)
	stranger.Get("/p/").Is(404)
	stranger.Get("/p/" + secrets.NewToken()).Is(404).Hides(handlerstest.Position)
	stranger.Upload("/pictures?scene=image-to-video", nil, []handlerstest.File{{
		Field: "file", Name: "x.jpg", Content: content,
	}}).Is(303).LeadsTo("/login?next=%2Fcreate%2Fimage-to-video")
	kept, err := h.Store.Pictures.Picture(t.Context(), ordering.PictureToken(path))
	must(t, err)
	must(t, h.Config.Media.Remove(t.Context(), kept.Hash))
	stranger.Get(path).Is(404)
	p.Post("/create/image-to-video", handlerstest.WithField(
		handlerstest.GoodForm(), "image_input", h.URL+path,
	)).Is(422).Shows("is gone. Add")
	if strings.Contains(h.Log.String(), kept.Token) {
		t.Error("the log says the address")
	}
}

func TestWithoutScriptAnUploadKeepsEverythingTyped(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	typed := handlerstest.WithField(
		handlerstest.WithField(handlerstest.GoodForm(), "prompt", "the words that I typed"), "image_input", "", "",
	)
	path := "/pictures?scene=frames-to-video"
	p.Upload(path, typed, []handlerstest.File{
		{Field: "file.image_input.1", Name: "end.jpg", Content: handlerstest.Photo(t, 400, 300)},
		{Field: "file.image_input.0", Name: "", Content: nil},
	}).Is(303).LeadsTo("/create/frames-to-video#pictures")
	a := p.Get("/create/frames-to-video").Is(200).Shows("the words that I typed").Has("[value=4][checked]")
	inputs := regexp.MustCompile(`name="image_input" type="url" value="([^"]*)"`).FindAllStringSubmatch(a.Text, -1)
	if len(inputs) != 2 || inputs[0][1] != "" || ordering.PictureToken(inputs[1][1]) == "" {
		t.Fatalf("the fields hold %q", inputs)
	}
	p.Post(path, handlerstest.WithField(handlerstest.WithField(typed, "image_input", "", inputs[1][1]), "pick", inputs[1][1])).Is(303)
	delete(typed, "pick")
	again := p.Get("/create/frames-to-video").Is(200)
	if n := strings.Count(again.Text, `type="url" value="`+inputs[1][1]+`"`); n != 2 {
		t.Errorf("the picked picture is in %d fields", n)
	}
	typed["image_input"] = []string{"", ""}
	p.Upload(path, typed, []handlerstest.File{{Field: "file.image_input.0", Name: "notes.txt", Content: []byte("hello")}}).Is(422).
		Shows("We can’t use this file", "the words that I typed").Has("#image_input-0-error")
	p.Post(path, typed).Is(422).Shows("Choose a file first", "the words that I typed")
	p.Post("/create/frames-to-video", handlerstest.WithField(
		typed, "file.image_input.0", "start.jpg",
	)).Is(422).Shows("start.jpg isn’t uploaded yet")
	p.Upload("/pictures?scene=text-to-video", typed, nil).Is(404)
	p.Upload("/pictures?scene=sideways", typed, nil).Is(404)
}

func TestUploadsAreBounded(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	path, part := "/pictures?scene=image-to-video", []string{"HX-Request-Type", "partial"}
	large := append(handlerstest.Photo(t, 400, 300), make([]byte, picture.MaxBytes)...)
	p.Upload(path, nil, []handlerstest.File{{
		Field: "file.image_input.0", Name: "large.jpg", Content: large,
	}}, part...).Is(422).Shows("ver 20 MB", "data-bad").Hides("data-good")
	p.Upload(path, url.Values{"prompt": {strings.Repeat("x", 2<<20)}}, nil, part...).Is(413)
	p.Post(path, url.Values{"prompt": {strings.Repeat("x", 2<<20)}}).Is(413)
	p.Upload("/create/image-to-video", nil, []handlerstest.File{{Field: "file.image_input.0", Name: "large.jpg", Content: large}}).Is(413)
	entries, err := os.ReadDir(strings.TrimSuffix(h.Database, "dailies.db") + "media")
	must(t, err)
	if len(entries) > 0 {
		t.Errorf("%d things are kept", len(entries))
	}
	h.Restart(t, func(c *handlers.Config) {
		c.Space = func(context.Context) (schedule.Space, error) {
			return schedule.Space{Used: 100, Max: 200, Free: -1}, nil
		}
	})
	p.Upload(path, nil, []handlerstest.File{{
		Field: "file.image_input.0", Name: "harbour.jpg", Content: handlerstest.Photo(t, 400, 300),
	}}, part...).Is(422).Shows("Picture storage is full")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+path, strings.NewReader(
		"--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n\r\n\xff\xd8",
	))
	must(t, err)
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	resp, err := p.Do(r)
	must(t, err)
	resp.Body.Close()
	if resp.StatusCode != 400 {
		t.Errorf("an upload that breaks off: %d", resp.StatusCode)
	}
}

func TestTheFormSaysThatTheServiceCannotFetchUploads(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	token, given := ordering.PictureToken(p.Uploaded(handlerstest.Photo(t, 400, 300))), ""
	h.Connect(t, "https://service.example.com")
	for address, reached := range map[string]bool{
		"": false, "http://127.0.0.1:8080": false, "http://localhost:8080": false, "http://[::1]": false, "https://10.1.2.3": false,
		"http://192.168.0.7": false,
		"http://100.64.1.1":  false, "http://169.254.1.1": false, "http://[fd00::1]": false, "http://[::ffff:10.0.0.1]": false,
		"http://0.0.0.0": false,
		"http://dailies": false, "https://dailies.local": false, "https://nas.home.arpa": false, "https://dailies.lan:8443": false,
		"http://dailies.localhost":    false,
		"https://dailies.example.com": true, "http://93.184.216.34:8080": true, "https://[2606:4700::1111]": true,
		"https://dailies.example.com.": true,
	} {
		h.Restart(t, func(c *handlers.Config) { c.PublicURL = address })
		page := p.Get("/create/image-to-video").Is(200)
		sent := p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", h.URL+"/p/"+token))
		if reached {
			page.Has("[type=file]").Hides("cannot be uploaded here")
			sent.Is(303)
			task, err := h.Store.Tasks.Task(t.Context(), handlerstest.Made(t, sent))
			must(t, err)
			if given == "" { // an address of its own: the first one was made for practice mode
				given = ordering.PictureToken(task.Pictures[0])
			}
			if task.Pictures[0] != address+"/p/"+given || given == token {
				t.Errorf("%s: the service gets %s", address, task.Pictures[0])
			}
			continue
		}
		page.Shows("Uploads aren’t set up yet").Lacks("[type=file]")
		sent.Is(422).Shows("Uploads aren’t set up", "Uploads aren’t set up. Paste a link, or ask an admin.")
		p.Upload(
			"/pictures?scene=image-to-video", nil,
			[]handlerstest.File{{Field: "file", Name: "x.jpg", Content: handlerstest.Photo(t, 400, 300)}}, "HX-Request-Type",
			"partial",
		).
			Is(422).Shows("Uploads aren’t set up")
	}
}

func TestEarlierPicturesAreThePersonsOwn(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	other := h.Joiner(t, p, "ada")
	link := handlerstest.Pictures(t)
	p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", link)).Is(303)
	address := p.Uploaded(handlerstest.Photo(t, 400, 300))
	body := p.Get("/create/reference-to-video").Is(200).Text
	first, second := strings.Index(body, `data-pick="`+address), strings.Index(body, `data-pick="`+link)
	if first < 0 || second < first {
		t.Errorf("the earlier pictures stand at %d and %d", first, second)
	}
	p.Get("/create/text-to-video").Is(200).Hides("data-pick", "picture.js")
	other.Get("/create/reference-to-video").Is(200).Hides("data-pick")
}

// An upload has an address for each service that the team has used, and is offered once.
func TestAnEarlierPictureIsOfferedOnceAfterASwitchOfServices(t *testing.T) {
	h := handlerstest.New(t)
	h.Restart(t, func(c *handlers.Config) { c.PublicURL = "https://video.example.com" })
	p := h.Founder(t)
	offered := func() []string {
		return regexp.MustCompile(`data-pick="[^"]+`).FindAllString(p.Get("/create/image-to-video").Is(200).Text, -1)
	}
	use := func(address string) {
		task := h.AddTask(t, 1, db.Success)
		h.Alter(t, task.ID, func(task *db.Task) { task.Pictures = []string{address} })
	}
	before := p.Uploaded(handlerstest.Photo(t, 400, 300))
	use(before)
	h.Connect(t, "https://service.example.com")
	after := p.Uploaded(handlerstest.Photo(t, 400, 300))
	if before == after {
		t.Fatal("both services get the same address")
	}
	if got := offered(); len(got) != 1 || !strings.HasSuffix(got[0], after) {
		t.Errorf("offered %q, want %s", got, after)
	}
	for i := range 8 { // so many newer ones that only the videos tell of it
		p.Uploaded(handlerstest.Photo(t, 400, 301+i))
	}
	use(before)
	use(after)
	if got := offered(); len(got) != 8 || !strings.HasSuffix(got[0], after) ||
		slices.ContainsFunc(got, func(one string) bool { return strings.HasSuffix(one, before) }) {
		t.Errorf("offered %q, want %s once", got, after)
	}
}

func TestTryingAgainChecksThePicturesToo(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Run(t)
	var gone atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(handlerstest.Photo(t, 400, 300))
	}))
	defer s.Close()
	form := handlerstest.WithField(handlerstest.WithField(handlerstest.GoodForm(), "prompt", "a boat #fail"), "image_input", s.URL)
	id := handlerstest.Made(t, p.Post("/create/image-to-video", form))
	h.Reaches(t, id, db.Failed)
	gone.Store(true)
	h.Restart(t, func(*handlers.Config) {}) // clears the cache of checked pictures
	p.Post(fmt.Sprintf("/tasks/%d/again", id), nil).Is(422).Shows("No picture at this link", "a boat #fail", s.URL)
	gone.Store(false)
	p.Post(fmt.Sprintf("/tasks/%d/again", id), nil).Is(303)
}

// FuzzUpload uploads any bytes as a picture.
// A picture's address belongs to the service that it was made for. No other one gets it, and
// a service that cannot fetch uploaded pictures gets none.
func TestAnUploadedPictureGetsAnAddressForEachService(t *testing.T) {
	for public, reaches := range map[string]bool{"": false, "http://10.0.0.7": false, "https://dailies.example.com": true} {
		h := handlerstest.New(t)
		p := h.Founder(t)
		h.Restart(t, func(c *handlers.Config) { c.PublicURL = public })
		address := p.Uploaded(handlerstest.Photo(t, 400, 300))
		form := handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)
		again := handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)
		p.Post("/create/image-to-video", form).Is(303)
		h.Connect(t, "https://service.example")
		a := p.Post("/create/image-to-video", handlerstest.WithField(again, "token", "later"))
		retried := p.Post("/tasks/1/resend", url.Values{})
		if !reaches {
			a.Is(422).Has("#image_input-0-error").Shows("Uploads aren’t set up.")
			if n := tasksOf(t, h); len(n) != 1 {
				t.Errorf("%q: there are %d videos, after %d", public, len(n), retried.StatusCode)
			}
			continue
		}
		a.Is(303)
		p.Post("/create/image-to-video", handlerstest.WithField(again, "token", "third")).Is(303)
		var used []string
		for _, task := range tasksOf(t, h) {
			used = append(used, task.Pictures...)
		}
		if len(used) != 3 || used[0] != used[1] || used[1] == used[2] || !strings.HasPrefix(used[0], public+"/") {
			t.Errorf("the newest videos were made from %q", used)
		}
		for _, address := range used {
			if resp := p.Get(strings.TrimPrefix(address, public)); resp.StatusCode != 200 {
				t.Errorf("%s: %d", address, resp.StatusCode)
			}
		}
	}
}

// tasksOf returns the founder's tasks, the newest first.
func tasksOf(t *testing.T, h *handlerstest.Server) []db.Task {
	t.Helper()
	tasks, err := h.Store.Tasks.LatestTasks(t.Context(), 1, 9)
	must(t, err)
	return tasks
}

// What only practice mode can fetch is not sent to a service.
func TestAResultOfPracticeModeIsNoPictureForAService(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	h.Connect(t, "https://service.example")
	for _, address := range []string{
		handlerstest.SandboxBase + "/x.png", "http://SANDBOX.invalid:80/x.png", "http://dailies.invalid/x.png",
	} {
		p.Post("/create/image-to-video", handlerstest.WithField(
			handlerstest.GoodForm(), "image_input", address,
		)).Is(422).Has("#image_input-0-error")
	}
	if n := tasksOf(t, h); len(n) != 0 {
		t.Errorf("there are %d videos", len(n))
	}
}

func FuzzUpload(f *testing.F) {
	h := handlerstest.New(f)
	p := h.Founder(f)
	var small bytes.Buffer
	must(f, png.Encode(&small, image.NewGray(image.Rect(0, 0, 4, 4))))
	f.Add("file.image_input.0", "harbour.jpg", handlerstest.Photo(f, 400, 300))
	f.Add("file.end_image_url", "../../etc/passwd", small.Bytes())
	f.Add("file.image_input.99999999999", "\x00", []byte("GIF89a"))
	f.Fuzz(func(t *testing.T, field, name string, content []byte) {
		p := *p
		p.T = t
		a := p.Upload("/pictures?scene=reference-to-video", nil, []handlerstest.File{{Field: field, Name: name, Content: content}})
		if a.StatusCode >= 500 {
			t.Errorf("%d\n%.500s", a.StatusCode, a.Text)
		}
	})
}

// A picture of which a part is missing is refused before anything is paid, whether it is
// uploaded, linked, or was uploaded to an earlier version.
func TestACutPictureIsRefused(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	whole := handlerstest.Noise(t, 400, 300)
	cut := whole[:len(whole)/14]
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(cut) }))
	t.Cleanup(s.Close)
	p.Upload(
		"/pictures?scene=image-to-video", nil,
		[]handlerstest.File{{Field: "file.image_input.0", Name: "cut.jpg", Content: cut}}, "HX-Request-Type", "partial",
	).Is(422).Shows("Damaged file")
	hash, size, err := h.Config.Media.Put(t.Context(), bytes.NewReader(cut), 1<<20)
	must(t, err)
	old := ordering.Picture{
		UserID: 1, Token: secrets.NewToken(), Hash: hash, Type: "image/jpeg", Size: size, Width: 400, Height: 300,
		Name: "old.jpg", CreatedAt: db.Now(),
	}
	must(t, h.Store.Pictures.AddPicture(t.Context(), &old))
	for _, address := range []string{s.URL, h.URL + old.Path()} {
		p.Post("/create/image-to-video", handlerstest.WithField(
			handlerstest.GoodForm(), "image_input", address,
		)).Is(422).Shows("Damaged file")
	}
	if tasks := h.Tasks(t); len(tasks) != 0 {
		t.Errorf("%d videos were asked for", len(tasks))
	}
}

// The shape of a phone's photo is that of the upright picture, wherever it comes from.
func TestAPhonesPhotoIsUpright(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	photo := handlerstest.Turned(t, 1600, 900)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(photo) }))
	t.Cleanup(s.Close)
	for _, address := range []string{s.URL, p.Uploaded(photo)} {
		id := handlerstest.Made(t, p.Post("/create/image-to-video", orderForm("seedance-2.0", address)))
		task, err := h.Store.Tasks.Task(t.Context(), id)
		must(t, err)
		if task.Options.AspectRatio != "9:16" {
			t.Errorf("%s: %+v", address, task.Options)
		}
	}
}
