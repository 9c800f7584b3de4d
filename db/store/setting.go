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

// Setting returns the value of the setting.
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var value string
	err := s.reads.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, about(fmt.Sprintf("setting %q", name), err)
}

// SetSetting stores the value of the setting.
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	return about(fmt.Sprintf("setting %q", name), s.write(ctx, func(tx *sql.Tx) error { return putSetting(ctx, tx, name, value) }))
}

// KeepSetting stores the value unless the setting has one already, and returns the
// stored value, which is the same for all concurrent callers.
func (s *Store) KeepSetting(ctx context.Context, name, value string) (kept string, err error) {
	err = s.writes.QueryRowContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = settings.value
		RETURNING value`, name, value).Scan(&kept)
	return kept, about(fmt.Sprintf("setting %q", name), err)
}

func putSetting(ctx context.Context, tx *sql.Tx, name, value string) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
	return err
}

// Settings of the team's time zone: its name and, while the days of the tasks are being
// converted to it, the ID of the last task that was converted.
const (
	zoneSetting    = "time zone"
	zonedToSetting = "time zone up to task"
)

// TimeZone returns the team's time zone. The default is UTC.
func (s *Store) TimeZone(ctx context.Context) (zone *time.Location, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		zone, err = s.zone(ctx, tx)
		return err
	})
	return zone, about(zoneSetting, err)
}

func (s *Store) zone(ctx context.Context, tx *sql.Tx) (*time.Location, error) {
	name, err := setting(ctx, tx, zoneSetting)
	if err != nil {
		return nil, err
	}
	if known, ok := s.zones.Load(name); ok {
		return known.(*time.Location), nil
	}
	zone, err := db.ParseZone(name)
	if err == nil {
		s.zones.Store(name, zone)
	}
	return zone, err
}

// setting returns the value of the setting, or an empty string if it has none.
func setting(ctx context.Context, tx *sql.Tx, name string) (value string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// SetTimeZone changes the team's time zone to one that db.ParseZone accepts.
// RebuildDays then converts the days of the tasks.
func (s *Store) SetTimeZone(ctx context.Context, name string) error {
	if _, err := db.ParseZone(name); err != nil {
		return err
	}
	return about(zoneSetting, s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		before, err := s.zone(ctx, tx)
		if err != nil {
			return err
		}
		if err := putSetting(ctx, tx, zoneSetting, name); err != nil {
			return err
		}
		if err := putSetting(ctx, tx, zonedToSetting, "0"); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.SettingChanged, What: zoneSetting, Before: before.String(), After: name})
	}))
}

// RebuildDays converts the days of the next limit tasks, and with them the totals of
// usage, to the team's time zone. It reports whether more tasks remain.
func (s *Store) RebuildDays(ctx context.Context, limit int) (more bool, err error) {
	if waiting, err := s.Rebuilding(ctx); err != nil || !waiting {
		return false, err
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		after, err := setting(ctx, tx, zonedToSetting)
		if err != nil || after == "" {
			return err
		}
		zone, err := s.zone(ctx, tx)
		if err != nil {
			return err
		}
		dated, err := all(ctx, tx, scanDated, `SELECT id, created_at, day FROM tasks WHERE id > CAST($1 AS BIGINT) ORDER BY id LIMIT $2 + 0`, after, limit)
		if err != nil {
			return err
		}
		for _, t := range dated {
			if day := db.DayOf(t.at, zone); day != t.day {
				if _, err := tx.ExecContext(ctx, `UPDATE tasks SET day = $1 WHERE id = $2`, day, t.id); err != nil {
					return err
				}
			}
		}
		if more = len(dated) == limit; more {
			return putSetting(ctx, tx, zonedToSetting, strconv.FormatInt(dated[limit-1].id, 10))
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM settings WHERE name = $1`, zonedToSetting)
		return err
	})
	return more, about("days of the tasks", err)
}

// Rebuilding reports whether some tasks may still have days of an earlier time zone.
func (s *Store) Rebuilding(ctx context.Context) (bool, error) {
	_, err := s.Setting(ctx, zonedToSetting)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// A datedTask is a task's ID, its creation time, and the day stored for it.
type datedTask struct {
	id, day int64
	at      time.Time
}

func scanDated(rows *sql.Rows) (t datedTask, err error) {
	err = rows.Scan(&t.id, (*instant)(&t.at), &t.day)
	return t, err
}
