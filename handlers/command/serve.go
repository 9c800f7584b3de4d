package command

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"

	"dailies/db/folder"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/handlers"
	"dailies/handlers/config"
	"dailies/handlers/site"
	"dailies/handlers/watch"
	"dailies/web"
	"dailies/web/metrics"
	"dailies/web/smtp"
	"dailies/web/videoapi"
)

// serve runs the app until ctx ends.
func (p program) serve(ctx context.Context) error {
	var notes []string
	p.Note = func(sentence string) { notes = append(notes, sentence) }
	c, err := config.ParseApp(p.Source)
	if err != nil {
		return settings(err)
	}
	catalog, err := videoapi.OpenCatalog(c.Catalog)
	if err != nil {
		return settings(err)
	}
	log := p.log(c.LogFormat, c.Verbose)
	for _, sentence := range notes {
		log.Warn(sentence)
	}
	return inLog(log, c.LogFormat, unlessStopped(ctx, p.serveWith(ctx, c, catalog, log)))
}

// serveWith runs the app with the settings until ctx ends.
func (p program) serveWith(ctx context.Context, c config.App, catalog *videoapi.Catalog, log *slog.Logger) error {
	r, err := open(ctx, c, catalog, log)
	if err != nil {
		return err
	}
	defer r.close()
	if c.SetupToken, err = r.setupToken(ctx, c); err != nil {
		return err
	}
	a, err := wire(r, c, log, ctx.Done())
	if err != nil {
		return err
	}
	servers, err := a.listen(c)
	if err != nil {
		return err
	}
	link, err := p.greet(ctx, r, c, servers[0].Listener.Addr(), log)
	if err != nil {
		return err
	}
	if link != "" && c.Open && p.isAttended() {
		defer openSetup(r.folder, link, p.open, log)()
	}
	return web.Run(ctx, log, servers, a.workers...)
}

// unlessStopped returns the error, or nil if ctx has ended: whoever stops the program while
// it starts finds no failure.
func unlessStopped(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// An app holds the HTTP handlers and the background workers.
type app struct {
	pages   http.Handler
	metrics http.Handler
	workers []func(context.Context) error
}

// wire builds the app from the opened resources.
func wire(r *resources, c config.App, log *slog.Logger, stopping <-chan struct{}) (app, error) {
	counts := metrics.New()
	counts.Watch(metrics.Database{Engine: engineOf(c), Pools: r.store.Pools, Work: func(ctx context.Context) (schedule.Work, error) {
		return r.store.Work(ctx, r.store.Now())
	}, Free: r.media.Free})
	if c.Dev && storybookPage() == nil {
		log.Warn("-dev shows nothing, because this program is built without the storybook: go run -tags storybook . -dev")
	}
	watcher := watch.New(watch.Config{
		Store: r.store, Media: r.media, Services: r.registry, Catalog: r.catalog, Vault: r.vault,
		Fetch: r.files, Poll: c.Poll, Queries: c.Queries, Log: log, Called: counts.Called, KeepMax: int64(c.KeepMax),
		Aside: r.folder.Path("answers"), OnFull: r.reserve.Free,
	})
	notifier := watch.NewNotifier(r.store, r.vault, r.strangers, c.PublicURL, log)
	post := func(context.Context) error { return nil }
	if c.Mail.Address.IsSet() {
		client := &smtp.Client{Address: c.Mail.Address, Password: c.Mail.Password}
		post = watch.NewMailer(r.store, r.vault, client, links(c.PublicURL, c.Addr), log).Run
	}
	bin := watch.NewBin(r.store, r.media, log)
	site := handlers.New(handlers.Config{
		Config: site.Config{
			Store: r.store, Media: r.media, Copies: r.copies, Catalog: r.catalog, Vault: r.vault, Cookies: r.cookies, Registry: r.registry,
			Log: log, PublicURL: c.PublicURL, Dev: c.Dev, Proxies: c.TrustedProxy.Proxies(), Space: watcher.Space, Wake: watcher.Wake,
			SessionMax: c.OIDC.SessionMax, Refused: counts.Refused, Mail: c.Mail.Address.IsSet(),
			MailFrom: c.Mail.Address.String(), Hashes: fitMemory(log),
		},
		Storybook: storybookPage(), Stopping: stopping, Fetch: r.strangers, SetupToken: c.SetupToken,
		Provider: r.provider, Observe: counts.Observe,
		Writable: func(ctx context.Context) error {
			return errors.Join(folder.Writable(c.Data), r.media.Ready(ctx))
		},
	})
	watcher.Settled = site.Settled
	pages, err := site.Handler()
	return app{
		pages: pages, metrics: counts.Handler(),
		workers: []func(context.Context) error{
			r.store.Stay, listen(r.store, watcher.Wake, site.Answered, log), watcher.Run, notifier.Run, post,
			watch.KeepMailServer(r.store, c.Mail.Address.IsSet(), log), bin.Run,
			watch.NewRecheck(r.store, r.vault, r.provider, log).Run, watch.NewZone(r.store, log).Run,
			watch.NewThumbs(r.store, r.media, log).Run, watch.NewFilms(r.store, r.media, log).Run, r.registry.Run, giveBack,
			func(ctx context.Context) error {
				r.reserve.Run(ctx, func(err error) { log.Warn("cannot set space aside", "err", err) })
				return nil
			},
		},
	}, err
}

// links returns the prefix of links in mails and in what commands print. It does not use
// a request's Host header, which anybody can forge.
func links(publicURL, addr string) string {
	if publicURL != "" {
		return publicURL
	}
	return "http://" + reachable(addr)
}

// engineOf returns the name of the database's engine.
func engineOf(c config.App) string {
	if c.Database == "" {
		return "sqlite"
	}
	return "postgres"
}

// listen returns a worker that listens for the database notifications of other
// processes.
func listen(s *store.Store, wake func(), answered func(context.Context, int64), log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		return s.Listen(ctx, store.Listener{Queued: wake, Answered: answered, Deaf: func(err error) {
			log.Info("what other processes do is not heard at once; it is looked for each second", "why", err)
		}})
	}
}

// listen opens the addresses to serve on, the app's first.
func (a app) listen(c config.App) ([]web.Server, error) {
	l, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, err
	}
	servers := []web.Server{{Listener: l, Handler: a.pages}}
	if c.MetricsAddr == "" {
		return servers, nil
	}
	if l, err = net.Listen("tcp", c.MetricsAddr); err != nil {
		return nil, errors.Join(err, servers[0].Listener.Close())
	}
	return append(servers, web.Server{Listener: l, Handler: a.metrics}), nil
}

// setupToken returns the token that opens the setup page: the one in the settings, or
// else a new one. With a database on a server, where several processes may answer,
// they all use the same token. It is derived from a random number in the database, so
// that an old log cannot open a new database, and from the secret, so that the
// database alone does not reveal it.
func (r *resources) setupToken(ctx context.Context, c config.App) (string, error) {
	if c.SetupToken != "" {
		return c.SetupToken, nil
	}
	token := secrets.NewToken()
	if c.Database == "" {
		return token, nil
	}
	const name = "setup link"
	number, err := r.store.Settings.KeepSetting(ctx, name, token)
	if err != nil {
		return "", err
	}
	return base32.StdEncoding.EncodeToString(r.vault.Fingerprint(name + " " + number))[:len(token)], nil
}

// greet logs the app's address. While no account exists, it prints the setup link and
// returns it.
func (p program) greet(ctx context.Context, r *resources, c config.App, addr net.Addr, log *slog.Logger) (link string, err error) {
	base, upstream := c.PublicURL, r.registry.Current().Address
	if base == "" {
		base = "http://" + reachable(addr.String())
	}
	if r.registry.IsPractice() {
		upstream = "practice mode; no model is involved"
	}
	at := []any{"address", base}
	if c.PublicURL != "" {
		at = append(at, "listens", reachable(addr.String()))
	}
	log.Info("Dailies is ready", append(at, "data", c.Data, "service", upstream)...)
	has, err := r.store.Accounts.HasUsers(ctx)
	if err != nil || has {
		return "", err
	}
	link = base + "/setup?token=" + url.QueryEscape(c.SetupToken)
	if c.LogFormat == config.JSONLog {
		log.Info("open this link to create the first account", "link", link)
	} else {
		fmt.Fprintf(p.stderr, "\n    Welcome. Open this link to begin:\n    %s\n\n", link)
	}
	return link, nil
}
