package people

import (
	"context"
	"fmt"

	"dailies/db/store/engine"
	"dailies/db/team"
)

var announcementRecord = record[team.Announcement]{"announcement", announced}

// Announcement returns the announcement that an admin shows on every page, even if it
// has expired. The zero value means that there is none.
func (s *Settings) Announcement(ctx context.Context) (team.Announcement, error) {
	return engine.Read(ctx, s.db, announcementRecord.name, announcementRecord.in)
}

// SetAnnouncement replaces the announcement; the zero value removes it.
func (s *Settings) SetAnnouncement(ctx context.Context, a team.Announcement) error {
	return engine.About(announcementRecord.name, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { announcementRecord.put(tx, a) }))
}

// CloseAnnouncement records that the person has closed the announcement with the mark,
// which their pages do not show any more.
func (s *Settings) CloseAnnouncement(ctx context.Context, userID int64, mark string) error {
	_, err := s.db.Writes.ExecContext(ctx, `UPDATE users SET closed_announcement = $1 WHERE id = $2`, mark, userID)
	return engine.About(announcementRecord.name+" of "+engine.User(userID), err)
}

// announcementKinds names, for the audit, what an announcement is: a warning or not, and
// whether it stays.
var announcementKinds = map[bool]map[bool]string{
	false: {false: "info", true: "info that stays"},
	true:  {false: "warning", true: "warning that stays"},
}

// announced returns the announcement in words, for the audit.
func announced(a team.Announcement) string {
	if a.Text == "" {
		return ""
	}
	kind := announcementKinds[a.Kind == team.Warning][a.Stays]
	return fmt.Sprintf("%s (%s, until %s)", a.Text, kind, a.Until.UTC().Format("2006-01-02 15:04 MST"))
}
