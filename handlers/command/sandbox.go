package command

import (
	"cmp"
	"context"
	"fmt"
	"net"

	"dailies/handlers/config"
	"dailies/web"
	"dailies/web/fetch"
	"dailies/web/videoapi"
	"dailies/web/videoapi/sandbox"
)

// sandbox serves only the sandbox until ctx ends, for programs that integrate with
// the service.
func (p program) sandbox(ctx context.Context, c config.Sandbox) error {
	box, err := sandboxConfig(c)
	if err != nil {
		return settings(err)
	}
	box.Log = p.log(c.LogFormat, false)
	return inLog(box.Log, c.LogFormat, unlessStopped(ctx, p.sandboxWith(ctx, c, box)))
}

// sandboxWith serves the sandbox with the settings until ctx ends.
func (p program) sandboxWith(ctx context.Context, c config.Sandbox, box sandbox.Config) (err error) {
	if box.Fetch, err = fetch.NewClient(c.AllowPrivate, fetch.Trust{}); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return err
	}
	defer listener.Close()
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
	if c.LogFormat == config.JSONLog && first != (sandbox.Welcome{}) {
		box.Log.Info("the first API key, with 1000 credits, and the password of the console, shown only now",
			"key", first.Key, "password", first.Password)
		first = sandbox.Welcome{}
	}
	if first.Key != "" {
		fmt.Fprintf(p.stderr, "\n    The first API key, with 1000 credits, shown only now: %s\n\n", first.Key)
	}
	if first.Password != "" {
		fmt.Fprintf(p.stderr, "    The password of the console at %s, shown only now: %s\n\n", box.Base, first.Password)
	}
	return web.Run(ctx, box.Log, []web.Server{{Listener: listener, Handler: service}}, service.Run)
}

// sandboxConfig returns the sandbox's configuration from the settings.
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
