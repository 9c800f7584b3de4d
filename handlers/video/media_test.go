package video_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"dailies/db"
	"dailies/handlers/handlerstest"
)

func TestDownloadsUseReadFromAndExtendTheirDeadline(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.LongFilm(t, 1)
	link := p.Share(handlerstest.TaskPage(film), "Film")
	media := fmt.Sprintf("/media/%d", film.Media[2].ID)
	for path, file := range map[string]bool{
		media: true, link + media: true, media + "?download=1": true,
		fmt.Sprintf("/tasks/download?id=%d", film.ID): false, fmt.Sprintf("/story/%d/download", film.ID): false,
	} {
		c := p.Answers(path)
		if c.Code != 200 || c.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s: %d, %v", path, c.Code, c.Header())
		}
		if file != (c.Files > 0) {
			t.Errorf("%s: %d times as a file", path, c.Files)
		}
		if want := c.Body.Len() / (1 << 20); len(c.Deadlines) < max(1, want) {
			t.Errorf("%s: given more time %d times for %d bytes", path, len(c.Deadlines), c.Body.Len())
		}
		for _, at := range c.Deadlines {
			if left := time.Until(at); left <= 0 || left > 2*time.Minute {
				t.Errorf("%s: may stand still for %v", path, left)
			}
		}
	}
	if c := p.Answers(media, "Range", "bytes=1000000-"); c.Code != 206 || c.Files == 0 || c.Body.Len() != 2<<20-1000000 {
		t.Errorf("a range: %d, %d times as a file", c.Code, c.Files)
	}
}

func TestBrowserKeepsMediaAndAsksEachTime(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	film := h.LongFilm(t, 1)
	for _, m := range film.Media {
		path := fmt.Sprintf("/media/%d", m.ID)
		whole := p.Get(path).Is(200)
		etag := whole.Header.Get("ETag")
		if got := whole.Header.Get("Cache-Control"); got != "private, no-cache" || etag != `"`+m.Hash+`"` {
			t.Errorf("%s: %q, ETag %s", path, got, etag)
		}
		known := p.Get(path, "If-None-Match", etag).Is(304)
		if known.Text != "" || known.Header.Get("ETag") != etag || known.Header.Get("Cache-Control") != "private, no-cache" {
			t.Errorf("%s: known, %v", path, known.Header)
		}
		// When a player seeks, it gets the requested range if the file is the same,
		// else the whole file.
		if got := p.Get(path, "Range", "bytes=2-9", "If-Range", etag).Is(206).Text; got != whole.Text[2:10] {
			t.Errorf("%s: the range is %q", path, got)
		}
		p.Get(path, "Range", "bytes=2-9", "If-Range", `"another"`).Is(200)
		p.Get(path, "Range", "bytes=99999999-").Is(416)
		p.Post("/logout", url.Values{}).Is(303)
		p.Get(path, "If-None-Match", etag).Is(303)
		p.Post("/login", url.Values{"email": {"kim@example.com"}, "password": {handlerstest.Password}}).Is(303)
	}
	h.Alter(t, film.ID, func(t *db.Task) { t.Private = true })
	ada := h.Joiner(t, p, "ada")
	ada.Get(fmt.Sprintf("/media/%d", film.Media[0].ID), "If-None-Match", `"`+film.Media[0].Hash+`"`).Is(404)
}
