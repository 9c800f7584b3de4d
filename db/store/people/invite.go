package people

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

// Invites stores the links with which people join.
type Invites struct {
	db *kit.DB
}

// AddInvite adds the join link and sets its ID. It returns db.ErrConflict if too many
// are open already, of this admin or in all.
func (s *Invites) AddInvite(ctx context.Context, i *db.Invite) error {
	return s.AddInvites(ctx, []*db.Invite{i}, nil)
}

// AddInvites is like AddInvite for several links of one admin, of which it adds all or
// none. mails holds the mails that are to be sent with them, by the address that a link
// is for. It returns db.ErrNotFound if the admin's account is closed or, for a link
// that makes an admin, they no longer are one.
func (s *Invites) AddInvites(ctx context.Context, invites []*db.Invite, mails map[string]team.Mail) error {
	if len(invites) == 0 {
		return nil
	}
	by, now := invites[0].CreatedBy, invites[0].CreatedAt
	err := s.db.WriteAsAdmin(ctx, func(tx *sql.Tx) error {
		maker, err := kit.Account(ctx, tx, by)
		if err != nil {
			return err
		}
		var own, all int
		err = tx.QueryRowContext(ctx, `
			SELECT count(*) FILTER (WHERE created_by = $1), count(*)
			FROM invites WHERE used_at IS NULL AND expires_at > $2`, by, engine.Instant(now)).Scan(&own, &all)
		if err != nil {
			return err
		}
		if own+len(invites) > db.MaxInvites || all+len(invites) > db.MaxInvitesOfAll {
			return db.ErrConflict
		}
		for _, i := range invites {
			if !maker.IsActive() || i.Role == db.Admin && !maker.IsAdmin() {
				return db.ErrNotFound
			}
			if err := addInvite(ctx, tx, i); err != nil {
				return err
			}
			if m, ok := mails[i.Email]; ok {
				m.Topic = joinLink(i.ID)
				if err := kit.PutMail(ctx, tx, m); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return engine.About("join link of "+engine.User(by), err)
}

func addInvite(ctx context.Context, tx *sql.Tx, i *db.Invite) error {
	i.Role, i.Allowance = cmp.Or(i.Role, db.Member), cmp.Or(i.Allowance, string(team.Default))
	err := tx.QueryRowContext(ctx, `
		INSERT INTO invites (token, created_by, created_at, expires_at, role, email, allowance, credits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		RETURNING id`,
		engine.Digest(i.Token), i.CreatedBy, engine.Instant(i.CreatedAt), engine.Instant(i.ExpiresAt), i.Role, i.Email, i.Allowance, engine.Amount(i.Credits),
	).Scan(&i.ID)
	if err != nil {
		return err
	}
	return kit.Record(ctx, tx, team.Entry{Action: team.InviteMade, What: inviteFor(*i), After: string(i.Role) + ", " + limitIn(*i).String()})
}

// limitIn returns the spending limit that the invitation gives.
func limitIn(i db.Invite) team.Limit {
	return team.Limit{Allowance: team.Allowance(i.Allowance), Credits: i.Credits}
}

// inviteFor returns the name of the invitation in the audit.
func inviteFor(i db.Invite) string {
	if i.Email == "" {
		return joinLink(i.ID)
	}
	return joinLink(i.ID) + " for " + i.Email
}

// Invite returns the join link with the token, whether or not it can still be used.
func (s *Invites) Invite(ctx context.Context, token db.TokenHash) (db.Invite, error) {
	var i db.Invite
	err := s.db.Read(ctx, func(tx *sql.Tx) (err error) {
		i, err = invite(ctx, tx, token)
		return err
	})
	return i, engine.About("join link", err)
}

func invite(ctx context.Context, tx *sql.Tx, token db.TokenHash) (db.Invite, error) {
	return engine.One(ctx, tx, scanInvite, `
		SELECT `+inviteColumns+`
		FROM invites WHERE token = $1`, engine.Digest(token))
}

// All returns all join links, including used and expired ones, the newest first.
func (s *Invites) All(ctx context.Context) ([]db.Invite, error) {
	invites, err := engine.All(ctx, s.db.Reads, scanInvite, `
		SELECT `+inviteColumns+`
		FROM invites ORDER BY id DESC`)
	return invites, engine.About("join links", err)
}

// RevokeInvite deletes an unused join link. It returns db.ErrNotFound for a used one,
// which stays as the record of who joined with it.
func (s *Invites) RevokeInvite(ctx context.Context, id int64) error {
	return engine.About(joinLink(id), s.db.WriteAsAdmin(ctx, func(tx *sql.Tx) error {
		if err := engine.Found(tx.ExecContext(ctx, `
			DELETE FROM invites WHERE id = $1 AND used_at IS NULL`, id)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM mails WHERE topic = $1 AND next_at IS NOT NULL`, joinLink(id)); err != nil {
			return err
		}
		return kit.Record(ctx, tx, team.Entry{Action: team.InviteRevoked, What: joinLink(id)})
	}))
}

func joinLink(id int64) string { return fmt.Sprintf("join link %d", id) }

// Join creates the account, uses up the join link, and sets the account's ID and the
// role that the link gives. It returns db.ErrNotFound if the link cannot be used (any
// more), db.ErrConflict if the e-mail address is taken, team.ErrOtherAddress if the
// link is for another address, and team.RefusedOff if passwords are turned off. The
// last three leave the link open.
func (s *Invites) Join(ctx context.Context, token db.TokenHash, u *db.User, now time.Time) error {
	return s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := passwordsOn(ctx, tx); err != nil {
			return engine.About("join link", err)
		}
		i, err := invite(ctx, tx, token)
		if err == nil && !i.Open(now) {
			err = db.ErrNotFound
		}
		if err != nil {
			return engine.About("join link", err)
		}
		if i.Email != "" && db.EmailKey(i.Email) != db.EmailKey(u.Email) {
			return engine.About(joinLink(i.ID), team.ErrOtherAddress)
		}
		return useInvite(ctx, tx, i, u, now)
	})
}

// useInvite creates the account with the role and limit that the invitation gives, and
// uses the invitation up.
func useInvite(ctx context.Context, tx *sql.Tx, i db.Invite, u *db.User, now time.Time) error {
	u.Role = i.Role
	if err := addUser(ctx, tx, u); err != nil {
		return err
	}
	if limit := limitIn(i); limit.Allowance != team.Default {
		if err := putLimit(ctx, tx, u.ID, limit); err != nil {
			return engine.About("limit of "+engine.User(u.ID), err)
		}
	}
	// The invitation may have been revoked since it was read.
	if err := engine.Found(tx.ExecContext(ctx, `
		UPDATE invites SET used_at = $1, used_by = $2 WHERE id = $3 AND used_at IS NULL`, engine.Instant(now), u.ID, i.ID)); err != nil {
		return engine.About("join link", err)
	}
	return kit.Record(kit.AsUser(ctx, u.ID), tx, team.Entry{Action: team.MemberJoined, UserID: u.ID, What: inviteFor(i), After: string(u.Role) + ", " + limitIn(i).String()})
}

const inviteColumns = `id, token, created_by, created_at, expires_at, used_at, coalesce(used_by, 0), role, email, allowance, credits`

func scanInvite(rows *sql.Rows) (i db.Invite, err error) {
	err = rows.Scan(&i.ID, (*engine.Digest)(&i.Token), &i.CreatedBy, (*engine.Instant)(&i.CreatedAt),
		(*engine.Instant)(&i.ExpiresAt), (*engine.Instant)(&i.UsedAt), &i.UsedBy, &i.Role, &i.Email, &i.Allowance, (*engine.Amount)(&i.Credits))
	return i, err
}
