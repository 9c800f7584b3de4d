package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

// get fetches a result as the app does. span is a Range header; empty for the
// whole file.
func (w *world) get(ctx context.Context, method, address, span string) *http.Response {
	w.t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, address, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if span != "" {
		r.Header.Set("Range", span)
	}
	resp, err := (&http.Client{Transport: w}).Do(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// file returns the content of a result, or the part of it in span, a Range
// header.
func (w *world) file(address, span string) string {
	w.t.Helper()
	resp := w.get(w.t.Context(), http.MethodGet, address, span)
	all, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode/100 != 2 || (resp.ContentLength >= 0 && resp.ContentLength != int64(len(all))) {
		w.t.Fatalf("%s: %s, %d of %d bytes, %v", address, resp.Status, len(all), resp.ContentLength, err)
	}
	return string(all)
}

func TestResultsAreServedWithRange(t *testing.T) {
	w := start(t, 100)
	found := w.end(w.create(tiny("A quiet sea")).ID).Results()
	video, cover := found.Videos[0], found.Cover
	if !strings.HasPrefix(video, base+"/files/") || !strings.HasPrefix(cover, base+"/files/") {
		t.Fatalf("got %s and %s", video, cover)
	}
	for address, want := range map[string]struct{ kind, magic string }{
		video: {"video/webm", "\x1a\x45\xdf\xa3"},
		cover: {"image/jpeg", "\xff\xd8\xff"},
	} {
		resp := w.get(t.Context(), http.MethodHead, address, "")
		if got := resp.Header.Get("Content-Type"); got != want.kind || resp.Header.Get("Accept-Ranges") != "bytes" {
			t.Errorf("%s: %s, %v", address, got, resp.Header)
		}
		if body, err := io.ReadAll(resp.Body); len(body) != 0 || err != nil {
			t.Errorf("HEAD %s: %d bytes, %v", address, len(body), err)
		}
		if !strings.HasPrefix(w.file(address, ""), want.magic) {
			t.Errorf("%s does not begin like %s", address, want.kind)
		}
	}
	whole := w.file(video, "")
	if part := w.file(video, "bytes=100-199"); part != whole[100:200] {
		t.Error("bytes 100 to 199 are not those of the file")
	}
	if part := w.file(video, "bytes=-10"); part != whole[len(whole)-10:] {
		t.Error("the last ten bytes are not those of the file")
	}
	if resp := w.get(t.Context(), http.MethodGet, video, "bytes=99999999-"); resp.StatusCode != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a range behind the end: %s", resp.Status)
	}
}

func TestOnlyResultsAreServed(t *testing.T) {
	w := start(t, 100)
	if err := os.WriteFile(filepath.Join(w.dir, "files", "secret.webm"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"/files/", "/files/secret.webm", "/files/..%2fsandbox.db", "/files/%2e%2e/sandbox.db",
		"/files/" + strings.Repeat("a", 26) + ".webm", "/files/" + strings.Repeat("a", 26) + ".webm.part", "/", "/sandbox.db",
	} {
		if resp := w.get(t.Context(), http.MethodGet, base+path, ""); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

func TestHalfWrittenFilesAreRemovedAtStart(t *testing.T) {
	dir := t.TempDir()
	half := filepath.Join(dir, "files", "a.webm.part")
	if err := os.MkdirAll(filepath.Dir(half), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(half, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	open(t, dir, 0, quick)
	if _, err := os.Stat(half); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
}

func TestTheBodyOfAResultStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, 100)
		r := tiny("A quiet sea")
		r.Options.Duration = 2
		video := w.end(w.create(r).ID).Results().Videos[0]
		ctx, cancel := context.WithCancel(t.Context())
		resp := w.get(ctx, http.MethodGet, video, "")
		if _, err := io.ReadFull(resp.Body, make([]byte, 4)); err != nil {
			t.Fatal(err)
		}
		cancel()
		synctest.Wait() // until net/http has reacted to the end of the context
		if n, err := io.Copy(io.Discard, resp.Body); err == nil {
			t.Errorf("%d bytes and no error after the context ended", n)
		}
		resp = w.get(t.Context(), http.MethodGet, video, "")
		if err := resp.Body.Close(); err != nil {
			t.Errorf("closing early: %v", err)
		}
		if _, err := resp.Body.Read(make([]byte, 1)); err == nil {
			t.Error("a closed body can be read")
		}
		w.stop()
	})
}

func TestACallEndsWithItsContext(t *testing.T) {
	w := start(t, 100)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := w.client.Create(ctx, w.key, tiny("A quiet sea")); err == nil {
		t.Error("a call that had ended was answered")
	}
	slow, feed := io.Pipe()
	defer feed.Close()
	ctx, cancel = context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+generate, slow)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	go func() {
		_, _ = feed.Write([]byte("{")) // returns when the handler reads
		cancel()
		_ = feed.CloseWithError(ctx.Err()) // net/http may wait until the request's body is no longer read; see mapRoundTripError
	}()
	if resp, err := w.RoundTrip(r); err == nil {
		resp.Body.Close()
		t.Error("a call that ended in the middle of its body was answered")
	}
	if w.balance() != 100 {
		t.Errorf("balance %v", w.balance())
	}
}
