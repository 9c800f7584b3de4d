package site

import (
	"context"
	"errors"

	"dailies/db"
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
