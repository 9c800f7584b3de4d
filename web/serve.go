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

// patience is how long requests may still take when the program stops.
const patience = 5 * time.Second

// A Server is a listener and what answers on it.
type Server struct {
	Listener net.Listener
	Handler  http.Handler
}

// Run serves, with the workers beside it, until ctx ends or one of them fails.
// It stops in order: the listeners, so that nothing new comes in, then the
// workers, so that nothing is left half-done.
func Run(ctx context.Context, log *slog.Logger, servers []Server, workers ...func(context.Context) error) error {
	all, ctx := errgroup.WithContext(ctx)
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
		defer stopWork()
		<-ctx.Done()
		log.Info("stopping")
		return stop(context.WithoutCancel(ctx), running)
	})
	return all.Wait()
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
