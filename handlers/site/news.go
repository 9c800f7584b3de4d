package site

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/views/part"
)

// shownCreditRequests limits the open requests that pages tell admins of.
const shownCreditRequests = 50

// namedAdmins is how many admins are read whom to ask: two are named, and whether there are
// more.
const namedAdmins = 3

// fillNews fills in what every page tells its viewer: about limits, about free space, from the
// team's admins, and how much was said about videos.
func (s *Pages) fillNews(ctx context.Context, f *part.Frame) error {
	said, err := s.settings.Announcement(ctx)
	if err != nil {
		return err
	}
	if said.IsShown(f.Now) && (said.Stays || said.Mark() != f.Viewer.ClosedAnnouncement) {
		f.Announcement = said
	}
	if f.EarlierHook, err = s.webhooks.Earlier(ctx, f.Viewer.ID); err != nil {
		return err
	}
	if f.Viewer.IsAdmin() {
		f.Notice = s.notices.line(ctx)
		if f.HeldHooks, err = s.webhooks.Held(ctx); err != nil {
			return err
		}
		if f.CreditRequests, err = s.limits.OpenCreditRequests(ctx, shownCreditRequests); err != nil {
			return err
		}
	} else if f.Sandbox {
		if f.Admins, err = s.accounts.AdminNames(ctx, namedAdmins); err != nil {
			return err
		}
	}
	answered, err := s.limits.UnseenAnswer(ctx, f.Viewer.ID)
	switch {
	case err == nil:
		f.Answered = &answered
	case !errors.Is(err, db.ErrNotFound):
		return err
	}
	if f.News, err = s.notes.HowMuchIsNew(ctx, f.Viewer.ID); err != nil {
		return err
	}
	budget, err := s.limits.Budget(ctx, f.Viewer.ID, f.Now)
	if err != nil {
		return err
	}
	if f.Viewer.Makes() {
		f.Balance = &part.Balance{Budget: budget}
		if f.Balance.Account, err = s.account(ctx, budget, f.Viewer.ID); err != nil {
			return err
		}
	}
	warning, err := s.limits.TakeWarning(ctx, *f.Viewer, budget)
	if store.IsFull(err) { // it is shown once there is room to record that it was
		err = nil
	}
	if warning.Percent > 0 {
		f.Warning = part.LimitWarning(warning)
	}
	return err
}

// account returns what is left in the account of the user's key, which only the sandbox
// can tell. It is not read where a limit counts.
func (s *Pages) account(ctx context.Context, budget spending.Budget, userID int64) (db.Credits, error) {
	console := s.registry.Console()
	if console == nil || budget.IsLimited() {
		return db.Credits{}, nil
	}
	_, key, err := s.keys.InUse(ctx, userID)
	if errors.Is(err, db.ErrNotFound) {
		return db.Credits{}, nil
	} else if err != nil {
		return db.Credits{}, err
	}
	left, err := console.Balance(ctx, key)
	if err != nil { // such as a key that the sandbox does not know
		return db.Credits{}, nil
	}
	return db.CreditsOf(left), nil
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
