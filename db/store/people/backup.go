package people

import (
	"context"
	"fmt"
	"time"

	"dailies/db/audit"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/store/schema"
)

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
		closed.Services = engine.All(tx, engine.ScanValue[string], `SELECT address FROM services WHERE held = 1 AND address <> '' ORDER BY id`)
		closed.Admins = engine.All(tx, engine.ScanValue[string], `SELECT name FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`)
		closed.Open = tx.Count(`SELECT 1 FROM users WHERE deactivated_at IS NULL`)
		kit.Record(tx, audit.Entry{Action: audit.Restored, What: what, After: fmt.Sprintf(
			`ended: %d sessions, %d join links, %d links for a password, %d shared links, %d recovery codes, %d connected accounts; passkeys that need the password once: %d; tokens ended: %d; webhooks that wait for an admin: %d; deliveries dropped: %d`,
			closed.Sessions, closed.Invites, closed.Resets, closed.Shares, closed.Recovery, closed.Identities, closed.Passkeys, closed.Tokens, closed.Webhooks, closed.Deliveries)})
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
