package store

import (
	"context"
	"database/sql"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// Members returns all accounts with what admins see of them, in no order. What was
// spent is that of the month of the time.
func (s *Store) Members(ctx context.Context, at time.Time) (members []team.Member, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		month, err := s.month(ctx, tx, at)
		if err != nil {
			return err
		}
		members, err = all(ctx, tx, scanMember, membersQuery, month)
		return err
	})
	return members, about("members", err)
}

// Member returns one of the Members.
func (s *Store) Member(ctx context.Context, id int64, at time.Time) (m team.Member, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		month, err := s.month(ctx, tx, at)
		if err != nil {
			return err
		}
		m, err = one(ctx, tx, scanMember, membersQuery+` WHERE u.id = $2`, month, id)
		return err
	})
	return m, about(user(id), err)
}

const membersQuery = `
	SELECT ` + userColumns + `, coalesce(p.allowance, 'default'), coalesce(p.credits, 0), coalesce(spent.counted, 0),
		coalesce(k.team_key_id, -1), coalesce(t.name, ''), coalesce(k.last_four, '')
	FROM users u
	LEFT JOIN purses p ON p.user_id = u.id
	LEFT JOIN spent ON spent.user_id = u.id AND spent.month = $1
	LEFT JOIN keys_in_use k ON k.user_id = u.id
	LEFT JOIN team_keys t ON t.id = k.team_key_id`

func scanMember(rows *sql.Rows) (m team.Member, err error) {
	var keyID int64
	err = rows.Scan(append(userFields(&m.User), &m.Limit.Allowance, (*amount)(&m.Limit.Credits), (*amount)(&m.Spent), &keyID, &m.Key.Team, &m.Key.LastFour)...)
	m.Key.IsOwn = keyID == 0
	return m, err
}

// User returns the account with the id.
func (s *Store) User(ctx context.Context, id int64) (db.User, error) {
	u, err := one(ctx, s.reads, scanFields(userFields), `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
	return u, about(user(id), err)
}

// SetRole changes what the person may do. It is team.ErrLastAdmin if nobody else
// could look after the team then, and db.ErrConflict if the account is closed. The
// links of somebody who is no admin any more end: see endLinks.
func (s *Store) SetRole(ctx context.Context, id int64, role db.Role) error {
	return about("role of "+user(id), s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		u, err := account(ctx, tx, id)
		if err != nil {
			return err
		}
		if !u.IsActive() {
			return db.ErrConflict
		}
		if u.Role == role {
			return nil
		}
		if u.IsAdmin() {
			if err := otherAdmin(ctx, tx, id); err != nil {
				return err
			}
			if err := endLinks(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := s.putRole(ctx, tx, id, role); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.MemberRole, UserID: id, What: "role", Before: string(u.Role), After: string(role)})
	}))
}

// putRole changes the role. What a viewer has not sent yet is not sent.
func (s *Store) putRole(ctx context.Context, tx *sql.Tx, id int64, role db.Role) error {
	if role == db.Viewer {
		if err := s.endWaiting(ctx, tx, id, "Its maker became a viewer before it was sent", db.Now()); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE users SET role = $1 WHERE id = $2`, role, id)
	return err
}

// account returns the account with the id.
func account(ctx context.Context, tx *sql.Tx, id int64) (db.User, error) {
	return one(ctx, tx, scanFields(userFields), `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
}

// otherAdmin returns team.ErrLastAdmin unless another person is an admin. Every
// change of a role or an account waits for the one before, in whatever process: see
// engine.Engine.Write.
func otherAdmin(ctx context.Context, tx *sql.Tx, id int64) error {
	var others bool
	err := tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND deactivated_at IS NULL AND id <> $1)`, id).Scan(&others)
	if err == nil && !others {
		err = team.ErrLastAdmin
	}
	return err
}

// endLinks takes back the links that somebody who is no admin any more has made as one:
// join links that nobody used, links for a new password of others, of which they know
// the address, and the mails with either that were not sent.
func endLinks(ctx context.Context, tx *sql.Tx, id int64) error {
	for _, statement := range []string{
		`DELETE FROM mails WHERE next_at IS NOT NULL
			AND topic IN (SELECT 'join link ' || CAST(id AS TEXT) FROM invites WHERE created_by = $1 AND used_at IS NULL)`,
		`DELETE FROM invites WHERE created_by = $1 AND used_at IS NULL`,
		`DELETE FROM mails WHERE next_at IS NOT NULL AND kind = 'reset' AND user_id IN (` + resetsMadeBy + `)`,
		`DELETE FROM resets WHERE user_id IN (` + resetsMadeBy + `)`,
	} {
		if _, err := tx.ExecContext(ctx, statement, id); err != nil {
			return err
		}
	}
	return nil
}

// resetsMadeBy selects the people for whom the admin $1 has made a link for a new
// password that works.
const resetsMadeBy = `
	SELECT r.user_id FROM resets r JOIN audit a ON a.user_id = r.user_id AND a.at >= r.created_at - 60000
	WHERE r.by_server = 0 AND a.action = 'password.link' AND a.actor_id = $1`

// AddResetFor is AddReset for a link that somebody else is to pass on, and lets the
// mails with it wait. It is db.ErrConflict if the account is closed, and db.ErrNotFound
// if whoever makes it is no admin any more.
func (s *Store) AddResetFor(ctx context.Context, r db.Reset, mails ...team.Mail) error {
	return about("reset of "+user(r.UserID), s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		u, err := account(ctx, tx, r.UserID)
		if err != nil {
			return err
		}
		if !u.IsActive() {
			return db.ErrConflict
		}
		if by := team.ActorIn(ctx).UserID; by != 0 {
			maker, err := account(ctx, tx, by)
			if err != nil {
				return err
			}
			if !maker.IsActive() || !maker.IsAdmin() { // since this request was let in
				return db.ErrNotFound
			}
		}
		for _, m := range mails {
			if err := putMail(ctx, tx, m); err != nil {
				return err
			}
		}
		return putReset(ctx, tx, r)
	}))
}

// Activate opens a closed account again. What was handed over stays where it is. It
// is db.ErrConflict if the account is open, and team.ErrTooLate if it was closed for
// too long.
func (s *Store) Activate(ctx context.Context, id int64, now time.Time) error {
	return about(user(id), s.writeAsAdmin(ctx, func(tx *sql.Tx) error {
		u, err := account(ctx, tx, id)
		if err != nil {
			return err
		}
		if u.IsActive() {
			return db.ErrConflict
		}
		if !team.CanReturn(u, now) {
			return team.ErrTooLate
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET deactivated_at = NULL WHERE id = $1`, id); err != nil {
			return err
		}
		return record(ctx, tx, team.Entry{Action: team.MemberActivated, UserID: id, After: string(u.Role)})
	}))
}
