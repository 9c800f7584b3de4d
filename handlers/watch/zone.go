package watch

import (
	"context"
	"log/slog"
	"time"

	"dailies/db/store"
)

const (
	zoneLook  = 2 * time.Second       // between two looks whether the time zone was changed
	zonePause = 20 * time.Millisecond // between two writes, for those of others
	zoneTasks = 200                   // that one write brings into the time zone
)

// A Zone brings the usage into the team's time zone after that was changed.
type Zone struct {
	store *store.Store
	log   *slog.Logger
}

// NewZone returns a Zone for the tasks of the store.
func NewZone(s *store.Store, log *slog.Logger) *Zone { return &Zone{s, log} }

// Run works until ctx ends. What a stop cuts off goes on after the next start.
func (z *Zone) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		wait := zoneLook
		more, err := z.store.RebuildDays(ctx, zoneTasks)
		if err != nil && ctx.Err() == nil {
			z.log.Error("cannot bring the usage into the time zone; it will be tried again", "err", err)
		} else if more {
			wait = zonePause
		}
		sleep(ctx, wait)
	}
	return nil
}
