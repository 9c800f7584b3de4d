package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// record appends the entry to the audit, in the transaction of the change that the
// entry describes. The actor is taken from the context unless the entry names one, and
// the names of people are stored as they are now.
func record(ctx context.Context, tx *sql.Tx, e team.Entry) error {
	if e.Actor == (team.Actor{}) {
		e.Actor = team.ActorIn(ctx)
	}
	if e.At.IsZero() {
		e.At = db.Now()
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO audit (at, actor_id, actor, action, user_id, user_name, what, before, after, address)
		SELECT $1, CAST($2 AS BIGINT), coalesce((SELECT name FROM users WHERE id = $2), CAST($3 AS TEXT)), $4, CAST($5 AS BIGINT),
			coalesce((SELECT name FROM users WHERE id = $5), CAST($6 AS TEXT)), $7, $8, $9, $10`,
		instant(e.At), e.Actor.UserID, e.Actor.Name, e.Action, e.UserID, e.User, cut(e.What, 300), cut(e.Before, 300), cut(e.After, 300), e.Actor.Address)
	return about("audit", err)
}

// asUser returns a context in which the person is the actor, unless the context names
// one already.
func asUser(ctx context.Context, id int64) context.Context {
	actor := team.ActorIn(ctx)
	if actor.UserID == 0 && actor.Name == "" {
		actor.UserID = id
	}
	return team.Acting(ctx, actor)
}

// Record appends an entry about an event that changes nothing in the database, such as
// a refused sign-in.
func (s *Store) Record(ctx context.Context, e team.Entry) error {
	return s.writeAccess(ctx, func(tx *sql.Tx) error { return record(ctx, tx, e) })
}

// Audit returns the entries that match the search, the newest first. A page is read in
// the order of an index, however many entries there are, so that an export that
// continues page by page reads every entry once.
func (s *Store) Audit(ctx context.Context, search team.Search) ([]team.Entry, error) {
	where, alternatives, args := auditWhere(search)
	query := `SELECT id, at, actor_id, actor, action, user_id, user_name, what, before, after, address,
		` + accountOf("actor_id") + `, ` + accountOf("user_id") + ` FROM audit WHERE ` + where
	if len(alternatives) > 0 {
		for i, condition := range alternatives {
			alternatives[i] = `SELECT id FROM (SELECT id FROM audit WHERE ` + where + ` AND ` + condition + ` ORDER BY id DESC LIMIT $1 + 0) way` + strconv.Itoa(i)
		}
		query += ` AND id IN (` + strings.Join(alternatives, " UNION ALL ") + `)`
	}
	entries, err := all(ctx, s.reads, scanEntry, query+` ORDER BY id DESC LIMIT $1 + 0`, args...)
	return entries, about("audit", err)
}

// auditWhere returns the condition of the search. A search for a person (as the actor
// or as the person concerned) or for all actions of a noun additionally returns
// alternatives, one of which an entry has to meet, and each of which has an index of
// its own. Argument $1 is the number of entries to read. Writing "at + 0" keeps the
// engine from using an index on the time and then sorting.
func auditWhere(search team.Search) (where string, alternatives []string, args []any) {
	args = []any{search.Limit}
	of := func(condition string, value any) string {
		args = append(args, value)
		return strings.ReplaceAll(condition, "?", "$"+strconv.Itoa(len(args)))
	}
	conditions := []string{"1 = 1"}
	add := func(condition string, value any) { conditions = append(conditions, of(condition, value)) }
	if search.ActorID != 0 {
		add("actor_id = ?", search.ActorID)
	}
	if search.UserID != 0 {
		add("user_id = ?", search.UserID)
	}
	if search.Action != "" {
		add("action = ?", search.Action)
	}
	if !search.From.IsZero() {
		add("at + 0 >= ?", instant(search.From))
	}
	if !search.Until.IsZero() {
		add("at + 0 < ?", instant(search.Until))
	}
	if search.Before != 0 {
		add("id < ?", search.Before)
	}
	switch {
	case search.Person != 0:
		alternatives = []string{of("actor_id = ?", search.Person), of("user_id = ?", search.Person)}
		if search.Noun != "" {
			add("action || '' >= CAST(? AS TEXT) || '.' AND action || '' < CAST(? AS TEXT) || '/'", search.Noun)
		}
	case search.Noun != "":
		alternatives = []string{"1 = 0"} // in case the noun has no actions
		for _, action := range team.Actions(search.Noun) {
			alternatives = append(alternatives, of("action = ?", action))
		}
	}
	return strings.Join(conditions, " AND "), alternatives, args
}

// accountOf selects the fields of the account whose ID is in the column.
func accountOf(column string) string {
	return `coalesce((SELECT name FROM users WHERE users.id = audit.` + column + `), ''), coalesce((SELECT email FROM users WHERE users.id = audit.` + column + `), '')`
}

func scanEntry(rows *sql.Rows) (e team.Entry, err error) {
	err = rows.Scan(&e.ID, (*instant)(&e.At), &e.Actor.UserID, &e.Actor.Name, &e.Action, &e.UserID, &e.User, &e.What, &e.Before, &e.After, &e.Actor.Address,
		&e.ActorNow.Name, &e.ActorNow.Email, &e.UserNow.Name, &e.UserNow.Email)
	return e, err
}

const auditDaysSetting = "audit days"

// AuditDays returns for how many days entries of the audit are kept.
func (s *Store) AuditDays(ctx context.Context) (int, error) {
	text, err := s.Setting(ctx, auditDaysSetting)
	if errors.Is(err, db.ErrNotFound) {
		return team.AuditDays, nil
	}
	return auditDays(text), about(auditDaysSetting, err)
}

// auditDays parses the setting.
func auditDays(text string) int {
	days, err := strconv.Atoi(text)
	if err != nil {
		return team.AuditDays
	}
	return min(max(days, team.MinAuditDays), team.MaxAuditDays)
}

// SetAuditDays changes for how many days entries of the audit are kept.
func (s *Store) SetAuditDays(ctx context.Context, days int) error {
	return about(auditDaysSetting, s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		before, err := setting(ctx, tx, auditDaysSetting)
		if err != nil || auditDays(before) == days {
			return err
		}
		if err := putSetting(ctx, tx, auditDaysSetting, strconv.Itoa(days)); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.SettingChanged, What: "days that the audit is kept", Before: strconv.Itoa(auditDays(before)), After: strconv.Itoa(days)})
	}))
}

// SweepAudit deletes the entries that are older than AuditDays at the time now.
func (s *Store) SweepAudit(ctx context.Context, now time.Time) error {
	days, err := s.AuditDays(ctx)
	if err != nil {
		return err
	}
	return about("audit", inBatches(func() (n int, err error) {
		err = counted(&n)(s.writes.ExecContext(ctx, `
			DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at <= $1 ORDER BY at LIMIT $2 + 0)`,
			instant(now.AddDate(0, 0, -days)), batchSize))
		return n, err
	}))
}
