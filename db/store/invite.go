package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// AddInvite adds the join link and sets its ID. It is db.ErrConflict if as many
// are open already as may be, of this admin or of all.
func (s *Store) AddInvite(ctx context.Context, i *db.Invite) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		var own, all int
		err := tx.QueryRowContext(ctx, `
			SELECT count(*) FILTER (WHERE created_by = $1), count(*)
			FROM invites WHERE used_at IS NULL AND expires_at > $2`, i.CreatedBy, instant(i.CreatedAt)).Scan(&own, &all)
		if err != nil {
			return err
		}
		if own >= db.MaxInvites || all >= db.MaxInvitesOfAll {
			return db.ErrConflict
		}
		if err := tx.QueryRowContext(ctx, `
			INSERT INTO invites (token, created_by, created_at, expires_at)
			VALUES ($1, $2, $3, $4)
			RETURNING id`,
			digest(i.Token), i.CreatedBy, instant(i.CreatedAt), instant(i.ExpiresAt),
		).Scan(&i.ID); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.InviteMade, What: joinLink(i.ID)})
	})
	return about("join link of "+user(i.CreatedBy), err)
}

// Invite returns the join link with the token, open or not.
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
		SELECT id, token, created_by, created_at, expires_at, used_at, coalesce(used_by, 0)
		FROM invites WHERE token = $1`, digest(token))
}

// Invites returns all join links, used and expired ones too, the newest first.
func (s *Store) Invites(ctx context.Context) ([]db.Invite, error) {
	invites, err := all(ctx, s.reads, scanInvite, `
		SELECT id, token, created_by, created_at, expires_at, used_at, coalesce(used_by, 0)
		FROM invites ORDER BY id DESC`)
	return invites, about("join links", err)
}

// RevokeInvite takes back a join link that nobody has used. A used one is
// db.ErrNotFound: it stays as the record of who joined with it.
func (s *Store) RevokeInvite(ctx context.Context, id int64) error {
	return about(joinLink(id), s.write(ctx, func(tx *sql.Tx) error {
		if err := found(tx.ExecContext(ctx, `
			DELETE FROM invites WHERE id = $1 AND used_at IS NULL`, id)); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.InviteRevoked, What: joinLink(id)})
	}))
}

func joinLink(id int64) string { return fmt.Sprintf("join link %d", id) }

// Join makes the account with the join link, which it uses up, and sets the
// account's ID. A link that cannot be used (any more) is db.ErrNotFound; an
// e-mail address that is taken is db.ErrConflict and leaves the link open.
func (s *Store) Join(ctx context.Context, token db.TokenHash, u *db.User, now time.Time) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		i, err := invite(ctx, tx, token)
		if err == nil && !i.Open(now) {
			err = db.ErrNotFound
		}
		if err != nil {
			return about("join link", err)
		}
		if err := addUser(ctx, tx, u); err != nil {
			return err
		}
		// It may have been taken back since it was read.
		if err := found(tx.ExecContext(ctx, `
			UPDATE invites SET used_at = $1, used_by = $2 WHERE id = $3 AND used_at IS NULL`, instant(now), u.ID, i.ID)); err != nil {
			return about("join link", err)
		}
		return record(asUser(ctx, u.ID), tx, team.Entry{Action: team.MemberJoined, UserID: u.ID, What: joinLink(i.ID), After: string(u.Role)})
	})
}

func scanInvite(rows *sql.Rows) (i db.Invite, err error) {
	err = rows.Scan(&i.ID, (*digest)(&i.Token), &i.CreatedBy, (*instant)(&i.CreatedAt),
		(*instant)(&i.ExpiresAt), (*instant)(&i.UsedAt), &i.UsedBy)
	return i, err
}
