package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Spend checks that the new tasks of one person, which are inserted and counted
// already, fit into the spending limits, and uses up what was allowed for once. It
// returns a *spending.Over if they do not fit. Tasks whose price is not known hold
// nothing: something has to be left for them, and they are checked again when they are
// sent.
func (s *Limits) Spend(tx *engine.Tx, added []db.Task) {
	if len(added) == 0 {
		return
	}
	userID := added[0].UserID
	month := s.db.Month(tx, added[0].CreatedAt)
	budget := teamdb.Budget(tx, userID, month)
	cost, unpriced := 0.0, int64(0)
	for _, t := range added {
		cost += t.Reserved
		if !t.Quoted.Known && unpriced == 0 {
			unpriced = t.ID
		}
	}
	budget.Spent, budget.TeamHas = budget.Spent-cost, budget.TeamHas-cost // without the new tasks
	if tx.OK() && unpriced != 0 && budget.NeedsApproval {
		permit, found := permitted(tx, userID, month)
		tx.Require(found, &spending.Over{Budget: budget, Cost: cost, Unpriced: true})
		s.usePermit(tx, permit, unpriced)
	}
	needed := cost
	if unpriced != 0 {
		needed += spending.Least
	}
	fits, once := budget.Allows(needed)
	tx.Require(fits, &spending.Over{Budget: budget, Cost: cost})
	if tx.OK() && once {
		s.useOnce(tx, added[0], month)
	}
	budget.Spent, budget.TeamHas = budget.Spent+cost, budget.TeamHas+cost
	mailWarnings(tx, budget, s.db.Now())
}

// Budget returns what the person may still spend in the month that contains the time.
func (s *Limits) Budget(ctx context.Context, userID int64, at time.Time) (r spending.Budget, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		month := s.db.Month(tx, at)
		if r = teamdb.Budget(tx, userID, month); tx.OK() && r.NeedsApproval {
			_, found := permitted(tx, userID, month)
			r.NeedsApproval = !found
		}
	})
	return r, engine.About("purse of "+engine.User(userID), err)
}

// A permit allows a person to make videos whose price is unknown. It is an answered row
// of asks whose unpriced is set. It makes no price known: such videos wait for one another
// (see video.Calls.SendTask).
type permit struct {
	ID   int64
	Once bool // it ends with one submission
}

// permitted returns the permit that the person has in the month, if there is one.
func permitted(tx *engine.Tx, userID int64, month spending.Month) (p permit, found bool) {
	found = tx.Row(`
		SELECT id, CASE WHEN answer = 'once' THEN 1 ELSE 0 END FROM asks
		WHERE user_id = $1 AND unpriced = 1 AND ended_at IS NULL AND `+schema.Counted+`
			AND (answer = 'always' OR month = $2 AND (answer = 'month' OR answer = 'once' AND used_at IS NULL))
		ORDER BY answer = 'once', id DESC LIMIT 1`, userID, month).Find(&p.ID, &p.Once)
	return p, found
}

// usePermit records that the submission of the task has used the permit.
func (s *Limits) usePermit(tx *engine.Tx, p permit, taskID int64) {
	if p.Once {
		tx.Exec(`UPDATE asks SET used_at = $1, task_id = $2 WHERE id = $3`, engine.Instant(s.db.Now()), taskID, p.ID)
	}
}

// useOnce records that the submission of the task has used the largest amount that the
// person was allowed to spend once beyond the limit.
func (s *Limits) useOnce(tx *engine.Tx, t db.Task, month spending.Month) {
	tx.Exec(`
		UPDATE asks SET used_at = $1, task_id = $2 WHERE id = (
			SELECT id FROM asks
			WHERE user_id = $3 AND month = $4 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL AND `+schema.Counted+`
			ORDER BY credits DESC, id LIMIT 1)`, engine.Instant(s.db.Now()), t.ID, t.UserID, month)
}

// mailWarnings queues mails to the person, or for the team's limit to the admins, when
// 80% or 100% of a limit is spent. Each is sent once in a month.
func mailWarnings(tx *engine.Tx, r spending.Budget, now time.Time) {
	for _, w := range r.Warnings(true) {
		id := r.UserID
		if w.OfTeam {
			id = teamdb.TeamPurse
		}
		due := tx.Exec(`
			UPDATE purses SET mailed = $1 WHERE user_id = $2 AND mailed < $1`, w.Code(r.Month), id)
		if !tx.OK() || due == 0 {
			continue
		}
		mail := outbox.NewMail(outbox.MailLimit, r.UserID, now)
		mail.Details.Percent, mail.Details.Team = w.Percent, w.OfTeam
		put := teamdb.PutMail
		if w.OfTeam {
			put = teamdb.PutMailToAdmins
		}
		put(tx, mail)
	}
}

// TakeWarning returns a warning to show to the person about a limit that is mostly
// spent, given what they may still spend. Each is returned once; only admins are
// warned about the team's limit. Percent is 0 if there is no warning.
func (s *Limits) TakeWarning(ctx context.Context, u db.User, r spending.Budget) (spending.Warning, error) {
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
