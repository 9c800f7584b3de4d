package sandbox_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// base is where results are named. No network knows it.
const base = "http://sandbox.invalid"

// A world is a sandbox that runs, a client of it, and an account.
type world struct {
	*sandbox.Sandbox
	t      *testing.T
	dir    string
	key    string
	client *videoapi.Client
	stop   func() // ends Run and closes
}

// quick makes states as short as they can be.
var quick = sandbox.Pace{Start: time.Millisecond, Moment: time.Millisecond, Slow: time.Millisecond}

// open opens a sandbox in the folder, with an account that has the credits.
func open(t *testing.T, dir string, credits float64, pace sandbox.Pace) *world {
	t.Helper()
	s, err := sandbox.Open(t.Context(), sandbox.Config{
		Dir: dir, Base: base, Fetch: &http.Client{Transport: pictures{}}, Pace: pace, Catalog: catalog(t), Workers: 2,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w := &world{Sandbox: s, t: t, dir: dir, client: videoapi.NewClient(base, &http.Client{Transport: s})}
	w.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		w.stop = func() {}
	}
	t.Cleanup(func() { w.stop() })
	if w.key, err = s.NewKey(t.Context(), "test", credits); err != nil {
		t.Fatal(err)
	}
	return w
}

// start is open in a new folder.
func start(t *testing.T, credits float64) *world {
	t.Helper()
	return open(t, t.TempDir(), credits, quick)
}

// catalog is the built-in one and a model whose videos render at once.
func catalog(t *testing.T) *videoapi.Catalog {
	t.Helper()
	c := videoapi.DefaultCatalog()
	c.Models = append(c.Models, videoapi.Model{
		ID: "tiny", Name: "Tiny", Scenes: videoapi.Scenes(),
		Durations: []int{1, 2}, Duration: 1, Resolutions: []string{"480p"}, Resolution: "480p",
		Ratios: []string{"1:1", "16:9", videoapi.AutoRatio}, Ratio: "1:1", Sound: videoapi.SoundOff,
		Prices: []videoapi.Price{{Credits: 6}},
	})
	return c
}

// pictures is the web as the sandbox finds it.
type pictures struct{}

func (pictures) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r}
	switch r.URL.Path {
	case "/wide.png":
		answer.Body = io.NopCloser(bytes.NewReader(drawing(64, 36)))
	case "/tall.png":
		answer.Body = io.NopCloser(bytes.NewReader(drawing(36, 64)))
	case "/page.html":
		answer.Body = io.NopCloser(strings.NewReader("<!doctype html>"))
	case "/huge.png":
		answer.Body = io.NopCloser(io.LimitReader(zeros{}, 21<<20))
	case "/unreachable.png":
		return nil, io.ErrUnexpectedEOF
	default:
		answer.StatusCode, answer.Body = http.StatusNotFound, http.NoBody
	}
	return answer, nil
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func drawing(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range w * h {
		img.Set(i%w, i/w, color.RGBA{uint8(i), uint8(i / w * 4), 120, 255})
	}
	var b bytes.Buffer
	_ = png.Encode(&b, img) // a buffer takes everything
	return b.Bytes()
}

// tiny is a request for the quickest video.
func tiny(prompt string) videoapi.Request {
	return videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.TextToVideo, Model: "tiny", Prompt: prompt,
		Options: videoapi.Options{Duration: 1, Resolution: "480p", AspectRatio: "1:1"},
	}
}

// create makes a task that must be accepted.
func (w *world) create(r videoapi.Request) videoapi.Record {
	w.t.Helper()
	a, err := w.client.Create(w.t.Context(), w.key, r)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Record
}

// query asks about a task that must be there.
func (w *world) query(id string) videoapi.Record {
	w.t.Helper()
	a, err := w.client.Query(w.t.Context(), w.key, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Record
}

// end asks until the task has ended.
func (w *world) end(id string) videoapi.Record {
	w.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		switch r := w.query(id); r.Status {
		case videoapi.Success, videoapi.Failed, videoapi.Canceled:
			return r
		}
	}
	w.t.Fatalf("task %s does not end", id)
	return videoapi.Record{}
}

func (w *world) balance() float64 {
	w.t.Helper()
	b, err := w.Balance(w.t.Context(), w.key)
	if err != nil {
		w.t.Fatal(err)
	}
	return b
}

func TestATaskBecomesAVideo(t *testing.T) {
	w := start(t, 100)
	r := w.end(w.create(tiny("A quiet sea")).ID)
	t.Logf("%+v", r)
}
