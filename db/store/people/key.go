package people

import (
	"context"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Keys stores the keys for the video service: those of people and those of the team.
type Keys struct {
	db *kit.DB
}

// KeyInUse returns the key with which the person's next video is sent: their own or
// one of the team's.
func (s *Keys) KeyInUse(ctx context.Context, userID int64) (secrets.Key, error) {
	return engine.Read(ctx, s.db, key(userID), func(tx *engine.Tx) secrets.Key {
		return engine.One(tx, engine.ScanFields(keyInUseFields), `SELECT `+keyInUseColumns+` FROM keys_in_use WHERE user_id = $1`, userID)
	})
}

// keyInUseColumns are the columns for keyInUseFields.
const keyInUseColumns = `user_id, team_key_id, service_id, sealed, last_four, fingerprint, created_at, checked_at, accepted`

func keyInUseFields(k *secrets.Key) []any {
	return []any{&k.UserID, &k.TeamKeyID, &k.ServiceID, &k.Sealed, &k.LastFour, &k.Fingerprint,
		(*engine.Instant)(&k.CreatedAt), (*engine.Instant)(&k.CheckedAt), &k.Accepted}
}

// Key returns the person's own key for the service that the team uses, even if they
// currently use one of the team's.
func (s *Keys) Key(ctx context.Context, userID int64) (secrets.Key, error) {
	return engine.ReadOne(ctx, s.db.Reads, key(userID), engine.ScanFields(func(k *secrets.Key) []any {
		return []any{&k.UserID, &k.ServiceID, &k.Sealed, &k.LastFour, &k.Fingerprint, (*engine.Instant)(&k.CreatedAt), (*engine.Instant)(&k.CheckedAt), &k.Accepted}
	}), `
		SELECT user_id, service_id, sealed, last_four, fingerprint, created_at, checked_at, accepted
		FROM keys WHERE user_id = $1 AND service_id = `+kit.CurrentService, userID)
}

// EarlierServices returns the services for which the person has a key of their own, without
// the one that the team uses, the last one used first.
func (s *Keys) EarlierServices(ctx context.Context, userID int64) ([]db.Service, error) {
	return engine.Read(ctx, s.db, key(userID), func(tx *engine.Tx) []db.Service {
		found := kit.Services(tx, `current = 0 AND EXISTS (SELECT 1 FROM keys WHERE keys.owner = $1 AND keys.service_id = services.id)`, userID)
		slices.SortStableFunc(found, func(a, b db.Service) int { return b.UsedAt.Compare(a.UsedAt) })
		return found
	})
}

// PutKey stores the key as the person's own, in place of any earlier one for the same
// service. It returns db.ErrConflict if that is not the service that the team uses.
func (s *Keys) PutKey(ctx context.Context, k secrets.Key) error {
	return engine.About(key(k.UserID), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		forService(tx, &k)
		before := ownKeyEnd(tx, k.UserID)
		tx.Exec(`
			INSERT INTO keys (user_id, service_id, sealed, last_four, fingerprint, created_at, checked_at, accepted)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
			ON CONFLICT (user_id) DO UPDATE SET
				service_id = excluded.service_id,
				sealed = excluded.sealed, last_four = excluded.last_four, fingerprint = excluded.fingerprint,
				created_at = excluded.created_at, checked_at = excluded.checked_at, accepted = excluded.accepted`,
			k.UserID, k.ServiceID, k.Sealed, k.LastFour, k.Fingerprint, engine.Instant(k.CreatedAt), engine.Instant(k.CheckedAt), k.Accepted)
		kit.Record(kit.AsUser(tx, k.UserID), audit.Entry{Action: audit.KeySaved, UserID: k.UserID, What: kit.OwnKey, Before: before, After: keyEnd(k.LastFour)})
	}))
}

// forService fails with db.ErrConflict if the key is for another service than the one that
// the team uses. A key that names none is for that one.
func forService(tx *engine.Tx, k *secrets.Key) {
	current := kit.Service(tx)
	tx.Require(k.ServiceID == 0 || k.ServiceID == current.ID, fmt.Errorf("the service was changed: %w", db.ErrConflict))
	k.ServiceID = current.ID
}

// ownKeyEnd returns the last characters of the person's own key, or an empty string if
// there is none.
func ownKeyEnd(tx *engine.Tx, userID int64) string {
	var end string
	if !tx.Row(`SELECT last_four FROM keys WHERE user_id = $1 AND service_id = `+kit.CurrentService, userID).Find(&end) {
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
		tx.Exec(`DELETE FROM keys WHERE user_id = $1 AND service_id = `+kit.CurrentService, userID)
		kit.Record(tx, audit.Entry{Action: audit.KeyDeleted, UserID: userID, What: kit.OwnKey, Before: before})
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
		WHERE t.payer = $1 AND k.team_key_id = 0 AND t.service_id = `+kit.CurrentService, userID)
}

func key(userID int64) string { return "key of " + engine.User(userID) }
