package people

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// endAccess ends what schema.Accesses says for the person, except for the session keepID. It
// records in the audit which tokens and webhooks end.
func endAccess(tx *engine.Tx, e schema.Ending, userID, keepID int64, now time.Time) signin.Ended {
	tokens, hooks := liveTokens(tx, userID, now), hooksOf(tx, userID)
	counts := map[string]int{}
	for c := range schema.Closings(e, true) {
		counts[c.Table] = runClosing(tx, c, userID, keepID, now)
	}
	ended := signin.Ended{Sessions: counts["sessions"]}
	if _, closes := counts["programs"]; tx.OK() && closes {
		ended.Tokens = len(tokens)
		for _, t := range tokens {
			teamdb.Record(tx, audit.Entry{Action: audit.ProgramEnded, UserID: userID, What: t.Name, After: string(e)})
		}
	}
	if _, closes := counts["webhooks"]; tx.OK() && closes {
		ended.Webhooks = len(hooks)
		for _, h := range hooks {
			teamdb.Record(tx, audit.Entry{Action: audit.WebhookDeleted, UserID: userID, What: whose(h), Before: h.Host()})
		}
	}
	return ended
}

// runClosing runs the statement and counts the rows that still opened something.
func runClosing(tx *engine.Tx, c schema.Closing, userID, keepID int64, now time.Time) (open int) {
	var args []any
	if c.Timed {
		args = append(args, engine.Instant(now))
	}
	if c.Person {
		args = append(args, userID)
	}
	if c.Spares {
		args = append(args, keepID)
	}
	for _, was := range engine.All(tx.About(c.Table), engine.ScanValue[bool], c.SQL, args...) {
		if was {
			open++
		}
	}
	return open
}

// recordSessionsEnded records that so many browsers of the person were signed out: those
// that signed in by the method, if it is not empty.
func recordSessionsEnded(tx *engine.Tx, userID int64, ended int, began signin.Method) {
	if !tx.OK() || ended == 0 {
		return
	}
	what := fmt.Sprintf("all other browsers: %d", ended)
	if began != "" {
		what = fmt.Sprintf("other browsers that signed in by %s: %d", began, ended)
	}
	teamdb.Record(tx, audit.Entry{Action: audit.SessionEnded, UserID: userID, What: what})
}

// liveTokens returns the person's tokens that have not ended, with no more than their IDs
// and names.
func liveTokens(tx *engine.Tx, userID int64, now time.Time) []program.Token {
	return engine.All(tx, engine.ScanFields(func(t *program.Token) []any { return []any{&t.ID, (*engine.Named)(&t.Name)} }), `
		SELECT id, name FROM programs WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $2 ORDER BY id`, userID, engine.Instant(now))
}

// SignOutEverywhere ends, by an admin, all of the person's sessions except keepID, which is
// the admin's own, and their tokens and webhooks.
func (s *Sessions) SignOutEverywhere(ctx context.Context, userID, keepID int64, now time.Time) (ended signin.Ended, err error) {
	err = s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		teamdb.Account(tx, userID)
		ended = endAccess(tx, schema.SignOutEverywhere, userID, keepID, now)
		recordSessionsEnded(tx, userID, ended.Sessions, "")
	})
	return ended, engine.About("access of "+engine.User(userID), err)
}

// CloseAccess ends every session, every unused join link, every link that sets a new
// password, every shared link, all recovery codes, every token of programs, and, unless
// passwords are turned off, the connected accounts of people who have a password. It is for
// a database that is not the latest, such as one restored from a backup: access that was
// revoked later is open again in it, and nobody can tell which. what names the reason in the
// audit. What waits to be sent, mails and deliveries to webhooks, is dropped: it may have
// been sent since. Nothing is sent to a video service, practice mode apart, or to a webhook,
// until an admin has confirmed that: see Services.Confirm and Webhooks.Confirm.
//
// One-time codes and passkeys stay, because without them the password alone would open
// the account. Codes that may have been used since are not accepted, and a passkey
// works only together with the password until it has been used so once: see
// signin.Passkey.
func (s *Accounts) CloseAccess(ctx context.Context, what string, now time.Time) (closed signin.Closed, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		open := map[string]int{}
		for c := range schema.Closings(schema.Restore, false) {
			open[c.Table] = runClosing(tx, c, 0, 0, now)
		}
		closed.Sessions, closed.Invites, closed.Resets, closed.Shares = open["sessions"], open["invites"], open["resets"], open["shares"]
		closed.Recovery, closed.Tokens, closed.Deliveries = open["recovery_codes"], open["programs"], open["deliveries"]
		tx.Exec(`UPDATE webhooks SET held = 1 WHERE held = 0`)
		closed.Webhooks = tx.Count(`SELECT 1 FROM webhooks`)
		closeSecondSteps(tx, &closed, now)
		tx.Exec(`UPDATE services SET held = 1 WHERE practice = 0 AND held = 0`)
		closed.Services = engine.All(tx, engine.ScanValue[string],
			`SELECT address FROM services WHERE held = 1 AND address <> '' ORDER BY id`)
		closed.Admins = engine.All(tx, engine.ScanValue[string],
			`SELECT name FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`)
		closed.Open = tx.Count(`SELECT 1 FROM users WHERE deactivated_at IS NULL`)
		teamdb.Record(tx, audit.Entry{Action: audit.Restored, What: what, After: fmt.Sprintf(
			`ended: %d sessions, %d join links, %d links for a password, %d shared links, %d recovery codes, %d connected accounts; passkeys that need the password once: %d; tokens ended: %d; webhooks that wait for an admin: %d; deliveries dropped: %d`,
			closed.Sessions, closed.Invites, closed.Resets, closed.Shares, closed.Recovery, closed.Identities,
			closed.Passkeys, closed.Tokens, closed.Webhooks, closed.Deliveries)})
	})
	return closed, engine.About("sessions and links", err)
}

// closeSecondSteps ends the other means of signing in, as described at CloseAccess.
func closeSecondSteps(tx *engine.Tx, closed *signin.Closed, now time.Time) {
	rules := signOn(tx)
	closed.Passkeys = tx.Exec(`UPDATE passkeys SET used_at = $1`, restoredPasskey)
	tx.Exec(`UPDATE codes SET step = $1 WHERE step < $1`, secrets.LastCodeStep(now))
	if tx.OK() && !rules.PasswordsOff { // otherwise connected accounts are the only way to sign in
		closed.Identities = tx.Exec(`
			DELETE FROM identities WHERE user_id IN (SELECT id FROM users WHERE password <> '')`)
	}
}

// recordSigning records in the audit that the way a person signs in has changed, and
// queues a mail that informs them, whichever notices they want.
func recordSigning(tx *engine.Tx, e audit.Entry) {
	teamdb.Record(tx, e)
	m, actor := outbox.NewMail(outbox.MailSigning, e.UserID, db.Now()), audit.ActorIn(tx.Context())
	m.Details = outbox.MailDetails{Action: e.Action, From: actor.Address, Alone: e.After == audit.PasswordAlone}
	if actor.UserID != e.UserID {
		m.Details.By = actor.Name
	}
	if actor.UserID != 0 && actor.UserID != e.UserID {
		u := teamdb.Account(tx, actor.UserID)
		m.Details.By = fmt.Sprintf("%s (%s)", u.Name, u.Email) // so that no name looks like a command
	}
	teamdb.PutMail(tx, m)
}

// endSessions ends the person's sessions except keepID, or, if began is not empty,
// those of them that began by that method. It is called when a means of signing in is
// removed, because whoever has it may be using those sessions.
func endSessions(tx *engine.Tx, userID, keepID int64, began signin.Method) {
	ended := tx.Exec(`
		DELETE FROM sessions WHERE user_id = $1 AND id <> $2 AND (CAST($3 AS TEXT) = '' OR method = $3)`, userID, keepID, began)
	recordSessionsEnded(tx, userID, ended, began)
}
