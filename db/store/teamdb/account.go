package teamdb

import (
	"database/sql"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
)

// Account returns the account with the id. It fails with sql.ErrNoRows if there is none.
func Account(tx *engine.Tx, id int64) db.User {
	u, found := FindAccount(tx, id)
	tx.Require(found, sql.ErrNoRows)
	return u
}

var userByID = `SELECT ` + schema.Users.Columns + ` FROM users u WHERE u.id = $1`

// FindAccount returns the account with the id, if there is one.
func FindAccount(tx *engine.Tx, id int64) (u db.User, found bool) {
	return engine.Find(tx, schema.Users.Scan(), userByID, id)
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

// Record appends the entry to the audit, in the transaction of the change that the
// entry describes. The actor is taken from the context unless the entry names one, and
// the names of people are stored as they are now.
func Record(tx *engine.Tx, e audit.Entry) {
	if e.Actor == (audit.Actor{}) {
		e.Actor = audit.ActorIn(tx.Context())
	}
	if e.At.IsZero() {
		e.At = db.Now()
	}
	tx.About("audit").Exec(`
		INSERT INTO audit (at, actor_id, actor, action, user_id, user_name, what, before, after, address)
		SELECT $1, CAST($2 AS BIGINT), coalesce((SELECT name FROM users WHERE id = $2), CAST($3 AS TEXT)), $4, CAST($5 AS BIGINT),
			coalesce((SELECT name FROM users WHERE id = $5), CAST($6 AS TEXT)), $7, $8, $9, $10`,
		engine.Instant(e.At), e.Actor.UserID, e.Actor.Name, e.Action, e.UserID, e.User, engine.Cut(e.What, 300),
		engine.Cut(e.Before, 300), engine.Cut(e.After, 300), e.Actor.Address)
}

// AsUser returns the transaction with the person as the actor, unless its context names
// one already.
func AsUser(tx *engine.Tx, id int64) *engine.Tx {
	actor := audit.ActorIn(tx.Context())
	if actor.UserID == 0 && actor.Name == "" {
		actor.UserID = id
	}
	return tx.In(audit.Acting(tx.Context(), actor))
}

// OwnKey is the name of a person's own key in the audit.
const OwnKey = "own key"
