package create_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"dailies/db/ordering"
	"dailies/handlers"
	"dailies/handlers/handlerstest"
	"dailies/web/fetch"
)

// A gallery is another site with pictures. It counts the requests for each of them.
type gallery struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int
	serve map[string]http.HandlerFunc
}

func newGallery(t *testing.T) *gallery {
	g := &gallery{asked: map[string]int{}, serve: map[string]http.HandlerFunc{}}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.asked[r.URL.Path]++
		serve := g.serve[r.URL.Path]
		g.mu.Unlock()
		if r.Header.Get("Cookie") != "" || r.Header.Get("Referer") != "" {
			t.Errorf("%s: the site learns more than the address: %v", r.URL.Path, r.Header)
		}
		if serve == nil {
			http.NotFound(w, r)
			return
		}
		serve(w, r)
	}))
	t.Cleanup(g.Close)
	return g
}

// times returns how often the path was requested.
func (g *gallery) times(path string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked[path]
}

// hangs serves content at the path.
func (g *gallery) hangs(path string, content []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serve[path] = func(w http.ResponseWriter, r *http.Request) { _, _ = w.Write(content) }
}

func pngOf(t *testing.T, width, height int, c color.Color) []byte {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		drawn.Set(i%width, i/width, c)
	}
	var b bytes.Buffer
	must(t, png.Encode(&b, drawn))
	return b.Bytes()
}

func linkedPath(address string) string {
	return "/pictures/linked?" + url.Values{"address": {address}}.Encode()
}

// The other site is asked once, however many people look at its picture at the same time
// or later, and what they get is a small JPEG of this server's.
func TestALinkedPictureIsFetchedOnceForEverybody(t *testing.T) {
	h := handlerstest.New(t)
	ada := h.Founder(t)
	bo := h.Joiner(t, ada, "Bo")
	g := newGallery(t)
	g.hangs("/lake.png", pngOf(t, 800, 450, color.White))
	path := linkedPath(g.URL + "/lake.png")
	var all sync.WaitGroup
	for _, p := range []*handlerstest.Browser{ada, bo, ada, bo} {
		all.Go(func() { p.Get(path).Is(200) })
	}
	all.Wait()
	a := bo.Get(path).Is(200)
	small, err := jpeg.Decode(strings.NewReader(a.Text))
	if err != nil || small.Bounds().Size() != image.Pt(320, 180) || a.Header.Get("Content-Type") != "image/jpeg" {
		t.Errorf("the thumbnail is %v, %v, %v", a.Header, small, err)
	}
	if kept := a.Header.Get("Cache-Control"); kept != "private, no-cache" {
		t.Errorf("browsers keep it without asking: %q", kept)
	}
	ada.Get(path, "If-None-Match", a.Header.Get("ETag")).Is(304)
	ada.Get("/create/picture?url=" + url.QueryEscape(g.URL+"/lake.png")).Is(200).Shows("800 × 450")
	if n := g.times("/lake.png"); n != 1 {
		t.Errorf("it was fetched %d times", n)
	}
	h.Stranger(t).Get(path).Is(303)
	ada.Get(path, "Sec-Fetch-Site", "cross-site").Is(403)
}

// No page contains an address from which a browser would load a picture of another site,
// and its policy forbids it.
func TestPagesLoadNothingFromOtherSites(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	g := newGallery(t)
	g.hangs("/lake.png", pngOf(t, 640, 360, color.White))
	address := g.URL + "/lake.png"
	p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", address)).Is(303)
	task := h.Tasks(t)[0]
	recipe := h.AddRecipe(t, 1, func(r *ordering.Recipe) { r.Scene, r.Pictures = "image-to-video", []string{address} })
	for _, page := range []string{
		"/create/image-to-video", "/create/image-to-video?use=" + fmt.Sprint(task.ID), fmt.Sprintf("/tasks/%d", task.ID),
		"/recipes", fmt.Sprintf("/recipes/%d", recipe.ID), fmt.Sprintf("/recipes/%d/edit", recipe.ID), "/gallery", "/pictures",
	} {
		a := p.Get(page).Is(200).Lacks(`[src^="http"]`, `[srcset]`, `[poster^="http"]`, `[data-src^="http"]`)
		for _, directive := range []string{"img-src 'self';", "media-src 'self';", "default-src 'self';"} {
			if policy := a.Header.Get("Content-Security-Policy"); !strings.Contains(policy, directive) {
				t.Errorf("%s: the policy %q lacks %q", page, policy, directive)
			}
		}
	}
	p.Get(fmt.Sprintf("/tasks/%d", task.ID)).Has(fmt.Sprintf("img[src=%q]", linkedPath(address)))
	p.Get("/recipes").Has(fmt.Sprintf("img[src=%q]", linkedPath(address)))
}

// Whatever another site serves, people get a thumbnail or nothing, and a picture that
// cannot be shown is not fetched again for each view.
func TestOnlyPicturesAreCopied(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	g := newGallery(t)
	g.hangs("/page", []byte("<!doctype html><script>alert(1)</script>"))
	g.hangs("/drawing.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`))
	g.hangs("/broken.png", pngOf(t, 64, 64, color.White)[:60])
	g.hangs("/large.png", append(pngOf(t, 64, 64, color.White), make([]byte, 20<<20)...))
	g.serve["/moved.png"] = http.RedirectHandler("/page", http.StatusFound).ServeHTTP
	for _, path := range []string{"/page", "/drawing.svg", "/broken.png", "/large.png", "/moved.png", "/missing.png"} {
		for range 3 {
			p.Get(linkedPath(g.URL + path)).Is(404).Hides("alert")
		}
		if n := g.times(path); n != 1 && path != "/page" {
			t.Errorf("%s was fetched %d times", path, n)
		}
	}
	for _, address := range []string{"", "file:///etc/passwd", "ftp://a.example/a.png", "javascript:alert(1)", "//a.example/a.png", "http://" + strings.Repeat("a", 3000), "http://[::1"} {
		p.Get(linkedPath(address)).Is(404)
	}
}

// A picture that has changed at its address is shown as it is when it was checked last.
func TestACopyIsAsOldAsTheLastCheck(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	g := newGallery(t)
	g.hangs("/a.png", pngOf(t, 400, 300, color.White))
	g.hangs("/b.png", pngOf(t, 300, 400, color.White))
	p.Get(linkedPath(g.URL + "/a.png")).Is(200)
	must(t, h.Config.Copies.Put(g.URL+"/b.png", []byte("an old copy")))
	p.Get(linkedPath(g.URL + "/b.png")).Is(200).Shows("an old copy")
	p.Get("/create/picture?url=" + url.QueryEscape(g.URL+"/b.png")).Is(200).Shows("300 × 400")
	p.Get(linkedPath(g.URL + "/b.png")).Is(200).Hides("an old copy")
}

// People copy the address of a thumbnail that they see. It stands for the picture itself.
func TestTheAddressOfACopyMeansTheOriginal(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	g := newGallery(t)
	g.hangs("/lake.png", pngOf(t, 640, 360, color.White))
	copied := h.URL + linkedPath(g.URL+"/lake.png")
	p.Get("/create/picture?url=" + url.QueryEscape(copied)).Is(200).Shows("640 × 360").Has(fmt.Sprintf("[data-address=%q]", g.URL+"/lake.png"))
	p.Post("/create/image-to-video", handlerstest.WithField(handlerstest.GoodForm(), "image_input", copied)).Is(303)
	if task := h.Tasks(t)[0]; task.Pictures[0] != g.URL+"/lake.png" {
		t.Errorf("the service is told %q", task.Pictures)
	}
}

// Private addresses are not fetched for a thumbnail either.
func TestCopiesOfPrivateAddressesAreRefused(t *testing.T) {
	client, err := fetch.NewClient(false, fetch.Trust{})
	must(t, err)
	h := handlerstest.New(t).With(t, func(c *handlers.Config) { c.Fetch = client })
	g := newGallery(t)
	g.hangs("/lake.png", pngOf(t, 640, 360, color.White))
	h.Founder(t).Get(linkedPath(g.URL + "/lake.png")).Is(404)
	if n := g.times("/lake.png"); n != 0 {
		t.Errorf("a private address was asked %d times", n)
	}
}
