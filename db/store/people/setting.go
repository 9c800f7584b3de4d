package people

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/teamdb"
	"dailies/db/team"
)

// Settings stores the settings of the team, and forms that people have typed.
type Settings struct {
	db *teamdb.DB
}

// Setting returns the value of the setting.
func (s *Settings) Setting(ctx context.Context, name string) (string, error) {
	return engine.ReadValue[string](ctx, s.db.Reads, fmt.Sprintf("setting %q", name), `SELECT value FROM settings WHERE name = $1`, name)
}

// SetSetting stores the value of the setting.
func (s *Settings) SetSetting(ctx context.Context, name, value string) error {
	return engine.About(fmt.Sprintf("setting %q", name), s.db.Write(ctx, func(tx *engine.Tx) { teamdb.PutSetting(tx, name, value) }))
}

// BackupMade records that a backup was made at the time.
func (s *Settings) BackupMade(ctx context.Context, at time.Time) error {
	return s.SetSetting(ctx, teamdb.BackupSetting, strconv.FormatInt(at.UnixMilli(), 10))
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
	return engine.Read(ctx, s.db, teamdb.ZoneSetting, func(tx *engine.Tx) *time.Location { return s.db.Zone(tx) })
}

// SetTimeZone changes the team's time zone to one that db.ParseZone accepts.
// RebuildDays then converts the days of the tasks.
func (s *Settings) SetTimeZone(ctx context.Context, name string) error {
	if _, err := db.ParseZone(name); err != nil {
		return err
	}
	return engine.About(teamdb.ZoneSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := s.db.Zone(tx)
		teamdb.PutSetting(tx, teamdb.ZoneSetting, name)
		teamdb.PutSetting(tx, zonedToSetting, "0")
		teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: teamdb.ZoneSetting, Before: before.String(), After: name})
	}))
}

// Provider returns the provider that the team's requests name; empty for none.
func (s *Settings) Provider(ctx context.Context) (string, error) {
	return engine.Read(ctx, s.db, teamdb.ProviderSetting, func(tx *engine.Tx) string { return teamdb.Setting(tx, teamdb.ProviderSetting) })
}

// SetProvider changes it.
func (s *Settings) SetProvider(ctx context.Context, name string) error {
	return engine.About(teamdb.ProviderSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := teamdb.Setting(tx, teamdb.ProviderSetting)
		if !tx.OK() || before == name {
			return
		}
		teamdb.PutSetting(tx, teamdb.ProviderSetting, name)
		teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: teamdb.ProviderSetting, Before: before, After: name})
	}))
}

// RebuildDays converts the days of the next limit tasks, and with them the totals of
// usage, to the team's time zone. It reports whether more tasks remain.
func (s *Settings) RebuildDays(ctx context.Context, limit int) (more bool, err error) {
	if waiting, err := s.Rebuilding(ctx); err != nil || !waiting {
		return false, err
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		after := teamdb.Setting(tx, zonedToSetting)
		if !tx.OK() || after == "" {
			return
		}
		zone := s.db.Zone(tx)
		dated := engine.All(tx, engine.ScanFields(datedFields),
			`SELECT id, created_at, day FROM tasks WHERE id > CAST($1 AS BIGINT) ORDER BY id LIMIT $2 + 0`, after, limit)
		for _, t := range dated {
			if day := db.DayOf(t.at, zone); tx.OK() && day != t.day {
				tx.Exec(`UPDATE tasks SET day = $1 WHERE id = $2`, day, t.id)
			}
		}
		if more = len(dated) == limit; tx.OK() && more {
			teamdb.PutSetting(tx, zonedToSetting, strconv.FormatInt(dated[limit-1].id, 10))
			return
		}
		tx.Exec(`DELETE FROM settings WHERE name = $1`, zonedToSetting)
	})
	return more, engine.About("days of the tasks", err)
}

// Rebuilding reports whether some tasks may still have days of an earlier time zone.
func (s *Settings) Rebuilding(ctx context.Context) (bool, error) {
	look := s.db.Reading(ctx)
	return teamdb.Setting(look, zonedToSetting) != "", engine.About(zonedToSetting, look.Err())
}

// A datedTask is a task's ID, its creation time, and the day stored for it.
type datedTask struct {
	id, day int64
	at      time.Time
}

func datedFields(t *datedTask) []any {
	return []any{&t.id, (*engine.Instant)(&t.at), &t.day}
}

// AddTyped stores a typed form under the token, in place of an earlier one. It deletes
// forms older than ordering.TypedLife, then the oldest ones of the typist's owner beyond
// ordering.MaxTypedOfOne, and, if all forms of known browsers or those of strangers are too
// large, the oldest ones of the owner that has most.
func (s *Settings) AddTyped(ctx context.Context, token secrets.TokenHash, by ordering.Typist, t ordering.Typed) error {
	return engine.About("typed form", s.db.Write(ctx, func(tx *engine.Tx) {
		sweepTyped(tx, t.At)
		tx.Exec(`
			INSERT INTO typed (token, at, form, browser, counts_for, known, size) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (token) DO UPDATE SET at = excluded.at, form = excluded.form, browser = excluded.browser,
				counts_for = excluded.counts_for, known = excluded.known, size = excluded.size`,
			engine.Digest(token), engine.Instant(t.At), engine.AsJSON(&t), engine.Digest(by.Browser),
			engine.Digest(by.Owner), by.Known, t.Size())
		tx.Exec(`
			DELETE FROM typed WHERE token IN (
				SELECT token FROM (
					SELECT token, sum(size) OVER (ORDER BY CASE WHEN token = $1 THEN 0 ELSE 1 END, at DESC, token) AS newer
					FROM typed WHERE known = $2 AND counts_for = $3
				) sizes WHERE newer > $4)`,
			engine.Digest(token), by.Known, engine.Digest(by.Owner), ordering.MaxTypedOfOne)
		shrinkTyped(tx, by.Known)
	}))
}

// shrinkTyped deletes forms until all of known browsers, or all of strangers, are within
// their limit.
func shrinkTyped(tx *engine.Tx, known bool) {
	for {
		total := engine.Value[int](tx, `SELECT coalesce(sum(size), 0) FROM typed WHERE known = $1`, known)
		if !tx.OK() || total <= ordering.MaxTypedOf(known) {
			return
		}
		tx.ExecOr(db.ErrNotFound, `
			DELETE FROM typed WHERE token = (
				SELECT token FROM typed WHERE known = $1 AND counts_for = (
					SELECT counts_for FROM typed WHERE known = $1 GROUP BY counts_for ORDER BY sum(size) DESC, counts_for LIMIT 1)
				ORDER BY at, token LIMIT 1)`, known)
	}
}

func sweepTyped(tx *engine.Tx, now time.Time) {
	tx.Exec(`DELETE FROM typed WHERE at <= $1`, engine.Instant(now.Add(-ordering.TypedLife)))
}

// Typed returns the form that is stored under one of the tokens, the newest if there are
// several.
func (s *Settings) Typed(ctx context.Context, tokens [2]secrets.TokenHash) (ordering.Typed, error) {
	var t ordering.Typed
	err := s.db.Reads.QueryRowContext(ctx, `SELECT form FROM typed WHERE token IN ($1, $2) ORDER BY at DESC LIMIT 1`,
		engine.Digest(tokens[0]), engine.Digest(tokens[1])).Scan(engine.AsJSON(&t))
	return t, engine.About("typed form", err)
}

// DropTyped deletes the forms that are stored under the tokens, and reports whether the
// browser has others.
func (s *Settings) DropTyped(ctx context.Context, tokens [2]secrets.TokenHash, browser secrets.TokenHash) (others bool, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM typed WHERE token IN ($1, $2)`, engine.Digest(tokens[0]), engine.Digest(tokens[1]))
		others = engine.Value[bool](tx, `SELECT EXISTS (SELECT 1 FROM typed WHERE browser = $1)`, engine.Digest(browser))
	})
	return others, engine.About("typed form", err)
}

// A record is a setting with several fields, which are stored as JSON. Its name is that in
// the audit, too.
type record[T comparable] struct {
	name    string
	inWords func(T) string // for the audit
}

// in returns the setting, or the zero value if it was never set.
func (r record[T]) in(tx *engine.Tx) (value T) {
	if text := teamdb.Setting(tx, r.name); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &value))
	}
	return value
}

// put changes the setting, and records that for the audit. It reports false if the setting
// has this value already.
func (r record[T]) put(tx *engine.Tx, value T) (changed bool) {
	before := r.in(tx)
	if !tx.OK() || value == before {
		return false
	}
	text, err := json.Marshal(value)
	tx.Check(err)
	teamdb.PutSetting(tx, r.name, string(text))
	teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: r.name, Before: r.inWords(before), After: r.inWords(value)})
	return true
}

var announcementRecord = record[team.Announcement]{"announcement", announced}

// Announcement returns the announcement that an admin shows on every page, even if it
// has expired. The zero value means that there is none.
func (s *Settings) Announcement(ctx context.Context) (team.Announcement, error) {
	return engine.Read(ctx, s.db, announcementRecord.name, announcementRecord.in)
}

// SetAnnouncement replaces the announcement; the zero value removes it.
func (s *Settings) SetAnnouncement(ctx context.Context, a team.Announcement) error {
	return engine.About(announcementRecord.name, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { announcementRecord.put(tx, a) }))
}

// CloseAnnouncement records that the person has closed the announcement with the mark,
// which their pages do not show any more.
func (s *Settings) CloseAnnouncement(ctx context.Context, userID int64, mark string) error {
	_, err := s.db.Writes.ExecContext(ctx, `UPDATE users SET closed_announcement = $1 WHERE id = $2`, mark, userID)
	return engine.About(announcementRecord.name+" of "+engine.User(userID), err)
}

// announcementKinds names, for the audit, what an announcement is: a warning or not, and
// whether it stays.
var announcementKinds = map[bool]map[bool]string{
	false: {false: "info", true: "info that stays"},
	true:  {false: "warning", true: "warning that stays"},
}

// announced returns the announcement in words, for the audit.
func announced(a team.Announcement) string {
	if a.Text == "" {
		return ""
	}
	kind := announcementKinds[a.Kind == team.Warning][a.Stays]
	return fmt.Sprintf("%s (%s, until %s)", a.Text, kind, a.Until.UTC().Format("2006-01-02 15:04 MST"))
}

// brandRecord is the team's brand.
var brandRecord = record[team.Brand]{"brand", branded}

// logoSetting is the setting with the file of the team's logo, in base64. The logo is in
// the database because it is small, and thus in every backup and move.
const logoSetting = "logo"

// Brand returns the team's brand.
func (s *Settings) Brand(ctx context.Context) (team.Brand, error) {
	return engine.Read(ctx, s.db, brandRecord.name, brandRecord.in)
}

// Logo returns the file of the team's logo, and describes it. It returns db.ErrNotFound if
// there is none.
func (s *Settings) Logo(ctx context.Context) (file []byte, logo team.Logo, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		logo = brandRecord.in(tx).Logo
		text := teamdb.Setting(tx, logoSetting)
		tx.Require(logo.Hash != "" && text != "", db.ErrNotFound)
		if tx.OK() {
			file, err = base64.StdEncoding.DecodeString(text)
			tx.Check(err)
		}
	})
	return file, logo, engine.About(logoSetting, err)
}

// SetBrand changes the team's brand. The file is that of b.Logo; nil means that it is the
// logo that the team has, or that there is none.
func (s *Settings) SetBrand(ctx context.Context, b team.Brand, file []byte) error {
	b.Name = naming.Clean(b.Name)
	return engine.About(brandRecord.name, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		changed := brandRecord.put(tx, b)
		switch {
		case !tx.OK() || !changed:
		case file != nil:
			teamdb.PutSetting(tx, logoSetting, base64.StdEncoding.EncodeToString(file))
		case b.Logo == team.Logo{}:
			tx.Exec(`DELETE FROM settings WHERE name = $1`, logoSetting)
		}
	}))
}

// branded returns the brand in words, for the audit.
func branded(b team.Brand) string {
	if b == (team.Brand{}) {
		return ""
	}
	logo := "no logo"
	if b.Logo.Hash != "" {
		logo = fmt.Sprintf("a logo of %d × %d", b.Logo.Width, b.Logo.Height)
	}
	colour := b.Colour
	if colour == "" {
		colour = "the usual colour"
	}
	return fmt.Sprintf("%s (%s, %s)", b.Name, colour, logo)
}

// labelRecord says how the team tells that its videos are made by AI.
var labelRecord = record[team.Labels]{"labels", labelled}

// Labels returns how the team tells that its videos are made by AI.
func (s *Settings) Labels(ctx context.Context) (team.Labels, error) {
	return engine.Read(ctx, s.db, labelRecord.name, labelRecord.in)
}

// SetLabels changes how the team tells that its videos are made by AI.
func (s *Settings) SetLabels(ctx context.Context, l team.Labels) error {
	return engine.About(labelRecord.name, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { labelRecord.put(tx, l) }))
}

// labelled returns the setting in words, for the audit.
func labelled(l team.Labels) string {
	guests := "guests are told"
	if l.Quiet {
		guests = "guests are not told"
	}
	if l.Producer == "" {
		return guests
	}
	return fmt.Sprintf("%s, files name %s", guests, l.Producer)
}
