package kit

import (
	"database/sql"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
)

// Account returns the account with the id. It fails with sql.ErrNoRows if there is none.
func Account(tx *engine.Tx, id int64) db.User {
	u, found := FindAccount(tx, id)
	tx.Require(found, sql.ErrNoRows)
	return u
}

// FindAccount returns the account with the id, if there is one.
func FindAccount(tx *engine.Tx, id int64) (u db.User, found bool) {
	return engine.Find(tx, engine.ScanFields(UserFields), `SELECT `+UserColumns+` FROM users u WHERE u.id = $1`, id)
}

// AsActor returns do, preceded by the check that the actor in the transaction's context,
// if there is one, still meets the condition.
func AsActor(is func(db.User) bool, do func(*engine.Tx)) func(*engine.Tx) {
	return func(tx *engine.Tx) {
		if id := audit.ActorIn(tx.Context()).UserID; id != 0 {
			StillAllowed(tx.About("change by "+engine.User(id)), id, is)
		}
		if tx.OK() {
			do(tx)
		}
	}
}

// StillAllowed fails with sql.ErrNoRows if the account is closed, or if the person no
// longer meets the condition on which the request was authorised.
func StillAllowed(tx *engine.Tx, id int64, is func(db.User) bool) {
	u := Account(tx, id)
	tx.Require(u.IsActive() && is(u), sql.ErrNoRows)
}

// UserColumns are the columns of users u for UserFields.
const UserColumns = `u.id, u.name, u.email, u.password, u.role, u.last_scene, u.created_at, u.seen_at, u.deactivated_at, coalesce(u.team_key_id, 0), u.closed_announcement, u.still`

// UserFields returns the destinations of a row of UserColumns.
func UserFields(u *db.User) []any {
	return []any{&u.ID, (*engine.Named)(&u.Name), &u.Email, &u.Password, &u.Role, &u.LastScene, (*engine.Instant)(&u.CreatedAt),
		(*engine.Instant)(&u.SeenAt), (*engine.Instant)(&u.DeactivatedAt), &u.TeamKeyID, &u.ClosedAnnouncement, &u.Still}
}
