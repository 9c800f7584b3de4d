package sandbox_test

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"dailies/db/option"
	"dailies/web/videoapi"
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
