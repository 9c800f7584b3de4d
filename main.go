// Dailies is a web app with which a team makes AI video together: one program,
// one data folder. README.md says how to use it.
package main

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/errgroup"

	"dailies/db"
	"dailies/db/media"
	"dailies/db/sqlite"
	"dailies/handlers"
	"dailies/handlers/watch"
	"dailies/web"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// sandboxBase names the embedded service. No network knows such a host, so
// its addresses never leave the program.
const sandboxBase = "http://sandbox.invalid"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	args := os.Args[1:]
	start := serve
	if len(args) > 0 && args[0] == "sandbox" {
		args, start = args[1:], serveSandbox
	}
	err := start(ctx, args)
	var usage usageError
	switch {
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, &usage):
		fmt.Fprintln(os.Stderr, "dailies:", err)
		os.Exit(2)
	case err != nil:
		fmt.Fprintln(os.Stderr, "dailies:", err)
		os.Exit(1)
	}
}

// A usageError is a setting that cannot be used: one clear line, exit status 2.
type usageError struct{ error }

// config is every setting of the app.
type config struct {
	addr, dataDir, apiURL, publicURL, setupToken, secret, catalog, metricsAddr string
	poll                                                                       time.Duration
	allowPrivate, verbose                                                      bool
}

// parse reads flags, and the environment for what no flag says.
func parse(args []string) (config, error) {
	var c config
	f := flag.NewFlagSet("dailies", flag.ContinueOnError)
	f.StringVar(&c.addr, "addr", "127.0.0.1:8080", "address to serve on")
	f.StringVar(&c.dataDir, "data", "./data", "folder for everything that is kept")
	f.StringVar(&c.apiURL, "api-url", "", "base `address` of the video service; empty means the built-in sandbox")
	f.StringVar(&c.publicURL, "public-url", "", "`address` at which others reach this app, such as https://video.example.com")
	f.StringVar(&c.setupToken, "setup-token", "", "`token` that opens the first page; empty means a new one at each start")
	f.StringVar(&c.secret, "secret", "", "`secret` that seals keys and cookies; empty means a file in the data folder")
	f.DurationVar(&c.poll, "poll", 3*time.Second, "shortest `pause` between two questions about one video")
	f.BoolVar(&c.allowPrivate, "allow-private", false, "let the server fetch pictures and videos from private and loopback addresses")
	f.StringVar(&c.metricsAddr, "metrics-addr", "", "`address` to serve Prometheus metrics on; empty means off")
	f.StringVar(&c.catalog, "catalog", "", "`file` with the models that can be chosen, instead of the built-in one")
	f.BoolVar(&c.verbose, "verbose", false, "log every request")
	if err := parseFlags(f, args); err != nil {
		return c, err
	}
	c.publicURL = strings.TrimRight(c.publicURL, "/")
	return c, c.check()
}

// parseFlags parses f, and takes DAILIES_NAME from the environment for every
// flag -name that was not given.
func parseFlags(f *flag.FlagSet, args []string) error {
	f.SetOutput(io.Discard)
	err := f.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		f.SetOutput(os.Stderr)
		fmt.Fprintf(os.Stderr, "Usage: %s [settings]\n       dailies sandbox [settings]\n\nEach setting can also be given in the environment: -public-url as DAILIES_PUBLIC_URL.\n\n", f.Name())
		f.PrintDefaults()
		return err
	}
	if err != nil {
		return usageError{err}
	}
	if f.NArg() > 0 {
		return usageError{fmt.Errorf("%q is not a setting; -h lists them", f.Arg(0))}
	}
	given := map[string]bool{}
	f.Visit(func(s *flag.Flag) { given[s.Name] = true })
	f.VisitAll(func(s *flag.Flag) {
		name := "DAILIES_" + strings.ToUpper(strings.ReplaceAll(s.Name, "-", "_"))
		if value, ok := os.LookupEnv(name); ok && !given[s.Name] && err == nil {
			if setErr := f.Set(s.Name, value); setErr != nil {
				err = usageError{fmt.Errorf("invalid value %q for %s", value, name)}
			}
		}
	})
	return err
}

func (c config) check() error {
	if c.poll < 10*time.Millisecond {
		return usageError{fmt.Errorf("-poll %s is too short; use at least 10ms", c.poll)}
	}
	if c.dataDir == "" {
		return usageError{errors.New("-data names no folder")}
	}
	for name, addr := range map[string]string{"-addr": c.addr, "-metrics-addr": c.metricsAddr} {
		_, port, err := net.SplitHostPort(addr)
		if n, portErr := strconv.Atoi(port); addr != "" && (err != nil || portErr != nil || n < 0 || n > 65535) || name == "-addr" && addr == "" {
			return usageError{fmt.Errorf("%s %q is not an address such as 127.0.0.1:8080", name, addr)}
		}
	}
	for name, address := range map[string]string{"-api-url": c.apiURL, "-public-url": c.publicURL} {
		u, err := url.Parse(address)
		if address != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
			return usageError{fmt.Errorf("%s is not a web address such as https://video.example.com", name)}
		}
	}
	return nil
}

// serve runs the app until ctx ends.
func serve(ctx context.Context, args []string) error {
	c, err := parse(args)
	if err != nil {
		return err
	}
	level := slog.LevelInfo
	if c.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
	catalog := videoapi.DefaultCatalog()
	if c.catalog != "" {
		if catalog, err = videoapi.LoadCatalog(c.catalog); err != nil {
			return usageError{err}
		}
	}
	unlock, err := openFolder(c.dataDir)
	if err != nil {
		return err
	}
	defer unlock()
	secret, err := readSecret(c)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, filepath.Join(c.dataDir, "dailies.db"))
	if err != nil {
		return err
	}
	defer store.Close()
	files, err := media.Open(filepath.Join(c.dataDir, "media"))
	if err != nil {
		return err
	}
	vault, err := db.NewVault(secret)
	if err != nil {
		return err
	}
	cookies, err := web.NewCookies(secret, strings.HasPrefix(c.publicURL, "https:"))
	if err != nil {
		return err
	}
	upstream, err := openService(ctx, c, catalog, log)
	if err != nil {
		return err
	}
	defer upstream.close()
	listener, err := net.Listen("tcp", c.addr)
	if err != nil {
		return err
	}
	metrics := newMetrics()
	watcher := &watch.Watcher{
		Store: store, Media: files, Service: upstream.client, Catalog: catalog, Vault: vault,
		Fetch: upstream.fetch, Poll: c.poll, Log: log, Calls: metrics.calls,
	}
	watcher.Prepare()
	if c.setupToken == "" {
		c.setupToken = db.NewToken()
	}
	app := handlers.New(handlers.Config{
		Store: store, Media: files, Service: upstream.client, Catalog: catalog, Vault: vault, Cookies: cookies,
		Sandbox: upstream.console, Log: log, SetupToken: c.setupToken, PublicURL: c.publicURL,
		Wake: watcher.Wake, Observe: metrics.observe,
	})
	handler, err := app.Handler()
	if err != nil {
		return err
	}
	if err := greet(ctx, store, c, listener.Addr(), log); err != nil {
		return err
	}
	return runAll(ctx, log, newServer(handler), listener, c.metricsAddr, metrics, watcher.Run, upstream.run)
}

// service is the video service as the app reaches it.
type service struct {
	client  *videoapi.Client
	fetch   *http.Client                // guarded; reaches the service's results
	console handlers.Sandbox            // nil with a real service
	run     func(context.Context) error // renders, where it is the sandbox
	close   func() error
}

// openService is the one place that knows whether the service is the sandbox:
// another transport under the same client.
func openService(ctx context.Context, c config, catalog *videoapi.Catalog, log *slog.Logger) (service, error) {
	if c.apiURL != "" {
		transport := http.DefaultTransport
		guarded, err := fetch.NewClient(c.allowPrivate, fetch.Trust{Base: c.apiURL, Transport: transport})
		return service{
			client: videoapi.NewClient(c.apiURL, &http.Client{Transport: transport}), fetch: guarded,
			run:   func(ctx context.Context) error { <-ctx.Done(); return nil },
			close: func() error { return nil },
		}, err
	}
	pictures, err := fetch.NewClient(c.allowPrivate, fetch.Trust{})
	if err != nil {
		return service{}, err
	}
	box, err := sandbox.Open(ctx, sandbox.Config{
		Dir: filepath.Join(c.dataDir, "sandbox"), Base: sandboxBase, Fetch: pictures, Catalog: catalog, Log: log,
	})
	if err != nil {
		return service{}, err
	}
	guarded, err := fetch.NewClient(c.allowPrivate, fetch.Trust{Base: sandboxBase, Transport: box})
	return service{
		client: videoapi.NewClient(sandboxBase, &http.Client{Transport: box}), fetch: guarded,
		console: box, run: box.Run, close: box.Close,
	}, err
}

// runAll serves until ctx ends, then stops in order: the listener, so that
// nothing new comes in; the workers, so that nothing is left half-done.
func runAll(ctx context.Context, log *slog.Logger, server *http.Server, l net.Listener, metricsAddr string, m *metrics, workers ...func(context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	for _, w := range workers {
		all.Go(func() error { return w(work) })
	}
	all.Go(func() error { return ignoreClosed(server.Serve(l)) })
	extra := &http.Server{Addr: metricsAddr, Handler: m.handler(), ReadHeaderTimeout: 10 * time.Second}
	if metricsAddr != "" {
		all.Go(func() error { return ignoreClosed(extra.ListenAndServe()) })
	}
	all.Go(func() error {
		<-ctx.Done()
		log.Info("stopping")
		defer stopWork()
		patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err := errors.Join(server.Shutdown(patience), extra.Close())
		if errors.Is(err, context.DeadlineExceeded) {
			return server.Close() // somebody watches a video; the browser asks again later
		}
		return err
	})
	return all.Wait()
}

func ignoreClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

func newServer(h http.Handler) *http.Server {
	return &http.Server{
		Handler: h, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 256 << 10,
	}
}

// greet says where the app is, and prints the one link that opens it while
// nobody has an account.
func greet(ctx context.Context, store *sqlite.Store, c config, addr net.Addr, log *slog.Logger) error {
	base := c.publicURL
	if base == "" {
		base = "http://" + reachable(addr.String())
	}
	what := "the built-in sandbox; no model is involved"
	if c.apiURL != "" {
		what = c.apiURL
	}
	log.Info("Dailies is ready", "address", base, "data", c.dataDir, "service", what)
	has, err := store.HasUsers(ctx)
	if err == nil && !has {
		fmt.Fprintf(os.Stderr, "\n    Welcome. Open this link to begin:\n    %s/setup?token=%s\n\n", base, url.QueryEscape(c.setupToken))
	}
	return err
}

// reachable is the address that a browser on this machine can open.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}

// openFolder makes the data folder and locks it, so that two programs never
// work on one.
func openFolder(dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	lock := flock.New(filepath.Join(dir, "lock"))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	if !locked {
		return nil, fmt.Errorf("the data folder %s is in use by another Dailies", dir)
	}
	return func() { _ = lock.Unlock() }, nil
}

// readSecret is the secret that was given, or the one in the data folder,
// which is made at the first start.
func readSecret(c config) ([]byte, error) {
	if c.secret != "" {
		return []byte(c.secret), nil
	}
	path := filepath.Join(c.dataDir, "secret")
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		secret = []byte(rand.Text() + rand.Text() + "\n")
		err = os.WriteFile(path, secret, 0o600)
	}
	if err == nil && len(secret) < 16 {
		err = fmt.Errorf("%s is cut short; restore it from a backup", path)
	}
	if err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	return secret, nil
}

// metrics is what Prometheus may read.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	calls    *prometheus.CounterVec
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "dailies_request_seconds", Help: "Time to answer a request, by route and status.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5},
		}, []string{"route", "status"}),
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "dailies_service_calls_total", Help: "Calls to the video service, by call and outcome.",
		}, []string{"call", "outcome"}),
	}
	m.registry.MustRegister(m.requests, m.calls, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Observe(took.Seconds())
}

func (m *metrics) handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	return mux
}

// serveSandbox serves the sandbox alone, for programs that integrate the
// service.
func serveSandbox(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("dailies sandbox", flag.ContinueOnError)
	addr := f.String("addr", "127.0.0.1:9090", "address to serve on")
	dir := f.String("data", "./sandbox-data", "folder for everything that is kept")
	allowPrivate := f.Bool("allow-private", false, "let the sandbox fetch pictures from private and loopback addresses")
	if err := parseFlags(f, args); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	unlock, err := openFolder(*dir)
	if err != nil {
		return err
	}
	defer unlock()
	pictures, err := fetch.NewClient(*allowPrivate, fetch.Trust{})
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", *addr)
	if err != nil {
		return err
	}
	base := "http://" + reachable(listener.Addr().String())
	box, err := sandbox.Open(ctx, sandbox.Config{Dir: *dir, Base: base, Fetch: pictures, Catalog: videoapi.DefaultCatalog(), Log: log})
	if err != nil {
		return err
	}
	defer box.Close()
	log.Info("the sandbox is ready", "address", base, "data", *dir)
	if has, err := box.HasKeys(ctx); err != nil {
		return err
	} else if !has {
		key, err := box.NewKey(ctx, "first", 1000)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "\n    A first API key with 1000 credits, shown only now: %s\n\n", key)
	}
	return runAll(ctx, log, newServer(box), listener, "", newMetrics(), box.Run)
}
