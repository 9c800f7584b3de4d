package sandbox

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"dailies/db/folder"
	"dailies/db/store/engine"
	"dailies/db/store/sqlite"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// Config holds the settings of a sandbox. Dir, Base and Fetch are required.
type Config struct {
	// Dir is the folder for the database and the rendered files. No other
	// program may use it.
	Dir string
	// Base is the absolute URL with which the URLs of results begin, for example
	// "http://sandbox.invalid".
	Base string
	// Fetch fetches the pictures of tasks. Their addresses come from callers, so
	// it must refuse those that callers may not reach, and bound its redirects.
	Fetch *http.Client
	// Log receives the outcome of tasks and errors, never a key or a prompt. Nil
	// discards them.
	Log *slog.Logger
	// Catalog lists the models and their options. Nil means the built-in one.
	Catalog *videoapi.Catalog
	// Console serves a console, a small website, at "/". Its password is Password
	// or, if that is empty, the one that Welcome returned.
	Console  bool
	Password string
	// Proxies are the reverse proxies whose X-Forwarded-For is trusted.
	Proxies throttle.Proxies
	// Pace sets how long the states of a task last.
	Pace Pace
	// Results is the shape of taskInfo and taskResult. Empty means Kie.
	Results Shape
	// Faults holds the rates at which calls fail. Seed determines which calls do.
	Faults Faults
	Seed   int64
	// Expire is how long results can be downloaded. Zero means for ever.
	Expire time.Duration
	// Shrink divides the width and height of videos, and Longest bounds their
	// length, to make tests fast. Zero changes nothing.
	Shrink  int
	Longest time.Duration
}

// Pace sets how long the states of a task last. A zero field means its default.
type Pace struct {
	Start  time.Duration // how long a task is pending, at least; 1 s
	Moment time.Duration // how long a task with #fail or #cancel is processing; 3 s
	Slow   time.Duration // how long a task with #slow is processing before it is rendered; 90 s
	Stall  time.Duration // how long FaultStall keeps the connection open; 45 s
}

// A Sandbox serves the video service. Many goroutines may use it at once.
//
// RoundTrip answers a request within this process, whatever its host, so that a
// client uses the sandbox as it would over the network.
type Sandbox struct {
	*accounts
	*worker
	*transport
	http.Handler // the two endpoints, the files and, if configured, the console

	db       *engine.DB
	sessions *sessions      // nil without a console
	ends     []func() error // for Close: undo what Open has done, last first
}

// Open opens the sandbox in the folder, or creates one there. Tasks that were in
// progress continue when Run is called.
func Open(ctx context.Context, c Config) (*Sandbox, error) {
	s := &Sandbox{}
	err := c.check()
	if err == nil {
		c.fill()
		err = s.open(ctx, c)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), s.Close())
	}
	return s, nil
}

// notOfTheApp returns an error if the folder is the data folder of the app, which a file
// with settings for both may name.
func notOfTheApp(dir string) error {
	has := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	if (has("dailies.db") || has("secret")) && !has("sandbox.db") {
		return fmt.Errorf("%s holds the app's data; choose another folder for the sandbox with -data", dir)
	}
	return nil
}

func (s *Sandbox) open(ctx context.Context, c Config) (err error) {
	if err := errors.Join(notOfTheApp(c.Dir), folder.Make(c.Dir)); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(c.Dir, "lock"))
	if mine, err := lock.TryLock(); err != nil {
		return fmt.Errorf("lock %s: %w", c.Dir, err)
	} else if !mine {
		return fmt.Errorf("%s is in use by another process", c.Dir)
	}
	s.ends = append(s.ends, lock.Unlock)
	files, err := openFiles(filepath.Join(c.Dir, "files"), c.Expire)
	if err != nil {
		return err
	}
	s.ends = append(s.ends, files.close)
	if s.db, err = openDatabase(ctx, filepath.Join(c.Dir, "sandbox.db")); err != nil {
		return err
	}
	s.ends = append(s.ends, s.db.Close)
	if c.Console {
		if s.sessions, err = openSessions(ctx, s.db, c.Password); err != nil {
			return err
		}
	}
	s.accounts = &accounts{s.db}
	s.worker = newWorker(c, s.db, files)
	tasks := &tasks{db: s.db, catalog: c.Catalog, start: c.Pace.Start, added: s.worker.nudge}
	calls := &endpoints{accounts: s.accounts, sessions: s.sessions, tasks: tasks, records: records{c.Base, c.Results}, log: c.Log}
	if s.Handler, err = routes(c, calls, files); err != nil {
		return err
	}
	s.transport = newTransport(s.Handler, c.Log)
	s.ends = append(s.ends, s.transport.close)
	s.worker.pictures = pictures{base: c.Base, own: s.transport, fetch: c.Fetch, log: c.Log}
	return nil
}

// Close aborts the calls of clients in this process, and closes the database and
// the folder. Run must have returned.
func (s *Sandbox) Close() (err error) {
	for _, end := range slices.Backward(s.ends) {
		err = errors.Join(err, end())
	}
	return err
}

func (c *Config) check() error {
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

// fill replaces zero fields by their defaults.
func (c *Config) fill() {
	c.Base = strings.TrimRight(c.Base, "/")
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	c.Results = cmp.Or(c.Results, Kie)
	c.Shrink, c.Longest = max(1, c.Shrink), cmp.Or(c.Longest, time.Hour)
	c.Pace.Start = cmp.Or(c.Pace.Start, time.Second)
	c.Pace.Moment = cmp.Or(c.Pace.Moment, 3*time.Second)
	c.Pace.Slow = cmp.Or(c.Pace.Slow, 90*time.Second)
	c.Pace.Stall = cmp.Or(c.Pace.Stall, 45*time.Second)
	if c.Catalog == nil {
		c.Catalog = videoapi.DefaultCatalog()
	}
}

//go:embed migrations/*.sql
var migrations embed.FS

func openDatabase(ctx context.Context, path string) (*engine.DB, error) {
	// Earlier versions created these files readable by every user of the machine.
	for _, beside := range []string{"", "-wal", "-shm"} {
		_ = os.Chmod(path+beside, 0o600)
	}
	d, err := sqlite.Open(ctx, path, sqlite.Schema{Files: migrations})
	if err != nil {
		return nil, err
	}
	return &engine.DB{Engine: d, Writes: d.Writes, Reads: d.Reads}, nil
}
