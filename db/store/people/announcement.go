package people

import (
	"context"
	"encoding/json"
	"errors"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

const announcementSetting = "announcement"

// Announcement returns the announcement that an admin shows on every page, even if it
// has expired. The zero value means that there is none.
func (s *Settings) Announcement(ctx context.Context) (a team.Announcement, err error) {
	text, err := s.Setting(ctx, announcementSetting)
	if errors.Is(err, db.ErrNotFound) {
		return a, nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(text), &a)
	}
	return a, engine.About(announcementSetting, err)
}

// SetAnnouncement replaces the announcement; the zero value removes it.
func (s *Settings) SetAnnouncement(ctx context.Context, a team.Announcement) error {
	return engine.About(announcementSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		var before team.Announcement
		if kept := kit.Setting(tx, announcementSetting); tx.OK() && kept != "" {
			tx.Check(json.Unmarshal([]byte(kept), &before))
		}
		if !tx.OK() || a == before {
			return
		}
		text, err := json.Marshal(a)
		tx.Check(err)
		kit.PutSetting(tx, announcementSetting, string(text))
		kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: announcementSetting, Before: announced(before), After: announced(a)})
	}))
}

// announced returns the announcement in words, for the audit.
func announced(a team.Announcement) string {
	if a.Text == "" {
		return ""
	}
	return a.Text + " (until " + a.Until.UTC().Format("2006-01-02 15:04 MST") + ")"
}
