package watch

import (
	"context"
	"log/slog"
	"time"

	"dailies/db/store"
)

const (
	zoneInterval = 2 * time.Second       // between two looks for a changed time zone
	zonePause    = 10 * time.Millisecond // between two writes, so that other writes can happen
	zoneBatch    = 50                    // how many tasks one write converts
)

// A Zone recomputes the days of the usage after the team's time zone has changed.
type Zone struct {
	store *store.Store
	log   *slog.Logger
}

// NewZone returns a Zone for the tasks of the store.
func NewZone(s *store.Store, log *slog.Logger) *Zone { return &Zone{s, log} }

// Run works until ctx ends. Interrupted work continues after the next start.
func (z *Zone) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait := zoneInterval
		more, err := z.store.Settings.RebuildDays(ctx, zoneBatch)
		if err != nil && ctx.Err() == nil {
			z.log.Error("cannot bring the usage into the time zone; it will be tried again", "err", err)
		} else if more {
			wait = zonePause
		}
		sleep(ctx, wait)
	}
	return nil
}
