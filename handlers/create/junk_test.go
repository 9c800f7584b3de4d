package create_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"dailies/handlers/handlerstest"
)

func TestJunkBodiesCauseNoInternalError(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	handler, err := h.App.Handler()
	must(t, err)
	u, err := url.Parse(h.URL)
	must(t, err)
	for _, body := range []string{"", "%", "a=%zz", "\x00\xff", strings.Repeat("&image_input=x", 5000), "model[]=x;y"} {
		for _, kind := range []string{"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "multipart/form-data", "text/plain", ""} {
			r := httptest.NewRequest(http.MethodPost, "/create/image-to-video", strings.NewReader(body))
			r.Header.Set("Content-Type", kind)
			for _, c := range p.Jar.Cookies(u) {
				r.AddCookie(c)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if w.Code != http.StatusUnprocessableEntity {
				t.Errorf("%q as %q: got %d", body, kind, w.Code)
			}
		}
	}
}
