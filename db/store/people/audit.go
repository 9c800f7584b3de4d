package people

import (
	"context"
	"strconv"
	"strings"
	"time"

	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Audit stores the record of what people have done.
type Audit struct {
	db *teamdb.DB
}

// Record appends an entry about an event that changes nothing in the database, such as
// a refused sign-in.
func (s *Audit) Record(ctx context.Context, e audit.Entry) error {
	return s.db.WriteAccess(ctx, func(tx *engine.Tx) { teamdb.Record(tx, e) })
}

// Entries returns the entries that match the search, the newest first. A page is read in
// the order of an index, however many entries there are, so that an export that
// continues page by page reads every entry once.
func (s *Audit) Entries(ctx context.Context, search audit.Search) ([]audit.Entry, error) {
	where, alternatives, args := auditWhere(search)
	query := `SELECT ` + schema.Audit.Columns + ` FROM audit WHERE ` + where
	if len(alternatives) > 0 {
		for i, condition := range alternatives {
			alternatives[i] = `SELECT id FROM (SELECT id FROM audit WHERE ` + where + ` AND ` + condition +
				` ORDER BY id DESC LIMIT $1 + 0) way` + strconv.Itoa(i)
		}
		query += ` AND id IN (` + strings.Join(alternatives, " UNION ALL ") + `)`
	}
	return engine.ReadAll(ctx, s.db.Reads, "audit", schema.Audit.Scan(), query+` ORDER BY id DESC LIMIT $1 + 0`, args...)
}

// auditWhere returns the condition of the search. A search for a person (as the actor
// or as the person concerned) or for all actions of a noun additionally returns
// alternatives, one of which an entry has to meet, and each of which has an index of
// its own. Argument $1 is the number of entries to read. Writing "at + 0" keeps the
// engine from using an index on the time and then sorting.
func auditWhere(search audit.Search) (where string, alternatives []string, args []any) {
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
		add("at + 0 >= ?", engine.Instant(search.From))
	}
	if !search.Until.IsZero() {
		add("at + 0 < ?", engine.Instant(search.Until))
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
		for _, action := range audit.Actions(search.Noun) {
			alternatives = append(alternatives, of("action = ?", action))
		}
	}
	return strings.Join(conditions, " AND "), alternatives, args
}

const auditDaysSetting = "audit days"

// AuditDays returns for how many days entries of the audit are kept.
func (s *Audit) AuditDays(ctx context.Context) (int, error) {
	look := s.db.Reading(ctx)
	days := auditDays(teamdb.Setting(look, auditDaysSetting))
	return days, engine.About(auditDaysSetting, look.Err())
}

// auditDays parses the setting.
func auditDays(text string) int {
	days, err := strconv.Atoi(text)
	if err != nil {
		return audit.Days
	}
	return min(max(days, audit.MinDays), audit.MaxDays)
}

// SetAuditDays changes for how many days entries of the audit are kept.
func (s *Audit) SetAuditDays(ctx context.Context, days int) error {
	return engine.About(auditDaysSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := teamdb.Setting(tx, auditDaysSetting)
		if !tx.OK() || auditDays(before) == days {
			return
		}
		teamdb.PutSetting(tx, auditDaysSetting, strconv.Itoa(days))
		teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: "days that the audit is kept",
			Before: strconv.Itoa(auditDays(before)), After: strconv.Itoa(days)})
	}))
}

// SweepAudit deletes the entries that are older than audit.Days at the time now.
func (s *Audit) SweepAudit(ctx context.Context, now time.Time) error {
	days, err := s.AuditDays(ctx)
	if err != nil {
		return err
	}
	return engine.About("audit", s.db.ExecInBatches(ctx, `
		DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at <= $1 ORDER BY at LIMIT $2 + 0)`,
		engine.Instant(now.AddDate(0, 0, -days)), engine.BatchSize))
}
