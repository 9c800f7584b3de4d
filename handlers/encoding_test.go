package handlers_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"dailies/handlers/handlerstest"
	"dailies/static"
)

// gunzip decompresses the body once.
func gunzip(t *testing.T, a *handlerstest.Answer) string {
	t.Helper()
	if got := a.Header.Get("Content-Encoding"); got != "gzip" {
		t.Fatalf("%s comes in %q", a.What, got)
	}
	z, err := gzip.NewReader(strings.NewReader(a.Text))
	must(t, err)
	text, err := io.ReadAll(z)
	must(t, err)
	return string(text)
}

func TestPagesAndFilesAreCompressedOnce(t *testing.T) {
	h := handlerstest.New(t)
	p := h.Founder(t)
	const all = "gzip, deflate, zstd"
	if page := gunzip(t, p.Get("/create/text-to-video", "Accept-Encoding", all).Is(200)); !strings.Contains(page, "Describe your video") {
		t.Errorf("the page reads %.80q", page)
	}
	if part := gunzip(t, p.Get("/create/text-to-video/options?model=seedance-2.0", "Accept-Encoding", all, "HX-Request-Type", "partial").Is(200)); !strings.Contains(part, `name="duration"`) {
		t.Errorf("the part reads %.80q", part)
	}
	if slight := p.Get("/tasks/latest", "Accept-Encoding", all, "HX-Request-Type", "partial").Is(200); slight.Header.Get("Content-Encoding") != "" || !strings.Contains(slight.Text, `id="latest"`) {
		t.Errorf("the slight part comes in %q and reads %.80q", slight.Header.Get("Content-Encoding"), slight.Text)
	}
	for like, want := range map[string]string{"gzip, deflate, br, zstd": "br", "br;q=0.5, gzip": "gzip", "br;q=0": ""} {
		page := p.Get("/create/text-to-video", "Accept-Encoding", like).Is(200)
		if got := page.Header.Get("Content-Encoding"); got != want || len(page.Header.Values("Vary")) == 0 || !slices.Contains(page.Header.Values("Vary"), "Accept-Encoding") {
			t.Errorf("for %q, the page comes in %q and varies by %q", like, got, page.Header.Values("Vary"))
		}
		if want != "br" {
			continue
		}
		text, err := io.ReadAll(brotli.NewReader(strings.NewReader(page.Text)))
		if err != nil || !strings.Contains(string(text), "</html>") {
			t.Errorf("in brotli, the page reads %.80q: %v", text, err)
		}
	}
	plain := p.Get(static.URL("app.css"), "Accept-Encoding", "identity").Is(200)
	if plain.Header.Get("Content-Encoding") != "" || !strings.Contains(plain.Text, "{") {
		t.Errorf("the plain file comes in %q", plain.Header.Get("Content-Encoding"))
	}
	if packed := gunzip(t, p.Get(static.URL("app.css"), "Accept-Encoding", all).Is(200)); packed != plain.Text {
		t.Errorf("the packed file is another: %d bytes, %d", len(packed), len(plain.Text))
	}
	part := p.Get(static.URL("app.css"), "Accept-Encoding", all, "Range", "bytes=0-999").Is(206)
	if part.Text != plain.Text[:1000] || part.Header.Get("Content-Encoding") != "" {
		t.Errorf("a part comes in %q", part.Header.Get("Content-Encoding"))
	}
	if left := plain.Header.Get("No-Gzip-Compression"); left != "" {
		t.Errorf("an inner header is left: %q", left)
	}
}
