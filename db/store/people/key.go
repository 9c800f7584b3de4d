package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
	"dailies/db/team"
)

// Keys stores the keys for the video service: those of people and those of the team.
type Keys struct {
	db *teamdb.DB
}

var keyInUse = `SELECT ` + schema.KeysInUse.Columns + ` FROM keys_in_use WHERE user_id = $1`

// KeyInUse returns the key with which the person's next video is sent: their own or
// one of the team's.
func (s *Keys) KeyInUse(ctx context.Context, userID int64) (secrets.Key, error) {
	return engine.Read(ctx, s.db, key(userID), func(tx *engine.Tx) secrets.Key {
		return engine.One(tx, schema.KeysInUse.Scan(), keyInUse, userID)
	})
}

var ownKey = `
	SELECT ` + schema.Keys.Columns + `
	FROM keys WHERE user_id = $1 AND service_id = ` + schema.CurrentService

// Key returns the person's own key for the service that the team uses, even if they
// currently use one of the team's.
func (s *Keys) Key(ctx context.Context, userID int64) (secrets.Key, error) {
	return engine.ReadOne(ctx, s.db.Reads, key(userID), schema.Keys.Scan(), ownKey, userID)
}

// EarlierServices returns the services for which the person has a key of their own, without
// the one that the team uses, the last one used first.
func (s *Keys) EarlierServices(ctx context.Context, userID int64) ([]db.Service, error) {
	return engine.Read(ctx, s.db, key(userID), func(tx *engine.Tx) []db.Service {
		found := teamdb.Services(tx,
			`current = 0 AND EXISTS (SELECT 1 FROM keys WHERE keys.owner = $1 AND keys.service_id = services.id)`, userID)
		slices.SortStableFunc(found, func(a, b db.Service) int { return b.UsedAt.Compare(a.UsedAt) })
		return found
	})
}

var addedKey = schema.Keys.Part(schema.Added)

// PutKey stores the key as the person's own, in place of any earlier one for the same
// service. It returns db.ErrConflict if that is not the service that the team uses.
func (s *Keys) PutKey(ctx context.Context, k secrets.Key) error {
	return engine.About(key(k.UserID), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		forService(tx, &k)
		before := ownKeyEnd(tx, k.UserID)
		tx.Exec(`
			INSERT INTO keys (`+addedKey.Names+`) VALUES (`+addedKey.Places(1)+`)
			ON CONFLICT (user_id) DO UPDATE SET service_id = excluded.service_id, `+schema.Keys.Part(schema.Changed).Excluded(),
			addedKey.Values(&k)...)
		teamdb.Record(teamdb.AsUser(tx, k.UserID),
			audit.Entry{Action: audit.KeySaved, UserID: k.UserID, What: teamdb.OwnKey, Before: before, After: keyEnd(k.LastFour)})
	}))
}

// forService fails with db.ErrConflict if the key is for another service than the one that
// the team uses. A key that names none is for that one.
func forService(tx *engine.Tx, k *secrets.Key) {
	current := teamdb.Service(tx)
	tx.Require(k.ServiceID == 0 || k.ServiceID == current.ID, fmt.Errorf("the service was changed: %w", db.ErrConflict))
	k.ServiceID = current.ID
}

// ownKeyEnd returns the last characters of the person's own key, or an empty string if
// there is none.
func ownKeyEnd(tx *engine.Tx, userID int64) string {
	var end string
	if !tx.Row(`SELECT last_four FROM keys WHERE user_id = $1 AND service_id = `+schema.CurrentService, userID).Find(&end) {
		return ""
	}
	return keyEnd(end)
}

func keyEnd(lastFour string) string { return "…" + lastFour }

// DeleteKey deletes the person's own key for the service that the team uses, if there is
// one.
func (s *Keys) DeleteKey(ctx context.Context, userID int64) error {
	return engine.About(key(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		before := ownKeyEnd(tx, userID)
		if !tx.OK() || before == "" {
			return
		}
		tx.Exec(`DELETE FROM keys WHERE user_id = $1 AND service_id = `+schema.CurrentService, userID)
		teamdb.Record(tx, audit.Entry{Action: audit.KeyDeleted, UserID: userID, What: teamdb.OwnKey, Before: before})
	}))
}

// SetKeyChecked records whether the service accepted the key when it was tested. It
// returns db.ErrConflict if the person's key is no longer the sealed one.
func (s *Keys) SetKeyChecked(ctx context.Context, userID int64, sealed []byte, at time.Time, accepted bool) error {
	return engine.About(key(userID), s.db.ExecOr(ctx, db.ErrConflict, `
		UPDATE keys SET checked_at = $1, accepted = $2 WHERE user_id = $3 AND sealed = $4`,
		engine.Instant(at), accepted, userID, sealed))
}

// RunningWithOwnKey counts the unfinished videos that were sent with the person's own key
// to the service that the team uses.
func (s *Keys) RunningWithOwnKey(ctx context.Context, userID int64) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "videos under way with the "+key(userID), `
		SELECT count(*) FROM task_keys k JOIN tasks t ON t.id = k.task_id
		WHERE t.payer = $1 AND k.team_key_id = 0 AND t.service_id = `+schema.CurrentService, userID)
}

func key(userID int64) string { return "key of " + engine.User(userID) }

// TeamKey returns the team's key with the ID, without the counts. It returns
// db.ErrNotFound for a deleted key.
func (s *Keys) TeamKey(ctx context.Context, id int64) (team.Key, error) {
	return engine.Read(ctx, s.db, teamKeyNo(id), func(tx *engine.Tx) team.Key { return teamKey(tx, id) })
}

var teamKeyByID = `
	SELECT ` + schema.TeamKeys.Columns + ` FROM team_keys WHERE id = $1 AND deleted_at IS NULL`

func teamKey(tx *engine.Tx, id int64) team.Key {
	return engine.One(tx, schema.TeamKeys.Scan(), teamKeyByID, id)
}

// TeamKeyName returns the name of the team's key with the ID, even of a deleted one.
func (s *Keys) TeamKeyName(ctx context.Context, id int64) (string, error) {
	return engine.ReadValue[string](ctx, s.db.Reads, teamKeyNo(id), `SELECT name FROM team_keys WHERE id = $1`, id)
}

var teamKeys = `
	WITH people (user_id, team_key_id) AS MATERIALIZED (SELECT user_id, team_key_id FROM keys_in_use),
	waiting (team_key_id, n) AS MATERIALIZED (
		SELECT people.team_key_id, count(*) FROM tasks JOIN people ON people.user_id = tasks.payer
		WHERE tasks.state = 'queued' GROUP BY people.team_key_id)
	SELECT ` + schema.TeamKeys.Columns + `,
		(SELECT count(*) FROM people WHERE team_key_id = team_keys.id),
		coalesce((SELECT n FROM waiting WHERE team_key_id = team_keys.id), 0),
		(SELECT count(*) FROM task_keys WHERE team_key_id = team_keys.id)
	FROM team_keys ORDER BY lower(name), id`

// TeamKeys returns the team's keys for all services, including deleted ones, by name.
func (s *Keys) TeamKeys(ctx context.Context) ([]team.Key, error) {
	return engine.ReadAll(ctx, s.db.Reads, "keys of the team", schema.TeamKeys.Scan(func(k *team.Key) []any {
		return []any{&k.People, &k.Queued, &k.Running}
	}), teamKeys)
}

var keysInUse = `
	SELECT ` + schema.KeysInUse.Columns + ` FROM keys_in_use WHERE user_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1))`

// KeysInUse returns the keys with which the next videos of the people with the IDs are
// sent, by the person's ID. People without a key are left out.
func (s *Keys) KeysInUse(ctx context.Context, people []int64) (map[int64]secrets.Key, error) {
	keys, err := engine.ReadAll(ctx, s.db.Reads, "keys in use", schema.KeysInUse.Scan(), keysInUse, engine.Listed(people))
	byPerson := map[int64]secrets.Key{}
	for _, k := range keys {
		byPerson[k.UserID] = k
	}
	return byPerson, err
}

// CountKeyUsers counts the active people whose next video is sent with a key of their own,
// and those who may make videos and have no key.
func (s *Keys) CountKeyUsers(ctx context.Context) (owning, without int, err error) {
	var makers, withKey int
	err = s.db.Reads.QueryRowContext(ctx, `
		SELECT (SELECT count(*) FROM users WHERE deactivated_at IS NULL AND role <> $1), count(*) FILTER (WHERE u.role <> $1), count(*) FILTER (WHERE k.team_key_id = 0)
		FROM keys_in_use k JOIN users u ON u.id = k.user_id`,
		db.Viewer).Scan(&makers, &withKey, &owning)
	return owning, makers - withKey, engine.About("users of keys", err)
}

// AddTeamKey adds the key to those of the team and sets its ID. seal has to return the
// sealed key, for which the ID has to be known. It returns db.ErrConflict if the name
// is taken, and db.ErrFull if the team has team.MaxKeys already.
func (s *Keys) AddTeamKey(ctx context.Context, k *team.Key, seal Sealer) error {
	return engine.About("key of the team", s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { addTeamKey(tx, k, seal) }))
}

// A Sealer returns the sealed key of the owner.
type Sealer = func(secrets.KeyOwner) []byte

var addedTeamKey = schema.TeamKeys.Part(schema.Added)

func addTeamKey(tx *engine.Tx, k *team.Key, seal Sealer) {
	forService(tx, &k.Key)
	tx.Require(tx.Count(`SELECT 1 FROM team_keys WHERE deleted_at IS NULL`) < team.MaxKeys, db.ErrFull)
	if k.Name = naming.Clean(k.Name); k.Standard {
		noStandardKey(tx)
	}
	freeKeyName(tx, k.Name, 0)
	k.Sealed = []byte{}
	tx.Insert(&k.TeamKeyID, `INSERT INTO team_keys (`+addedTeamKey.Names+`) VALUES (`+addedTeamKey.Places(1)+`) RETURNING id`,
		addedTeamKey.Values(k)...)
	if !tx.OK() {
		return
	}
	k.Sealed = seal(k.Owner())
	tx.Exec(`UPDATE team_keys SET sealed = $1 WHERE id = $2`, k.Sealed, k.TeamKeyID)
	after := keyEnd(k.LastFour)
	if k.Standard {
		after = fmt.Sprintf("%s, standard", after)
	}
	teamdb.Record(tx, audit.Entry{Action: audit.KeySaved, What: k.Name, After: after})
}

// addStandardKey makes the key the standard one of the team for the service that it uses. A
// key with the same fingerprint becomes that, rather than a second one.
func addStandardKey(tx *engine.Tx, k *team.Key, seal Sealer) {
	same := engine.All(tx, schema.TeamKeys.Scan(), `
		SELECT `+schema.TeamKeys.Columns+` FROM team_keys
		WHERE deleted_at IS NULL AND service_id = `+schema.CurrentService+` AND fingerprint = CAST($1 AS BLOB) ORDER BY id LIMIT 1`,
		k.Fingerprint)
	if !tx.OK() {
		return
	}
	if len(same) > 0 {
		*k = same[0]
		if !k.Standard {
			setStandardKey(tx, k.TeamKeyID)
		}
		return
	}
	taken := func() bool {
		return !engine.IsFree(tx, k.Name, `SELECT name FROM team_keys WHERE deleted_at IS NULL AND service_id = `+schema.CurrentService)
	}
	for n, name := 2, k.Name; tx.OK() && taken() && n <= team.MaxKeys; n++ {
		k.Name = fmt.Sprintf("%s %d", name, n)
	}
	k.ServiceID, k.Standard = 0, true
	addTeamKey(tx, k, seal)
}

// freeKeyName fails with db.ErrConflict if another key of the team has a name that cannot
// be told from this one.
func freeKeyName(tx *engine.Tx, name string, id int64) {
	tx.Require(engine.IsFree(tx, name,
		`SELECT name FROM team_keys WHERE deleted_at IS NULL AND id <> $1 AND service_id = `+schema.CurrentService, id), db.ErrConflict)
}

// noStandardKey makes the standard key for the service that the team uses an ordinary one.
func noStandardKey(tx *engine.Tx) {
	tx.Exec(`UPDATE team_keys SET standard = 0 WHERE standard = 1 AND service_id = ` + schema.CurrentService)
}

var changedTeamKey = schema.TeamKeys.Part(schema.Changed)

// ReplaceTeamKey replaces the team's key with the ID of k; its name stays. Unfinished
// videos are followed with the key that they were sent with. It returns db.ErrConflict
// while there are any, unless anyway is set.
func (s *Keys) ReplaceTeamKey(ctx context.Context, k secrets.Key, anyway bool) error {
	return engine.About(teamKeyNo(k.TeamKeyID), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		old := idleTeamKey(tx, k.TeamKeyID, anyway)
		tx.Exec(`UPDATE team_keys SET `+changedTeamKey.Sets(2)+` WHERE id = $1`,
			changedTeamKey.Values(&team.Key{Key: k}, k.TeamKeyID)...)
		teamdb.Record(tx, audit.Entry{Action: audit.KeySaved, What: old.Name, Before: keyEnd(old.LastFour), After: keyEnd(k.LastFour)})
	}))
}

// idleTeamKey returns the team's key with the ID. It fails with db.ErrConflict while
// videos that were sent with the key are unfinished, unless anyway is set.
func idleTeamKey(tx *engine.Tx, id int64, anyway bool) team.Key {
	k := teamKey(tx, id)
	if !anyway {
		running := tx.Count(`SELECT 1 FROM task_keys WHERE team_key_id = $1 LIMIT 1`, id)
		tx.Require(running == 0, fmt.Errorf("videos are under way with it: %w", db.ErrConflict))
	}
	return k
}

// DeleteTeamKey deletes the team's key with the ID; its name stays, for the record of
// what was spent with it. People who had the key use the standard one from then on.
// Unfinished videos are still followed with the deleted key. It returns db.ErrConflict
// while there are any, unless anyway is set.
func (s *Keys) DeleteTeamKey(ctx context.Context, id int64, now time.Time, anyway bool) error {
	return engine.About(teamKeyNo(id), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		k := idleTeamKey(tx, id, anyway)
		tx.Exec(`UPDATE users SET team_key_id = NULL WHERE team_key_id = $1`, id)
		tx.Exec(`
			UPDATE team_keys SET deleted_at = $1, standard = 0, sealed = $2, fingerprint = $2, checked_at = NULL, accepted = 0 WHERE id = $3`,
			engine.Instant(now), []byte{}, id)
		teamdb.Record(tx, audit.Entry{Action: audit.KeyDeleted, What: k.Name, Before: keyEnd(k.LastFour)})
	}))
}

// RenameTeamKey changes the name of the team's key. It returns db.ErrConflict if the
// name is taken.
func (s *Keys) RenameTeamKey(ctx context.Context, id int64, name string) error {
	return engine.About(teamKeyNo(id), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		k := teamKey(tx, id)
		if name = naming.Clean(name); !tx.OK() || k.Name == name {
			return
		}
		freeKeyName(tx, name, id)
		tx.Exec(`UPDATE team_keys SET name = $1 WHERE id = $2`, name, id)
		teamdb.Record(tx, audit.Entry{Action: audit.KeySaved, What: name, Before: k.Name, After: name})
	}))
}

// SetTeamKeyChecked records whether the service accepted the team's key when it was
// tested. It returns db.ErrConflict if the key is no longer the sealed one.
func (s *Keys) SetTeamKeyChecked(ctx context.Context, id int64, sealed []byte, at time.Time, accepted bool) error {
	return engine.About(teamKeyNo(id), s.db.ExecOr(ctx, db.ErrConflict, `
		UPDATE team_keys SET checked_at = $1, accepted = $2 WHERE id = $3 AND sealed = $4 AND deleted_at IS NULL`,
		engine.Instant(at), accepted, id, sealed))
}

// SetStandardKey makes the team's key with the ID the standard one. People without a key
// of their own make videos with it. With the ID 0, the team has no standard key.
func (s *Keys) SetStandardKey(ctx context.Context, id int64) error {
	return engine.About(teamKeyNo(id), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { setStandardKey(tx, id) }))
}

func setStandardKey(tx *engine.Tx, id int64) {
	var names [2]string
	tx.Row(`SELECT coalesce((SELECT name FROM team_keys WHERE standard = 1 AND service_id = ` + schema.CurrentService +
		`), '')`).Scan(&names[0])
	if id != 0 {
		k := usableTeamKey(tx, id)
		if !tx.OK() || k.Standard {
			return
		}
		names[1] = k.Name
	}
	if !tx.OK() || names[0] == names[1] {
		return
	}
	noStandardKey(tx)
	tx.Exec(`UPDATE team_keys SET standard = 1 WHERE id = $1`, id)
	teamdb.Record(tx, audit.Entry{Action: audit.KeyRule, What: "standard key", Before: names[0], After: names[1]})
}

// usableTeamKey is like teamKey. It fails with db.ErrConflict if the key is for another
// service than the one that the team uses.
func usableTeamKey(tx *engine.Tx, id int64) team.Key {
	k := teamKey(tx, id)
	forService(tx, &k.Key)
	return k
}

// AssignKey makes the person use the team's key with the ID, or the standard one if it
// is 0.
func (s *Keys) AssignKey(ctx context.Context, userID, id int64) error {
	return engine.About(key(userID), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		var before string
		var had int64
		tx.Row(`
			SELECT coalesce(k.id, 0), coalesce(k.name, '') FROM users u LEFT JOIN team_keys k ON k.id = u.team_key_id WHERE u.id = $1`,
			userID).Scan(&had, &before)
		if !tx.OK() || had == id {
			return
		}
		after := ""
		if id != 0 {
			after = usableTeamKey(tx, id).Name
		}
		tx.Exec(`UPDATE users SET team_key_id = nullif(CAST($1 AS BIGINT), 0) WHERE id = $2`, id, userID)
		teamdb.Record(tx, audit.Entry{Action: audit.KeyAssigned, UserID: userID, Before: orStandard(before), After: orStandard(after)})
	}))
}

func orStandard(name string) string {
	if name == "" {
		return "the standard key"
	}
	return name
}

// AllowOwnKeys sets whether people may use keys of their own.
func (s *Keys) AllowOwnKeys(ctx context.Context, allowed bool) error {
	words := map[bool]string{true: "allowed", false: team.OwnKeysForbidden}
	return engine.About("rule of keys", s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		was := teamdb.Setting(tx, team.OwnKeysSetting)
		if !tx.OK() || (was != team.OwnKeysForbidden) == allowed {
			return
		}
		teamdb.PutSetting(tx, team.OwnKeysSetting, words[allowed])
		teamdb.Record(tx, audit.Entry{Action: audit.KeyRule, What: team.OwnKeysSetting, Before: words[!allowed], After: words[allowed]})
	}))
}

// OwnKeysAllowed reports whether people may use keys of their own.
func (s *Keys) OwnKeysAllowed(ctx context.Context) (bool, error) {
	look := s.db.Reading(ctx)
	rule := teamdb.Setting(look, team.OwnKeysSetting)
	return rule != team.OwnKeysForbidden, engine.About("rule of keys", look.Err())
}

func teamKeyNo(id int64) string { return fmt.Sprintf("key %d of the team", id) }
