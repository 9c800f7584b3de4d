package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// AddInvite adds the join link and sets its ID. It returns db.ErrConflict if too many
// are open already, of this admin or in all.
func (s *Store) AddInvite(ctx context.Context, i *db.Invite) error {
	return s.AddInvites(ctx, []*db.Invite{i}, nil)
}

// AddInvites is like AddInvite for several links of one admin, of which it adds all or
// none. mails holds the mails that are to be sent with them, by the address that a link
// is for. It returns db.ErrNotFound if the admin's account is closed or, for a link
// that makes an admin, they no longer are one.
func (s *Store) AddInvites(ctx context.Context, invites []*db.Invite, mails map[string]team.Mail) error {
	if len(invites) == 0 {
		return nil
	}
	by, now := invites[0].CreatedBy, invites[0].CreatedAt
	err := s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		maker, err := account(ctx, tx, by)
		if err != nil {
			return err
		}
		var own, all int
		err = tx.QueryRowContext(ctx, `
			SELECT count(*) FILTER (WHERE created_by = $1), count(*)
			FROM invites WHERE used_at IS NULL AND expires_at > $2`, by, instant(now)).Scan(&own, &all)
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
				if err := putMail(ctx, tx, m); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return about("join link of "+user(by), err)
}

func addInvite(ctx context.Context, tx *sql.Tx, i *db.Invite) error {
	i.Role, i.Allowance = cmp.Or(i.Role, db.Member), cmp.Or(i.Allowance, string(team.Default))
	err := tx.QueryRowContext(ctx, `
		INSERT INTO invites (token, created_by, created_at, expires_at, role, email, allowance, credits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
		RETURNING id`,
		digest(i.Token), i.CreatedBy, instant(i.CreatedAt), instant(i.ExpiresAt), i.Role, i.Email, i.Allowance, amount(i.Credits),
	).Scan(&i.ID)
	if err != nil {
		return err
	}
	return record(ctx, tx, team.Entry{Action: team.InviteMade, What: inviteFor(*i), After: string(i.Role) + ", " + limitIn(*i).String()})
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
func (s *Store) Invite(ctx context.Context, token db.TokenHash) (db.Invite, error) {
	var i db.Invite
	err := s.read(ctx, func(tx *sql.Tx) (err error) {
		i, err = invite(ctx, tx, token)
		return err
	})
	return i, about("join link", err)
}

func invite(ctx context.Context, tx *sql.Tx, token db.TokenHash) (db.Invite, error) {
	return one(ctx, tx, scanInvite, `
		SELECT `+inviteColumns+`
		FROM invites WHERE token = $1`, digest(token))
}

// Invites returns all join links, including used and expired ones, the newest first.
func (s *Store) Invites(ctx context.Context) ([]db.Invite, error) {
	invites, err := all(ctx, s.reads, scanInvite, `
		SELECT `+inviteColumns+`
		FROM invites ORDER BY id DESC`)
	return invites, about("join links", err)
}

// RevokeInvite deletes an unused join link. It returns db.ErrNotFound for a used one,
// which stays as the record of who joined with it.
func (s *Store) RevokeInvite(ctx context.Context, id int64) error {
	return about(joinLink(id), s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		if err := found(tx.ExecContext(ctx, `
			DELETE FROM invites WHERE id = $1 AND used_at IS NULL`, id)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM mails WHERE topic = $1 AND next_at IS NOT NULL`, joinLink(id)); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.InviteRevoked, What: joinLink(id)})
	}))
}

func joinLink(id int64) string { return fmt.Sprintf("join link %d", id) }

// Join creates the account, uses up the join link, and sets the account's ID and the
// role that the link gives. It returns db.ErrNotFound if the link cannot be used (any
// more), db.ErrConflict if the e-mail address is taken, team.ErrOtherAddress if the
// link is for another address, and team.RefusedOff if passwords are turned off. The
// last three leave the link open.
func (s *Store) Join(ctx context.Context, token db.TokenHash, u *db.User, now time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		if err := passwordsOn(ctx, tx); err != nil {
			return about("join link", err)
		}
		i, err := invite(ctx, tx, token)
		if err == nil && !i.Open(now) {
			err = db.ErrNotFound
		}
		if err != nil {
			return about("join link", err)
		}
		if i.Email != "" && db.EmailKey(i.Email) != db.EmailKey(u.Email) {
			return about(joinLink(i.ID), team.ErrOtherAddress)
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
			return about("limit of "+user(u.ID), err)
		}
	}
	// The invitation may have been revoked since it was read.
	if err := found(tx.ExecContext(ctx, `
		UPDATE invites SET used_at = $1, used_by = $2 WHERE id = $3 AND used_at IS NULL`, instant(now), u.ID, i.ID)); err != nil {
		return about("join link", err)
	}
	return record(asUser(ctx, u.ID), tx, team.Entry{Action: team.MemberJoined, UserID: u.ID, What: inviteFor(i), After: string(u.Role) + ", " + limitIn(i).String()})
}

const inviteColumns = `id, token, created_by, created_at, expires_at, used_at, coalesce(used_by, 0), role, email, allowance, credits`

func scanInvite(rows *sql.Rows) (i db.Invite, err error) {
	err = rows.Scan(&i.ID, (*digest)(&i.Token), &i.CreatedBy, (*instant)(&i.CreatedAt),
		(*instant)(&i.ExpiresAt), (*instant)(&i.UsedAt), &i.UsedBy, &i.Role, &i.Email, &i.Allowance, (*amount)(&i.Credits))
	return i, err
}
