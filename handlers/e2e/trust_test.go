package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// TestTheServicesHostIsNoPlaceForPictures has the video service on a private address:
// results are fetched from there, but pictures that users link to are not.
func TestTheServicesHostIsNoPlaceForPictures(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { asked.Add(1) }))
	defer service.Close()
	s := startNew(t, &server{dir: t.TempDir(), log: &logs{}, settings: []string{"-api-url", service.URL, "-allow-private=false"}})
	if err := s.setUp(); err != nil {
		t.Fatal(err)
	}
	p, err := s.admin()
	if err != nil {
		t.Fatal(err)
	}
	note, err := p.get("/create/picture?url=" + url.QueryEscape(service.URL+"/secret.png"))
	if err != nil || !strings.Contains(note, "only works inside your network") {
		t.Errorf("%v: %s", err, note)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the service was asked %d times", n)
	}
}
