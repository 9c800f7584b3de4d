package command

import (
	"context"
	"log/slog"
	"net/http"

	"dailies/handlers/config"
	"dailies/handlers/site"
	"dailies/handlers/watch"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// sandboxBase names the embedded service. No network knows such a host, so
// its addresses never leave the program.
const sandboxBase = "http://sandbox.invalid"

// A service is the video service as the app reaches it.
type service struct {
	client  *videoapi.Client
	fetch   *http.Client                // guarded; reaches the service's results
	console site.Sandbox                // nil with a real service
	run     func(context.Context) error // renders, where it is the sandbox
	close   func() error
}

// openService alone knows whether the service is the sandbox:
// another transport under the same client. The sandbox, whose folder is dir,
// reaches the pictures that were uploaded here without a network, as own says.
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
