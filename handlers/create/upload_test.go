package create_test

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
	"testing"
	"time"

	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
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
			default:
			}
		}
		_, status := kim.Begin(t, upload, "file.image_input.0", content)
		turned = append(turned, status)
		return false
	})
	began := time.Now()
	ada.Uploaded(content)
	ada.Upload(fmt.Sprintf("/tasks/%d/next", film.ID), nil, []handlerstest.File{{Field: "frame", Name: "scene.jpg", Content: handlerstest.Photo(t, 854, 480)}}).Is(303)
	ada.SendPoster(t, bare.ID, handlerstest.FrameOf(t, 640, 360)).Is(204)
	ada.Upload(fmt.Sprintf("/recipes/%d", rec.ID), nil, []handlerstest.File{{Field: "photo", Name: "a.jpg", Content: content}}).Is(200)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %v", took)
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
