package sandbox_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"dailies/db/option"
	"dailies/web/videoapi"
	"dailies/web/videoapi/documenttest"
	"dailies/web/videoapi/sandbox"
)

// base is the prefix of the URLs of results. No real network resolves it.
const base = "http://sandbox.invalid"

// A world is a running sandbox, a client of it, and the key of an account.
type world struct {
	*sandbox.Sandbox
	t      testing.TB
	dir    string
	key    string
	client *videoapi.Client
	web    *web
	pause  func() // ends Run, so that no more tasks are rendered
	stop   func() // ends Run and closes the sandbox
}

// quick makes the states of tasks as short as possible.
var quick = sandbox.Pace{Start: time.Millisecond, Moment: time.Millisecond, Slow: time.Millisecond}

// open opens a sandbox in the folder, with an account that has the credits.
func open(t testing.TB, dir string, credits float64, pace sandbox.Pace) *world {
	t.Helper()
	return openWith(t, dir, credits, func(c *sandbox.Config) { c.Pace = pace })
}

// openWith opens a sandbox with the configuration of open after change has
// modified it.
func openWith(t testing.TB, dir string, credits float64, change func(*sandbox.Config)) *world {
	t.Helper()
	pictures := &web{late: make(chan struct{})}
	config := sandbox.Config{
		Dir: dir, Base: base, Fetch: &http.Client{Transport: pictures}, Pace: quick, Catalog: catalog(t), Shrink: 5,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	change(&config)
	s, err := sandbox.Open(t.Context(), config)
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
	t.Cleanup(func() {
		hung := time.AfterFunc(100*time.Second, func() { panic("the sandbox does not stop") })
		defer hung.Stop()
		w.stop()
	})
	if w.key, err = s.NewKey(t.Context(), "test", credits); err != nil {
		t.Fatal(err)
	}
	return w
}

// start opens a sandbox in a new folder.
func start(t testing.TB, credits float64) *world {
	t.Helper()
	return open(t, t.TempDir(), credits, quick)
}

// catalog returns the built-in catalogue and two models whose videos render
// quickly. The second expects its pictures in image_url and end_image_url, and
// its videos have their shape.
func catalog(t testing.TB) *videoapi.Catalog {
	t.Helper()
	c := videoapi.DefaultCatalog()
	c.Models = append(c.Models, videoapi.Model{
		ID: "tiny", Name: "Tiny", Scenes: videoapi.Scenes(),
		Offer: option.Offer{
			Durations: []int{1, 2}, Duration: 1, Resolutions: []string{"480p"}, Resolution: "480p",
			Ratios: []string{"1:1", "16:9", option.AutoRatio}, Ratio: "1:1", Sound: option.SoundOff,
		},
		Prices: []videoapi.Price{{Credits: 6}},
	}, videoapi.Model{
		ID: "tiny-lite", Name: "Tiny Lite", Scenes: []videoapi.Scene{videoapi.ImageToVideo, videoapi.FramesToVideo},
		Offer:         option.Offer{Durations: []int{1}, Duration: 1, Resolutions: []string{"480p"}, Resolution: "480p"},
		PictureFields: videoapi.ImageURLs, Images: map[videoapi.Scene]videoapi.Images{videoapi.ImageToVideo: {Min: 1, Max: 2}},
	})
	return c
}

// tiny returns a request for the quickest video.
func tiny(prompt string) videoapi.Request {
	return videoapi.Request{
		MediaType: videoapi.MediaType, Scene: videoapi.TextToVideo, Model: "tiny", Prompt: prompt,
		Options: videoapi.Options{Values: option.Values{Duration: 1, Resolution: "480p", AspectRatio: "1:1"}},
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

// query queries a task that must exist.
func (w *world) query(id string) videoapi.Record {
	w.t.Helper()
	a, err := w.client.Query(w.t.Context(), w.key, id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Record
}

// end queries the task until it has ended.
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

func TestTheDatabaseIsTheOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sandbox.db")
	for _, start := range []string{"new", "made readable by everybody"} {
		w := open(t, dir, 10, quick)
		for _, beside := range []string{"", "-wal", "-shm"} {
			if info, err := os.Stat(path + beside); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %s%s is %v, %v", start, path, beside, info.Mode(), err)
			}
		}
		w.stop()
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A folder from an older version is upgraded without losing anything. The hash is
// that of the key "sk-old".
func TestAnOlderFolderKeepsItsKeys(t *testing.T) {
	dir := t.TempDir()
	schema, err := os.ReadFile("migrations/0001_service.sql")
	if err != nil {
		t.Fatal(err)
	}
	old, err := sql.Open("sqlite", filepath.Join(dir, "sandbox.db"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		string(schema), `PRAGMA user_version = 1`,
		`INSERT INTO account (id, balance, created_at) VALUES ('a', 7000, 1)`,
		`INSERT INTO api_key (hash, account_id, name, created_at) VALUES (x'd3e64608f5182a4408eef248830800d9f4b82167cb91b4b193ac488aa1235fc9', 'a', 'old', 1)`,
	} {
		if _, err := old.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	w := open(t, dir, 0, quick)
	w.key = "sk-old"
	if b := w.balance(); b != 7 {
		t.Errorf("balance %v, want 7", b)
	}
	keys, err := w.Keys(t.Context(), w.key)
	if err != nil || len(keys) != 1 || keys[0].Name != "old" || keys[0].Tail != "" {
		t.Errorf("keys %+v, %v", keys, err)
	}
}

// post sends a body with the account's key.
func (w *world) post(path, body string) documenttest.Wire {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodPost, base+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+w.key)
	r.Header.Set("Content-Type", "application/json")
	return w.send(r)
}

// send sends a request, whose answer must be an envelope.
func (w *world) send(r *http.Request) documenttest.Wire {
	w.t.Helper()
	resp, err := w.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	defer resp.Body.Close()
	a := documenttest.Wire{HTTP: resp.StatusCode}
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
func (w *world) refused(a documenttest.Wire, message string) {
	w.t.Helper()
	if *a.Code != -1 || !strings.Contains(a.Message, message) || a.Data != nil {
		w.t.Errorf("got code %d, message %q, data %v; want -1, %q and none", *a.Code, a.Message, a.Data, message)
	}
}

// body returns the body of a create call with the scene, the model and the
// options. Empty arguments mean text to video, the model tiny, and no options.
func body(scene videoapi.Scene, model, options string) string {
	return `{"mediaType":"video","scene":"` + string(cmp.Or(scene, videoapi.TextToVideo)) +
		`","model":"` + cmp.Or(model, "tiny") + `","prompt":"A quiet sea","options":` + cmp.Or(options, "{}") + `}`
}

const (
	generate = documenttest.Generate
	query    = documenttest.Query
)

// A web is a transport that stands for the network from which the sandbox fetches
// pictures.
type web struct {
	late chan struct{} // /late.png is answered once this is closed
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
	case "/vast.png": // a header of 10,000 by 10,000 pixels
		vast := drawing(1, 1)
		binary.BigEndian.PutUint32(vast[16:], 10_000)
		binary.BigEndian.PutUint32(vast[20:], 10_000)
		binary.BigEndian.PutUint32(vast[29:], crc32.ChecksumIEEE(vast[12:29]))
		answer.Body = io.NopCloser(bytes.NewReader(vast))
	case "/cut.png":
		answer.Body = io.NopCloser(io.MultiReader(bytes.NewReader(drawing(64, 36)[:200]), iotest.ErrReader(io.ErrUnexpectedEOF)))
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
	_ = png.Encode(&b, img) // writing to a buffer cannot fail
	return b.Bytes()
}
