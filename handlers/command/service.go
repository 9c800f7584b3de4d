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

// sandboxBase is the base URL of the embedded service. No such host exists, so its
// URLs never leave the program.
const sandboxBase = "http://sandbox.invalid"

// A service is the app's connection to the video service.
type service struct {
	client  *videoapi.Client
	fetch   *http.Client                // refuses private addresses; downloads the service's results
	console site.Sandbox                // nil with a real service
	run     func(context.Context) error // renders videos if the service is the sandbox
	close   func() error
}

// openService connects to the video service. It alone knows whether that is the
// sandbox, which is another transport under the same client. The sandbox has its data
// in dir, and reads pictures uploaded here through own, without the network.
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
