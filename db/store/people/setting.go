package people

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Settings stores the settings of the team, and forms that people have typed.
type Settings struct {
	db *kit.DB
}

// Setting returns the value of the setting.
func (s *Settings) Setting(ctx context.Context, name string) (string, error) {
	return engine.ReadValue[string](ctx, s.db.Reads, fmt.Sprintf("setting %q", name), `SELECT value FROM settings WHERE name = $1`, name)
}

// SetSetting stores the value of the setting.
func (s *Settings) SetSetting(ctx context.Context, name, value string) error {
	return engine.About(fmt.Sprintf("setting %q", name), s.db.Write(ctx, func(tx *engine.Tx) { kit.PutSetting(tx, name, value) }))
}

// BackupMade records that a backup was made at the time.
func (s *Settings) BackupMade(ctx context.Context, at time.Time) error {
	return s.SetSetting(ctx, kit.BackupSetting, strconv.FormatInt(at.UnixMilli(), 10))
}

// KeepSetting stores the value unless the setting has one already, and returns the
// stored value, which is the same for all concurrent callers.
func (s *Settings) KeepSetting(ctx context.Context, name, value string) (kept string, err error) {
	return engine.ReadValue[string](ctx, s.db.Writes, fmt.Sprintf("setting %q", name), `
		INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = settings.value
		RETURNING value`, name, value)
}

// zonedToSetting is the setting that, while the days of the tasks are being converted to
// another time zone, has the ID of the last task that was converted.
const zonedToSetting = "time zone up to task"

// TimeZone returns the team's time zone. The default is UTC.
func (s *Settings) TimeZone(ctx context.Context) (*time.Location, error) {
	return engine.Read(ctx, s.db, kit.ZoneSetting, func(tx *engine.Tx) *time.Location { return s.db.Zone(tx) })
}

// SetTimeZone changes the team's time zone to one that db.ParseZone accepts.
// RebuildDays then converts the days of the tasks.
func (s *Settings) SetTimeZone(ctx context.Context, name string) error {
	if _, err := db.ParseZone(name); err != nil {
		return err
	}
	return engine.About(kit.ZoneSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := s.db.Zone(tx)
		kit.PutSetting(tx, kit.ZoneSetting, name)
		kit.PutSetting(tx, zonedToSetting, "0")
		kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: kit.ZoneSetting, Before: before.String(), After: name})
	}))
}

// Provider returns the provider that the team's requests name; empty for none.
func (s *Settings) Provider(ctx context.Context) (string, error) {
	return engine.Read(ctx, s.db, kit.ProviderSetting, func(tx *engine.Tx) string { return kit.Setting(tx, kit.ProviderSetting) })
}

// SetProvider changes it.
func (s *Settings) SetProvider(ctx context.Context, name string) error {
	return engine.About(kit.ProviderSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := kit.Setting(tx, kit.ProviderSetting)
		if !tx.OK() || before == name {
			return
		}
		kit.PutSetting(tx, kit.ProviderSetting, name)
		kit.Record(tx, audit.Entry{Action: audit.SettingChanged, What: kit.ProviderSetting, Before: before, After: name})
	}))
}

// RebuildDays converts the days of the next limit tasks, and with them the totals of
// usage, to the team's time zone. It reports whether more tasks remain.
func (s *Settings) RebuildDays(ctx context.Context, limit int) (more bool, err error) {
	if waiting, err := s.Rebuilding(ctx); err != nil || !waiting {
		return false, err
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		after := kit.Setting(tx, zonedToSetting)
		if !tx.OK() || after == "" {
			return
		}
		zone := s.db.Zone(tx)
		dated := engine.All(tx, engine.ScanFields(datedFields), `SELECT id, created_at, day FROM tasks WHERE id > CAST($1 AS BIGINT) ORDER BY id LIMIT $2 + 0`, after, limit)
		for _, t := range dated {
			if day := db.DayOf(t.at, zone); tx.OK() && day != t.day {
				tx.Exec(`UPDATE tasks SET day = $1 WHERE id = $2`, day, t.id)
			}
		}
		if more = len(dated) == limit; tx.OK() && more {
			kit.PutSetting(tx, zonedToSetting, strconv.FormatInt(dated[limit-1].id, 10))
			return
		}
		tx.Exec(`DELETE FROM settings WHERE name = $1`, zonedToSetting)
	})
	return more, engine.About("days of the tasks", err)
}

// Rebuilding reports whether some tasks may still have days of an earlier time zone.
func (s *Settings) Rebuilding(ctx context.Context) (bool, error) {
	look := s.db.Reading(ctx)
	return kit.Setting(look, zonedToSetting) != "", engine.About(zonedToSetting, look.Err())
}

// A datedTask is a task's ID, its creation time, and the day stored for it.
type datedTask struct {
	id, day int64
	at      time.Time
}

func datedFields(t *datedTask) []any {
	return []any{&t.id, (*engine.Instant)(&t.at), &t.day}
}
