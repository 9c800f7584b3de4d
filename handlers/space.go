package handlers

import (
	"context"
	"sync"
	"time"

	"dailies/db"
	"dailies/views/part"
)

// measured is how long a measure of the disk is good enough for a notice.
const measured = 5 * time.Second

// notices keeps the newest line about the room for files, so that not every
// page measures the disk.
type notices struct {
	mu   sync.Mutex
	at   time.Time
	line string
}

// spaceNotice is the line for admins about the room for files, if there is
// something to say.
func (a *App) spaceNotice(ctx context.Context, viewer db.User) string {
	if a.Space == nil || !viewer.IsAdmin() {
		return ""
	}
	a.notices.mu.Lock()
	defer a.notices.mu.Unlock()
	if now := time.Now(); now.Sub(a.notices.at) > measured {
		space, err := a.Space(ctx)
		if err != nil {
			a.Log.Warn("cannot measure the room for files", "err", err)
			return ""
		}
		a.notices.at, a.notices.line = now, part.SpaceNotice(space)
	}
	return a.notices.line
}
