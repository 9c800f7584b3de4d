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

// Config holds a Desk's dependencies and settings.
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

// A Desk knows which service the team uses, and has a client for each. Its methods may be
// called from many goroutines.
type Desk struct {
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

// New returns a Desk that knows what the database says now. The caller must call Close.
func New(ctx context.Context, c Config) (*Desk, error) {
	d := &Desk{Config: c, clients: map[int64]*videoapi.Client{}, opened: make(chan struct{})}
	if err := d.Refresh(ctx); err != nil {
		return nil, err
	}
	if d.IsPractice() {
		if _, err := d.open(ctx); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// Close closes the embedded service.
func (d *Desk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.practice == nil {
		return nil
	}
	return d.practice.Close()
}

// state returns what is known; a zero Desk knows of no service.
func (d *Desk) state() *state {
	if s := d.known.Load(); s != nil {
		return s
	}
	return &state{}
}

// Current returns the service that the team uses.
func (d *Desk) Current() db.Service { return d.state().current }

// IsPractice reports whether the team uses the embedded service.
func (d *Desk) IsPractice() bool { return d.Current().Practice }

// IsOfPractice reports whether the service with the ID is the embedded one.
func (d *Desk) IsOfPractice(id int64) bool { return d.state().all[id].Practice }

// IsElsewhere reports whether the task waits to be sent to a service that the team does not
// use any more. It is not sent unless the team returns there: its maker decides.
func (d *Desk) IsElsewhere(t db.Task) bool {
	return t.State == db.Queued && t.ServiceID != 0 && t.ServiceID != d.Current().ID
}

// SettingsName returns the address that the settings of the program name, or an empty
// string.
func (d *Desk) SettingsName() string { return d.state().fixed }

// CanPractise reports whether the team can use the embedded service, which belongs to a
// single process.
func (d *Desk) CanPractise() bool { return d.Open != nil }

// Refresh reads what the database says now.
func (d *Desk) Refresh(ctx context.Context) error {
	all, fixed, err := d.Services.All(ctx)
	if err != nil {
		return err
	}
	s := &state{fixed: fixed, all: map[int64]db.Service{}}
	for _, service := range all {
		if s.all[service.ID] = service; service.Current {
			s.current = service
		}
	}
	was := d.known.Swap(s)
	if was != nil && was.current.ID != s.current.ID {
		d.Log.Info("the team uses another video service", "service", s.current.Address)
	}
	return nil
}

// refreshEvery is how often a process looks whether another one has changed the service.
const refreshEvery = time.Second

// Run keeps the Desk up to date, and runs the embedded service once it is open, until ctx
// ends.
func (d *Desk) Run(ctx context.Context) error {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { d.runPractice(ctx) })
	tick := time.NewTicker(refreshEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		err := d.Refresh(ctx)
		if err == nil && d.IsPractice() { // another process of an earlier version, or a restore
			_, err = d.open(ctx)
		}
		if err != nil && ctx.Err() == nil {
			d.Log.Warn("cannot look which video service the team uses", "err", err)
		}
	}
}

func (d *Desk) runPractice(ctx context.Context) {
	select {
	case <-ctx.Done():
		return
	case <-d.opened:
	}
	if err := d.practice.Run(ctx); err != nil && ctx.Err() == nil {
		d.Log.Error("practice mode has stopped", "err", err)
	}
}

// errNoPractice says that the embedded service belongs to another process.
var errNoPractice = errors.New("practice mode belongs to a single process")

// open opens the embedded service, if it is not open yet.
func (d *Desk) open(ctx context.Context) (*Practice, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.practice != nil {
		return d.practice, nil
	}
	if d.Open == nil {
		return nil, errNoPractice
	}
	p, err := d.Open(ctx)
	if err != nil {
		return nil, err
	}
	d.practice = &p
	close(d.opened)
	return d.practice, nil
}

// Console returns the embedded service's console, or nil while the team uses another
// service.
func (d *Desk) Console() Console {
	if !d.IsPractice() {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.practice == nil {
		return nil
	}
	return d.practice.Console
}

// OpenConsole returns the console, whichever service the team uses.
func (d *Desk) OpenConsole(ctx context.Context) (Console, error) {
	p, err := d.open(ctx)
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
func (d *Desk) Client(ctx context.Context, id int64) (*videoapi.Client, error) {
	service, known := d.state().all[id]
	if !known { // another process has just entered it
		if err := d.Refresh(ctx); err != nil {
			return nil, err
		}
		if service, known = d.state().all[id]; !known {
			return nil, db.ErrNotFound
		}
	}
	if service.Held {
		return nil, &videoapi.Error{Kind: videoapi.Transport, Unsent: true, Err: ErrHeld}
	}
	var practice *Practice
	if service.Practice {
		var err error
		if practice, err = d.open(ctx); err != nil {
			return nil, &videoapi.Error{Kind: videoapi.Transport, Unsent: true, Err: err}
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.clients[id]; c != nil {
		return c, nil
	}
	transport := d.transport(service.Address)
	if practice != nil {
		transport = practice.Transport
	}
	c := videoapi.NewClient(service.Address, &http.Client{Transport: transport})
	d.clients[id] = c
	return c, nil
}

// transport returns the transport for the address of a service that is not embedded.
func (d *Desk) transport(address string) http.RoundTripper {
	switch {
	case d.Reach != nil:
		return d.Reach(address)
	case address == d.Fixed:
		return fetch.Service(d.Calls)
	}
	return fetch.ServiceOfOthers(d.AllowPrivate, d.Calls)
}

// ProbeTransport returns a transport for the test of an address that somebody has typed.
// It reads no more of a header than the test reads of an answer.
func (d *Desk) ProbeTransport() *http.Transport {
	t := fetch.ServiceOfOthers(d.AllowPrivate, 1)
	t.MaxResponseHeaderBytes = 64 << 10
	return t
}

// Files returns the client that downloads the results of all services. It refuses private
// addresses, except for those of the embedded service and of the one that the settings name.
func (d *Desk) Files() (*http.Client, error) {
	trusted := []fetch.Trust{{Base: PracticeBase, Transport: practiceFiles{d}}}
	if d.Fixed != "" {
		trusted = append(trusted, fetch.Trust{Base: d.Fixed, Transport: fetch.Files()})
	}
	return fetch.NewClient(d.AllowPrivate, trusted...)
}

// practiceFiles opens the embedded service when one of its results is asked for.
type practiceFiles struct{ desk *Desk }

// RoundTrip implements http.RoundTripper.
func (f practiceFiles) RoundTrip(r *http.Request) (*http.Response, error) {
	p, err := f.desk.open(r.Context())
	if err != nil {
		return nil, err
	}
	return p.Transport.RoundTrip(r)
}
