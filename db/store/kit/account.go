package kit

import (
	"context"
	"database/sql"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/team"
)

// Account returns the account with the id.
func Account(ctx context.Context, tx *sql.Tx, id int64) (db.User, error) {
	return engine.One(ctx, tx, engine.ScanFields(UserFields), `SELECT `+UserColumns+` FROM users u WHERE u.id = $1`, id)
}

// AsActor returns do, preceded by the check that the actor in the context, if there is
// one, still meets the condition.
func AsActor(ctx context.Context, is func(db.User) bool, do func(*sql.Tx) error) func(*sql.Tx) error {
	return func(tx *sql.Tx) error {
		if id := team.ActorIn(ctx).UserID; id != 0 {
			if err := StillAllowed(ctx, tx, id, is); err != nil {
				return engine.About("change by "+engine.User(id), err)
			}
		}
		return do(tx)
	}
}

// StillAllowed returns sql.ErrNoRows if the account is closed, or if the person no
// longer meets the condition on which the request was authorised.
func StillAllowed(ctx context.Context, tx *sql.Tx, id int64, is func(db.User) bool) error {
	u, err := Account(ctx, tx, id)
	if err == nil && !(u.IsActive() && is(u)) {
		err = sql.ErrNoRows
	}
	return err
}

// UserColumns are the columns of users u for UserFields.
const UserColumns = `u.id, u.name, u.email, u.password, u.role, u.last_scene, u.created_at, u.seen_at, u.deactivated_at, coalesce(u.team_key_id, 0)`

// UserFields returns the destinations of a row of UserColumns.
func UserFields(u *db.User) []any {
	return []any{&u.ID, (*engine.Named)(&u.Name), &u.Email, &u.Password, &u.Role, &u.LastScene, (*engine.Instant)(&u.CreatedAt),
		(*engine.Instant)(&u.SeenAt), (*engine.Instant)(&u.DeactivatedAt), &u.TeamKeyID}
}
