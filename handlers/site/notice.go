package site

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"dailies/db/schedule"
	"dailies/views/part"
)

// noticeLife is how long a measurement of the disk is reused.
const noticeLife = 5 * time.Second

// notices caches the message about free disk space, so that not every page measures
// the disk.
type notices struct {
	log   *slog.Logger
	space func(context.Context) (schedule.Space, error) // nil if it is not limited
	mu    sync.Mutex
	at    time.Time
	last  string
}

// line returns the message about free disk space, or "" while there is enough.
func (n *notices) line(ctx context.Context) string {
	if n.space == nil {
		return ""
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if now := time.Now(); now.Sub(n.at) > noticeLife {
		space, err := n.space(ctx)
		if err != nil {
			n.log.Warn("cannot measure the room for files", "err", err)
			return ""
		}
		n.at, n.last = now, part.SpaceNotice(space)
	}
	return n.last
}
