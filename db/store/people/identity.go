package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// ConnectedUser returns the ID of the person whose account is connected with the subject
// at the issuer, or 0 if there is none.
func (s *SignOn) ConnectedUser(ctx context.Context, issuer, subject string) (id int64, err error) {
	look := s.db.Reading(ctx)
	look.Row(`SELECT user_id FROM identities WHERE issuer = $1 AND subject = $2`, issuer, subject).Find(&id)
	return id, engine.About("identity", look.Err())
}

// Link connects the person's account with the claims. It returns signin.RefusedTaken if
// another account is connected with them.
func (s *SignOn) Link(ctx context.Context, userID int64, c signin.Claims, now time.Time) error {
	return engine.About("identity of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		kit.StillAllowed(tx, userID, db.User.IsActive)
		u, known := connected(tx, c, now)
		if tx.OK() && !known {
			link(tx, userID, false, c, now)
			return
		}
		tx.Require(u.ID == userID, signin.RefusedTaken)
	}))
}

// Identities returns the accounts at providers with which the person signs in.
func (s *SignOn) Identities(ctx context.Context, userID int64) ([]signin.Identity, error) {
	return engine.ReadAll(ctx, s.db.Reads, "identities of "+engine.User(userID), engine.ScanFields(func(i *signin.Identity) []any {
		return []any{&i.ID, &i.UserID, &i.Issuer, &i.Subject, &i.Email, (*engine.Instant)(&i.CreatedAt), (*engine.Instant)(&i.UsedAt)}
	}), `SELECT id, user_id, issuer, subject, email, created_at, used_at FROM identities WHERE user_id = $1 ORDER BY id`, userID)
}

// Unlink removes one of the person's connections with an account at a provider, and
// ends the sessions that began by a provider, except keepID. It returns db.ErrConflict
// if the person could no longer sign in, because they have no password or passwords are
// turned off.
func (s *SignOn) Unlink(ctx context.Context, userID, id, keepID int64) error {
	return engine.About("identity of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		rules := signOn(tx)
		var issuer, email string
		var password bool
		tx.Row(`
			SELECT i.issuer, i.email, u.password <> '' FROM identities i JOIN users u ON u.id = i.user_id
			WHERE i.id = $1 AND i.user_id = $2`, id, userID).Scan(&issuer, &email, &password)
		tx.Require(password && !rules.PasswordsOff, db.ErrConflict)
		tx.ExecOr(db.ErrNotFound, `DELETE FROM identities WHERE id = $1`, id)
		endSessions(tx, userID, keepID, signin.ByProvider)
		recordSigning(tx, audit.Entry{Action: audit.IdentityUnlinked, UserID: userID, What: issuer, Before: email})
	}))
}
