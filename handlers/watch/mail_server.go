package watch

import (
	"context"
	"log/slog"
	"time"

	"dailies/db/store"
)

// serverEvery is how often a process reports whether it has a mail server.
const serverEvery = time.Minute

// KeepMailServer returns a worker that reports whether this process has a mail server, so that
// no process writes mails while none has.
func KeepMailServer(s *store.Store, has bool, log *slog.Logger) func(context.Context) error {
	return func(ctx context.Context) error {
		again := time.NewTicker(serverEvery)
		defer again.Stop()
		for {
			if err := s.Mail.KeepServer(ctx, has, s.Now()); err != nil && ctx.Err() == nil {
				log.Error("cannot record whether there is a mail server", "err", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-again.C:
			}
		}
	}
}
