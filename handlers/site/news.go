package site

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/store"
	"dailies/db/store/people"
	"dailies/views/part"
)

// news knows what every page tells its viewer: about limits, about free space and from
// the team's admins.
type news struct {
	limits   *people.Limits
	notices  notices
	settings *people.Settings
}

// shownAsks is the number of open requests that each page shows to admins.
const shownAsks = 2

// fill fills in the news for the frame's viewer.
func (n *news) fill(ctx context.Context, f *part.Frame) error {
	said, err := n.settings.Announcement(ctx)
	if err != nil {
		return err
	}
	if said.IsShown(f.Now) {
		f.Announcement = said.Text
	}
	if f.Viewer.IsAdmin() {
		f.Notice = n.notices.line(ctx)
		if f.Asks, err = n.limits.OpenAsks(ctx, shownAsks); err != nil {
			return err
		}
	}
	answered, err := n.limits.UntoldAsk(ctx, f.Viewer.ID)
	switch {
	case err == nil:
		f.Answered = &answered
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	warning, err := n.limits.TakeWarning(ctx, *f.Viewer, f.Now)
	if store.IsFull(err) { // it is shown once there is room to record that it was
		err = nil
	}
	if warning.Percent > 0 {
		f.Warning = part.LimitWarning(warning)
	}
	return err
}

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
