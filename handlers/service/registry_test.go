package service_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"dailies/db"
	"dailies/handlers/service"
	"dailies/web/fetch"
	"dailies/web/videoapi"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// services are what a database says.
type services struct {
	mu    sync.Mutex
	all   []db.Service
	fixed string
}

// All implements service.Services.
func (s *services) All(context.Context) ([]db.Service, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all, s.fixed, nil
}

// use makes the service with the ID current.
func (s *services) use(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []db.Service
	for _, service := range s.all {
		service.Current = service.ID == id
		all = append(all, service)
	}
	s.all = all
}

// echo answers every request with a task whose status is the request's host.
type echo struct{ name string }

// RoundTrip implements http.RoundTripper.
func (e echo) RoundTrip(r *http.Request) (*http.Response, error) {
	body := `{"code":0,"data":{"id":"x","status":"` + e.name + `"}}`
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

const (
	practice = 1
	one      = 2
	restored = 3
)

func listed() *services {
	return &services{all: []db.Service{
		{ID: practice, Address: service.PracticeBase, Practice: true, Current: true},
		{ID: one, Address: "https://one.example"},
		{ID: restored, Address: "https://restored.example", Held: true},
	}}
}

func registry(t *testing.T, c service.Config) *service.Registry {
	t.Helper()
	c.Log, c.Calls = slog.New(slog.DiscardHandler), 1
	d, err := service.New(t.Context(), c)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

// opener opens an embedded service and counts how often.
type opener struct{ opened, closed int }

func (o *opener) open(context.Context) (service.Practice, error) {
	o.opened++
	return service.Practice{
		Transport: echo{"practice"}, Run: func(ctx context.Context) error { <-ctx.Done(); return nil },
		Close: func() error { o.closed++; return nil },
	}, nil
}

func answers(t *testing.T, d *service.Registry, id int64) string {
	t.Helper()
	c, err := d.Client(t.Context(), id)
	must(t, err)
	a, err := c.Query(t.Context(), "key", "x")
	must(t, err)
	return string(a.Record.Status)
}

func TestEachServiceIsReachedByAClientOfItsOwn(t *testing.T) {
	list, o := listed(), &opener{}
	d := registry(t, service.Config{Services: list, Open: o.open, Reach: func(address string) http.RoundTripper { return echo{address} }})
	if !d.IsPractice() || !d.IsOfPractice(practice) || d.IsOfPractice(one) || !d.CanPractise() {
		t.Error("practice mode is not recognised")
	}
	list.use(one)
	must(t, d.Refresh(t.Context()))
	if d.IsPractice() || d.Console() != nil || d.Current().ID != one {
		t.Errorf("the team uses %+v", d.Current())
	}
	// What was sent before is followed at the service where it is.
	if got := answers(t, d, practice); got != "practice" {
		t.Errorf("a practice video is asked about at %s", got)
	}
	if got := answers(t, d, one); got != "https://one.example" {
		t.Errorf("a real video is asked about at %s", got)
	}
	if o.opened != 1 {
		t.Errorf("the embedded service was opened %d times", o.opened)
	}
	if _, err := d.Client(t.Context(), 99); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("an unknown service: %v", err)
	}
}

func TestAServiceOfABackupIsNotCalled(t *testing.T) {
	d := registry(t, service.Config{Services: listed(), Open: new(opener).open})
	_, err := d.Client(t.Context(), restored)
	var e *videoapi.Error
	if !errors.Is(err, service.ErrHeld) || !errors.As(err, &e) || !e.Unsent {
		t.Errorf("its client: %v", err)
	}
}

func TestAnotherProcessHasPracticeMode(t *testing.T) {
	list := listed()
	list.use(one)
	d := registry(t, service.Config{Services: list})
	if d.CanPractise() {
		t.Error("it can practise")
	}
	var e *videoapi.Error
	if _, err := d.Client(t.Context(), practice); !errors.As(err, &e) || !e.Unsent {
		t.Errorf("the client: %v", err)
	}
}

func TestAChangeIsNoticedWithinTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := listed()
		d := registry(t, service.Config{Services: list, Open: new(opener).open})
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { must(t, d.Run(ctx)) })
		list.use(one)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if d.Current().ID != one {
			t.Error("it is not noticed")
		}
		stop()
		running.Wait()
	})
}

// An address that somebody has typed is guarded; one in the settings of the program is
// trusted.
func TestOnlyTheAddressInTheSettingsMayBePrivate(t *testing.T) {
	inside := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"code":0,"data":{"id":"x","status":"inside"}}`)
	}))
	defer inside.Close()
	list := &services{all: []db.Service{{ID: one, Address: inside.URL, Current: true}}}
	c, err := registry(t, service.Config{Services: list}).Client(t.Context(), one)
	must(t, err)
	if _, err = c.Query(t.Context(), "key", "x"); !fetch.Refused(err) {
		t.Errorf("a private address that was typed: %v", err)
	}
	for name, config := range map[string]service.Config{"in the settings": {Fixed: inside.URL}, "allowed": {AllowPrivate: true}} {
		config.Services = list
		if got := answers(t, registry(t, config), one); got != "inside" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestResultsOfEachServiceAreFetched(t *testing.T) {
	o := &opener{}
	list := listed()
	d := registry(t, service.Config{Services: list, Open: o.open})
	files, err := d.Files()
	must(t, err)
	resp, err := files.Get(service.PracticeBase + "/files/1.mp4")
	must(t, err)
	must(t, resp.Body.Close())
	if _, err := files.Get("http://127.0.0.1:1/"); !fetch.Refused(err) {
		t.Errorf("a private address: %v", err)
	}
}
