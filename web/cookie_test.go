package web_test

import (
	"crypto/hkdf"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/sessions"

	"dailies/db/signin"
	"dailies/web"
)

// carry returns a request with the cookies that the response sets.
func carry(w *httptest.ResponseRecorder) *http.Request {
	r := httptest.NewRequest("GET", "/", nil)
	for _, c := range w.Result().Cookies() {
		r.AddCookie(c)
	}
	return r
}

func TestOldGobCookieIsReadAndRewritten(t *testing.T) {
	keys, err := hkdf.Key(sha256.New, []byte("a secret"), nil, "dailies cookie", 64)
	must(t, err)
	old := sessions.NewCookieStore(keys[:32], keys[32:]) // encodes values as gob
	w := httptest.NewRecorder()
	s, err := old.Get(httptest.NewRequest("GET", "/", nil), "dailies")
	must(t, err)
	s.Values["token"], s.Values["flash"] = "abc", "It was done."
	must(t, s.Save(httptest.NewRequest("GET", "/", nil), w))

	cookies, err := web.NewCookies([]byte("a secret"), false)
	must(t, err)
	r, next := carry(w), httptest.NewRecorder()
	if token := cookies.Token(r); token != "abc" {
		t.Fatalf("the token is %q", token)
	}
	if flash, err := cookies.TakeFlash(next, r, "flash"); flash != "It was done." || err != nil {
		t.Errorf("the flash is %q, %v", flash, err)
	}
	r = carry(next)
	if token := cookies.Token(r); token != "abc" {
		t.Errorf("written anew the token is %q", token)
	}
	if flash, err := cookies.TakeFlash(next, r, "flash"); flash != "" || err != nil {
		t.Errorf("taken twice the flash is %q, %v", flash, err)
	}
}

func TestACookieKeepsAnyText(t *testing.T) {
	cookies, err := web.NewCookies([]byte("a secret"), true)
	must(t, err)
	const text = "“Ä” & b=c; d%20+\n\x00?text?"
	w := httptest.NewRecorder()
	must(t, cookies.SetFlash(w, httptest.NewRequest("GET", "/", nil), "a b&c", text))
	if got, err := cookies.TakeFlash(httptest.NewRecorder(), carry(w), "a b&c"); got != text || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestABrowserKeepsItsTokenWhenASecondStepIsGiven(t *testing.T) {
	cookies, err := web.NewCookies([]byte("a secret"), false)
	must(t, err)
	w := httptest.NewRecorder()
	must(t, cookies.Remember(w, httptest.NewRequest("GET", "/", nil), 7))
	r, next := carry(w), httptest.NewRecorder()
	before := cookies.Browser(r)
	must(t, cookies.RememberProof(next, r, 7))
	if after := carry(next); before == "" || cookies.Browser(after) != before || !cookies.KnownProof(after, 7) {
		t.Errorf("the token was %q, and is %q", before, cookies.Browser(after))
	}
}

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
