package static_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"

	"dailies/static"
)

// body returns the body of the response, as sent and decompressed.
func body(t *testing.T, answer *http.Response) (raw []byte, text string) {
	t.Helper()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	var unpacked io.Reader = bytes.NewReader(raw)
	switch answer.Header.Get("Content-Encoding") {
	case "br":
		unpacked = brotli.NewReader(unpacked)
	case "gzip":
		if unpacked, err = gzip.NewReader(unpacked); err != nil {
			t.Fatal(err)
		}
	}
	all, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	return raw, string(all)
}

// getBrotli requests the file until it is sent with brotli at its highest level, and
// returns that response.
func getBrotli(t *testing.T, name string) *http.Response {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		answer := get(t, static.URL(name), "Accept-Encoding", "br")
		if answer.Header.Get("Content-Encoding") != "br" {
			t.Fatalf("%s comes in %q", name, answer.Header.Get("Content-Encoding"))
		}
		if strings.HasSuffix(answer.Header.Get("ETag"), `-br"`) {
			return answer
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is not packed", name)
		}
	}
}

func TestFilesComeCompressedAndWhole(t *testing.T) {
	for _, name := range []string{"app.css", "app.js", "vendor/htmx/htmx.min.js"} {
		plain := get(t, static.URL(name))
		_, want := body(t, plain)
		zipped := get(t, static.URL(name), "Accept-Encoding", "gzip, deflate")
		first := get(t, static.URL(name), "Accept-Encoding", "br")
		small := getBrotli(t, name)
		last := len(want)
		tags := []string{plain.Header.Get("ETag")}
		responses := []*http.Response{zipped, small}
		if first.Header.Get("ETag") != small.Header.Get("ETag") { // no earlier test has requested it
			responses = []*http.Response{zipped, first, small}
		}
		for _, answer := range responses {
			raw, text := body(t, answer)
			if text != want || len(raw) >= last || answer.Header.Get("Content-Length") != strconv.Itoa(len(raw)) {
				t.Errorf("%s in %q: %d bytes after %d, Content-Length %s", name, answer.Header.Get("Content-Encoding"), len(raw), last, answer.Header.Get("Content-Length"))
			}
			last = len(raw)
			if tag := answer.Header.Get("ETag"); slices.Contains(tags, tag) {
				t.Errorf("%s: %s stands for other bytes too", name, tag)
			} else {
				tags = append(tags, tag)
			}
			again := get(t, static.URL(name), "Accept-Encoding", answer.Header.Get("Content-Encoding"), "If-None-Match", answer.Header.Get("ETag"))
			if answer != first && (again.StatusCode != http.StatusNotModified || again.Header.Get("Content-Encoding") != "") {
				t.Errorf("%s: asked again it is %s", name, again.Status)
			}
		}
		for _, answer := range []*http.Response{plain, zipped, small} {
			if !strings.Contains(strings.Join(answer.Header.Values("Vary"), ","), "Accept-Encoding") {
				t.Errorf("%s: Vary is %q", name, answer.Header.Values("Vary"))
			}
		}
	}
}

func TestClientsGetTheEncodingThatTheyLike(t *testing.T) {
	getBrotli(t, "app.css")
	for header, want := range map[string]string{
		"":                                    "",
		"gzip":                                "gzip",
		"GZIP":                                "gzip",
		"br":                                  "br",
		"gzip, deflate, br, zstd":             "br",
		"br;q=0.5, gzip;q=0.8":                "gzip",
		"br;q=0, gzip":                        "gzip",
		"gzip;q=0.5, identity":                "",
		"identity;q=0.5, gzip;q=0.5":          "gzip",
		"*":                                   "br",
		"*;q=0.3, br;q=0":                     "gzip",
		"zstd, deflate":                       "",
		"br;q=2, gzip;q=x":                    "",
		"br;q=nan":                            "",
		"identity;q=0, br;q=0, gzip;q=0":      "",
		" gzip ; q=1.000 ":                    "gzip",
		"brotli":                              "",
		strings.Repeat("x;q=1,", 1000) + "br": "br",
	} {
		if got := get(t, static.URL("app.css"), "Accept-Encoding", header).Header.Get("Content-Encoding"); got != want {
			t.Errorf("%.60q: %q, want %q", header, got, want)
		}
	}
}

func TestRangeRequestsGetThePlainFile(t *testing.T) {
	_, whole := body(t, get(t, static.URL("app.css")))
	small := getBrotli(t, "app.css")
	part := get(t, static.URL("app.css"), "Accept-Encoding", "br, gzip", "Range", "bytes=10-19")
	if _, text := body(t, part); part.StatusCode != http.StatusPartialContent || text != whole[10:20] || part.Header.Get("Content-Encoding") != "" {
		t.Errorf("%s: %q", part.Status, text)
	}
	// The ETag of the compressed file does not permit a range of the plain one.
	rest := get(t, static.URL("app.css"), "Accept-Encoding", "br", "Range", "bytes=10-", "If-Range", small.Header.Get("ETag"))
	if _, text := body(t, rest); rest.StatusCode != http.StatusOK || text != whole {
		t.Errorf("%s of %d bytes", rest.Status, len(text))
	}
	if answer := get(t, static.URL("app.css"), "Range", "bytes=9999999-"); answer.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("beyond the end: %s", answer.Status)
	}
}

func TestHeadHasTheLengthAndNoBody(t *testing.T) {
	getBrotli(t, "app.css")
	for _, encoding := range []string{"", "gzip", "br"} {
		full := get(t, static.URL("app.css"), "Accept-Encoding", encoding)
		r := httptest.NewRequest("HEAD", static.URL("app.css"), nil)
		r.Header.Set("Accept-Encoding", encoding)
		w := httptest.NewRecorder()
		static.Handler().ServeHTTP(w, r)
		if w.Body.Len() != 0 || w.Header().Get("Content-Length") != full.Header.Get("Content-Length") || w.Header().Get("ETag") != full.Header.Get("ETag") {
			t.Errorf("in %q: %d bytes, %v", encoding, w.Body.Len(), w.Header())
		}
	}
}

func FuzzAcceptEncoding(f *testing.F) {
	for _, seed := range []string{"gzip, br", "*;q=0", "br;q=0.5,gzip;q=1e9", ";;,=,q=", "br;q"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", static.URL("favicon.svg"), nil)
		r.Header["Accept-Encoding"] = []string{header}
		static.Handler().ServeHTTP(w, r)
		got := w.Header().Get("Content-Encoding")
		named := strings.Contains(strings.ToLower(header), got) || strings.Contains(header, "*")
		if w.Code != 200 || got != "" && !named {
			t.Errorf("%d in %q", w.Code, got)
		}
	})
}
