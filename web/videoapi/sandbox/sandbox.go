package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"dailies/db/folder"
	"dailies/db/store/sqlite"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// Config holds the settings of a sandbox. Dir, Base and Fetch are required.
type Config struct {
	// Dir is the sandbox's own folder: its database and the rendered files.
	Dir string
	// Base is the absolute address under which results are named, for example
	// "http://sandbox.invalid".
	Base string
	// Fetch gets the pictures of tasks. Their addresses come from callers, so
	// it must refuse what they may not reach, and bound its redirects.
	Fetch *http.Client
	// Log takes what happens to tasks and what goes wrong; never a key or a
	// prompt. Nil keeps silent.
	Log *slog.Logger
	// Catalog says which models there are and what they take; nil takes the
	// built-in one.
	Catalog *videoapi.Catalog
	// Console makes "/" a console for people. Password opens it; empty takes
	// the one that Welcome has made.
	Console  bool
	Password string
	// Proxies are the reverse proxies whose word about addresses is believed.
	Proxies throttle.Proxies
	// Pace is how long states last.
	Pace Pace
	// Results is the shape of what a finished task carries; empty is Kie.
	Results Shape
	// Faults is how often calls go wrong, and Seed decides which of them.
	Faults Faults
	Seed   int64
	// Expire is how long results can be had; zero is for ever.
	Expire time.Duration
	// Workers is how many frames are rendered at the same time. Zero takes
	// half of the processors, but two where there are two.
	Workers int
	// Shrink divides the width and height of videos, and Longest bounds their
	// length, for tests that cannot wait for real ones. Zero leaves them.
	Shrink  int
	Longest time.Duration
}

// Pace is how long the states of a task last. A zero field takes its default.
type Pace struct {
	Start  time.Duration // pending, at the least; 1 s
	Moment time.Duration // processing before #fail and #cancel do; 3 s
	Slow   time.Duration // processing before the render of #slow; 90 s
	Stall  time.Duration // no answer before FaultStall ends the connection; 45 s
}

// A Sandbox is the service. It is safe for use by many goroutines.
type Sandbox struct {
	db      *sqlite.DB
	files   *fileStore
	lock    *flock.Flock // one process works in the folder
	base    string
	fetch   *http.Client
	log     *slog.Logger
	catalog *videoapi.Catalog
	pace    Pace
	results Shape
	faults  Faults
	seed    int64
	expire  time.Duration
	workers int
	shrink  int
	longest time.Duration
	mux     *http.ServeMux

	console  *console // nil where there is none
	password string
	proxies  throttle.Proxies

	running sync.Mutex    // held by Run
	wake    chan struct{} // tells Run of a new job
}

// Open opens the sandbox that lives in the folder, or makes one there. Tasks
// that were under way carry on when Run is called.
func Open(ctx context.Context, c Config) (*Sandbox, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	s := &Sandbox{
		base:    strings.TrimRight(c.Base, "/"),
		fetch:   c.Fetch,
		log:     cmp.Or(c.Log, slog.New(slog.DiscardHandler)),
		catalog: c.Catalog,
		pace: Pace{
			Start:  cmp.Or(c.Pace.Start, time.Second),
			Moment: cmp.Or(c.Pace.Moment, 3*time.Second),
			Slow:   cmp.Or(c.Pace.Slow, 90*time.Second),
			Stall:  cmp.Or(c.Pace.Stall, 45*time.Second),
		},
		workers: c.Workers,
		shrink:  max(1, c.Shrink),
		longest: cmp.Or(c.Longest, time.Hour),
		results: cmp.Or(c.Results, Kie),
		faults:  c.Faults,
		seed:    c.Seed,
		expire:  c.Expire,
		wake:    make(chan struct{}, 1),
	}
	if s.catalog == nil {
		s.catalog = videoapi.DefaultCatalog()
	}
	if c.Console {
		var err error
		if s.console, err = newConsole(); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
		s.password, s.proxies = c.Password, c.Proxies
	}
	if err := s.open(ctx, c.Dir); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if s.console != nil {
		var err error
		if s.console.cookies, err = s.openCookies(ctx); err != nil {
			return nil, errors.Join(fmt.Errorf("sandbox: %w", err), s.Close())
		}
	}
	s.mux = s.routes()
	return s, nil
}

func (s *Sandbox) open(ctx context.Context, dir string) (err error) {
	if err := folder.Make(dir); err != nil {
		return err
	}
	s.lock = flock.New(filepath.Join(dir, "lock"))
	if mine, err := s.lock.TryLock(); err != nil {
		return fmt.Errorf("lock %s: %w", dir, err)
	} else if !mine {
		return fmt.Errorf("%s is in use by another process", dir)
	}
	if s.files, err = openFiles(filepath.Join(dir, "files"), s.expire); err != nil {
		return errors.Join(err, s.lock.Unlock())
	}
	if s.db, err = openDatabase(ctx, filepath.Join(dir, "sandbox.db")); err != nil {
		return errors.Join(err, s.files.close(), s.lock.Unlock())
	}
	return nil
}

// Close closes the database and the folder. Run must have returned.
func (s *Sandbox) Close() error {
	return errors.Join(s.db.Close(), s.files.close(), s.lock.Unlock())
}

func (c Config) check() error {
	base, err := url.Parse(c.Base)
	switch {
	case c.Dir == "":
		return errors.New("no folder is given")
	case err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Host == "":
		return fmt.Errorf("base address %q is not like http://host", c.Base)
	case c.Fetch == nil:
		return errors.New("no client to fetch pictures is given")
	}
	if _, err := ParseShape(string(c.Results)); err != nil {
		return err
	}
	return c.Faults.check()
}
