package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// mailWarnings queues mails to the person, or for the team's limit to the admins, when
// 80% or 100% of a limit is spent. Each is sent once in a month.
func mailWarnings(tx *engine.Tx, r spending.Room, now time.Time) {
	for _, w := range r.Warnings(true) {
		id := r.UserID
		if w.OfTeam {
			id = kit.TeamPurse
		}
		due := tx.Exec(`
			UPDATE purses SET mailed = $1 WHERE user_id = $2 AND mailed < $1`, w.Code(r.Month), id)
		if !tx.OK() || due == 0 {
			continue
		}
		mail := outbox.NewMail(outbox.MailLimit, r.UserID, now)
		mail.Details.Percent, mail.Details.Team = w.Percent, w.OfTeam
		put := kit.PutMail
		if w.OfTeam {
			put = kit.PutMailToAdmins
		}
		put(tx, mail)
	}
}

// TakeWarning returns a warning to show to the person about a limit that is mostly
// spent, given what they may still spend. Each is returned once; only admins are
// warned about the team's limit. Percent is 0 if there is no warning.
func (s *Limits) TakeWarning(ctx context.Context, u db.User, r spending.Room) (spending.Warning, error) {
	for _, w := range r.Warnings(u.IsAdmin()) {
		if told, err := s.warn(ctx, u.ID, r.Month, w); err != nil || told {
			return w, engine.About("warning of "+engine.User(u.ID), err)
		}
	}
	return spending.Warning{}, nil
}

// warn records that the person is warned now, and reports whether they were not before.
func (s *Limits) warn(ctx context.Context, userID int64, month spending.Month, w spending.Warning) (told bool, err error) {
	column := "warned"
	if w.OfTeam {
		column = "warned_of_team"
	}
	code, before := w.Code(month), int64(0)
	look := s.db.Reading(ctx)
	if look.Row(`SELECT `+column+` FROM purses WHERE user_id = $1`, userID).Find(&before); !look.OK() || before >= code {
		return false, look.Err()
	}
	changed, err := s.db.Exec(ctx, `
		INSERT INTO purses (user_id, `+column+`) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET `+column+` = excluded.`+column+` WHERE purses.`+column+` < excluded.`+column, userID, code)
	return changed > 0, err
}
