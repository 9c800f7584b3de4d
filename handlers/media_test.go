package handlers_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"testing"
	"time"

	"dailies/db"
)

// connection is what the app answers to in place of a browser: it notes how
// files reach it and when it is given more time.
type connection struct {
	*httptest.ResponseRecorder
	files     int // handed over to be sent by the kernel
	deadlines []time.Time
}

func (c *connection) ReadFrom(src io.Reader) (int64, error) {
	if limited, ok := src.(*io.LimitedReader); ok {
		if _, ok := limited.R.(*os.File); ok {
			c.files++
		}
	}
	return io.Copy(c.ResponseRecorder, struct{ io.Reader }{src})
}

func (c *connection) SetWriteDeadline(at time.Time) error {
	c.deadlines = append(c.deadlines, at)
	return nil
}

// answers lets the app answer on the connection.
func (p *person) answers(path string, headers ...string) *connection {
	p.t.Helper()
	app, err := p.h.app.Handler()
	must(p.t, err)
	r := httptest.NewRequestWithContext(p.t.Context(), http.MethodGet, path, nil)
	r.Header.Set("Accept-Encoding", "gzip, zstd")
	for _, c := range p.Jar.Cookies(mustURL(p.t, p.h.URL)) {
		r.AddCookie(c)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	c := &connection{ResponseRecorder: httptest.NewRecorder()}
	app.ServeHTTP(c, r)
	return c
}

// longFilm is a kept video of 2 MB.
func (h *house) longFilm(t testing.TB, userID int64) db.Task {
	t.Helper()
	film := h.keptFilm(t, userID, "a long film")
	content := make([]byte, 2<<20)
	for i := range content {
		content[i] = byte(i * 7 / 3)
	}
	hash, size, err := h.config.Media.Put(t.Context(), bytes.NewReader(content), int64(len(content)))
	must(t, err)
	return h.alter(t, film.ID, func(t *db.Task) {
		t.Media = append(t.Media, db.Media{Kind: db.Video, Position: 1, Hash: hash, Type: "video/webm", Size: size, CreatedAt: db.Now()})
	})
}

func TestDownloadsAreHandedToTheConnectionAndKeepMoving(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.longFilm(t, 1)
	link := p.share(taskPage(film), "Film")
	media := fmt.Sprintf("/media/%d", film.Media[2].ID)
	for path, file := range map[string]bool{
		media: true, media + "?share=" + link[len("/share/"):]: true, media + "?download=1": true,
		fmt.Sprintf("/tasks/download?id=%d", film.ID): false, fmt.Sprintf("/story/%d/download", film.ID): false,
	} {
		c := p.answers(path)
		if c.Code != 200 || c.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %d, %v", path, c.Code, c.Header())
		}
		if file != (c.files > 0) {
			t.Errorf("%s: %d times as a file", path, c.files)
		}
		if want := c.Body.Len() / (1 << 20); len(c.deadlines) < max(1, want) {
			t.Errorf("%s: given more time %d times for %d bytes", path, len(c.deadlines), c.Body.Len())
		}
		for _, at := range c.deadlines {
			if left := time.Until(at); left <= 0 || left > 2*time.Minute {
				t.Errorf("%s: may stand still for %v", path, left)
			}
		}
	}
	if c := p.answers(media, "Range", "bytes=1000000-"); c.Code != 206 || c.files == 0 || c.Body.Len() != 2<<20-1000000 {
		t.Errorf("a range: %d, %d times as a file", c.Code, c.files)
	}
}

func TestBrowserKeepsMediaAndAsksEachTime(t *testing.T) {
	h := newHouse(t)
	p := h.founder(t)
	film := h.longFilm(t, 1)
	for _, m := range film.Media {
		path := fmt.Sprintf("/media/%d", m.ID)
		whole := p.get(path).is(200)
		etag := whole.Header.Get("ETag")
		if got := whole.Header.Get("Cache-Control"); got != "private, no-cache" || etag != `"`+m.Hash+`"` {
			t.Errorf("%s: %q, ETag %s", path, got, etag)
		}
		known := p.get(path, "If-None-Match", etag).is(304)
		if known.body != "" || known.Header.Get("ETag") != etag || known.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: known, %v", path, known.Header)
		}
		// As a player scrubs: the rest of the file if it is the same, else all of it.
		if got := p.get(path, "Range", "bytes=2-9", "If-Range", etag).is(206).body; got != whole.body[2:10] {
			t.Errorf("%s: the range is %q", path, got)
		}
		p.get(path, "Range", "bytes=2-9", "If-Range", `"another"`).is(200)
		p.get(path, "Range", "bytes=99999999-").is(416)
		p.post("/logout", url.Values{}).is(303)
		p.get(path, "If-None-Match", etag).is(303)
		p.post("/login", url.Values{"email": {"kim@example.com"}, "password": {password}}).is(303)
	}
	h.alter(t, film.ID, func(t *db.Task) { t.Private = true })
	ada := h.joiner(t, p, "ada")
	ada.get(fmt.Sprintf("/media/%d", film.Media[0].ID), "If-None-Match", `"`+film.Media[0].Hash+`"`).is(404)
}
