package command

import (
	"context"
	"log/slog"
	"path/filepath"

	"dailies/db"
	"dailies/db/store"
	"dailies/handlers/config"
	"dailies/handlers/service"
	"dailies/handlers/watch"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// openDesk opens the desk, which knows the video service. Only the process that is alone on
// the database can offer practice mode: the embedded service has its data in the data folder,
// and reads pictures uploaded here through own, without the network.
func openDesk(ctx context.Context, c config.App, s *store.Store, alone bool, own fetch.Trust, catalog *videoapi.Catalog, log *slog.Logger) (*service.Desk, error) {
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
func openPractice(ctx context.Context, c config.App, own fetch.Trust, catalog *videoapi.Catalog, log *slog.Logger) (service.Practice, error) {
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
