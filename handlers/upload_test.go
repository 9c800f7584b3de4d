package handlers_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers"
	"dailies/handlers/create"
)

// begin sends the beginning of an upload, and the rest when finish is called.
// The status comes when it is answered; 0 is an upload that broke off.
func (p *person) begin(t testing.TB, path, field string, content []byte) (finish func(), status <-chan int) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "a.jpg")
	must(t, err)
	_, err = part.Write(content)
	must(t, err)
	must(t, form.Close())
	length, cut := int64(body.Len()), body.Len()-len(content)/2
	in, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.h.URL+path, in)
	must(t, err)
	r.ContentLength = length
	r.Header.Set("Content-Type", form.FormDataContentType())
	r.Header.Set("HX-Request-Type", "partial")
	for _, c := range p.Jar.Cookies(r.URL) {
		r.AddCookie(c)
	}
	client, answered := &http.Client{Transport: &http.Transport{}}, make(chan int, 1)
	var all sync.WaitGroup
	all.Go(func() {
		resp, err := client.Do(r)
		in.Close() // an answer may come before the whole body is sent
		if err != nil {
			answered <- 0
			return
		}
		resp.Body.Close()
		answered <- resp.StatusCode
	})
	_, _ = out.Write(body.Bytes()[:cut])
	t.Cleanup(func() { cancel(); out.Close(); all.Wait(); client.CloseIdleConnections() })
	return func() { _, _ = out.Write(body.Bytes()[cut:]); out.Close() }, answered
}

func TestOneMembersSlowUploadsHoldUpNobodyElse(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	ada := h.joiner(t, kim, "ada")
	film := h.film(t, 2, saying("a paper boat"))
	bare := h.addKept(t, 2, "film")
	rec := h.addRecipe(t, 1, func(r *db.Recipe) { r.Scene, r.Pictures = "image-to-video", []string{"{{photo}}"} })
	content, upload := photo(t, 400, 300), "/pictures?scene=image-to-video"
	var turned []<-chan int
	for i := range 20 { // she holds all that one person may hold, and more wait
		path := []string{upload, fmt.Sprintf("/tasks/%d/next", film.ID), fmt.Sprintf("/tasks/%d/poster", bare.ID), fmt.Sprintf("/recipes/%d", rec.ID)}[i%4]
		_, status := kim.begin(t, path, "file.image_input.0", content)
		turned = append(turned, status)
	}
	eventually(t, "somebody who sends far too much at one time is told so", func() bool {
		for _, status := range turned {
			select {
			case got := <-status:
				if got == 429 {
					return true
				}
			default:
			}
		}
		_, status := kim.begin(t, upload, "file.image_input.0", content)
		turned = append(turned, status)
		return false
	})
	began := time.Now()
	ada.uploaded(content)
	ada.upload(fmt.Sprintf("/tasks/%d/next", film.ID), nil, []file{{"frame", "scene.jpg", photo(t, 854, 480)}}).is(303)
	ada.sendPoster(t, bare.ID, frameOf(t, 640, 360)).is(204)
	ada.upload(fmt.Sprintf("/recipes/%d", rec.ID), nil, []file{{"photo", "a.jpg", content}}).is(200)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}

// receiving is how many files are being received.
func (h *house) receiving(t testing.TB) (n int) {
	t.Helper()
	entries, err := os.ReadDir(strings.TrimSuffix(h.path, "dailies.db") + "media")
	must(t, err)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "begun-") {
			n++
		}
	}
	return n
}

func TestRoomIsSetAsideWhileAnUploadIsUnderWay(t *testing.T) {
	h := newHouse(t)
	founder := h.founder(t)
	path, part := "/pictures?scene=image-to-video", []string{"HX-Request-Type", "partial"}
	other := []file{{"file.image_input.0", "b.jpg", photo(t, 410, 300)}}
	size := int64(len(other[0].content))
	for name, tt := range map[string]struct {
		change func(*handlers.Config)
		says   string
	}{
		"so many pictures": {func(c *handlers.Config) { c.Quota = create.Quota{Pictures: 1, Bytes: 1 << 30} }, "all the room that one person has"},
		"so many bytes":    {func(c *handlers.Config) { c.Quota = create.Quota{Pictures: 9, Bytes: 2 * size} }, "all the room that one person has"},
		"the disk": {func(c *handlers.Config) {
			c.Quota = create.Quota{}
			c.Space = func(context.Context) (db.Space, error) { return db.Space{Free: 2<<30 + 2*size, Max: 0}, nil }
		}, "no room for uploads"},
	} {
		t.Run(name, func(t *testing.T) {
			h.elsewhere(t, func(c *handlers.Config) { c.Space = nil; tt.change(c) })
			p := h.joiner(t, founder, strings.ReplaceAll(name, " ", ""))
			finish, status := p.begin(t, path, "file.image_input.0", append(photo(t, 400, 300), make([]byte, 1000)...))
			eventually(t, "the first one is being received", func() bool { return h.receiving(t) == 1 })
			p.upload(path, nil, other, part...).is(422).shows(tt.says)
			finish()
			if got := <-status; got != 200 {
				t.Errorf("the first one: %d", got)
			}
			a := p.upload(path, nil, other, part...)
			if name == "the disk" {
				a.is(200) // what was set aside is free again
				return
			}
			if name == "so many pictures" {
				a.is(422).shows(tt.says)
			}
		})
	}
}

func TestTheLastOfTheRoomIsForVideos(t *testing.T) {
	for name, tt := range map[string]struct {
		space db.Space
		want  int64
	}{
		"no bound":             {db.Space{Free: -1}, 1 << 62},
		"a tenth of the bound": {db.Space{Max: 100 << 30, Used: 80 << 30, Free: -1}, 10 << 30},
		"only that is left":    {db.Space{Max: 100 << 30, Used: 95 << 30, Free: -1}, 0},
		"a gigabyte of a disk": {db.Space{Free: 5 << 30}, 3 << 30},
		"only that is free":    {db.Space{Free: 3 << 29}, 0},
	} {
		if got := tt.space.ForUploads(); got != tt.want || got > tt.space.Left() {
			t.Errorf("%s: %d of %d, want %d", name, got, tt.space.Left(), tt.want)
		}
	}
}

// lines is a connection whose deadlines can be seen.
type lines struct {
	*httptest.ResponseRecorder
	reads []time.Time
}

func (l *lines) SetReadDeadline(at time.Time) error {
	l.reads = append(l.reads, at)
	return nil
}
func (l *lines) SetWriteDeadline(time.Time) error { return nil }

// TestEveryUploadHasToKeepUp sends a body that stops: each route that takes
// pictures has set the time by which more of it had to come.
func TestEveryUploadHasToKeepUp(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.film(t, 1, saying("a paper boat"))
	bare := h.addKept(t, 1, "film")
	rec := h.addRecipe(t, 1)
	app, err := h.app.Handler()
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
	if n := h.receiving(t); n > 0 {
		t.Errorf("%d files are left", n)
	}
}

// stopped is a line that brings nothing more in time.
type stopped struct{}

func (stopped) Read([]byte) (int, error) {
	return 0, fmt.Errorf("read: %w", errors.Join(os.ErrDeadlineExceeded))
}

func TestNamesOfFieldsAreBoundedToo(t *testing.T) {
	h := newHouse(t)
	kim := h.founder(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	name := strings.Repeat("n", 10_000)
	for range 200 { // 2 MB of names, and not one byte of text
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
