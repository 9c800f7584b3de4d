package web_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dailies/db"
	"dailies/web"
)

func fail(w http.ResponseWriter, _ *http.Request, e *web.Error) { http.Error(w, e.Message, e.Status) }

// text renders a string, and may fail after that.
type text struct {
	s   string
	err error
}

func (t text) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, t.s)
	return errors.Join(err, t.err)
}

func TestErrorsBecomeAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		err  error
		want int
	}{
		"not found": {fmt.Errorf("task 7: %w", db.ErrNotFound), 404},
		"conflict":  {fmt.Errorf("task 7: %w", db.ErrConflict), 409},
		"too large": {fmt.Errorf("form: %w", &http.MaxBytesError{Limit: 1}), 413},
		"own":       {fmt.Errorf("x: %w", &web.Error{Status: 422, Message: "no"}), 422},
		"any other": {errors.New("disk on fire"), 500},
	} {
		e := web.AsError(tt.err)
		if e.Status != tt.want || e.Message == "" || strings.Contains(e.Message, "fire") {
			t.Errorf("%s: got %d %q", name, e.Status, e.Message)
		}
	}
}

func TestMuxTellsNotFoundFromNotAllowed(t *testing.T) {
	mux := web.NewMux(fail)
	mux.Handle("GET /a/{id}", func(w http.ResponseWriter, r *http.Request) error {
		_, err := io.WriteString(w, r.PathValue("id"))
		return err
	})
	mux.Handle("GET /broken", func(http.ResponseWriter, *http.Request) error { return errors.New("secret") })
	for request, want := range map[string]int{"GET /a/7": 200, "HEAD /a/7": 200, "POST /a/7": 405, "GET /b": 404, "GET /broken": 500} {
		method, path, _ := strings.Cut(request, " ")
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(method, path, nil))
		if w.Code != want || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%s: got %d %q", request, w.Code, w.Body)
		}
		if want == 405 && !strings.Contains(w.Header().Get("Allow"), "GET") {
			t.Errorf("%s: Allow is %q", request, w.Header().Get("Allow"))
		}
	}
}

func TestPageOrPartIsDecidedByTheRequest(t *testing.T) {
	for header, want := range map[string]string{"": "page", "full": "page", "partial": "part"} {
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
		r.Header.Set("HX-Request-Type", header)
		if err := web.PageStatus(w, r, 422, text{s: "page"}, text{s: "part"}); err != nil || w.Body.String() != want || w.Code != 422 {
			t.Errorf("%q: got %d %q, %v", header, w.Code, w.Body, err)
		}
	}
}

func TestFailedPageSendsNothing(t *testing.T) {
	w := httptest.NewRecorder()
	broken := text{"half a page", errors.New("boom")}
	if err := web.Page(w, httptest.NewRequest("GET", "/", nil), broken, broken); err == nil || w.Body.Len() > 0 {
		t.Errorf("sent %q, %v", w.Body, err)
	}
}

func TestPanicIsAnErrorPage(t *testing.T) {
	h := web.Chain(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("boom") }), web.Recover(fail))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	if w.Code != 500 || strings.Contains(w.Body.String(), "boom") {
		t.Errorf("got %d %q", w.Code, w.Body)
	}
}

func TestCookieCarriesATextOnce(t *testing.T) {
	c, err := web.NewCookies([]byte("a secret"), true)
	if err != nil {
		t.Fatal(err)
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil)
	if err := errors.Join(c.SetToken(w, r, "the token"), c.SetFlash(w, r, "flash", "Saved.")); err != nil {
		t.Fatal(err)
	}
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("%d cookies", len(cookies))
	}
	if k := cookies[0]; !k.HttpOnly || !k.Secure || k.SameSite != http.SameSiteLaxMode || k.MaxAge <= 0 || strings.Contains(k.Value, "token") {
		t.Errorf("cookie %+v", k)
	}
	r = httptest.NewRequest("GET", "/", nil)
	r.AddCookie(cookies[0])
	w = httptest.NewRecorder()
	if s, err := c.TakeFlash(w, r, "flash"); s != "Saved." || err != nil || c.Token(r) != "the token" {
		t.Errorf("took %q, %v, token %q", s, err, c.Token(r))
	}
	r = httptest.NewRequest("GET", "/", nil)
	r.AddCookie(w.Result().Cookies()[0])
	if s, _ := c.TakeFlash(httptest.NewRecorder(), r, "flash"); s != "" {
		t.Errorf("took %q twice", s)
	}
	forged := httptest.NewRequest("GET", "/", nil)
	forged.AddCookie(&http.Cookie{Name: "dailies", Value: "junk"})
	if c.Token(forged) != "" {
		t.Error("a forged cookie has a token")
	}
}

func TestLogNamesNoAddress(t *testing.T) {
	var book bytes.Buffer
	log := slog.New(slog.NewTextHandler(&book, &slog.HandlerOptions{Level: slog.LevelDebug}))
	mux := web.NewMux(fail)
	mux.Handle("GET /join/{token}", func(_ http.ResponseWriter, r *http.Request) error {
		web.LogUser(r.Context(), 7)
		return nil
	})
	address := func(r *http.Request) string { return "198.51.100.7" }
	web.Chain(mux, web.Log(log, address)).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/join/SECRET?also=SECRET", nil))
	if s := book.String(); strings.Contains(s, "SECRET") || !strings.Contains(s, "/join/{token}") ||
		!strings.Contains(s, "status=200 took=") || !strings.Contains(s, "user=7 address=198.51.100.7") {
		t.Errorf("logged %s", s)
	}
}

func TestVideosAreNotCompressedAndPagesAre(t *testing.T) {
	compress, err := web.Compress()
	if err != nil {
		t.Fatal(err)
	}
	for kind, want := range map[string]string{"text/html; charset=utf-8": "gzip", "text/css": "gzip", "video/webm": "", "image/jpeg": ""} {
		h := web.Chain(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("x", 10_000)))
		}), compress)
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept-Encoding", "gzip")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding"); got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
}

func TestStopEndsListenersBeforeWorkers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	workerEnds := make(chan bool, 1)
	worker := func(ctx context.Context) error {
		<-ctx.Done()
		_, err := net.DialTimeout("tcp", l.Addr().String(), time.Second)
		workerEnds <- err != nil // the listener must be closed by now
		return nil
	}
	ended := make(chan error, 1)
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") })
	go func() {
		ended <- web.Run(ctx, slog.New(slog.DiscardHandler), []web.Server{{Listener: l, Handler: hello}}, worker)
	}()
	resp, err := http.Get("http://" + l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	stop()
	select {
	case err := <-ended:
		if err != nil || !<-workerEnds {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not stop")
	}
}

func TestFailedWorkerEndsTheProgram(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err = web.Run(t.Context(), slog.New(slog.DiscardHandler), []web.Server{{Listener: l, Handler: http.NotFoundHandler()}},
		func(context.Context) error { return boom })
	if !errors.Is(err, boom) {
		t.Errorf("ended with %v", err)
	}
}
