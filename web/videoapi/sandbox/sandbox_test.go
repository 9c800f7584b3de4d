package sandbox_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
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
	t      testing.TB
	dir    string
	key    string
	client *videoapi.Client
	web    *web
	pause  func() // ends Run
	stop   func() // ends Run and closes
}

// quick makes states as short as they can be.
var quick = sandbox.Pace{Start: time.Millisecond, Moment: time.Millisecond, Slow: time.Millisecond}

// open opens a sandbox in the folder, with an account that has the credits.
func open(t testing.TB, dir string, credits float64, pace sandbox.Pace) *world {
	t.Helper()
	pictures := &web{late: make(chan struct{})}
	s, err := sandbox.Open(t.Context(), sandbox.Config{
		Dir: dir, Base: base, Fetch: &http.Client{Transport: pictures}, Pace: pace, Catalog: catalog(t), Workers: 1, Shrink: 5,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	w := &world{Sandbox: s, t: t, dir: dir, web: pictures, client: videoapi.NewClient(base, &http.Client{Transport: s})}
	w.pause = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	w.stop = sync.OnceFunc(func() {
		w.pause()
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	t.Cleanup(w.stop)
	if w.key, err = s.NewKey(t.Context(), "test", credits); err != nil {
		t.Fatal(err)
	}
	return w
}

// start is open in a new folder.
func start(t testing.TB, credits float64) *world {
	t.Helper()
	return open(t, t.TempDir(), credits, quick)
}

// catalog is the built-in one and two models whose videos render at once. The
// second wants its pictures by name and takes their shape.
func catalog(t testing.TB) *videoapi.Catalog {
	t.Helper()
	c := videoapi.DefaultCatalog()
	c.Models = append(c.Models, videoapi.Model{
		ID: "tiny", Name: "Tiny", Scenes: videoapi.Scenes(),
		Durations: []int{1, 2}, Duration: 1, Resolutions: []string{"480p"}, Resolution: "480p",
		Ratios: []string{"1:1", "16:9", videoapi.AutoRatio}, Ratio: "1:1", Sound: videoapi.SoundOff,
		Prices: []videoapi.Price{{Credits: 6}},
	}, videoapi.Model{
		ID: "tiny-lite", Name: "Tiny Lite", Scenes: []videoapi.Scene{videoapi.ImageToVideo, videoapi.FramesToVideo},
		Durations: []int{1}, Duration: 1, Resolutions: []string{"480p"}, Resolution: "480p",
		PictureFields: videoapi.ImageURLs, Images: map[videoapi.Scene]videoapi.Images{videoapi.ImageToVideo: {Min: 1, Max: 2}},
	})
	return c
}

// A web is what the sandbox finds when it fetches pictures.
type web struct {
	late chan struct{} // /late.png comes when it is closed
}

func (w *web) RoundTrip(r *http.Request) (*http.Response, error) {
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r}
	if r.URL.Path == "/late.png" {
		select {
		case <-w.late:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	switch r.URL.Path {
	case "/wide.png", "/late.png":
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

// A wire is an envelope as it came, for tests that look at the very fields.
type wire struct {
	HTTP    int                        `json:"-"`
	Code    *int                       `json:"code"`
	Message string                     `json:"message"`
	Data    map[string]json.RawMessage `json:"data"`
}

// text is a field of the record that must be a JSON string, or missing.
func (a wire) text(t testing.TB, name string) (s string) {
	t.Helper()
	if raw, ok := a.Data[name]; ok {
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Errorf("%s is %s, want a string", name, raw)
		}
	}
	return s
}

// post sends a body with the account's key.
func (w *world) post(path, body string) wire {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	return w.send(r)
}

// send sends any request, whose answer must be an envelope.
func (w *world) send(r *http.Request) wire {
	w.t.Helper()
	resp, err := w.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := wire{HTTP: resp.StatusCode}
	if err := json.NewDecoder(resp.Body).Decode(&a); err != nil {
		w.t.Fatalf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	if a.Code == nil {
		w.t.Fatalf("%s %s: no code", r.Method, r.URL.Path)
	}
	return a
}

// refused checks that a call is answered with code -1, the message and no
// data, and costs nothing.
func (w *world) refused(a wire, message string) {
	w.t.Helper()
	if *a.Code != -1 || !strings.Contains(a.Message, message) || a.Data != nil {
		w.t.Errorf("got code %d, message %q, data %v; want -1, %q and none", *a.Code, a.Message, a.Data, message)
	}
}

// body is a create call with the options, in the scene and with the model;
// empty means tiny text to video.
func body(scene videoapi.Scene, model, options string) string {
	return `{"mediaType":"video","scene":"` + string(cmp.Or(scene, videoapi.TextToVideo)) +
		`","model":"` + cmp.Or(model, "tiny") + `","prompt":"A quiet sea","options":` + cmp.Or(options, "{}") + `}`
}

const (
	generate = "/api/ai/generate"
	query    = "/api/ai/query"
)
