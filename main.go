// Dailies is a web app with which a team makes AI video together: one program,
// one data folder. README.md says how to use it.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"dailies/db"
	"dailies/db/backup"
	"dailies/db/folder"
	"dailies/db/media"
	"dailies/db/store"
	"dailies/handlers"
	"dailies/handlers/config"
	"dailies/handlers/watch"
	"dailies/web"
	"dailies/web/fetch"
	"dailies/web/metrics"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// sandboxBase names the embedded service. No network knows such a host, so
// its addresses never leave the program.
const sandboxBase = "http://sandbox.invalid"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, lastResort)
	source := config.Source{Args: os.Args[1:], Lookup: os.LookupEnv, Help: os.Stderr}
	if len(source.Args) > 0 && source.Args[0] == "sandbox" {
		source.Args = source.Args[1:]
		c, err := config.ParseSandbox(source)
		exitOn(err, 2)
		box, err := sandboxConfig(c)
		exitOn(err, 2)
		exitOn(serveSandbox(ctx, c, box), 1)
		return
	}
	if c, asked, err := config.ParseUpkeep(source); asked {
		exitOn(err, 2)
		exitOn(upkeep(ctx, c), 1)
		return
	}
	if c, asked, err := config.ParsePassword(source); asked {
		exitOn(err, 2)
		exitOn(printReset(ctx, c), 1)
		return
	}
	c, err := config.ParseApp(source)
	exitOn(err, 2)
	catalog, err := videoapi.OpenCatalog(c.Catalog)
	exitOn(err, 2)
	exitOn(serve(ctx, c, catalog), 1)
}

// lastResort ends a program that was asked to stop and cannot, say because a
// disk hangs, before process managers kill it. What it still held is as after a
// power cut.
func lastResort() {
	time.Sleep(9 * time.Second)
	exitOn(errors.New("it could not stop in time"), 1)
}

// exitOn ends the program with one line if there is an error.
func exitOn(err error, status int) {
	switch {
	case errors.Is(err, config.ErrHelp):
		os.Exit(0)
	case err != nil:
		fmt.Fprintln(os.Stderr, "dailies:", err)
		os.Exit(status)
	}
}

// upkeep checks, saves or restores a data folder.
func upkeep(ctx context.Context, c config.Upkeep) error {
	switch c.Command {
	case config.Backup:
		return backup.Write(ctx, c.Data, c.File, os.Stdout)
	case config.Restore:
		return backup.Restore(ctx, c.File, c.Data, os.Stdout)
	}
	return backup.Check(ctx, c.Data, os.Stdout)
}

// printReset prints a link with which the person sets a new password.
func printReset(ctx context.Context, c config.Password) error {
	s, err := openBeside(ctx, c.Data)
	if err != nil {
		return err
	}
	defer s.Close()
	u, err := s.UserByEmail(ctx, c.Email)
	if errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("no account has the e-mail address %s", c.Email)
	}
	if err != nil {
		return err
	}
	reset, token := db.NewReset(u.ID, db.Now())
	if err := s.AddReset(ctx, reset); err != nil {
		return err
	}
	base := c.PublicURL
	if base == "" {
		base = "http://" + reachable(c.Addr)
	}
	fmt.Fprintf(os.Stderr, "With this link %s sets a new password. It works once, until %s.\n", u.Name, reset.ExpiresAt.Local().Format(time.DateTime))
	_, err = fmt.Printf("%s/reset/%s\n", base, token)
	return err
}

// openBeside opens the database whether or not the app is running. Only tables
// of an older version need the folder for this program alone.
func openBeside(ctx context.Context, dir string) (*store.Store, error) {
	if err := folder.Restored(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "dailies.db")
	s, err := store.OpenExisting(ctx, path)
	if !errors.Is(err, store.ErrOtherVersion) {
		return s, err
	}
	data, err := folder.Open(dir)
	if err != nil {
		return nil, err
	}
	defer data.Close()
	return store.Open(ctx, path)
}

// serve runs the app until ctx ends.
func serve(ctx context.Context, c config.App, catalog *videoapi.Catalog) error {
	log := newLog(c.Verbose)
	data, err := folder.OpenToServe(c.Data)
	if err != nil {
		return err
	}
	defer data.Close()
	secret := []byte(c.Secret)
	if c.Secret == "" {
		if secret, err = data.Secret(); err != nil {
			return err
		}
	}
	vault, err := db.NewVault(secret)
	if err != nil {
		return err
	}
	cookies, err := web.NewCookies(secret, strings.HasPrefix(c.PublicURL, "https:"))
	if err != nil {
		return err
	}
	s, err := store.Open(ctx, data.Path("dailies.db"))
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.SealShares(ctx, vault); err != nil {
		log.Error("cannot seal the links of an earlier version; they work, and the next start tries again", "err", err)
	}
	if err := s.SealPictures(ctx, vault); err != nil {
		log.Error("cannot seal the pictures of an earlier version; they work, and the next start tries again", "err", err)
	}
	files, err := media.Open(data.Path("media"))
	if err != nil {
		return err
	}
	reserve := folder.NewReserve(data.Path("reserve"), folder.ReserveSize, func() (int64, error) { return media.Free(c.Data) })
	own := fetch.Trust{Base: handlers.PictureBase(c.PublicURL), Transport: handlers.OwnPictures{Store: s, Media: files}}
	upstream, err := openService(ctx, c, data.Path("sandbox"), own, catalog, log)
	if err != nil {
		return err
	}
	defer upstream.close()

	counts := metrics.New()
	watcher := &watch.Watcher{
		Store: s, Media: files, Service: upstream.client, Catalog: catalog, Vault: vault,
		Fetch: upstream.fetch, Poll: c.Poll, Log: log, Calls: counts.Calls, KeepMax: int64(c.KeepMax),
		Aside: data.Path("answers"), OnFull: reserve.Free,
	}
	watcher.Prepare()
	// Webhooks and linked pictures are people's own: no host is trusted, the
	// service's included.
	strangers, err := fetch.NewClient(c.AllowPrivate, fetch.Trust{})
	if err != nil {
		return err
	}
	notifier := &watch.Notifier{Store: s, Vault: vault, Fetch: strangers, PublicURL: c.PublicURL, Log: log}
	notifier.Prepare()
	bin := &watch.Bin{Store: s, Media: files, Log: log}
	if c.SetupToken == "" {
		c.SetupToken = db.NewToken()
	}
	app := handlers.New(handlers.Config{
		Store: s, Media: files, Service: upstream.client, Catalog: catalog, Vault: vault, Cookies: cookies,
		Sandbox: upstream.console, Log: log, Fetch: strangers, SetupToken: c.SetupToken, PublicURL: c.PublicURL, Dev: c.Dev,
		Proxies: c.TrustedProxy.Proxies(), Space: watcher.Space, Wake: watcher.Wake, Observe: counts.Observe,
		Writable: func(context.Context) error {
			return errors.Join(folder.Writable(c.Data), folder.Writable(data.Path("media")))
		},
	})
	watcher.Settled = app.Settled
	pages, err := app.Handler()
	if err != nil {
		return err
	}
	servers, err := listen(c.Addr, pages, nil)
	if err == nil && c.MetricsAddr != "" {
		servers, err = listen(c.MetricsAddr, counts.Handler(), servers)
	}
	if err != nil {
		return err
	}
	if err := greet(ctx, s, c, servers[0].Listener.Addr(), log); err != nil {
		return err
	}
	return web.Run(ctx, log, servers, watcher.Run, notifier.Run, bin.Run, s.Warm, upstream.run, func(ctx context.Context) error {
		reserve.Run(ctx, func(err error) { log.Warn("cannot set space aside", "err", err) })
		return nil
	})
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
// another transport under the same client. The sandbox reaches the pictures
// that were uploaded here without a network.
func openService(ctx context.Context, c config.App, dir string, own fetch.Trust, catalog *videoapi.Catalog, log *slog.Logger) (service, error) {
	if c.APIURL != "" {
		trust := fetch.Trust{Base: c.APIURL, Transport: fetch.Files()}
		guarded, err := fetch.NewClient(c.AllowPrivate, trust)
		return service{
			client: videoapi.NewClient(c.APIURL, &http.Client{Transport: fetch.Service(watch.Calls())}), fetch: guarded,
			run:   func(context.Context) error { return nil },
			close: func() error { return nil },
		}, err
	}
	pictures, err := fetch.NewClient(c.AllowPrivate, own)
	if err != nil {
		return service{}, err
	}
	box, err := sandbox.Open(ctx, sandbox.Config{Dir: dir, Base: sandboxBase, Fetch: pictures, Catalog: catalog, Log: log})
	if err != nil {
		return service{}, err
	}
	guarded, err := fetch.NewClient(c.AllowPrivate, fetch.Trust{Base: sandboxBase, Transport: box})
	return service{
		client: videoapi.NewClient(sandboxBase, &http.Client{Transport: box}), fetch: guarded,
		console: box, run: box.Run, close: box.Close,
	}, err
}

// serveSandbox runs the sandbox alone, for programs that integrate the service.
func serveSandbox(ctx context.Context, c config.Sandbox, box sandbox.Config) error {
	var err error
	if box.Fetch, err = fetch.NewClient(c.AllowPrivate, fetch.Trust{}); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
	box.Log = newLog(false)
	box.Base = cmp.Or(c.PublicURL, "http://"+reachable(listener.Addr().String()))
	service, err := sandbox.Open(ctx, box)
	if err != nil {
		return err
	}
	defer service.Close()
	box.Log.Info("the sandbox is ready", "address", box.Base, "data", c.Data)
	first, err := service.Welcome(ctx)
	if err != nil {
		return err
	}
	if first.Key != "" {
		fmt.Fprintf(os.Stderr, "\n    The first API key, with 1000 credits, shown only now: %s\n\n", first.Key)
	}
	if first.Password != "" {
		fmt.Fprintf(os.Stderr, "    The password of the console at %s, shown only now: %s\n\n", box.Base, first.Password)
	}
	return web.Run(ctx, box.Log, []web.Server{{Listener: listener, Handler: service}}, service.Run)
}

// sandboxConfig is what the settings say about the sandbox itself.
func sandboxConfig(c config.Sandbox) (sandbox.Config, error) {
	catalog, err := videoapi.OpenCatalog(c.Catalog)
	if err != nil {
		return sandbox.Config{}, err
	}
	faults, err := sandbox.ParseFaults(c.Fault)
	if err != nil {
		return sandbox.Config{}, fmt.Errorf("-fault: %w", err)
	}
	shape, err := sandbox.ParseShape(c.Results)
	if err != nil {
		return sandbox.Config{}, fmt.Errorf("-results: %w", err)
	}
	return sandbox.Config{
		Dir: c.Data, Console: true, Password: c.Password, Proxies: c.TrustedProxy.Proxies(), Catalog: catalog,
		Results: shape, Faults: faults, Seed: c.Seed, Expire: c.Expire,
	}, nil
}

func newLog(verbose bool) *slog.Logger {
	level := slog.LevelInfo
	if verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level}))
}

func listen(addr string, h http.Handler, more []web.Server) ([]web.Server, error) {
	l, err := net.Listen("tcp", addr)
	return append(more, web.Server{Listener: l, Handler: h}), err
}

// greet says where the app is, and prints the one link that opens it while
// nobody has an account.
func greet(ctx context.Context, s *store.Store, c config.App, addr net.Addr, log *slog.Logger) error {
	base, upstream := c.PublicURL, c.APIURL
	if base == "" {
		base = "http://" + reachable(addr.String())
	}
	if upstream == "" {
		upstream = "the built-in sandbox; no model is involved"
	}
	log.Info("Dailies is ready", "address", base, "data", c.Data, "service", upstream)
	has, err := s.HasUsers(ctx)
	if err == nil && !has {
		fmt.Fprintf(os.Stderr, "\n    Welcome. Open this link to begin:\n    %s/setup?token=%s\n\n", base, url.QueryEscape(c.SetupToken))
	}
	return err
}

// reachable is an address that a browser on this machine can open.
func reachable(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && (host == "" || ip != nil && ip.IsUnspecified()) {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return addr
}
