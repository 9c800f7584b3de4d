package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/folder"
	"dailies/db/media"
	"dailies/db/media/bucket"
	"dailies/db/secrets"
	"dailies/db/store"
	"dailies/handlers/config"
	"dailies/handlers/picture"
	"dailies/handlers/service"
	"dailies/handlers/watch"
	"dailies/web"
	"dailies/web/fetch"
	"dailies/web/openid"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// resources holds everything that the app reads, writes and calls.
type resources struct {
	folder   *folder.Folder
	vault    *secrets.Vault
	cookies  *web.Cookies
	store    *store.Store
	media    *media.Store
	copies   *media.Copies // of pictures on other sites
	reserve  *folder.Reserve
	catalog  *videoapi.Catalog
	registry *service.Registry
	files    *http.Client // downloads the results of the service
	alone    bool         // no other process may work on the database
	// strangers sends requests to users' webhooks and linked pictures. It trusts no
	// host, not even the service's.
	strangers *http.Client
	provider  *openid.Provider // nil if there is none

	closers []func() error // in the order of opening
}

// open opens what the app needs. On an error nothing stays open.
func open(ctx context.Context, c config.App, catalog *videoapi.Catalog, log *slog.Logger) (*resources, error) {
	r := &resources{catalog: catalog}
	for _, step := range []func() error{
		func() error { return r.openFolder(c) },
		func() error { return r.openStore(ctx, c, log) },
		func() error { return r.openMedia(ctx, c.Media, log) },
		func() error { return r.openService(ctx, c, log) },
	} {
		if err := step(); err != nil {
			r.close()
			return nil, err
		}
	}
	return r, nil
}

// close closes everything in the reverse order of opening.
func (r *resources) close() {
	for _, c := range slices.Backward(r.closers) {
		_ = c()
	}
}

// openFolder locks the data folder for this process.
func (r *resources) openFolder(c config.App) (err error) {
	if r.folder, err = folder.OpenToServe(c.Data); err != nil {
		return err
	}
	r.closers = append(r.closers, r.folder.Close)
	return nil
}

// patience is how long a start may take before the log says what it is waiting for.
const patience = 2 * time.Second

// openStore opens the database.
func (r *resources) openStore(ctx context.Context, c config.App, log *slog.Logger) (err error) {
	if r.store, err = store.Open(ctx, cmp.Or(string(c.Database), r.folder.Path("dailies.db"))); err != nil {
		return err
	}
	r.closers = append(r.closers, r.store.Close)
	chosen, err := r.store.Services.Chosen(ctx)
	if err != nil {
		return err
	}
	// Other processes cannot reach files in the data folder, so in these cases this
	// must be the only process.
	r.alone = c.Media.Bucket.Bucket == "" || c.APIURL == "" && chosen == ""
	forgets, err := r.forgets(ctx, c)
	if err != nil {
		return err
	}
	waits := time.AfterFunc(patience, func() {
		log.Info("another Dailies works on this database and one of the two has to be alone; this one waits for it to end")
	})
	err = r.enter(ctx, c, r.alone || forgets, log)
	waits.Stop()
	if err != nil {
		return fmt.Errorf("-database: %w", err)
	}
	if err := r.unseal(ctx, c, log); err != nil {
		return err
	}
	if to, err := r.store.Settings.Setting(ctx, store.MovingSetting); err == nil && to != "" {
		return fmt.Errorf(
			"the database is being moved, or was, %s; finish with the same command, or go on here after: dailies move -abort",
			to,
		)
	} else if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := r.store.Links.SealShares(ctx, r.vault); err != nil {
		log.Error("cannot seal the links of an earlier version; they work, and the next start tries again", "err", err)
	}
	if err := r.store.Pictures.SealPictures(ctx, r.vault); err != nil {
		log.Error("cannot seal the pictures of an earlier version; they work, and the next start tries again", "err", err)
	}
	r.reserve = folder.NewReserve(r.folder.Path("reserve"), folder.ReserveSize, func() (int64, error) { return media.Free(c.Data) })
	if c.Database == "" {
		r.store.OnFull(r.reserve.FreePart)
	}
	return nil
}

// enter registers this process as working on the database. Beside a database on a server,
// it tells in which data folder, so that what an earlier process in it has left
// unfinished need not wait.
func (r *resources) enter(ctx context.Context, c config.App, alone bool, log *slog.Logger) error {
	if c.Database == "" {
		return r.store.Enter(ctx, alone)
	}
	id, lock, err := r.folder.Home()
	if err != nil { // the disk may be full
		log.Warn(
			"the data folder cannot be identified; what an earlier process in it was sending is settled some minutes later",
			"err", err,
		)
	}
	return r.store.EnterFrom(ctx, alone, store.Home{Folder: id, Lock: lock})
}

// openService creates the clients with which the app reaches other servers.
func (r *resources) openService(ctx context.Context, c config.App, log *slog.Logger) (err error) {
	own := fetch.Trust{Base: picture.PictureBase(c.PublicURL), Transport: picture.OwnPictures{Pictures: r.store.Pictures, Media: r.media}}
	if r.registry, err = openRegistry(ctx, c, r.store, r.alone, own, r.catalog, log); err != nil {
		return err
	}
	r.closers = append(r.closers, r.registry.Close)
	if r.files, err = r.registry.Files(); err != nil {
		return err
	}
	if r.strangers, err = fetch.NewClient(c.AllowPrivate); err != nil || c.OIDC.Issuer == "" {
		return err
	}
	r.provider, err = newProvider(c)
	return err
}

// newProvider returns the OpenID Connect provider of the settings.
func newProvider(c config.App) (*openid.Provider, error) {
	client, err := fetch.NewClient(c.AllowPrivate, fetch.Trust{Base: c.OIDC.Issuer, Transport: fetch.Files()})
	if err != nil {
		return nil, err
	}
	return openid.New(openid.Config{Issuer: c.OIDC.Issuer, ClientID: c.OIDC.ClientID, Secret: c.OIDC.Secret, Client: client}), nil
}

// openBucket opens the bucket for media. It returns nil if the settings name none.
func openBucket(ctx context.Context, c config.Media, log *slog.Logger) (media.Backend, error) {
	if c.Bucket == (bucket.Address{}) {
		return nil, nil
	}
	b, err := bucket.Open(ctx, c.Bucket, c.AccessKey, c.SecretKey, log)
	if err == nil {
		return b, nil
	}
	err = fmt.Errorf("-media %w", err)
	if bucket.IsSetting(err) {
		err = settings(err)
	}
	return nil, err
}

// openMedia opens the media store: the folder "media", or the bucket with the folder
// "cache" as its cache. The cache also holds copies of linked pictures.
func (r *resources) openMedia(ctx context.Context, c config.Media, log *slog.Logger) error {
	b, err := openBucket(ctx, c, log)
	switch {
	case err != nil:
	case b == nil:
		r.media, err = media.Open(r.folder.Path("media"))
	default:
		if r.media, err = media.New(b, r.folder.Path("cache")); err == nil && r.store.IsShared() {
			r.media.IsRemoving = r.store.Files.IsRemoving
		}
	}
	if err == nil {
		r.copies, err = media.OpenCopies(r.folder.Path("cache/linked"), media.CopiesBytes)
	}
	return err
}

// openRegistry opens the registry of video services. Only the process that is alone on
// the database can offer practice mode: the embedded service has its data in the data folder,
// and reads pictures uploaded here through own, without the network.
func openRegistry(ctx context.Context, c config.App, s *store.Store, alone bool, own fetch.Trust,
	catalog *videoapi.Catalog, log *slog.Logger) (*service.Registry, error) {
	if _, err := s.Services.Start(ctx, c.APIURL, service.PracticeBase, db.Now()); err != nil {
		return nil, err
	}
	desk := service.Config{Services: s.Services, Fixed: c.APIURL, AllowPrivate: c.AllowPrivate, Calls: watch.Calls(), Log: log}
	if alone {
		desk.Open = func(ctx context.Context) (service.Practice, error) {
			return openPractice(ctx, c, own, catalog, log)
		}
	}
	return service.New(ctx, desk)
}

// openPractice opens the embedded service, which is another transport under the same client.
func openPractice(ctx context.Context, c config.App, own fetch.Trust, catalog *videoapi.Catalog,
	log *slog.Logger) (service.Practice, error) {
	pictures, err := fetch.NewClient(c.AllowPrivate, own)
	if err != nil {
		return service.Practice{}, err
	}
	box, err := sandbox.Open(ctx, sandbox.Config{
		Dir: filepath.Join(c.Data, "sandbox"), Base: service.PracticeBase, Fetch: pictures, Catalog: catalog, Log: log,
	})
	if err != nil {
		return service.Practice{}, err
	}
	return service.Practice{Console: box, Transport: box, Run: box.Run, Close: box.Close}, nil
}
