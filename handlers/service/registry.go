// Package service knows which video service the team uses, and reaches each service that
// videos were sent to. An admin may change the service while the program runs; what was
// sent to the one before is followed there.
package service

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"dailies/db"
	"dailies/web/fetch"
	"dailies/web/videoapi"
)

// PracticeBase is the base URL of the embedded service. No such host exists, so its URLs
// never leave the program.
const PracticeBase = "http://sandbox.invalid"

// Config holds a Registry's dependencies and settings.
type Config struct {
	Services Services
	// Fixed is the address that the settings of the program name; empty if they name none.
	// Unlike an address that somebody has typed into a page, it is trusted: it may be
	// private, and the proxy of the environment is used.
	Fixed        string
	AllowPrivate bool
	Calls        int // calls to a service at a time
	// Open opens the embedded service. It is nil if that cannot be used, because several
	// processes work on the database.
	Open func(context.Context) (Practice, error)
	// Reach returns the transport for the service at an address; nil means the network.
	Reach func(address string) http.RoundTripper
	Log   *slog.Logger
}

// Services are the services that the database knows.
type Services interface {
	// All returns the services, and the address that the settings of some process name.
	All(context.Context) (all []db.Service, fixed string, err error)
}

// A Practice is the embedded service, open.
type Practice struct {
	Console   Console
	Transport http.RoundTripper
	Run       func(context.Context) error // renders the videos
	Close     func() error
}

// A Console has the operations of the embedded service that are not in API.md.
type Console interface {
	// NewKey creates an account with credits and returns its API key.
	NewKey(ctx context.Context, name string, credits float64) (string, error)
	// AddKey creates another API key for the account of the key.
	AddKey(ctx context.Context, key, name string) (string, error)
	TopUp(ctx context.Context, key string, credits float64) error
	Balance(ctx context.Context, key string) (float64, error)
	// Keys returns all API keys of the key's account, newest first.
	Keys(ctx context.Context, key string) ([]videoapi.Key, error)
	// Ledger returns the changes of the account's balance, newest first.
	Ledger(ctx context.Context, key string) ([]videoapi.Entry, error)
}

// A Registry knows which service the team uses, and has a client for each. Its methods may be
// called from many goroutines.
type Registry struct {
	Config
	known atomic.Pointer[state]

	mu       sync.Mutex
	clients  map[int64]*videoapi.Client
	practice *Practice     // nil until it is needed
	opened   chan struct{} // closed when practice is open
}

// A state is what the database says about the services.
type state struct {
	current db.Service
	fixed   string
	all     map[int64]db.Service
}

// New returns a Registry that knows what the database says now. The caller must call Close.
func New(ctx context.Context, c Config) (*Registry, error) {
	r := &Registry{Config: c, clients: map[int64]*videoapi.Client{}, opened: make(chan struct{})}
	if err := r.Refresh(ctx); err != nil {
		return nil, err
	}
	if r.IsPractice() {
		if _, err := r.open(ctx); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Close closes the embedded service.
func (r *Registry) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.practice == nil {
		return nil
	}
	return r.practice.Close()
}

// state returns what is known; a zero Registry knows of no service.
func (r *Registry) state() *state {
	if s := r.known.Load(); s != nil {
		return s
	}
	return &state{}
}

// Current returns the service that the team uses.
func (r *Registry) Current() db.Service { return r.state().current }

// IsPractice reports whether the team uses the embedded service.
func (r *Registry) IsPractice() bool { return r.Current().Practice }

// IsOfPractice reports whether the service with the ID is the embedded one.
func (r *Registry) IsOfPractice(id int64) bool { return r.state().all[id].Practice }

// IsElsewhere reports whether the task waits to be sent to a service that the team does not
// use any more. It is not sent unless the team returns there: its maker decides.
func (r *Registry) IsElsewhere(t db.Task) bool {
	return t.State == db.Queued && t.ServiceID != 0 && t.ServiceID != r.Current().ID
}

// SettingsName returns the address that the settings of the program name, or an empty
// string.
func (r *Registry) SettingsName() string { return r.state().fixed }

// CanPractise reports whether the team can use the embedded service, which belongs to a
// single process.
func (r *Registry) CanPractise() bool { return r.Open != nil }

// Refresh reads what the database says now.
func (r *Registry) Refresh(ctx context.Context) error {
	all, fixed, err := r.Services.All(ctx)
	if err != nil {
		return err
	}
	s := &state{fixed: fixed, all: map[int64]db.Service{}}
	for _, service := range all {
		if s.all[service.ID] = service; service.Current {
			s.current = service
		}
	}
	was := r.known.Swap(s)
	if was != nil && was.current.ID != s.current.ID {
		r.Log.Info("the team uses another video service", "service", s.current.Address)
	}
	return nil
}

// refreshEvery is how often a process looks whether another one has changed the service.
const refreshEvery = time.Second

// Run keeps the Registry up to date, and runs the embedded service once it is open, until ctx
// ends.
func (r *Registry) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { r.runPractice(ctx) })
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := r.Refresh(ctx)
		if err == nil && r.IsPractice() { // another process of an earlier version, or a restore
			_, err = r.open(ctx)
		}
		if err != nil && ctx.Err() == nil {
			r.Log.Warn("cannot look which video service the team uses", "err", err)
		}
	}
}

func (r *Registry) runPractice(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-r.opened:
	}
	if err := r.practice.Run(ctx); err != nil && ctx.Err() == nil {
		r.Log.Error("practice mode has stopped", "err", err)
	}
}

// errNoPractice says that the embedded service belongs to another process.
var errNoPractice = errors.New("practice mode belongs to a single process")

// open opens the embedded service, if it is not open yet.
func (r *Registry) open(ctx context.Context) (*Practice, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.practice != nil {
		return r.practice, nil
	}
	if r.Open == nil {
		return nil, errNoPractice
	}
	p, err := r.Open(ctx)
	if err != nil {
		return nil, err
	}
	r.practice = &p
	close(r.opened)
	return r.practice, nil
}

// Console returns the embedded service's console, or nil while the team uses another
// service.
func (r *Registry) Console() Console {
	if !r.IsPractice() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.practice == nil {
		return nil
	}
	return r.practice.Console
}

// OpenConsole returns the console, whichever service the team uses.
func (r *Registry) OpenConsole(ctx context.Context) (Console, error) {
	p, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	return p.Console, nil
}

// ErrHeld says that a service came from a backup, and that no admin has confirmed yet that
// it may be called.
var ErrHeld = errors.New("the service came from a backup and waits for an admin to confirm it")

// Client returns the client for the service with the ID. It returns db.ErrNotFound if there
// is no such service. Other errors are a *videoapi.Error: the service cannot be called now.
func (r *Registry) Client(ctx context.Context, id int64) (*videoapi.Client, error) {
	service, known := r.state().all[id]
	if !known { // another process has just entered it
		if err := r.Refresh(ctx); err != nil {
			return nil, err
		}
		if service, known = r.state().all[id]; !known {
			return nil, db.ErrNotFound
		}
	}
	if service.Held {
		return nil, &videoapi.Error{Kind: videoapi.Transport, Unsent: true, Err: ErrHeld}
	}
	var practice *Practice
	if service.Practice {
		var err error
		if practice, err = r.open(ctx); err != nil {
			return nil, &videoapi.Error{Kind: videoapi.Transport, Unsent: true, Err: err}
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if c := r.clients[id]; c != nil {
		return c, nil
	}
	transport := r.transport(service.Address)
	if practice != nil {
		transport = practice.Transport
	}
	c := videoapi.NewClient(service.Address, &http.Client{Transport: transport})
	r.clients[id] = c
	return c, nil
}

// transport returns the transport for the address of a service that is not embedded.
func (r *Registry) transport(address string) http.RoundTripper {
	switch {
	case r.Reach != nil:
		return r.Reach(address)
	case address == r.Fixed:
		return fetch.Service(r.Calls)
	}
	return fetch.ServiceOfOthers(r.AllowPrivate, r.Calls)
}

// ProbeTransport returns a transport for the test of an address that somebody has typed.
// It reads no more of a header than the test reads of an answer.
func (r *Registry) ProbeTransport() *http.Transport {
	t := fetch.ServiceOfOthers(r.AllowPrivate, 1)
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}

// Files returns the client that downloads the results of all services. It refuses private
// addresses, except for those of the embedded service and of the one that the settings name.
func (r *Registry) Files() (*http.Client, error) {
	trusted := []fetch.Trust{{Base: PracticeBase, Transport: practiceFiles{r}}}
	if r.Fixed != "" {
		trusted = append(trusted, fetch.Trust{Base: r.Fixed, Transport: fetch.Files()})
	}
	return fetch.NewClient(r.AllowPrivate, trusted...)
}

// practiceFiles opens the embedded service when one of its results is asked for.
type practiceFiles struct{ registry *Registry }

// RoundTrip implements http.RoundTripper.
func (f practiceFiles) RoundTrip(r *http.Request) (*http.Response, error) {
	p, err := f.registry.open(r.Context())
	if err != nil {
		return nil, err
	}
	return p.Transport.RoundTrip(r)
}
