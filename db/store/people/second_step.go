package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// SecondSteps stores one-time codes, recovery codes and passkeys.
type SecondSteps struct {
	db    *teamdb.DB
	audit *Audit
}

// Of returns which means of signing in the person has besides a password.
func (s *SecondSteps) Of(ctx context.Context, userID int64) (f signin.SecondSteps, err error) {
	err = s.db.Reads.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM codes WHERE user_id = $1), (SELECT count(*) FROM recovery_codes WHERE user_id = $1),
			(SELECT count(*) FROM passkeys WHERE user_id = $1)`, userID).Scan(&f.Codes, &f.Recovery, &f.Passkeys)
	return f, engine.About("second steps of "+engine.User(userID), err)
}

// RecordGuesses records that so many wrong codes were given for the person's account, and
// queues a mail that tells them.
func (s *SecondSteps) RecordGuesses(ctx context.Context, userID int64, wrong int) error {
	return engine.About("guesses at codes of "+engine.User(userID), s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		recordSigning(tx, audit.Entry{Action: audit.CodesGuessed, UserID: userID, What: fmt.Sprintf("wrong codes: %d", wrong)})
	}))
}

// Guessed returns the latest entry of the audit about many wrong codes for the person's
// account since the time; the zero Entry if there is none, or if the password was changed
// after it.
func (s *SecondSteps) Guessed(ctx context.Context, userID int64, since time.Time) (audit.Entry, error) {
	entries, err := s.audit.Entries(ctx, audit.Search{UserID: userID, Action: audit.CodesGuessed, From: since, Limit: 1})
	if err != nil || len(entries) == 0 {
		return audit.Entry{}, err
	}
	changes, err := s.audit.Entries(ctx, audit.Search{UserID: userID, Action: audit.PasswordChanged, From: since, Limit: 1})
	if err != nil || len(changes) > 0 && changes[0].ID > entries[0].ID {
		return audit.Entry{}, err
	}
	return entries[0], nil
}

// Codes returns the sealed secret of the person's one-time codes, and the step of the
// last code that was used. A step is a half minute: see secrets.CodeStep.
func (s *SecondSteps) Codes(ctx context.Context, userID int64) (sealed []byte, step int64, err error) {
	err = s.db.Reads.QueryRowContext(ctx, `SELECT sealed, step FROM codes WHERE user_id = $1`, userID).Scan(&sealed, &step)
	return sealed, step, engine.About("codes of "+engine.User(userID), err)
}

// anySecondStep reports whether the person has a second step: one-time codes or a
// passkey.
func anySecondStep(tx *engine.Tx, userID int64) bool {
	return engine.Value[bool](tx, `
		SELECT EXISTS (SELECT 1 FROM codes WHERE user_id = $1) OR EXISTS (SELECT 1 FROM passkeys WHERE user_id = $1)`, userID)
}

// enrol prepares the session for another second step of the person. With the first
// one, the session counts as begun with the method, and all other sessions that began
// with a password, a code or a passkey end, because somebody who knows only the
// password may be using them. It returns db.ErrNotFound if the session has ended.
//
// how is audit.PasswordAlone if the session began with a password alone although the
// team requires a second step: then it is not certain that this is the person.
func enrol(tx *engine.Tx, userID, sessionID int64, method signin.Method) (how string) {
	if has := anySecondStep(tx, userID); !tx.OK() || has {
		tx.ExecOr(db.ErrNotFound, `UPDATE sessions SET method = method WHERE id = $1 AND user_id = $2`, sessionID, userID)
		return ""
	}
	alone := engine.Value[bool](tx, `
		SELECT method = 'password' AND EXISTS (SELECT 1 FROM settings WHERE name = $3) FROM sessions WHERE id = $1 AND user_id = $2`,
		sessionID, userID, secondSetting)
	if tx.OK() && alone {
		how = audit.PasswordAlone
	}
	tx.ExecOr(db.ErrNotFound, `
		UPDATE sessions SET method = CASE WHEN method IN ('password', 'code', 'passkey') THEN $1 ELSE method END
		WHERE id = $2 AND user_id = $3`, method, sessionID, userID)
	if ended := tx.Exec(`
		DELETE FROM sessions WHERE user_id = $1 AND id <> $2 AND method IN ('password', 'code', 'passkey')`, userID,
		sessionID); tx.OK() && ended > 0 {
		teamdb.Record(tx, audit.Entry{Action: audit.SessionEnded, UserID: userID,
			What: fmt.Sprintf("browsers without the second factor: %d", ended)})
	}
	return how
}

// SetCodes turns on the person's one-time codes, with new recovery codes, in the
// session with the ID. The code of the step counts as used. It returns db.ErrConflict
// if one-time codes are on already, and db.ErrNotFound if the session has ended.
func (s *SecondSteps) SetCodes(ctx context.Context, userID, sessionID int64, sealed []byte, step int64,
	recovery []secrets.TokenHash, now time.Time) error {
	return engine.About("codes of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		how := enrol(tx, userID, sessionID, signin.ByCode)
		tx.Exec(`INSERT INTO codes (user_id, sealed, step, created_at) VALUES ($1, $2, $3, $4)`,
			userID, sealed, step, engine.Instant(now))
		putRecovery(tx, userID, recovery)
		recordSigning(tx, audit.Entry{Action: audit.CodesOn, UserID: userID, After: how})
	}))
}

func putRecovery(tx *engine.Tx, userID int64, recovery []secrets.TokenHash) {
	tx.Exec(`DELETE FROM recovery_codes WHERE user_id = $1`, userID)
	for _, hash := range recovery {
		tx.Exec(`INSERT INTO recovery_codes (user_id, hash) VALUES ($1, $2)`, userID, engine.Digest(hash))
	}
}

// RenewRecovery replaces the person's recovery codes. The proof is a code, which is
// used up.
func (s *SecondSteps) RenewRecovery(ctx context.Context, userID int64, proof Proof, recovery []secrets.TokenHash) error {
	return engine.About("recovery codes of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		proof.use(tx, userID, db.ErrConflict)
		putRecovery(tx, userID, recovery)
		recordSigning(tx, audit.Entry{Action: audit.CodesRenewed, UserID: userID})
	}))
}

// DropCodes turns off the person's one-time codes and deletes their recovery codes. The
// proof is a code, which is used up.
func (s *SecondSteps) DropCodes(ctx context.Context, userID int64, proof Proof) error {
	return engine.About("codes of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		proof.use(tx, userID, db.ErrConflict)
		dropCodes(tx, userID)
		recordSigning(tx, audit.Entry{Action: audit.CodesOff, UserID: userID})
	}))
}

func dropCodes(tx *engine.Tx, userID int64) {
	tx.Exec(`DELETE FROM codes WHERE user_id = $1`, userID)
	tx.Exec(`DELETE FROM recovery_codes WHERE user_id = $1`, userID)
}

// DropSecondStep deletes the person's one-time codes and passkeys, because they are lost,
// and, unless passwords are turned off, their connected accounts if they have a
// password. It ends all sessions except keepID, because whoever has the lost device may
// be using them and could set up a second step again. It returns db.ErrConflict if
// there is nothing to delete.
func (s *SecondSteps) DropSecondStep(ctx context.Context, userID, keepID int64) error {
	return engine.About("second steps of "+engine.User(userID), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		teamdb.Account(tx, userID)
		had := anySecondStep(tx, userID)
		dropCodes(tx, userID)
		tx.Exec(`DELETE FROM passkeys WHERE user_id = $1`, userID)
		rules := signOn(tx)
		what, connected := "one-time codes and passkeys", 0
		if tx.OK() && !rules.PasswordsOff {
			connected = tx.Exec(`
				DELETE FROM identities WHERE user_id = $1 AND user_id IN (SELECT id FROM users WHERE password <> '')`, userID)
			if tx.OK() && connected > 0 {
				what = fmt.Sprintf("one-time codes and passkeys, connected accounts: %d", connected)
			}
		}
		tx.Require(had || connected > 0, db.ErrConflict)
		recordSessionsEnded(tx, userID, endAccess(tx, schema.LostSecondStep, userID, keepID, db.Now()).Sessions, "")
		recordSigning(tx, audit.Entry{Action: audit.SecondStepDropped, UserID: userID, What: what})
	}))
}

// A Proof is a code that was checked: the one-time code of a step or, if Step is 0, a
// recovery code. It can be used once.
type Proof struct {
	Step     int64 // 0 for a recovery code
	Recovery secrets.TokenHash
}

// use uses the proof up. For a recovery code it returns how many are left. It fails with
// the error otherwise if the code does not exist or was used already.
func (p Proof) use(tx *engine.Tx, userID int64, otherwise error) (left int) {
	if p.Step != 0 {
		tx.ExecOr(otherwise, `UPDATE codes SET step = $1 WHERE user_id = $2 AND step < $1`, p.Step, userID)
		return 0
	}
	tx.ExecOr(otherwise, `DELETE FROM recovery_codes WHERE user_id = $1 AND hash = $2`, userID, engine.Digest(p.Recovery))
	return engine.Value[int](tx, `SELECT count(*) FROM recovery_codes WHERE user_id = $1`, userID)
}

// SignInWithCode is like SignIn, with a second step, which is used up. It returns
// signin.RefusedCode if the code is wrong or was used already.
func (s *SecondSteps) SignInWithCode(ctx context.Context, session *signin.Session, checked string, proof Proof) error {
	return engine.About("session of "+engine.User(session.UserID), s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		replacePassword(tx, session.UserID, checked, checked)
		left := proof.use(tx, session.UserID, signin.RefusedCode)
		session.Method = signin.ByCode
		if proof.Step == 0 {
			e := audit.Entry{Action: audit.CodesUsed, UserID: session.UserID, What: "a recovery code", After: fmt.Sprintf("%d left", left)}
			teamdb.Record(teamdb.AsUser(tx, session.UserID), e)
		}
		begin(tx, session)
	}))
}

// RenewPassword replaces the hash of the password by another hash of the same password,
// if the account still has the old one.
func (s *SecondSteps) RenewPassword(ctx context.Context, userID int64, checked, renewed string) error {
	return s.db.WriteAccess(ctx, func(tx *engine.Tx) { replacePassword(tx, userID, checked, renewed) })
}

// Passkeys returns the person's passkeys, the oldest first.
func (s *SecondSteps) Passkeys(ctx context.Context, userID int64) ([]signin.Passkey, error) {
	return engine.ReadAll(ctx, s.db.Reads, "passkeys of "+engine.User(userID), scanPasskey, `
		SELECT `+schema.Passkeys.Columns+` FROM passkeys WHERE user_id = $1 ORDER BY id`, userID)
}

// PasskeysOf returns the passkeys of the person whom the handle identifies; passkeys
// hold the handle in place of an account.
func (s *SecondSteps) PasskeysOf(ctx context.Context, handle []byte) ([]signin.Passkey, error) {
	list, err := engine.ReadAll(ctx, s.db.Reads, "passkeys of a handle", scanPasskey, `
		SELECT `+schema.Passkeys.Columns+` FROM passkeys WHERE handle = $1 ORDER BY id`, handle)
	if err == nil && len(list) == 0 {
		err = engine.About("passkeys of a handle", sql.ErrNoRows)
	}
	return list, err
}

// restoredPasskey is the value of used_at for a passkey whose Restored is set.
const restoredPasskey = -1

func scanPasskey(rows *sql.Rows) (k signin.Passkey, err error) {
	err = rows.Scan(schema.Passkeys.Fields(&k)...)
	if k.Restored = k.UsedAt.Equal(time.UnixMilli(restoredPasskey)); k.Restored {
		k.UsedAt = time.Time{}
	}
	return k, err
}

var addedPasskey = schema.Passkeys.Part(schema.Added)

// AddPasskey adds the passkey in the session with the ID, and sets the passkey's ID. It
// returns db.ErrConflict if the passkey was added before, db.ErrFull if the person has
// signin.MaxPasskeys already, and db.ErrNotFound if the session has ended.
func (s *SecondSteps) AddPasskey(ctx context.Context, k *signin.Passkey, sessionID int64) error {
	return engine.About("passkey of "+engine.User(k.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		k.Name = naming.Clean(k.Name)
		n := tx.Count(`SELECT 1 FROM passkeys WHERE user_id = $1`, k.UserID)
		tx.Require(n < signin.MaxPasskeys, db.ErrFull)
		how := enrol(tx, k.UserID, sessionID, signin.ByPasskey)
		tx.Insert(&k.ID, `INSERT INTO passkeys (`+addedPasskey.Names+`) VALUES (`+addedPasskey.Places(1)+`) RETURNING id`,
			addedPasskey.Values(k)...)
		recordSigning(tx, audit.Entry{Action: audit.PasskeyAdded, UserID: k.UserID, What: k.Name, After: how})
	}))
}

// RenamePasskey changes the name of one of the person's passkeys.
func (s *SecondSteps) RenamePasskey(ctx context.Context, userID, id int64, name string) error {
	return engine.About("passkey of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		before := engine.Value[string](tx, `SELECT name FROM passkeys WHERE id = $1 AND user_id = $2`, id, userID)
		if name = naming.Clean(name); !tx.OK() || before == name {
			return
		}
		tx.ExecOr(db.ErrNotFound, `UPDATE passkeys SET name = $1 WHERE id = $2`, name, id)
		teamdb.Record(tx, audit.Entry{Action: audit.PasskeyRenamed, UserID: userID, Before: before, After: name})
	}))
}

// DeletePasskey deletes one of the person's passkeys, and ends the sessions that began
// with any passkey, except keepID: whoever has the device may be using them.
func (s *SecondSteps) DeletePasskey(ctx context.Context, userID, id, keepID int64) error {
	return engine.About("passkey of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		name := engine.Value[string](tx, `DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING name`, id, userID)
		endSessions(tx, userID, keepID, signin.ByPasskey)
		recordSigning(tx, audit.Entry{Action: audit.PasskeyDeleted, UserID: userID, What: name})
	}))
}

// SignInWithPasskey begins a session of the passkey's owner. k.Record is the state of
// the passkey after this use, and before its state when it was checked. It returns
// signin.RefusedPasskey if the passkey was deleted or used meanwhile,
// signin.RefusedDeactivated if the account is closed, and signin.RefusedRestored if
// k.Restored is set and the password was not given first.
func (s *SecondSteps) SignInWithPasskey(ctx context.Context, session *signin.Session, k signin.Passkey, before string,
	afterPassword bool) error {
	err := s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		tx.Require(afterPassword || !k.Restored, signin.RefusedRestored)
		tx.ExecOr(signin.RefusedPasskey, `
			UPDATE passkeys SET record = $1, used_at = $2 WHERE id = $3 AND user_id = $4 AND record = $5`, k.Record,
			engine.Instant(session.CreatedAt), k.ID, k.UserID, before)
		session.UserID, session.Method = k.UserID, signin.ByPasskey
		begin(tx, session)
	})
	if errors.Is(err, db.ErrConflict) { // of begin
		err = signin.RefusedDeactivated
	}
	return engine.About("session of "+engine.User(k.UserID), err)
}
