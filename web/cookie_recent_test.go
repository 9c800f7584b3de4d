package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db/signin"
	"dailies/web"
)

// with returns a request with the cookies that the response sets.
func with(w *httptest.ResponseRecorder) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	for _, c := range w.Result().Cookies() {
		r.AddCookie(c)
	}
	return r
}

func TestACookieThatWasJustReadIsReadAsItIs(t *testing.T) {
	cookies, err := web.NewCookies(make([]byte, 32), false)
	must(t, err)
	first := httptest.NewRecorder()
	must(t, cookies.SetToken(first, httptest.NewRequest(http.MethodGet, "/", nil), "token"))
	for range 2 { // the second time it is known
		r, w := with(first), httptest.NewRecorder()
		if got := cookies.Token(r); got != "token" {
			t.Fatalf("got %q", got)
		}
		if got := cookies.PeekFlash(r, "told"); got != "" {
			t.Errorf("what another response set is in the cookie: %q", got)
		}
		must(t, cookies.SetFlash(w, r, "told", "kept"))
		if got := cookies.PeekFlash(with(w), "told"); got != "kept" {
			t.Errorf("got %q", got)
		}
		must(t, cookies.SetToken(w, r, ""))
		if got := cookies.Token(r); got != "" {
			t.Errorf("after it was signed out, the request has %q", got)
		}
	}
	other, err := web.NewCookies(append(make([]byte, 31), 1), false)
	must(t, err)
	if got := other.Token(with(first)); got != "" {
		t.Errorf("another secret reads %q", got)
	}
}

func TestACookieEndsAlthoughItWasJustRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cookies, err := web.NewCookies(make([]byte, 32), false)
		must(t, err)
		w := httptest.NewRecorder()
		must(t, cookies.SetToken(w, httptest.NewRequest(http.MethodGet, "/", nil), "token"))
		time.Sleep(signin.SessionLife)
		if got := cookies.Token(with(w)); got != "token" {
			t.Errorf("before its end: got %q", got)
		}
		time.Sleep(10 * time.Second)
		if got := cookies.Token(with(w)); got != "" {
			t.Errorf("after its end: got %q", got)
		}
	})
}
