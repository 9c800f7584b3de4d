package store

import (
	"context"
	"database/sql"
	"strconv"
	"time"

	"dailies/db/schedule"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Work counts the work of all processes at the time now. It reads few rows, from
// indexes, and counts the queue up to schedule.MostWork.
func (s *Store) Work(ctx context.Context, now time.Time) (w schedule.Work, err error) {
	w.Leases = map[string]schedule.Leases{}
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		var due engine.Instant
		tx.Row(`
			SELECT (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE state = 'queued' LIMIT $2 + 0) waiting), (
				SELECT next_at FROM tasks
				WHERE state IN ('pending', 'processing') AND next_at <= $1 AND (leased_until IS NULL OR leased_until <= $1)
				ORDER BY next_at LIMIT 1)`, engine.Instant(now), schedule.MostWork).Scan(&w.Queued, &due)
		if at := time.Time(due); tx.OK() && !at.IsZero() {
			w.OldestDue = now.Sub(at)
		}
		var mail engine.Instant
		tx.Row(`
			SELECT count(*), min(CASE WHEN next_at <= $1 THEN next_at END) FROM mails WHERE next_at IS NOT NULL`,
			engine.Instant(now)).Scan(&w.Mails, &mail)
		if at := time.Time(mail); tx.OK() && !at.IsZero() {
			w.DueMail = now.Sub(at)
		}
		if millis, err := strconv.ParseInt(kit.Setting(tx, kit.BackupSetting), 10, 64); err == nil {
			w.Backup = time.UnixMilli(millis).UTC()
		}
		for kind, table := range map[string]string{"task": "tasks", "notice": "deliveries", "mail": "mails", "job": "jobs"} {
			var l schedule.Leases
			tx.Row(`
				SELECT coalesce(sum(CASE WHEN leased_until > $1 THEN 1 ELSE 0 END), 0), coalesce(sum(CASE WHEN leased_until > $1 THEN 0 ELSE 1 END), 0)
				FROM `+table+` WHERE leased_until IS NOT NULL`, engine.Instant(now)).Scan(&l.Held, &l.Overdue)
			w.Leases[kind] = l
		}
		countTotals(tx, &w)
		w.Processes = 1 + len(s.db.Others(tx))
	})
	return w, engine.About("work of the processes", err)
}

// countTotals adds what the totals say, and the unconfirmed tasks, which have an index
// of their own: neither takes longer when there are many tasks.
func countTotals(tx *engine.Tx, w *schedule.Work) {
	var paid engine.Amount
	tx.Row(`
		SELECT (SELECT count(*) FROM tasks WHERE state = 'unconfirmed' AND decided_at IS NULL),
			(SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM kept_bytes),
			CAST(coalesce(sum(CASE WHEN `+kit.Paid+` THEN paid ELSE 0 END), 0) AS BIGINT),
			CAST(coalesce(sum(CASE WHEN outcome IN ('failed', 'canceled', 'rejected') THEN tasks ELSE 0 END), 0) AS BIGINT)
		FROM usage_months`).Scan(&w.Unconfirmed, &w.KeptBytes, &paid, &w.Failed)
	w.Paid = float64(paid)
}

// Processes counts the processes that work on the database now: this one, and others
// that have not missed their heartbeats.
func (s *Store) Processes(ctx context.Context) (int, error) {
	return engine.Read(ctx, s.db, "processes", func(tx *engine.Tx) int {
		n := 1
		for _, p := range s.db.Others(tx) {
			if p.GoneAt.IsZero() {
				n++
			}
		}
		return n
	})
}

// Pools returns the state of this process's connections to the database.
func (s *Store) Pools() (reads, writes sql.DBStats) { return s.db.Reads.Stats(), s.db.Writes.Stats() }
