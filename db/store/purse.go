package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// The settings of what may be spent: the limit of each person who has no other, in
// thousandths, and what is done where no price is known.
const (
	limitSetting    = "limit"
	unpricedSetting = "unknown price"
)

// teamPurse is the user_id of the team's row in purses.
const teamPurse = 0

// lockPurses makes a press wait for others that spend from the same purses: it
// changes the row of the person, then that of the team. Limits are changed in the
// same rows.
func lockPurses(ctx context.Context, tx *sql.Tx, userID int64) error {
	for _, id := range []int64{userID, teamPurse} {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO purses (user_id, presses) VALUES ($1, 1)
			ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1`, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// spend checks that one person's new tasks fit into what may be spent, now that they
// are written and count, and uses up what was allowed once. It is a *team.Over if
// they do not fit.
func (s *Store) spend(ctx context.Context, tx *sql.Tx, added []db.Task) error {
	if len(added) == 0 {
		return nil
	}
	userID := added[0].UserID
	month, err := s.month(ctx, tx, added[0].CreatedAt)
	if err != nil {
		return err
	}
	room, err := room(ctx, tx, userID, month)
	if err != nil {
		return err
	}
	cost, unpriced := 0.0, []int64(nil)
	for _, t := range added {
		cost += t.Held
		if !t.Quoted.Known && t.Held == 0 {
			unpriced = append(unpriced, t.ID)
		}
	}
	room.Spent, room.TeamHas = room.Spent-cost, room.TeamHas-cost // before the press
	if len(unpriced) > 0 && room.MustAsk {
		permit, err := permitted(ctx, tx, userID, month)
		if errors.Is(err, sql.ErrNoRows) {
			return &team.Over{Room: room, Cost: cost, Unpriced: true}
		}
		if err != nil {
			return err
		}
		if err := s.usePermit(ctx, tx, permit, unpriced); err != nil {
			return err
		}
		cost += permit.Credits
	}
	fits, once := room.Allows(cost)
	if !fits {
		return &team.Over{Room: room, Cost: cost}
	}
	if once {
		if err := s.useOnce(ctx, tx, added[0], month); err != nil {
			return err
		}
	}
	room.Spent, room.TeamHas = room.Spent+cost, room.TeamHas+cost
	return mailWarnings(ctx, tx, room, s.Now())
}

// mailWarnings writes to the person, and to the admins, that most of a limit is spent:
// once in a month for each part of it.
func mailWarnings(ctx context.Context, tx *sql.Tx, r team.Room, now time.Time) error {
	for _, w := range r.Warnings(true) {
		id := r.UserID
		if w.OfTeam {
			id = teamPurse
		}
		var due int
		err := counted(&due)(tx.ExecContext(ctx, `
			UPDATE purses SET mailed = $1 WHERE user_id = $2 AND mailed < $1`, w.Code(r.Month), id))
		if err != nil {
			return err
		}
		if due == 0 {
			continue
		}
		mail := team.NewMail(team.MailLimit, r.UserID, now)
		mail.Details.Percent, mail.Details.Team = w.Percent, w.OfTeam
		put := putMail
		if w.OfTeam {
			put = putMailToAdmins
		}
		if err := put(ctx, tx, mail); err != nil {
			return err
		}
	}
	return nil
}

// month returns the month of the time in the team's time zone.
func (s *Store) month(ctx context.Context, tx *sql.Tx, at time.Time) (team.Month, error) {
	zone, err := s.zone(ctx, tx)
	if err != nil {
		return 0, err
	}
	return team.MonthOf(at, zone), nil
}

// room reads what the person may still spend in the month.
func room(ctx context.Context, tx *sql.Tx, userID int64, month team.Month) (team.Room, error) {
	r := team.Room{UserID: userID, Month: month}
	var own, whole team.Limit
	var standard, unpriced string
	var allowed amount
	var role db.Role
	err := tx.QueryRowContext(ctx, `
		SELECT u.role, coalesce(p.allowance, 'default'), coalesce(p.credits, 0), p.self, coalesce(t.allowance, 'none'), coalesce(t.credits, 0),
			coalesce((SELECT value FROM settings WHERE name = $3), ''), coalesce((SELECT value FROM settings WHERE name = $4), ''),
			coalesce((SELECT counted FROM spent WHERE month = $2 AND user_id = $1), 0),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2),
			(SELECT CAST(coalesce(sum(credits), 0) AS BIGINT) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'month' AND unpriced = 0 AND ended_at IS NULL),
			(SELECT max(credits) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL)
		FROM users u LEFT JOIN purses p ON p.user_id = u.id LEFT JOIN purses t ON t.user_id = 0
		WHERE u.id = $1`, userID, month, limitSetting, unpricedSetting,
	).Scan(&role, &own.Allowance, (*amount)(&own.Credits), (*credits)(&r.Self), &whole.Allowance, (*amount)(&whole.Credits),
		&standard, &unpriced, (*amount)(&r.Spent), (*amount)(&r.TeamHas), &allowed, (*credits)(&r.Once))
	if err != nil {
		return r, about("purse of "+user(userID), err)
	}
	if r.Limit = own.In(limitOf(standard)); r.Limit.Known {
		r.Limit.Amount += float64(allowed)
	}
	r.Team = whole.In(db.Credits{})
	r.MustAsk = unpriced == "ask" && role != db.Admin
	return r, nil
}

// limitOf reads the setting of the default limit.
func limitOf(setting string) db.Credits {
	thousandths, err := strconv.ParseInt(setting, 10, 64)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(float64(thousandths) / 1000)
}

// Room returns what the person may still spend in the month of the time.
func (s *Store) Room(ctx context.Context, userID int64, at time.Time) (r team.Room, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		month, err := s.month(ctx, tx, at)
		if err != nil {
			return err
		}
		if r, err = room(ctx, tx, userID, month); err != nil || !r.MustAsk {
			return err
		}
		_, err = permitted(ctx, tx, userID, month)
		r.MustAsk = errors.Is(err, sql.ErrNoRows)
		if r.MustAsk {
			err = nil
		}
		return err
	})
	return r, about("purse of "+user(userID), err)
}

// A permit lets somebody make videos of which nobody knows what they cost.
type permit struct {
	ID      int64
	Credits float64 // that are held for them
	Once    bool
}

// permitted returns the permit that the person has in the month, or sql.ErrNoRows.
func permitted(ctx context.Context, tx *sql.Tx, userID int64, month team.Month) (p permit, err error) {
	err = tx.QueryRowContext(ctx, `
		SELECT id, credits, CASE WHEN answer = 'once' THEN 1 ELSE 0 END FROM asks
		WHERE user_id = $1 AND unpriced = 1 AND ended_at IS NULL
			AND (answer = 'always' OR month = $2 AND (answer = 'month' OR answer = 'once' AND used_at IS NULL))
		ORDER BY answer = 'once', id DESC LIMIT 1`, userID, month).Scan(&p.ID, (*amount)(&p.Credits), &p.Once)
	return p, err
}

// usePermit holds the permit's credits for the tasks.
func (s *Store) usePermit(ctx context.Context, tx *sql.Tx, p permit, tasks []int64) error {
	each := int64(p.Credits*1000) / int64(len(tasks))
	for i, id := range tasks {
		held := each
		if i == 0 {
			held = int64(p.Credits*1000) - each*int64(len(tasks)-1)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE tasks SET held = $1 WHERE id = $2`, held, id); err != nil {
			return err
		}
	}
	if !p.Once {
		return nil
	}
	_, err := tx.ExecContext(ctx, `UPDATE asks SET used_at = $1, task_id = $2 WHERE id = $3`, instant(s.Now()), tasks[0], p.ID)
	return err
}

// useOnce notes that the task's press has used the largest amount that the person was
// allowed once.
func (s *Store) useOnce(ctx context.Context, tx *sql.Tx, t db.Task, month team.Month) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE asks SET used_at = $1, task_id = $2 WHERE id = (
			SELECT id FROM asks
			WHERE user_id = $3 AND month = $4 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL
			ORDER BY credits DESC, id LIMIT 1)`, instant(s.Now()), t.ID, t.UserID, month)
	return err
}

// giveBackOnce lets what the task's press has used of what was allowed once be there
// again: the service refused the task, and it cost nothing.
func giveBackOnce(ctx context.Context, tx *sql.Tx, taskID int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE asks SET used_at = NULL, task_id = NULL WHERE task_id = $1`, taskID)
	return err
}

// Limits returns the limits of the team.
func (s *Store) Limits(ctx context.Context) (l team.Limits, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		l, err = limits(ctx, tx)
		return err
	})
	return l, about("limits", err)
}

func limits(ctx context.Context, tx *sql.Tx) (l team.Limits, err error) {
	standard, err := setting(ctx, tx, limitSetting)
	if err != nil {
		return l, err
	}
	unpriced, err := setting(ctx, tx, unpricedSetting)
	if err != nil {
		return l, err
	}
	whole, err := limit(ctx, tx, teamPurse)
	l.Default, l.AskUnpriced, l.Team = limitOf(standard), unpriced == "ask", whole.In(db.Credits{})
	return l, err
}

// SetLimits changes the limits of the team.
func (s *Store) SetLimits(ctx context.Context, l team.Limits) error {
	return about("limits", s.write(ctx, func(tx *sql.Tx) error {
		if err := lockPurses(ctx, tx, teamPurse); err != nil {
			return err
		}
		before, err := limits(ctx, tx)
		if err != nil || before == l {
			return err
		}
		standard, unpriced, whole := "", "allow", team.None
		if l.Default.Known {
			standard = strconv.FormatInt(thousandths(l.Default.Amount), 10)
		}
		if l.AskUnpriced {
			unpriced = "ask"
		}
		if l.Team.Known {
			whole = team.Own
		}
		if err := putSetting(ctx, tx, limitSetting, standard); err != nil {
			return err
		}
		if err := putSetting(ctx, tx, unpricedSetting, unpriced); err != nil {
			return err
		}
		if err := putLimit(ctx, tx, teamPurse, team.Limit{Allowance: whole, Credits: l.Team.Amount}); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.LimitChanged, What: "limits of the team", Before: before.String(), After: l.String()})
	}))
}

// Limit returns the person's limit.
func (s *Store) Limit(ctx context.Context, userID int64) (l team.Limit, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		l, err = limit(ctx, tx, userID)
		return err
	})
	return l, about("limit of "+user(userID), err)
}

func limit(ctx context.Context, tx *sql.Tx, userID int64) (l team.Limit, err error) {
	err = tx.QueryRowContext(ctx, `SELECT allowance, credits FROM purses WHERE user_id = $1`, userID).Scan(&l.Allowance, (*amount)(&l.Credits))
	if errors.Is(err, sql.ErrNoRows) {
		return team.Limit{Allowance: team.Default}, nil
	}
	return l, err
}

func putLimit(ctx context.Context, tx *sql.Tx, userID int64, l team.Limit) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO purses (user_id, allowance, credits) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO UPDATE SET allowance = excluded.allowance, credits = excluded.credits`, userID, l.Allowance, amount(l.Credits))
	return err
}

// SetLimit changes the person's limit, and ends what they were allowed beyond it.
func (s *Store) SetLimit(ctx context.Context, userID int64, l team.Limit) error {
	return about("limit of "+user(userID), s.write(ctx, func(tx *sql.Tx) error {
		if err := setLimit(ctx, tx, userID, l); err != nil {
			return err
		}
		month, err := s.month(ctx, tx, s.Now())
		if err != nil {
			return err
		}
		var ended int
		err = counted(&ended)(tx.ExecContext(ctx, `
			UPDATE asks SET ended_at = $1
			WHERE user_id = $2 AND ended_at IS NULL AND (answer = 'always' AND unpriced = 1 OR month >= $3 AND answer IN ('once', 'month') AND used_at IS NULL)`,
			instant(s.Now()), userID, month))
		if err != nil || ended == 0 {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.LimitChanged, UserID: userID, What: "what was allowed beyond the limit", After: "taken back"})
	}))
}

func setLimit(ctx context.Context, tx *sql.Tx, userID int64, l team.Limit) error {
	if err := found(tx.ExecContext(ctx, `UPDATE users SET role = role WHERE id = $1`, userID)); err != nil {
		return err
	}
	if err := lockPurses(ctx, tx, userID); err != nil {
		return err
	}
	before, err := limit(ctx, tx, userID)
	if err != nil || before == l {
		return err
	}
	if err := putLimit(ctx, tx, userID, l); err != nil {
		return err
	}
	return record(ctx, tx, team.Entry{Action: team.LimitChanged, UserID: userID, What: "limit", Before: before.String(), After: l.String()})
}

// SetOwnLimit keeps the lower limit that the person wants; one that is not known is
// none.
func (s *Store) SetOwnLimit(ctx context.Context, userID int64, self db.Credits) error {
	return about("limit of "+user(userID), s.write(ctx, func(tx *sql.Tx) error {
		if err := lockPurses(ctx, tx, userID); err != nil {
			return err
		}
		var before db.Credits
		if err := tx.QueryRowContext(ctx, `SELECT self FROM purses WHERE user_id = $1`, userID).Scan((*credits)(&before)); err != nil {
			return err
		}
		if before == self {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE purses SET self = $1 WHERE user_id = $2`, credits(self), userID); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.LimitChanged, UserID: userID, What: "own lower limit", Before: team.Words(before), After: team.Words(self)})
	}))
}

// TakeWarning returns what the person is to be told of limits that are mostly spent in
// the month of the time, each once; of the team's, admins are told. Its Percent is 0 if
// there is nothing to tell.
func (s *Store) TakeWarning(ctx context.Context, u db.User, at time.Time) (team.Warning, error) {
	r, err := s.Room(ctx, u.ID, at)
	if err != nil || !r.IsLimited() {
		return team.Warning{}, err
	}
	for _, w := range r.Warnings(u.IsAdmin()) {
		if told, err := s.warn(ctx, u.ID, r.Month, w); err != nil || told {
			return w, about("warning of "+user(u.ID), err)
		}
	}
	return team.Warning{}, nil
}

// warn notes that the person is told now, and reports whether they were not before.
func (s *Store) warn(ctx context.Context, userID int64, month team.Month, w team.Warning) (told bool, err error) {
	column := "warned"
	if w.OfTeam {
		column = "warned_of_team"
	}
	code, before := w.Code(month), int64(0)
	err = s.reads.QueryRowContext(ctx, `SELECT `+column+` FROM purses WHERE user_id = $1`, userID).Scan(&before)
	if err != nil && !errors.Is(err, sql.ErrNoRows) || before >= code {
		return false, err
	}
	var changed int
	err = counted(&changed)(s.writes.ExecContext(ctx, `
		INSERT INTO purses (user_id, `+column+`) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET `+column+` = excluded.`+column+` WHERE purses.`+column+` < excluded.`+column, userID, code))
	return changed > 0, err
}

func thousandths(credits float64) int64 {
	v, _ := amount(credits).Value()
	return v.(int64)
}

func ask(id int64) string { return fmt.Sprintf("ask %d", id) }
