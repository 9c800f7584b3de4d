package handlers_test

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
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
	"dailies/handlers"
	"dailies/web/fetch"
	"dailies/web/picture"
)

// photo is a picture of the size, as a phone takes it: with its position.
func photo(t testing.TB, width, height int) []byte {
	t.Helper()
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, width, height)), nil))
	exif := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00 " + position
	head := append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(head, b.Bytes()[2:]...)
}

const position = "53.5511 N 9.9937 E"

// file is what is chosen in a form.
type file struct {
	field, name string
	content     []byte
}

// upload sends the form as a browser does that has no script, or as the script
// does with "HX-Request-Type: partial".
func (p *person) upload(path string, form url.Values, files []file, headers ...string) *answer {
	p.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, values := range form {
		for _, v := range values {
			must(p.t, w.WriteField(name, v))
		}
	}
	for _, f := range files {
		part, err := w.CreateFormFile(f.field, f.name)
		must(p.t, err)
		_, err = part.Write(f.content)
		must(p.t, err)
	}
	must(p.t, w.Close())
	r, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.h.URL+path, &body)
	must(p.t, err)
	r.Header.Set("Content-Type", w.FormDataContentType())
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := p.Do(r)
	must(p.t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	must(p.t, err)
	return &answer{p.t, "POST " + path, resp, string(b)}
}

// uploaded is the address of a picture that the person uploads.
func (p *person) uploaded(content []byte) string {
	p.t.Helper()
	a := p.upload("/pictures?scene=image-to-video", nil, []file{{"file.image_input.0", "harbour.jpg", content}}, "HX-Request-Type", "partial").is(200)
	return regexp.MustCompile(`data-address="([^"]+)"`).FindStringSubmatch(a.body)[1]
}

// addPicture writes down a picture of the person's, with a file.
func (h *house) addPicture(t testing.TB, userID int64) db.Picture {
	t.Helper()
	content := photo(t, 400, 300)
	hash, size, err := h.config.Media.Put(t.Context(), bytes.NewReader(content), 1<<20)
	must(t, err)
	p := db.Picture{UserID: userID, Token: db.NewToken(), Hash: hash, Type: "image/jpeg", Size: size, Width: 400, Height: 300, Name: "harbour.jpg", CreatedAt: db.Now()}
	must(t, h.store.AddPicture(t.Context(), &p))
	return p
}

// elsewhere lets the house be run with other settings from now on.
func (h *house) elsewhere(t testing.TB, change func(*handlers.Config)) {
	t.Helper()
	change(&h.config)
	h.app = handlers.New(h.config)
	handler, err := h.app.Handler()
	must(t, err)
	h.Server = httptest.NewServer(handler)
	t.Cleanup(h.Server.Close)
}

// oddities serves what an address may lead to.
func oddities(t testing.TB) (base string) {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<!DOCTYPE html><html>") })
	mux.HandleFunc("/text", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "hello") })
	mux.HandleFunc("/heic", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "\x00\x00\x00\x1cftypheic") })
	mux.HandleFunc("/film", func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "\x00\x00\x00\x1cftypisom") })
	mux.HandleFunc("/shut", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(403) })
	mux.HandleFunc("/tired", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) })
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(photo(t, 400, 300)[:20]) })
	mux.HandleFunc("/large", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(picture.MaxBytes+1))
		_, _ = w.Write(photo(t, 400, 300))
	})
	for path, size := range map[string]image.Point{"/good": {400, 300}, "/small": {64, 36}, "/long": {2000, 310}} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(photo(t, size.X, size.Y)) })
	}
	over := make(chan struct{})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-over:
		}
	})
	s := httptest.NewServer(mux)
	t.Cleanup(func() { close(over); s.Close() })
	return s.URL
}

func TestAPictureThatWillNotDoIsToldBeforeAnythingIsSent(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	odd := oddities(t)
	for path, want := range map[string]string{
		"/page": "leads to a web page", "/text": "no picture that can be used", "/heic": "a HEIC picture", "/film": "a video, not a picture",
		"/shut": "not open to everybody", "/tired": "trouble at the moment", "/nothing": "No picture shows up", "/cut": "damaged or cut off", "/large": "more than 20 MB",
	} {
		a := p.post("/create/image-to-video", with(good(), "image_input", odd+path)).is(422)
		a.shows(want, `id="image_input-0-error"`, `value="`+odd+path+`"`, "a tram crosses the bridge")
		p.get("/create/picture?url="+url.QueryEscape(odd+path)).is(200).shows(want, "data-bad")
	}
	frames := p.post("/create/frames-to-video", with(good(), "image_input", odd+"/good", odd+"/page")).is(422)
	frames.shows(`id="image_input-1-error"`).hides(`id="image_input-0-error"`)
	end := with(with(with(good(), "aspect_ratio", ""), "model", "bytedance/v1-lite-image-to-video"), "image_input", odd+"/good")
	p.post("/create/image-to-video", with(with(with(end, "end_image_url", odd+"/text"), "duration", "5"), "generate_audio", "")).is(422).shows(`id="end_image_url-error"`)
	if n := h.wire.count("/api/ai/generate"); n != 0 {
		t.Errorf("%d create calls", n)
	}
	p.get("/create/picture?url="+url.QueryEscape(odd+"/good")).is(200).shows("Here it is: 400 × 300.", "data-good")
	p.get("/create/picture?url="+url.QueryEscape(odd+"/small")).is(200).shows("That is small").hides("data-bad", "data-good")
	p.get("/create/picture?url=" + url.QueryEscape(odd+"/long")).is(200).shows("long and narrow").hides("data-bad")
	p.get("/create/picture?url=ftp://x").is(200).shows("not a web address", "data-bad")
	p.get("/create/picture?url=").is(200).shows("Paste the web address").hides("data-bad")
	p.post("/create/image-to-video", with(good(), "image_input", odd+"/small")).is(303)
}

func TestAPrivateAddressIsRefused(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	guarded, err := fetch.NewClient(false, fetch.Trust{})
	must(t, err)
	h.elsewhere(t, func(c *handlers.Config) { c.Fetch = guarded })
	odd := oddities(t)
	p.post("/create/image-to-video", with(good(), "image_input", odd+"/good")).is(422).shows("lies in a private network")
	p.get("/create/picture?url=" + url.QueryEscape("http://169.254.169.254/latest")).is(200).shows("lies in a private network")
}

func TestANameThatIsUnknownHereMayBeKnownToARealService(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	form := with(good(), "image_input", "https://pictures.invalid/a.png")
	p.get("/create/picture?url=https://pictures.invalid/a.png").is(200).shows("no server with this name", "data-bad")
	p.post("/create/image-to-video", form).is(422).shows("no server with this name")
	h.elsewhere(t, func(c *handlers.Config) { c.Sandbox = nil })
	p.post("/create/image-to-video", form).is(303)
}

func TestASlowPictureIsToldOnceAndThenSent(t *testing.T) {
	alone(t)
	t.Parallel()
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	odd, began := oddities(t), time.Now()
	form := with(good(), "image_input", odd+"/slow", odd+"/slow?2")
	a := p.post("/create/frames-to-video", form).is(422).shows("very slow", "Press the button again", `name="slow_told" value="`+odd+`/slow"`)
	if took := time.Since(began); took > picture.Patience+3*time.Second {
		t.Errorf("both together took %v", took)
	}
	if strings.Count(a.body, `name="slow_told"`) != 2 {
		t.Error("not both are told")
	}
	p.get("/create/picture?url="+url.QueryEscape(odd+"/slow")).is(200).shows("very slow", "data-slow")
	began = time.Now()
	p.post("/create/frames-to-video", with(form, "slow_told", odd+"/slow", odd+"/slow?2")).is(303)
	if took := time.Since(began); took > 4*time.Second {
		t.Errorf("pressed again it took %v", took)
	}
}

func TestPressingTheButtonDoesNotFetchAGoodPictureAgain(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	var fetched atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fetched.Add(1)
		_, _ = w.Write(photo(t, 400, 300))
	}))
	defer s.Close()
	p.get("/create/picture?url=" + url.QueryEscape(s.URL)).is(200).shows("Here it is")
	p.post("/create/image-to-video", with(good(), "image_input", s.URL)).is(303)
	if n := fetched.Load(); n != 1 {
		t.Errorf("fetched %d times", n)
	}
}

func TestAnUploadedPictureBecomesAVideo(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	address := p.uploaded(photo(t, 400, 300))
	token := db.PictureToken(address)
	if token == "" || !strings.HasPrefix(address, "http://dailies.invalid/p/") {
		t.Fatalf("its address is %s", address)
	}
	id := made(t, p.post("/create/image-to-video", with(good(), "image_input", address)))
	h.reaches(t, id, db.Success)
	p.get(fmt.Sprintf("/tasks/%d", id)).is(200).shows(`src="/p/`+token+`/small"`, `href="/p/`+token+`"`).hides(`src="http://dailies.invalid`)
	p.get("/create/image-to-video").is(200).shows(`data-pick="`+address+`"`, "harbour.jpg")
	// However the address is written, the service gets the one that works.
	id = made(t, p.post("/create/image-to-video", with(good(), "image_input", h.URL+"/p/"+token)))
	if task := h.reaches(t, id, db.Success); task.Pictures[0] != address {
		t.Errorf("the service was given %s", task.Pictures[0])
	}
	p.get("/create/image-to-video?image_input=/p/" + token).is(200).shows(`value="` + address + `"`)
}

func TestAnUploadedPictureIsServedWithoutSessionAndSecrets(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	content := photo(t, 400, 300)
	path := "/p/" + db.PictureToken(p.uploaded(content))
	if again := "/p/" + db.PictureToken(p.uploaded(content)); again != path {
		t.Error("the same picture has two addresses")
	}
	stranger := h.stranger(t)
	a := stranger.get(path).is(200).hides(position)
	for name, want := range map[string]string{
		"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff", "X-Robots-Tag": "noindex, nofollow",
		"Cache-Control": "no-cache", "Content-Security-Policy": "default-src 'none'; sandbox; frame-ancestors 'none'",
	} {
		if got := a.Header.Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	if c, err := jpeg.DecodeConfig(strings.NewReader(a.body)); err != nil || c.Width != 400 {
		t.Errorf("what is served is no picture: %v", err)
	}
	stranger.get(path, "Range", "bytes=0-9").is(206)
	stranger.get(path, "If-None-Match", a.Header.Get("ETag")).is(304)
	stranger.get("/p/").is(404)
	stranger.get("/p/" + db.NewToken()).is(404).hides(position)
	stranger.upload("/pictures?scene=image-to-video", nil, []file{{"file", "x.jpg", content}}).is(303).leadsTo("/login?next=%2Fcreate%2Fimage-to-video")
	kept, err := h.store.Picture(t.Context(), db.PictureToken(path))
	must(t, err)
	must(t, h.config.Media.Remove(kept.Hash))
	stranger.get(path).is(404)
	p.post("/create/image-to-video", with(good(), "image_input", h.URL+path)).is(422).shows("no longer kept here")
	if strings.Contains(h.log.String(), kept.Token) {
		t.Error("the log says the address")
	}
}

func TestWithoutScriptAnUploadKeepsEverythingTyped(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	typed := with(with(good(), "prompt", "the words that I typed"), "image_input", "", "")
	path := "/pictures?scene=frames-to-video"
	p.upload(path, typed, []file{{"file.image_input.1", "end.jpg", photo(t, 400, 300)}, {"file.image_input.0", "", nil}}).is(303).leadsTo("/create/frames-to-video#pictures")
	a := p.get("/create/frames-to-video").is(200).shows("the words that I typed", `value="4" checked`)
	inputs := regexp.MustCompile(`name="image_input" type="url" value="([^"]*)"`).FindAllStringSubmatch(a.body, -1)
	if len(inputs) != 2 || inputs[0][1] != "" || db.PictureToken(inputs[1][1]) == "" {
		t.Fatalf("the fields hold %q", inputs)
	}
	p.post(path, with(with(typed, "image_input", "", inputs[1][1]), "pick", inputs[1][1])).is(303)
	delete(typed, "pick")
	again := p.get("/create/frames-to-video").is(200)
	if n := strings.Count(again.body, `type="url" value="`+inputs[1][1]+`"`); n != 2 {
		t.Errorf("the picked picture is in %d fields", n)
	}
	typed["image_input"] = []string{"", ""}
	p.upload(path, typed, []file{{"file.image_input.0", "notes.txt", []byte("hello")}}).is(422).
		shows("This file holds no picture", `id="image_input-0-error"`, "the words that I typed")
	p.post(path, typed).is(422).shows("Please choose a file first", "the words that I typed")
	p.post("/create/frames-to-video", with(typed, "file.image_input.0", "start.jpg")).is(422).shows("start.jpg is not uploaded yet")
	p.upload("/pictures?scene=text-to-video", typed, nil).is(404)
	p.upload("/pictures?scene=sideways", typed, nil).is(404)
}

func TestUploadsAreBounded(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	path, part := "/pictures?scene=image-to-video", []string{"HX-Request-Type", "partial"}
	large := append(photo(t, 400, 300), make([]byte, picture.MaxBytes)...)
	p.upload(path, nil, []file{{"file.image_input.0", "large.jpg", large}}, part...).is(422).shows("more than 20 MB", "data-bad").hides("data-good")
	p.upload(path, url.Values{"prompt": {strings.Repeat("x", 2<<20)}}, nil, part...).is(413)
	p.post(path, url.Values{"prompt": {strings.Repeat("x", 2<<20)}}).is(413)
	p.upload("/create/image-to-video", nil, []file{{"file.image_input.0", "large.jpg", large}}).is(413)
	entries, err := os.ReadDir(strings.TrimSuffix(h.path, "dailies.db") + "media")
	must(t, err)
	if len(entries) > 0 {
		t.Errorf("%d things are kept", len(entries))
	}
	h.elsewhere(t, func(c *handlers.Config) {
		c.Space = func(context.Context) (db.Space, error) { return db.Space{Used: 100, Max: 200, Free: -1}, nil }
	})
	p.upload(path, nil, []file{{"file.image_input.0", "harbour.jpg", photo(t, 400, 300)}}, part...).is(422).shows("no room for uploads")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, h.URL+path, strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n\r\n\xff\xd8"))
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
	alone(t)
	h := newHouse(t)
	p := h.founder(t)
	token := db.PictureToken(p.uploaded(photo(t, 400, 300)))
	for address, reached := range map[string]bool{
		"": false, "http://127.0.0.1:8080": false, "http://localhost:8080": false, "http://[::1]": false, "https://10.1.2.3": false, "http://192.168.0.7": false,
		"http://100.64.1.1": false, "http://169.254.1.1": false, "http://[fd00::1]": false, "http://[::ffff:10.0.0.1]": false, "http://0.0.0.0": false,
		"http://dailies": false, "https://dailies.local": false, "https://nas.home.arpa": false, "https://dailies.lan:8443": false, "http://dailies.localhost": false,
		"https://dailies.example.com": true, "http://93.184.216.34:8080": true, "https://[2606:4700::1111]": true, "https://dailies.example.com.": true,
	} {
		h.elsewhere(t, func(c *handlers.Config) { c.PublicURL, c.Sandbox = address, nil })
		page := p.get("/create/image-to-video").is(200)
		sent := p.post("/create/image-to-video", with(good(), "image_input", h.URL+"/p/"+token))
		if reached {
			page.shows(`type="file"`).hides("cannot be uploaded here")
			sent.is(303)
			task, err := h.store.Task(t.Context(), made(t, sent))
			must(t, err)
			if task.Pictures[0] != address+"/p/"+token {
				t.Errorf("%s: the service gets %s", address, task.Pictures[0])
			}
			continue
		}
		page.shows("Pictures cannot be uploaded here yet").hides(`type="file"`)
		sent.is(422).shows("cannot fetch pictures from this Dailies", "-public-url")
		p.upload("/pictures?scene=image-to-video", nil, []file{{"file", "x.jpg", photo(t, 400, 300)}}, "HX-Request-Type", "partial").
			is(422).shows("cannot fetch pictures from this Dailies")
	}
}

func TestEarlierPicturesAreThePersonsOwn(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	other := h.joiner(t, p, "ada")
	link := pictures(t)
	p.post("/create/image-to-video", with(good(), "image_input", link)).is(303)
	address := p.uploaded(photo(t, 400, 300))
	body := p.get("/create/reference-to-video").is(200).body
	first, second := strings.Index(body, `data-pick="`+address), strings.Index(body, `data-pick="`+link)
	if first < 0 || second < first {
		t.Errorf("the earlier pictures stand at %d and %d", first, second)
	}
	p.get("/create/text-to-video").is(200).hides("data-pick", "picture.js")
	other.get("/create/reference-to-video").is(200).hides("data-pick")
}

func TestTryingAgainLooksAtThePicturesToo(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	h.work(t)
	var gone atomic.Bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if gone.Load() {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(photo(t, 400, 300))
	}))
	defer s.Close()
	form := with(with(good(), "prompt", "a boat #fail"), "image_input", s.URL)
	id := made(t, p.post("/create/image-to-video", form))
	h.reaches(t, id, db.Failed)
	gone.Store(true)
	h.elsewhere(t, func(*handlers.Config) {}) // another day: nothing is remembered
	p.post(fmt.Sprintf("/tasks/%d/again", id), nil).is(422).shows("No picture shows up", "a boat #fail", s.URL)
	gone.Store(false)
	p.post(fmt.Sprintf("/tasks/%d/again", id), nil).is(303)
}

// FuzzUpload sends whatever as a picture.
func FuzzUpload(f *testing.F) {
	h := newHouse(f)
	p := h.founder(f)
	var small bytes.Buffer
	must(f, png.Encode(&small, image.NewGray(image.Rect(0, 0, 4, 4))))
	f.Add("file.image_input.0", "harbour.jpg", photo(f, 400, 300))
	f.Add("file.end_image_url", "../../etc/passwd", small.Bytes())
	f.Add("file.image_input.99999999999", "\x00", []byte("GIF89a"))
	f.Fuzz(func(t *testing.T, field, name string, content []byte) {
		p := *p
		p.t = t
		a := p.upload("/pictures?scene=reference-to-video", nil, []file{{field, name, content}})
		if a.StatusCode >= 500 {
			t.Errorf("%d\n%.500s", a.StatusCode, a.body)
		}
	})
}
