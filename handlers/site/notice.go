package site

import (
	"context"
	"sync"
	"time"

	"dailies/db"
	"dailies/views/part"
)

// noticeLife is how long a measurement of the disk is reused.
const noticeLife = 5 * time.Second

// notices caches the message about free disk space, so that not every page measures
// the disk.
type notices struct {
	mu   sync.Mutex
	at   time.Time
	line string
}

// spaceNotice returns the message for admins about free disk space, or "" while there
// is enough.
func (s *Pages) spaceNotice(ctx context.Context, viewer db.User) string {
	if s.space == nil || !viewer.IsAdmin() {
		return ""
	}
	s.notices.mu.Lock()
	defer s.notices.mu.Unlock()
	if now := time.Now(); now.Sub(s.notices.at) > noticeLife {
		space, err := s.space(ctx)
		if err != nil {
			s.log.Warn("cannot measure the room for files", "err", err)
			return ""
		}
		s.notices.at, s.notices.line = now, part.SpaceNotice(space)
	}
	return s.notices.line
}
