package web_test

import (
	"crypto/hkdf"
	"crypto/sha256"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/sessions"

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
