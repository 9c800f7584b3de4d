package people

import (
	"context"
	"time"

	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// KeepTokens stores the tokens that a provider has issued to the session, sealed by
// secrets.Vault.SealTokens. next
// is when the provider is asked again whether the person may still be signed in; zero if
// it cannot be asked.
func (s *SignOn) KeepTokens(ctx context.Context, sessionID int64, sealed []byte, next time.Time) error {
	return engine.About(session(sessionID), s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`
			INSERT INTO provider_sessions (session_id, sealed, next_at) VALUES ($1, $2, $3)`, sessionID, sealed, engine.Instant(next))
	}))
}

// Tokens returns what KeepTokens has stored, or db.ErrNotFound.
func (s *SignOn) Tokens(ctx context.Context, sessionID int64) ([]byte, error) {
	return engine.ReadValue[[]byte](ctx, s.db.Reads, session(sessionID), `SELECT sealed FROM provider_sessions WHERE session_id = $1`, sessionID)
}

// ClaimProviderSessions returns sessions about which the provider is to be asked, and
// leases them to the owner, so that no other process uses the same refresh token: it
// works once. A session that nobody has used for signin.RecheckIdle waits until somebody
// does, unless a token of the person was used: it opens the API as long as they have a role.
func (s *SignOn) ClaimProviderSessions(ctx context.Context, owner string, now time.Time, limit int) (due []signin.ProviderSession, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		due = engine.All(tx, engine.ScanFields(func(p *signin.ProviderSession) []any { return []any{&p.SessionID, &p.UserID, &p.Sealed, &p.Tries} }), `
			SELECT p.session_id, s.user_id, p.sealed, p.tries
			FROM provider_sessions p JOIN sessions s ON s.id = p.session_id
			WHERE p.next_at <= $1 AND (p.leased_until IS NULL OR p.leased_until <= $1) AND s.expires_at > $1
				AND (s.seen_at > $2 OR EXISTS (SELECT 1 FROM programs t WHERE t.user_id = s.user_id AND t.ended_at IS NULL AND t.used_at > $2))
			ORDER BY p.next_at LIMIT $3 + 0`, engine.Instant(now), engine.Instant(now.Add(-signin.RecheckIdle)), limit)
		for _, p := range due {
			tx.Exec(`
				UPDATE provider_sessions SET leased_by = $1, leased_until = $2, tries = tries + 1 WHERE session_id = $3`,
				owner, engine.Instant(now.Add(signin.RecheckLease)), p.SessionID)
		}
	})
	return due, engine.About("sessions of a provider", err)
}

// SettleProviderSession stores what came of asking the provider, and ends the lease. It
// does nothing if the session has ended or the owner's lease has passed to another.
// Answered means that the provider has answered, and sealed has the tokens to use next.
func (s *SignOn) SettleProviderSession(ctx context.Context, owner string, p signin.ProviderSession, answered bool, next time.Time) error {
	return engine.About(session(p.SessionID), s.db.WriteDurably(ctx, func(tx *engine.Tx) {
		tx.Exec(`
			UPDATE provider_sessions SET sealed = $1, next_at = $2, tries = CASE WHEN $3 = 1 THEN 0 ELSE tries END, leased_by = '', leased_until = NULL
			WHERE session_id = $4 AND leased_by = $5`, p.Sealed, engine.Instant(next), flag(answered), p.SessionID, owner)
	}))
}

// EndProviderSession ends the session because the provider has refused to renew it: the
// person was signed out or locked out there.
func (s *SignOn) EndProviderSession(ctx context.Context, p signin.ProviderSession) error {
	return engine.About(session(p.SessionID), s.db.Write(ctx, func(tx *engine.Tx) {
		if ended := tx.Exec(`DELETE FROM sessions WHERE id = $1`, p.SessionID); tx.OK() && ended > 0 {
			kit.Record(tx, audit.Entry{Action: audit.SessionEnded, UserID: p.UserID, What: "one browser, because the provider no longer signs the person in"})
		}
	}))
}

// RecheckClaims applies what the provider now says about the person of a session. It
// returns signin.RefusedRole if they have lost every role: then their sessions from the
// provider have ended, and their tokens and webhooks rest, as with SignInByProvider. The
// last admin keeps the role.
func (s *SignOn) RecheckClaims(ctx context.Context, userID int64, c signin.Claims, now time.Time) error {
	var refused error
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		rules := signOn(tx)
		u := kit.Account(tx, userID)
		if !tx.OK() || !u.IsActive() {
			return
		}
		role, given := rules.Role(c.Values)
		if !given || role == u.Role {
			acceptAgain(tx, u.ID)
			return
		}
		if last := u.IsAdmin() && !hasOtherAdmin(tx, u.ID); !tx.OK() || last {
			return
		}
		if _, given := s.applyClaims(tx, rules, &u, c, now); tx.OK() && !given {
			refused = signin.RefusedRole
			s.withdraw(tx, &u, now)
		}
	})
	if err == nil {
		err = refused
	}
	return engine.About("claims of "+engine.User(userID), err)
}

// flag returns the number with which a condition is stored.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
