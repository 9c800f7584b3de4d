package people

import (
	"cmp"
	"context"
	"encoding/json"
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

// SignOn stores how people may sign in, and their accounts at an identity provider.
type SignOn struct {
	db      *teamdb.DB
	members *Members
}

// Settings of how people sign in: the rules and, if a second step is required, a
// second setting, which the query for every session looks up.
const (
	rulesSetting  = "sign-on"
	secondSetting = "second factor"
)

// Rules returns the rules for signing in.
func (s *SignOn) Rules(ctx context.Context) (signin.Rules, error) {
	return engine.Read(ctx, s.db, rulesSetting, func(tx *engine.Tx) signin.Rules { return signOn(tx) })
}

func signOn(tx *engine.Tx) (r signin.Rules) {
	if text := teamdb.Setting(tx, rulesSetting); tx.OK() && text != "" {
		tx.Check(json.Unmarshal([]byte(text), &r))
	}
	return r
}

// passwordsOn fails with signin.RefusedOff if the team has turned passwords off.
func passwordsOn(tx *engine.Tx) { tx.Require(!signOn(tx).PasswordsOff, signin.RefusedOff) }

// SetRules stores the rules. It returns db.ErrConflict if they turn passwords off
// while no active admin is connected with an account at the issuer, because then nobody
// could turn them on again. When passwords are turned off, all sessions that began with
// a password or a passkey end, except for those of the person who does it.
func (s *SignOn) SetRules(ctx context.Context, r signin.Rules, issuer string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return engine.About(rulesSetting, err)
	}
	return engine.About(rulesSetting, s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := signOn(tx)
		turnsOff := tx.OK() && r.PasswordsOff && !before.PasswordsOff
		if turnsOff {
			tx.Require(engine.Value[bool](tx, `
				SELECT EXISTS (SELECT 1 FROM identities i JOIN users u ON u.id = i.user_id
					WHERE i.issuer = $1 AND u.role = 'admin' AND u.deactivated_at IS NULL)`, issuer), db.ErrConflict)
		}
		teamdb.PutSetting(tx, rulesSetting, string(text))
		if r.SecondStep {
			teamdb.PutSetting(tx, secondSetting, "required")
		} else {
			tx.Exec(`DELETE FROM settings WHERE name = $1`, secondSetting)
		}
		if turnsOff {
			endPasswordSessions(tx)
		}
		if role, given := r.Role(nil); !given || role != "" { // the provider refuses nobody any more
			tx.Exec(`UPDATE users SET refused_at = NULL WHERE refused_at IS NOT NULL`)
		}
		now := r.Facts()
		for i, was := range before.Facts() {
			if tx.OK() && was != now[i] {
				teamdb.Record(tx, audit.Entry{Action: audit.SettingChanged, What: was.Name, Before: was.Value, After: now[i].Value})
			}
		}
	}))
}

// endPasswordSessions ends everybody else's sessions that began with a password or a
// passkey.
func endPasswordSessions(tx *engine.Tx) {
	ended := tx.Exec(`
		DELETE FROM sessions WHERE user_id <> $1 AND method IN ('password', 'code', 'passkey')`, audit.ActorIn(tx.Context()).UserID)
	if tx.OK() && ended > 0 {
		teamdb.Record(tx, audit.Entry{Action: audit.SessionEnded,
			What: fmt.Sprintf("browsers of everybody who signed in with a password or a passkey: %d", ended)})
	}
}

// Unconnected counts the people whose account is open and is not connected with an
// account at the issuer.
func (s *SignOn) Unconnected(ctx context.Context, issuer string) (int, error) {
	return engine.ReadValue[int](ctx, s.db.Reads, "people without a connected account", `
		SELECT count(*) FROM users u
		WHERE u.deactivated_at IS NULL AND NOT EXISTS (SELECT 1 FROM identities i WHERE i.user_id = u.id AND i.issuer = $1)`, issuer)
}

// SpendChallenge records that the challenge was answered, until it expires. It returns
// db.ErrConflict if it was answered before.
func (s *SignOn) SpendChallenge(ctx context.Context, hash secrets.TokenHash, expires, now time.Time) error {
	return engine.About("challenge", s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM challenges WHERE expires_at <= $1`, engine.Instant(now))
		tx.Exec(`INSERT INTO challenges (hash, expires_at) VALUES ($1, $2)`, engine.Digest(hash), engine.Instant(expires))
	}))
}

// SignInByProvider signs in the person whom the claims describe: the owner of the
// account that is connected with them or that, as the rules allow, is connected or
// created now. It applies the role that the claims give. A signin.Refusal says why nobody
// is signed in. Then nothing has changed, with one exception: if the provider no longer
// gives a role to the owner of a connected account, that person becomes a viewer, the
// browsers that signed in by the provider are signed out, and the person's tokens and
// webhooks rest until the provider gives a role again. kept reports that the person
// stays an admin although the claims say otherwise, because the team has no other admin.
func (s *SignOn) SignInByProvider(ctx context.Context, c signin.Claims, session *signin.Session) (u db.User, kept bool, err error) {
	var refused error
	err = s.db.WriteAccess(ctx, func(tx *engine.Tx) {
		refused = nil // of an earlier try, which was rolled back
		rules := signOn(tx)
		var known, given bool
		if u, known = connected(tx, c, session.CreatedAt); tx.OK() && !known {
			u = admit(tx, rules, c, session.CreatedAt)
		}
		tx.Require(u.IsActive(), signin.RefusedDeactivated)
		tx = teamdb.AsUser(tx, u.ID)
		kept, given = s.applyClaims(tx, rules, &u, c, session.CreatedAt)
		if tx.OK() && !given && known {
			refused = signin.RefusedRole
			s.withdraw(tx, &u, session.CreatedAt)
			return
		}
		tx.Require(given, signin.RefusedRole)
		session.UserID, session.Method = u.ID, signin.ByProvider
		begin(tx, session)
	})
	if err == nil {
		err = refused
	}
	return u, kept, engine.About("sign-in by a provider", err)
}

// applyClaims gives the person the role of the claims, if roles come from them. It
// reports whether they have any role then: somebody to whom the provider gives none may
// only sign in as the last admin, and remains one.
func (s *SignOn) applyClaims(tx *engine.Tx, rules signin.Rules, u *db.User, c signin.Claims, now time.Time) (kept, given bool) {
	role, claimed := rules.Role(c.Values)
	if claimed && role == "" && (!u.IsAdmin() || hasOtherAdmin(tx, u.ID) || !tx.OK()) {
		return false, false
	}
	acceptAgain(tx, u.ID)
	if !claimed || role == u.Role {
		return false, true
	}
	return s.claimRole(tx, u, role, now), true
}

// withdraw takes from the person what the provider gave them and no longer does: the
// sessions that began by it, and the role, so that they become a viewer. Their tokens and
// webhooks rest. The caller has made sure that they are not the last admin.
func (s *SignOn) withdraw(tx *engine.Tx, u *db.User, now time.Time) {
	endSessions(tx, u.ID, 0, signin.ByProvider)
	if refused := tx.Exec(`UPDATE users SET refused_at = $2 WHERE id = $1 AND refused_at IS NULL`,
		u.ID, engine.Instant(now)); tx.OK() && refused > 0 {
		teamdb.Record(tx, audit.Entry{Action: audit.ProgramStopped, UserID: u.ID,
			What: "tokens and webhooks, because the provider gives the person no role"})
	}
	if u.Role != db.Viewer {
		s.claimRole(tx, u, db.Viewer, now)
	}
}

// acceptAgain ends the rest of the tokens and webhooks of somebody to whom the provider had
// given no role, and now does.
func acceptAgain(tx *engine.Tx, userID int64) {
	if accepted := tx.Exec(`UPDATE users SET refused_at = NULL WHERE id = $1 AND refused_at IS NOT NULL`, userID); tx.OK() && accepted > 0 {
		teamdb.Record(tx, audit.Entry{Action: audit.ProgramContinued, UserID: userID,
			What: "tokens and webhooks, because the provider gives the person a role again"})
	}
}

var userOfIdentity = `
	SELECT ` + schema.Users.Columns + `
	FROM identities i JOIN users u ON u.id = i.user_id
	WHERE i.issuer = $1 AND i.subject = $2`

// connected returns the person whose account is connected with the claims, if there is
// one.
func connected(tx *engine.Tx, c signin.Claims, now time.Time) (u db.User, found bool) {
	u, found = engine.Find(tx, schema.Users.Scan(), userOfIdentity, c.Issuer, c.Subject)
	if !found {
		return u, false
	}
	before := engine.Value[string](tx, `SELECT email FROM identities WHERE issuer = $1 AND subject = $2`, c.Issuer, c.Subject)
	email := engine.Cut(c.Email, 320)
	if tx.OK() && email != before {
		e := audit.Entry{Action: audit.IdentityAddress, UserID: u.ID, What: c.Issuer, Before: before, After: email}
		teamdb.Record(teamdb.AsUser(tx, u.ID), e)
	}
	tx.Exec(`
		UPDATE identities SET used_at = $1, email = $2 WHERE issuer = $3 AND subject = $4`, engine.Instant(now), email, c.Issuer, c.Subject)
	return u, true
}

// admit connects an account with the claims of somebody who signs in with them for the
// first time, or creates one, if the rules allow it.
func admit(tx *engine.Tx, rules signin.Rules, c signin.Claims, now time.Time) (u db.User) {
	if c.Email == "" || !c.EmailVerified {
		tx.Require(rules.Admit != signin.AdmitNobody || rules.LinkByEmail, signin.RefusedNobody)
		tx.Check(signin.RefusedUnverified)
		return u
	}
	known := engine.All(tx, schema.Users.Scan(),
		`SELECT `+schema.Users.Columns+` FROM users u WHERE email_norm = $1`, db.EmailKey(c.Email))
	if tx.OK() && len(known) == 1 && rules.LinkByEmail {
		linkByEmail(tx, known[0], c, now)
		return known[0]
	}
	tx.Require(len(known) == 0, signin.RefusedUnlinked)
	tx.Require(rules.Admit != signin.AdmitNobody, signin.RefusedNobody)
	u = db.User{Name: naming.Short(cmp.Or(naming.Clean(c.Name), c.Email), db.MaxName), Email: c.Email, Role: db.Member, CreatedAt: now}
	if invited := takeInvite(tx, &u, now); tx.OK() && !invited {
		tx.Require(rules.Admit == signin.AdmitDomain, signin.RefusedUninvited)
		tx.Require(rules.HasDomain(c.Email), signin.RefusedDomain)
		addUser(tx, &u)
		teamdb.Record(teamdb.AsUser(tx, u.ID), audit.Entry{
			Action: audit.MemberJoined, UserID: u.ID, What: "by domain", After: string(u.Role),
		})
	}
	link(tx, u.ID, true, c, now)
	return u
}

// linkByEmail connects the account that has the e-mail address of the claims. Because
// nobody has verified that the account was opened by the owner of the address, all its
// other means of signing in, its sessions, tokens and webhooks end. An account that is connected at the
// issuer already belongs to somebody else: the address was given to another person
// since.
func linkByEmail(tx *engine.Tx, u db.User, c signin.Claims, now time.Time) {
	tx.Require(u.IsActive(), signin.RefusedDeactivated)
	tx.Require(tx.Count(`SELECT 1 FROM identities WHERE user_id = $1 AND issuer = $2`, u.ID, c.Issuer) == 0, signin.RefusedUnlinked)
	dropCodes(tx, u.ID)
	for _, statement := range []string{
		`UPDATE users SET password = '' WHERE id = $1`,
		`DELETE FROM passkeys WHERE user_id = $1`,
	} {
		tx.Exec(statement, u.ID)
	}
	tx = teamdb.AsUser(tx, u.ID)
	endAccess(tx, schema.Connection, u.ID, 0, now)
	teamdb.Record(tx, audit.Entry{
		Action: audit.SecondStepDropped, UserID: u.ID,
		What: "password, links, passkeys, second step, tokens, webhooks and all browsers of before, because the account is connected by its e-mail address",
	})
	link(tx, u.ID, false, c, now)
}

// takeInvite creates the account with the newest open invitation for its address, if
// there is one, and uses that up.
func takeInvite(tx *engine.Tx, u *db.User, now time.Time) (taken bool) {
	invites := engine.All(tx, schema.Invites.Scan(), `
		SELECT `+schema.Invites.Columns+`
		FROM invites WHERE used_at IS NULL AND expires_at > $1 AND email <> '' ORDER BY id DESC`, engine.Instant(now))
	for _, i := range invites {
		if db.EmailKey(i.Email) == db.EmailKey(u.Email) {
			useInvite(tx, i, u, now)
			return true
		}
	}
	return false
}

// claimRole gives the person the role that the provider says. The last active admin
// remains one, which kept reports.
func (s *SignOn) claimRole(tx *engine.Tx, u *db.User, role db.Role, now time.Time) (kept bool) {
	e := audit.Entry{Action: audit.MemberRole, UserID: u.ID, What: "by the provider", Before: string(u.Role), After: string(role)}
	if kept = u.IsAdmin() && !hasOtherAdmin(tx, u.ID); tx.OK() && kept {
		e.What, e.After = "not applied, because this is the last admin; by the provider: "+cmp.Or(string(role), "no role"), string(u.Role)
		teamdb.Record(tx, e)
		return true
	}
	if u.IsAdmin() {
		EndLinks(tx, u.ID)
	}
	s.members.putRole(tx, u.ID, role, now)
	u.Role = role
	teamdb.Record(tx, e)
	return false
}

var addedIdentity = schema.Identities.Part(schema.Added)

// link connects the account with the claims. The person is informed by mail unless the
// account is new.
func link(tx *engine.Tx, userID int64, isNew bool, c signin.Claims, now time.Time) {
	i := signin.Identity{UserID: userID, Issuer: c.Issuer, Subject: c.Subject, Email: engine.Cut(c.Email, 320), CreatedAt: now, UsedAt: now}
	tx.Exec(`INSERT INTO identities (`+addedIdentity.Names+`) VALUES (`+addedIdentity.Places(1)+`)`, addedIdentity.Values(&i)...)
	e := audit.Entry{Action: audit.IdentityLinked, UserID: userID, What: c.Issuer, After: c.Email}
	if isNew {
		teamdb.Record(teamdb.AsUser(tx, userID), e)
		return
	}
	recordSigning(teamdb.AsUser(tx, userID), e)
}

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
	return engine.ReadValue[[]byte](ctx, s.db.Reads, session(sessionID),
		`SELECT sealed FROM provider_sessions WHERE session_id = $1`, sessionID)
}

// ClaimProviderSessions returns sessions about which the provider is to be asked, and
// leases them to the owner, so that no other process uses the same refresh token: it
// works once. A session that nobody has used for signin.RecheckIdle waits until somebody
// does, unless a token of the person was used: it opens the API as long as they have a role.
func (s *SignOn) ClaimProviderSessions(ctx context.Context, owner string, now time.Time,
	limit int) (due []signin.ProviderSession, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		due = engine.All(tx,
			engine.ScanFields(func(p *signin.ProviderSession) []any { return []any{&p.SessionID, &p.UserID, &p.Sealed, &p.Tries} }), `
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
			teamdb.Record(tx, audit.Entry{Action: audit.SessionEnded, UserID: p.UserID,
				What: "one browser, because the provider no longer signs the person in"})
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
		u := teamdb.Account(tx, userID)
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
		teamdb.StillAllowed(tx, userID, db.User.IsActive)
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
	return engine.ReadAll(ctx, s.db.Reads, "identities of "+engine.User(userID), schema.Identities.Scan(),
		`SELECT `+schema.Identities.Columns+` FROM identities WHERE user_id = $1 ORDER BY id`, userID)
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
