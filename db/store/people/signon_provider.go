package people

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

// SignInByProvider signs in the person whom the claims describe: the owner of the
// account that is connected with them or that, as the rules allow, is connected or
// created now. It applies the role that the claims give. A team.Refusal says why nobody
// is signed in; then nothing has changed, except that somebody whose account is
// connected and who has lost every role loses what the provider gave them: see
// withdraw. kept means that the person remains an admin against the claims, because
// they are the last one.
func (s *SignOn) SignInByProvider(ctx context.Context, c team.Claims, session *db.Session) (u db.User, kept bool, err error) {
	var refused error
	err = s.db.WriteAccess(ctx, func(tx *sql.Tx) error {
		rules, err := signOn(ctx, tx)
		if err != nil {
			return err
		}
		u, err = connected(ctx, tx, c, session.CreatedAt)
		isNew := errors.Is(err, sql.ErrNoRows)
		if isNew {
			u, err = admit(ctx, tx, rules, c, session.CreatedAt)
		}
		switch {
		case err != nil:
			return err
		case !u.IsActive():
			return team.RefusedDeactivated
		}
		ctx := kit.AsUser(ctx, u.ID)
		kept, err = s.applyClaims(ctx, tx, rules, &u, c, session.CreatedAt)
		if errors.Is(err, team.RefusedRole) && !isNew {
			refused = err
			return s.withdraw(ctx, tx, &u, session.CreatedAt)
		}
		if err != nil {
			return err
		}
		session.UserID, session.Method = u.ID, db.ByProvider
		return begin(ctx, tx, session)
	})
	if err == nil {
		err = refused
	}
	return u, kept, engine.About("sign-in by a provider", err)
}

// applyClaims gives the person the role of the claims, if roles come from them. It
// returns team.RefusedRole for somebody without any.
func (s *SignOn) applyClaims(ctx context.Context, tx *sql.Tx, rules team.Rules, u *db.User, c team.Claims, now time.Time) (kept bool, err error) {
	role, given := rules.Role(c.Values)
	if given && role == "" {
		if err := mayLackRole(ctx, tx, *u); err != nil {
			return false, err
		}
	}
	if !given || role == u.Role {
		return false, nil
	}
	return s.claimRole(ctx, tx, u, role, now)
}

// withdraw takes from the person what the provider gave them and no longer does: the
// sessions that began by it, and the role, so that they become a viewer. The caller has
// made sure that they are not the last admin.
func (s *SignOn) withdraw(ctx context.Context, tx *sql.Tx, u *db.User, now time.Time) error {
	if err := endSessions(ctx, tx, u.ID, 0, db.ByProvider); err != nil || u.Role == db.Viewer {
		return err
	}
	_, err := s.claimRole(ctx, tx, u, db.Viewer, now)
	return err
}

// connected returns the person whose account is connected with the claims.
func connected(ctx context.Context, tx *sql.Tx, c team.Claims, now time.Time) (db.User, error) {
	u, err := engine.One(ctx, tx, engine.ScanFields(kit.UserFields), `
		SELECT `+kit.UserColumns+`
		FROM identities i JOIN users u ON u.id = i.user_id
		WHERE i.issuer = $1 AND i.subject = $2`, c.Issuer, c.Subject)
	if err != nil {
		return u, err
	}
	before, err := engine.One(ctx, tx, engine.ScanValue[string], `SELECT email FROM identities WHERE issuer = $1 AND subject = $2`, c.Issuer, c.Subject)
	if err != nil {
		return u, err
	}
	email := engine.Cut(c.Email, 320)
	if email != before {
		e := team.Entry{Action: team.IdentityAddress, UserID: u.ID, What: c.Issuer, Before: before, After: email}
		if err := kit.Record(kit.AsUser(ctx, u.ID), tx, e); err != nil {
			return u, err
		}
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE identities SET used_at = $1, email = $2 WHERE issuer = $3 AND subject = $4`, engine.Instant(now), email, c.Issuer, c.Subject)
	return u, err
}

// admit connects an account with the claims of somebody who signs in with them for the
// first time, or creates one, if the rules allow it.
func admit(ctx context.Context, tx *sql.Tx, rules team.Rules, c team.Claims, now time.Time) (u db.User, err error) {
	if c.Email == "" || !c.EmailVerified {
		if rules.Admit == team.AdmitNobody && !rules.LinkByEmail {
			return u, team.RefusedNobody
		}
		return u, team.RefusedUnverified
	}
	known, err := engine.All(ctx, tx, engine.ScanFields(kit.UserFields), `SELECT `+kit.UserColumns+` FROM users u WHERE email_norm = $1`, db.EmailKey(c.Email))
	switch {
	case err != nil:
		return u, err
	case len(known) == 1 && rules.LinkByEmail:
		return known[0], linkByEmail(ctx, tx, known[0], c, now)
	case len(known) > 0:
		return u, team.RefusedUnlinked
	case rules.Admit == team.AdmitNobody:
		return u, team.RefusedNobody
	}
	u = db.User{Name: db.ShortName(cmp.Or(db.CleanName(c.Name), c.Email), db.MaxName), Email: c.Email, Role: db.Member, CreatedAt: now}
	invited, err := takeInvite(ctx, tx, &u, now)
	if err != nil {
		return u, err
	}
	if !invited {
		switch {
		case rules.Admit != team.AdmitDomain:
			return u, team.RefusedUninvited
		case !rules.HasDomain(c.Email):
			return u, team.RefusedDomain
		}
		if err := addUser(ctx, tx, &u); err != nil {
			return u, err
		}
		if err := kit.Record(kit.AsUser(ctx, u.ID), tx, team.Entry{Action: team.MemberJoined, UserID: u.ID, What: "by domain", After: string(u.Role)}); err != nil {
			return u, err
		}
	}
	return u, link(ctx, tx, u.ID, true, c, now)
}

// linkByEmail connects the account that has the e-mail address of the claims. Because
// nobody has verified that the account was opened by the owner of the address, all its
// other means of signing in, and its sessions, end. An account that is connected at the
// issuer already belongs to somebody else: the address was given to another person
// since.
func linkByEmail(ctx context.Context, tx *sql.Tx, u db.User, c team.Claims, now time.Time) error {
	if !u.IsActive() {
		return team.RefusedDeactivated
	}
	n, err := engine.Count(ctx, tx, `SELECT 1 FROM identities WHERE user_id = $1 AND issuer = $2`, []any{u.ID, c.Issuer})
	if err != nil {
		return err
	}
	if n > 0 {
		return team.RefusedUnlinked
	}
	if err := dropCodes(ctx, tx, u.ID); err != nil {
		return err
	}
	for _, statement := range []string{
		`UPDATE users SET password = '' WHERE id = $1`,
		`DELETE FROM passkeys WHERE user_id = $1`,
		`DELETE FROM resets WHERE user_id = $1`,
		`DELETE FROM sessions WHERE user_id = $1`,
	} {
		if _, err := tx.ExecContext(ctx, statement, u.ID); err != nil {
			return err
		}
	}
	e := team.Entry{Action: team.FactorsDropped, UserID: u.ID, What: "password, links, passkeys, one-time codes and all browsers of before, because the account is connected by its e-mail address"}
	if err := kit.Record(kit.AsUser(ctx, u.ID), tx, e); err != nil {
		return err
	}
	return link(ctx, tx, u.ID, false, c, now)
}

// takeInvite creates the account with the newest open invitation for its address, if
// there is one, and uses that up.
func takeInvite(ctx context.Context, tx *sql.Tx, u *db.User, now time.Time) (taken bool, err error) {
	invites, err := engine.All(ctx, tx, scanInvite, `
		SELECT `+inviteColumns+`
		FROM invites WHERE used_at IS NULL AND expires_at > $1 AND email <> '' ORDER BY id DESC`, engine.Instant(now))
	if err != nil {
		return false, err
	}
	for _, i := range invites {
		if db.EmailKey(i.Email) == db.EmailKey(u.Email) {
			return true, useInvite(ctx, tx, i, u, now)
		}
	}
	return false, nil
}

// mayLackRole returns nil if the person may sign in although the provider gives them no
// role, and team.RefusedRole otherwise. Only the last admin may, and remains an admin.
func mayLackRole(ctx context.Context, tx *sql.Tx, u db.User) error {
	if !u.IsAdmin() {
		return team.RefusedRole
	}
	switch err := OtherAdmin(ctx, tx, u.ID); {
	case errors.Is(err, team.ErrLastAdmin):
		return nil
	case err != nil:
		return err
	}
	return team.RefusedRole
}

// claimRole gives the person the role that the provider says. The last active admin
// remains one, which kept reports.
func (s *SignOn) claimRole(ctx context.Context, tx *sql.Tx, u *db.User, role db.Role, now time.Time) (kept bool, err error) {
	e := team.Entry{Action: team.MemberRole, UserID: u.ID, What: "by the provider", Before: string(u.Role), After: string(role)}
	if u.IsAdmin() {
		err = OtherAdmin(ctx, tx, u.ID)
		if kept = errors.Is(err, team.ErrLastAdmin); err != nil && !kept {
			return false, err
		}
	}
	if kept {
		e.What, e.After = "not applied, because this is the last admin; by the provider: "+cmp.Or(string(role), "no role"), string(u.Role)
		return true, kit.Record(ctx, tx, e)
	}
	if u.IsAdmin() {
		if err := EndLinks(ctx, tx, u.ID); err != nil {
			return false, err
		}
	}
	if err := s.members.putRole(ctx, tx, u.ID, role, now); err != nil {
		return false, err
	}
	u.Role = role
	return false, kit.Record(ctx, tx, e)
}

// link connects the account with the claims. The person is informed by mail unless the
// account is new.
func link(ctx context.Context, tx *sql.Tx, userID int64, isNew bool, c team.Claims, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO identities (issuer, subject, user_id, email, created_at, used_at)
		VALUES ($1, $2, $3, $4, $5, $5)`, c.Issuer, c.Subject, userID, engine.Cut(c.Email, 320), engine.Instant(now))
	if err != nil {
		return err
	}
	e := team.Entry{Action: team.IdentityLinked, UserID: userID, What: c.Issuer, After: c.Email}
	if isNew {
		return kit.Record(kit.AsUser(ctx, userID), tx, e)
	}
	return recordSigning(kit.AsUser(ctx, userID), tx, e)
}
