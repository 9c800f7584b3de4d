package handlerstest

import (
	"crypto/hkdf"
	"crypto/sha256"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/gorilla/sessions"
)

// StrangerOverHTTPS returns a browser that is not signed in and trusts the test
// server's certificate.
func (h *Server) StrangerOverHTTPS(t testing.TB) *Browser {
	p := h.Stranger(t)
	p.Transport = h.Client().Transport
	return p
}

// Credentials returns the form of the sign-in page.
func Credentials(email, password string) url.Values {
	return url.Values{"email": {email}, "password": {password}}
}

// AtOnce calls send n times concurrently and counts the statuses.
func AtOnce(n int, send func(i int) *Answer) map[int]int {
	counts, mu := map[int]int{}, sync.Mutex{}
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			a := send(i)
			mu.Lock()
			defer mu.Unlock()
			counts[a.StatusCode]++
		})
	}
	all.Wait()
	return counts
}

// OldCookies returns the cookies that the earlier version set for the session token.
func OldCookies(t testing.TB, token string) []*http.Cookie {
	t.Helper()
	keys, err := hkdf.Key(sha256.New, []byte("a secret of the tests"), nil, "dailies cookie", 64)
	must(t, err)
	store := sessions.NewCookieStore(keys[:32], keys[32:])
	r, err := http.NewRequest(http.MethodGet, "/", nil)
	must(t, err)
	s, _ := store.Get(r, "dailies")
	s.Values["token"] = token
	jar := &headers{http.Header{}}
	must(t, s.Save(r, jar))
	return (&http.Response{Header: jar.h}).Cookies()
}

// headers is a ResponseWriter that keeps only the header.
type headers struct{ h http.Header }

func (h *headers) Header() http.Header { return h.h }

func (h *headers) Write(b []byte) (int, error) { return len(b), nil }

func (h *headers) WriteHeader(int) {}
