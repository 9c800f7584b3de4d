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

// Setting returns the value that was kept under the name.
func (s *Store) Setting(ctx context.Context, name string) (string, error) {
	var value string
	err := s.reads.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	return value, about(fmt.Sprintf("setting %q", name), err)
}

// SetSetting keeps the value under the name.
func (s *Store) SetSetting(ctx context.Context, name, value string) error {
	return about(fmt.Sprintf("setting %q", name), s.write(ctx, func(tx *sql.Tx) error { return putSetting(ctx, tx, name, value) }))
}

// KeepSetting keeps the value under the name unless another one is kept there, and
// returns the one that is: the same for all who ask at once.
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

// The settings of the team's time zone: its name, and, while the days of the
// tasks are being brought into it, the last task that has been.
const (
	zoneSetting    = "time zone"
	zonedToSetting = "time zone up to task"
)

// TimeZone returns the team's time zone, which is UTC at first.
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

// setting returns the value kept under the name, empty where there is none.
func setting(ctx context.Context, tx *sql.Tx, name string) (value string, err error) {
	err = tx.QueryRowContext(ctx, `SELECT value FROM settings WHERE name = $1`, name).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return value, err
}

// SetTimeZone changes the team's time zone to one that db.ParseZone knows.
// RebuildDays then brings the tasks into it.
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

// RebuildDays brings the days of so many tasks into the team's time zone, and
// their usage with them. It goes on where it stopped, and reports whether there
// are more.
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
		dated, err := all(ctx, tx, scanDated, `SELECT id, created_at, day FROM tasks WHERE id > CAST($1 AS INTEGER) ORDER BY id LIMIT $2 + 0`, after, limit)
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

// Rebuilding reports whether the days of some tasks may still be those of
// another time zone.
func (s *Store) Rebuilding(ctx context.Context) (bool, error) {
	_, err := s.Setting(ctx, zonedToSetting)
	if errors.Is(err, db.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// A dated task is one with the day that was written down for it.
type dated struct {
	id, day int64
	at      time.Time
}

func scanDated(rows *sql.Rows) (t dated, err error) {
	err = rows.Scan(&t.id, (*instant)(&t.at), &t.day)
	return t, err
}
