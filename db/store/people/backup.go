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
)

// CloseAccess ends every session, every unused join link, every link that sets a new
// password, every shared link, all recovery codes, and, unless passwords are turned
// off, the connected accounts of people who have a password. It is for a database that
// is not the latest, such as one restored from a backup: access that was revoked later
// is open again in it, and nobody can tell which. what names the reason in the audit.
// Nothing is sent to a video service, practice mode apart, until an admin has confirmed that
// the team still uses it: see Services.Confirm.
//
// One-time codes and passkeys stay, because without them the password alone would open
// the account. Codes that may have been used since are not accepted, and a passkey
// works only together with the password until it has been used so once: see
// signin.Passkey.
func (s *Accounts) CloseAccess(ctx context.Context, what string, now time.Time) (closed signin.Closed, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		for _, kind := range []struct {
			count     *int
			statement string
		}{
			{&closed.Sessions, `DELETE FROM sessions RETURNING expires_at > $1`},
			{&closed.Invites, `DELETE FROM invites WHERE used_at IS NULL RETURNING expires_at > $1`},
			{&closed.Resets, `DELETE FROM resets RETURNING expires_at > $1`},
			{&closed.Shares, `UPDATE shares SET revoked_at = $1 WHERE revoked_at IS NULL RETURNING expires_at > $1`},
		} {
			for _, was := range engine.All(tx, engine.ScanValue[bool], kind.statement, engine.Instant(now)) {
				if was {
					*kind.count++
				}
			}
		}
		// Waiting mails may have been sent since, and the links in them no longer work.
		tx.Exec(`DELETE FROM mails WHERE next_at IS NOT NULL`)
		closeSecondSteps(tx, &closed, now)
		tx.Exec(`UPDATE services SET held = 1 WHERE practice = 0 AND held = 0`)
		closed.Services = engine.All(tx, engine.ScanValue[string], `SELECT address FROM services WHERE held = 1 AND address <> '' ORDER BY id`)
		closed.Admins = engine.All(tx, engine.ScanValue[string], `SELECT name FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id`)
		closed.Open = tx.Count(`SELECT 1 FROM users WHERE deactivated_at IS NULL`)
		kit.Record(tx, audit.Entry{Action: audit.Restored, What: what, After: fmt.Sprintf(
			"ended: %d sessions, %d join links, %d links for a password, %d shared links, %d recovery codes, %d connected accounts; passkeys that need the password once: %d",
			closed.Sessions, closed.Invites, closed.Resets, closed.Shares, closed.Recovery, closed.Identities, closed.Passkeys)})
	})
	return closed, engine.About("sessions and links", err)
}

// closeSecondSteps ends the other means of signing in, as described at CloseAccess.
func closeSecondSteps(tx *engine.Tx, closed *signin.Closed, now time.Time) {
	rules := signOn(tx)
	closed.Recovery = tx.Exec(`DELETE FROM recovery_codes`)
	closed.Passkeys = tx.Exec(`UPDATE passkeys SET used_at = $1`, restoredPasskey)
	tx.Exec(`UPDATE codes SET step = $1 WHERE step < $1`, secrets.LastCodeStep(now))
	if tx.OK() && !rules.PasswordsOff { // otherwise connected accounts are the only way to sign in
		closed.Identities = tx.Exec(`
			DELETE FROM identities WHERE user_id IN (SELECT id FROM users WHERE password <> '')`)
	}
}
