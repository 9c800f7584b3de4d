package people

import (
	"context"
	"encoding/json"
	"fmt"

	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

const announcementSetting = "announcement"

// Announcement returns the announcement that an admin shows on every page, even if it
// has expired. The zero value means that there is none.
func (s *Settings) Announcement(ctx context.Context) (a team.Announcement, err error) {
	look := s.db.Reading(ctx)
	a = announcement(look)
	return a, engine.About(announcementSetting, look.Err())
}

func announcement(tx *engine.Tx) (a team.Announcement) {
	if text := kit.Setting(tx, announcementSetting); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &a))
	}
	return a
}

// SetAnnouncement replaces the announcement; the zero value removes it.
func (s *Settings) SetAnnouncement(ctx context.Context, a team.Announcement) error {
	return engine.About(announcementSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := announcement(tx)
		if !tx.OK() || a == before {
			return
		}
		text, err := json.Marshal(a)
		tx.Check(err)
		kit.PutSetting(tx, announcementSetting, string(text))
		kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: announcementSetting, Before: announced(before), After: announced(a)})
	}))
}

// CloseAnnouncement records that the person has closed the announcement with the mark,
// which their pages do not show any more.
func (s *Settings) CloseAnnouncement(ctx context.Context, userID int64, mark string) error {
	_, err := s.db.Writes.ExecContext(ctx, `UPDATE users SET closed_announcement = $1 WHERE id = $2`, mark, userID)
	return engine.About(announcementSetting+" of "+engine.User(userID), err)
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
