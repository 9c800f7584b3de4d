package people

import (
	"cmp"
	"context"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/store/schema"
)

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
		tx = kit.AsUser(tx, u.ID)
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
	if refused := tx.Exec(`UPDATE users SET refused_at = $2 WHERE id = $1 AND refused_at IS NULL`, u.ID, engine.Instant(now)); tx.OK() && refused > 0 {
		kit.Record(tx, audit.Entry{Action: audit.ProgramStopped, UserID: u.ID, What: "tokens and webhooks, because the provider gives the person no role"})
	}
	if u.Role != db.Viewer {
		s.claimRole(tx, u, db.Viewer, now)
	}
}

// acceptAgain ends the rest of the tokens and webhooks of somebody to whom the provider had
// given no role, and now does.
func acceptAgain(tx *engine.Tx, userID int64) {
	if accepted := tx.Exec(`UPDATE users SET refused_at = NULL WHERE id = $1 AND refused_at IS NOT NULL`, userID); tx.OK() && accepted > 0 {
		kit.Record(tx, audit.Entry{Action: audit.ProgramContinued, UserID: userID, What: "tokens and webhooks, because the provider gives the person a role again"})
	}
}

// connected returns the person whose account is connected with the claims, if there is
// one.
func connected(tx *engine.Tx, c signin.Claims, now time.Time) (u db.User, found bool) {
	u, found = engine.Find(tx, engine.ScanFields(kit.UserFields), `
		SELECT `+kit.UserColumns+`
		FROM identities i JOIN users u ON u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2`, c.Issuer, c.Subject)
	if !found {
		return u, false
	}
	before := engine.Value[string](tx, `SELECT email FROM identities WHERE issuer = $1 AND subject = $2`, c.Issuer, c.Subject)
	email := engine.Cut(c.Email, 320)
	if tx.OK() && email != before {
		e := audit.Entry{Action: audit.IdentityAddress, UserID: u.ID, What: c.Issuer, Before: before, After: email}
		kit.Record(kit.AsUser(tx, u.ID), e)
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
	known := engine.All(tx, engine.ScanFields(kit.UserFields), `SELECT `+kit.UserColumns+` FROM users u WHERE email_norm = $1`, db.EmailKey(c.Email))
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
		kit.Record(kit.AsUser(tx, u.ID), audit.Entry{Action: audit.MemberJoined, UserID: u.ID, What: "by domain", After: string(u.Role)})
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
	tx = kit.AsUser(tx, u.ID)
	endAccess(tx, schema.Connection, u.ID, 0, now)
	kit.Record(tx, audit.Entry{
		Action: audit.SecondStepDropped, UserID: u.ID,
		What: "password, links, passkeys, second step, tokens, webhooks and all browsers of before, because the account is connected by its e-mail address",
	})
	link(tx, u.ID, false, c, now)
}

// takeInvite creates the account with the newest open invitation for its address, if
// there is one, and uses that up.
func takeInvite(tx *engine.Tx, u *db.User, now time.Time) (taken bool) {
	invites := engine.All(tx, engine.ScanFields(inviteFields), `
		SELECT `+inviteColumns+`
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
		kit.Record(tx, e)
		return true
	}
	if u.IsAdmin() {
		EndLinks(tx, u.ID)
	}
	s.members.putRole(tx, u.ID, role, now)
	u.Role = role
	kit.Record(tx, e)
	return false
}

// link connects the account with the claims. The person is informed by mail unless the
// account is new.
func link(tx *engine.Tx, userID int64, isNew bool, c signin.Claims, now time.Time) {
	tx.Exec(`
		INSERT INTO identities (issuer, subject, user_id, email, created_at, used_at)
		VALUES ($1, $2, $3, $4, $5, $5)`, c.Issuer, c.Subject, userID, engine.Cut(c.Email, 320), engine.Instant(now))
	e := audit.Entry{Action: audit.IdentityLinked, UserID: userID, What: c.Issuer, After: c.Email}
	if isNew {
		kit.Record(kit.AsUser(tx, userID), e)
		return
	}
	recordSigning(kit.AsUser(tx, userID), e)
}
