package e2e

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// The form, the video's page and the recent pictures show a linked picture, and its site
// hears only of the server.
func TestASiteWithPicturesSeesNoBrowser(t *testing.T) {
	t.Parallel()
	shows, err := url.Parse(newPictures(t))
	if err != nil {
		t.Fatal(err)
	}
	var browsers, servers atomic.Int64
	pass := httputil.NewSingleHostReverseProxy(shows)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.UserAgent(), "Chrome") {
			browsers.Add(1)
		} else {
			servers.Add(1)
		}
		pass.ServeHTTP(w, r)
	}))
	defer site.Close()
	who := sharedServer(t).member(t)
	p := newTabOf(t, who)
	p.open("/create/image-to-video")
	p.fillPicture(0, site.URL+"/lake.png")
	p.await("the form shows it", `document.querySelector("[data-preview]").naturalWidth === 320`)
	path := who.makeOf(t, "image-to-video", url.Values{"model": {"seedance-2.0"}, "prompt": {"A lake"}, "image_input": {site.URL + "/lake.png"}})
	p.open(path)
	p.await("the page of the video shows it", `[...document.querySelectorAll(".strip img")].some(i => i.naturalWidth === 320)`)
	p.open("/create/image-to-video")
	p.await("it is among the recent pictures", `[...document.querySelectorAll("[data-thumb]")].some(i => i.naturalWidth === 320)`)
	if browsers.Load() != 0 || servers.Load() == 0 {
		t.Errorf("the site heard of a browser %d times, and of a server %d times", browsers.Load(), servers.Load())
	}
}
