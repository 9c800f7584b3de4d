package people

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Sessions stores where people are signed in, their passwords, and links that set a new
// one.
type Sessions struct {
	db     *teamdb.DB
	recent engine.Recents[secrets.TokenHash, signedIn]
}

// hasSecondStep is the SQL condition that the person of session s has a second step.
const hasSecondStep = `(EXISTS (SELECT 1 FROM codes WHERE user_id = s.user_id) OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = s.user_id))`

// Session returns the session with the token, and its account. It returns
// db.ErrNotFound if the session has expired. It also does if the session began with a
// password alone and the team requires a second step, which the person has: then they
// have to sign in again with it.
func (s *Sessions) Session(ctx context.Context, token secrets.TokenHash, now time.Time) (signin.Session, db.User, error) {
	found, err := s.recent.Of(s.db.DB, token, func() (signedIn, error) { return s.readSession(ctx, token, now) })
	if err == nil && !found.session.ExpiresAt.After(now) {
		err = engine.About("session", db.ErrNotFound)
	}
	return found.session, found.user, err
}

// signedIn is a session and its user.
type signedIn struct {
	session signin.Session
	user    db.User
}

var sessionByToken = `
	SELECT ` + schema.Sessions.Columns + `,
		EXISTS (SELECT 1 FROM settings WHERE name = '` + secondSetting + `')
			AND (s.method = 'password' OR s.method IN ('code', 'passkey') AND NOT ` + hasSecondStep + `),
		` + schema.Users.Columns + `
	FROM sessions s JOIN users u ON u.id = s.user_id
	WHERE s.token = $1 AND s.expires_at > $2 AND u.deactivated_at IS NULL
		AND NOT (s.method = 'password' AND ` + hasSecondStep + ` AND EXISTS (SELECT 1 FROM settings WHERE name = '` + secondSetting + `'))`

func (s *Sessions) readSession(ctx context.Context, token secrets.TokenHash, now time.Time) (signedIn, error) {
	var session signin.Session
	var u db.User
	err := s.db.Reads.QueryRowContext(ctx, sessionByToken, engine.Digest(token), engine.Instant(now)).Scan(
		slices.Concat(schema.Sessions.Fields(&session), []any{&session.Unproven}, schema.Users.Fields(&u))...)
	return signedIn{session, u}, engine.About("session", err)
}

// TouchSession records that the session was used at seen, and extends it to expires.
func (s *Sessions) TouchSession(ctx context.Context, id int64, seen, expires time.Time) error {
	return engine.About(session(id), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrNotFound, `
			UPDATE sessions SET seen_at = $1, expires_at = $2 WHERE id = $3`, engine.Instant(seen), engine.Instant(expires), id)
		tx.Exec(`UPDATE users SET seen_at = $1 WHERE id = (SELECT user_id FROM sessions WHERE id = $2)`, engine.Instant(seen), id)
	}))
}

// Of returns the person's sessions that have not expired, the last used first.
func (s *Sessions) Of(ctx context.Context, userID int64, now time.Time) ([]signin.Session, error) {
	return engine.ReadAll(ctx, s.db.Reads, "sessions of "+engine.User(userID), schema.Sessions.Scan(), `
		SELECT `+schema.Sessions.Columns+` FROM sessions s
		WHERE user_id = $1 AND expires_at > $2
		ORDER BY seen_at DESC, id DESC`, userID, engine.Instant(now))
}

// EndSession ends one of the person's sessions. It returns db.ErrNotFound for a session
// of somebody else.
func (s *Sessions) EndSession(ctx context.Context, userID, id int64) error {
	return engine.About(session(id), s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		tx.ExecOr(db.ErrNotFound, `
			DELETE FROM sessions WHERE id = $1 AND user_id = $2`, id, userID)
		teamdb.Record(teamdb.AsUser(tx, userID), audit.Entry{Action: audit.SessionEnded, UserID: userID, What: "one browser"})
	}))
}

// EndOtherSessions ends all of the person's sessions except keepID. It is for the person:
// see SignOutEverywhere for what an admin does.
func (s *Sessions) EndOtherSessions(ctx context.Context, userID, keepID int64) error {
	return engine.About("sessions of "+engine.User(userID), s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		recordSessionsEnded(tx, userID, endAccess(tx, schema.SignOutOthers, userID, keepID, db.Now()).Sessions, "")
	}))
}

func session(id int64) string { return fmt.Sprintf("session %d", id) }

// SignIn adds the session and sets its ID. It returns db.ErrConflict if the account is
// closed, if its password hash is no longer checked, the one that the password was
// compared with, or if the session began with a password alone and the person has a
// second step. It returns signin.RefusedOff if passwords are turned off. renewed, if not
// empty, is a new hash of the same password, which replaces the old one. Expired
// sessions and resets are deleted.
func (s *Sessions) SignIn(ctx context.Context, session *signin.Session, checked, renewed string) error {
	return s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		replacePassword(tx, session.UserID, checked, cmp.Or(renewed, checked))
		if cmp.Or(session.Method, signin.ByPassword) == signin.ByPassword {
			has := anySecondStep(tx, session.UserID) // turned on since the password was checked
			tx.About("session of "+engine.User(session.UserID)).Require(!has, db.ErrConflict)
		}
		begin(tx, session)
	})
}

var addedSession = schema.Sessions.Part(schema.Added)

// begin adds the session of a person who may sign in, and records that in the audit. It
// returns signin.RefusedOff if the session began with a password or a passkey and
// passwords have been turned off since that was checked.
func begin(tx *engine.Tx, session *signin.Session) {
	session.Method = cmp.Or(session.Method, signin.ByPassword)
	if session.Method != signin.ByProvider && session.Method != signin.ByLink {
		passwordsOn(tx.About("session of " + engine.User(session.UserID)))
	}
	sweepAccess(tx, session.CreatedAt)
	tx.About(engine.User(session.UserID)).ExecOr(db.ErrConflict, `
		UPDATE users SET seen_at = $1 WHERE id = $2 AND deactivated_at IS NULL`, engine.Instant(session.SeenAt), session.UserID)
	tx.About("session of "+engine.User(session.UserID)).Insert(&session.ID,
		`INSERT INTO sessions (`+addedSession.Names+`) VALUES (`+addedSession.Places(1)+`) RETURNING id`, addedSession.Values(session)...)
	teamdb.Record(teamdb.AsUser(tx, session.UserID),
		audit.Entry{Action: audit.SignedIn, UserID: session.UserID, What: fmt.Sprintf("by %s", session.Method)})
}

// ChangePassword sets the password to hash. It returns db.ErrConflict if the account's
// password hash is no longer checked, the one that the old password was compared with.
// All other sessions of the person end, any link that sets a new password is deleted,
// and the session keepID gets another token. Tokens of programs and webhooks end with them
// if programs is set. If that session has ended, nothing changes and it returns
// db.ErrNotFound.
func (s *Sessions) ChangePassword(ctx context.Context, userID int64, checked, hash string, keepID int64,
	token secrets.TokenHash, programs bool, now time.Time) (ended signin.Ended, err error) {
	by := schema.OnlyNewPassword
	if programs {
		by = schema.NewPassword
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		replacePassword(tx, userID, checked, hash)
		tx.About(session(keepID)).ExecOr(db.ErrNotFound, `
			UPDATE sessions SET token = $1 WHERE id = $2 AND user_id = $3`, engine.Digest(token), keepID, userID)
		ended = endAccess(tx, by, userID, keepID, now)
		recordSigning(tx, audit.Entry{Action: audit.PasswordChanged, UserID: userID, What: "in Settings"})
	})
	return ended, err
}

func replacePassword(tx *engine.Tx, userID int64, checked, hash string) {
	tx.About("password of "+engine.User(userID)).ExecOr(db.ErrConflict, `
		UPDATE users SET password = $1 WHERE id = $2 AND password = $3`, hash, userID, checked)
}

// RenewSession gives the session another token, for a cookie that is restricted to this
// host. It returns db.ErrConflict if the session no longer has the old token.
func (s *Sessions) RenewSession(ctx context.Context, id int64, old, token secrets.TokenHash) error {
	return engine.About(session(id), s.db.EvenIfFull(ctx, func() error {
		return s.db.ExecOr(ctx, db.ErrConflict, `
			UPDATE sessions SET token = $1, for_host = 1 WHERE id = $2 AND token = $3`, engine.Digest(token), id, engine.Digest(old))
	}))
}

// SweepSessions deletes the typed forms that are too old, and the sessions and resets that have expired by both the machine's
// clock and the trusted one (see schedule.Clock), so that a machine's clock that is wrong for
// a while signs nobody out for good.
func (s *Sessions) SweepSessions(ctx context.Context, now time.Time) error {
	return engine.InBatches(func() (n int, err error) {
		err = s.db.Write(ctx, func(tx *engine.Tx) {
			n = sweepAccess(tx, now)
			sweepTyped(tx, now)
		})
		return n, err
	})
}

// sweepAccess deletes at most engine.BatchSize expired sessions and as many resets, and returns
// the larger number.
func sweepAccess(tx *engine.Tx, now time.Time) (most int) {
	const expired = `expires_at <= $1 AND expires_at <= coalesce((SELECT trusted FROM clock), $1) LIMIT $2 + 0`
	for _, statement := range []string{
		`DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE ` + expired + `)`,
		`DELETE FROM resets WHERE user_id IN (SELECT user_id FROM resets WHERE ` + expired + `)`,
	} {
		most = max(most, tx.About("what has expired").Exec(statement, engine.Instant(now), engine.BatchSize))
	}
	return most
}

// AddReset adds the link that sets a new password, in place of any earlier one of the
// person.
func (s *Sessions) AddReset(ctx context.Context, r signin.Reset) error {
	return engine.About("reset of "+engine.User(r.UserID), s.db.Write(ctx, func(tx *engine.Tx) { putReset(tx, r) }))
}

// Values of the column by_server: who made a link that sets a new password.
const (
	byAdmin  = 0
	byServer = 1 // the operator of the server
	byAsking = 2 // requested by anybody on the sign-in page
)

func putReset(tx *engine.Tx, r signin.Reset) {
	by := byAdmin
	switch {
	case r.ByServer:
		by = byServer
	case r.Requested:
		by = byAsking
	}
	tx.Exec(`
		INSERT INTO resets (user_id, token, created_at, expires_at, by_server) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (user_id) DO UPDATE SET token = excluded.token, created_at = excluded.created_at, expires_at = excluded.expires_at, by_server = excluded.by_server`,
		r.UserID, engine.Digest(r.Token), engine.Instant(r.CreatedAt), engine.Instant(r.ExpiresAt), by)
	teamdb.Record(tx, audit.Entry{Action: audit.PasswordReset, UserID: r.UserID})
}

var userOfReset = `
	SELECT ` + schema.Users.Columns + `
	FROM resets r JOIN users u ON u.id = r.user_id
	WHERE r.token = $1 AND r.expires_at > $2`

// Reset returns the account whose password the link with the token sets. It returns
// db.ErrNotFound if the link was used or has expired.
func (s *Sessions) Reset(ctx context.Context, token secrets.TokenHash, now time.Time) (db.User, error) {
	return engine.ReadOne(ctx, s.db.Reads, "reset", schema.Users.Scan(), userOfReset, engine.Digest(token), engine.Instant(now))
}

// ResetByServer reports whether the operator of the server made the link.
func (s *Sessions) ResetByServer(ctx context.Context, token secrets.TokenHash) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "reset", `SELECT by_server = 1 FROM resets WHERE token = $1`, engine.Digest(token))
}

// UseReset sets the person's password to a hash made by secrets.HashPassword, ends all their
// sessions, tokens and webhooks, and uses up the link. It returns db.ErrNotFound if the link was used or has
// expired, and signin.RefusedOff if passwords are turned off and the link is not one of
// the operator of the server.
func (s *Sessions) UseReset(ctx context.Context, token secrets.TokenHash, hash string, now time.Time) (ended signin.Ended, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		var userID int64
		var by int
		tx.About("reset").Row(`
			DELETE FROM resets WHERE token = $1 AND expires_at > $2 RETURNING user_id, by_server`, engine.Digest(token),
			engine.Instant(now)).Scan(&userID, &by)
		if tx.OK() && by != byServer {
			passwordsOn(tx.About("reset"))
		}
		tx.About(engine.User(userID)).ExecOr(db.ErrNotFound, `UPDATE users SET password = $1 WHERE id = $2`, hash, userID)
		tx = teamdb.AsUser(tx, userID)
		ended = endAccess(tx, schema.PasswordReset, userID, 0, now)
		recordSigning(tx, audit.Entry{Action: audit.PasswordChanged, UserID: userID, What: "with a link"})
	})
	return ended, err
}
