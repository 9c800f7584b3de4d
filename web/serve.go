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

// A stop takes patience and then workPatience at the most, and the program has
// closed its store well within the ten seconds after which process managers
// kill it.
const (
	patience     = 3 * time.Second         // for requests under way
	workPatience = 4500 * time.Millisecond // for the workers after them
)

// A Server is a listener and what answers on it.
type Server struct {
	Listener net.Listener
	Handler  http.Handler
}

// Run serves, with the workers beside it, until ctx ends or one of them fails.
// It stops in order: the listeners, so that nothing new comes in, then the
// workers, so that nothing is left half-done. A worker that does not end in time
// is left behind.
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
		time.AfterFunc(patience+workPatience, func() { close(late) })
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
	return context.Cause(ctx) // whose failure is why it stops
}

// stop lets requests end. Who watches a video is cut off after a while; the
// browser asks for the rest when the program is back.
func stop(ctx context.Context, servers []*http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
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
