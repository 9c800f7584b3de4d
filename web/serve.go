package web

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
)

// Run takes at most requestTimeout plus workerTimeout to stop, so that the program can
// close its store well within the ten seconds after which process managers kill it.
const (
	requestTimeout = 3 * time.Second         // for open requests
	workerTimeout  = 4500 * time.Millisecond // for the workers, after the requests
)

// A Server is a listener with the handler of its requests.
type Server struct {
	Listener net.Listener
	Handler  http.Handler
}

// Run runs the servers and the workers until the context asked is done or one of them
// fails. It stops the servers first, so that no new requests arrive, and then the
// workers, so that they can finish what those requests began. It does not wait for a
// worker that fails to end in time.
func Run(asked context.Context, log *slog.Logger, servers []Server, workers ...func(context.Context) error) error {
	all, ctx := errgroup.WithContext(asked)
	late := make(chan struct{})
	work, stopWork := context.WithCancel(context.WithoutCancel(ctx))
	for _, w := range workers {
		all.Go(func() error { return w(work) })
	}
	var running []*http.Server
	for _, s := range servers {
		server := &http.Server{
			Handler: s.Handler, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute,
			WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 256 << 10,
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		}
		running = append(running, server)
		all.Go(func() error {
			if err := server.Serve(s.Listener); !errors.Is(err, http.ErrServerClosed) {
				return err
			}
			return nil
		})
	}
	all.Go(func() error {
		<-ctx.Done()
		log.Info("stopping")
		time.AfterFunc(requestTimeout+workerTimeout, func() { close(late) })
		defer stopWork()
		return stop(context.WithoutCancel(ctx), running)
	})
	ended := make(chan error, 1)
	go func() { ended <- all.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-late:
		log.Warn("stopped before all work had ended")
	}
	if asked.Err() != nil {
		return nil
	}
	return context.Cause(ctx) // the error of the server or worker that failed
}

// stop shuts the servers down and waits for open requests until requestTimeout. After
// that it closes the connections, such as that of a browser that plays a video; the
// browser requests the rest when the program is running again.
func stop(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var errs []error
	for _, s := range servers {
		err := s.Shutdown(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			err = s.Close()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
