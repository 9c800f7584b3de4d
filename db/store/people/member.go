package people

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
	"dailies/db/team"
)

// Members stores the roles of people, who joins and who is back.
type Members struct {
	db      *teamdb.DB
	waiting Waiting
}

// All returns all accounts with the details that admins see, in no particular
// order. Spent is the amount of the month that contains the time at.
func (s *Members) All(ctx context.Context, at time.Time) ([]team.Member, error) {
	return engine.Read(ctx, s.db, "members", func(tx *engine.Tx) []team.Member {
		return engine.All(tx, scanMember, membersQuery, s.db.Month(tx, at))
	})
}

// Member returns one account, with the same details as All.
func (s *Members) Member(ctx context.Context, id int64, at time.Time) (team.Member, error) {
	return engine.Read(ctx, s.db, engine.User(id), func(tx *engine.Tx) team.Member {
		return engine.One(tx, scanMember, membersQuery+` WHERE u.id = $2`, s.db.Month(tx, at), id)
	})
}

var membersQuery = `
	SELECT ` + schema.Users.Columns + `, coalesce(p.allowance, 'default'), coalesce(p.credits, 0),
		(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $1 AND user_id = u.id AND ` + schema.Counted + `),
		(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $1 AND user_id = u.id AND ` + schema.OtherCredits + `),
		coalesce(k.team_key_id, -1), coalesce(t.name, ''), coalesce(k.last_four, '')
	FROM users u
	LEFT JOIN purses p ON p.user_id = u.id
	LEFT JOIN keys_in_use k ON k.user_id = u.id
	LEFT JOIN team_keys t ON t.id = k.team_key_id`

func scanMember(rows *sql.Rows) (m team.Member, err error) {
	var keyID int64
	err = rows.Scan(append(schema.Users.Fields(&m.User), &m.Limit.Allowance, (*engine.Amount)(&m.Limit.Credits),
		(*engine.Amount)(&m.Spent), (*engine.Amount)(&m.OtherCredits), &keyID, &m.Key.Team, &m.Key.LastFour)...)
	m.Key.IsOwn = keyID == 0
	return m, err
}

var userByID = `SELECT ` + schema.Users.Columns + ` FROM users u WHERE u.id = $1`

// User returns the account with the id.
func (s *Accounts) User(ctx context.Context, id int64) (db.User, error) {
	return engine.ReadOne(ctx, s.db.Reads, engine.User(id), schema.Users.Scan(), userByID, id)
}

// SetRole changes the person's role. It returns team.ErrLastAdmin if no admin would be
// left, and db.ErrConflict if the account is closed. If the person is no longer an
// admin, the links that they made as one end: see EndLinks.
func (s *Members) SetRole(ctx context.Context, id int64, role db.Role, now time.Time) error {
	return engine.About("role of "+engine.User(id), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		u := teamdb.Account(tx, id)
		tx.Require(u.IsActive(), db.ErrConflict)
		if !tx.OK() || u.Role == role {
			return
		}
		if u.IsAdmin() {
			OtherAdmin(tx, id)
			EndLinks(tx, id)
		}
		s.putRole(tx, id, role, now)
		teamdb.Record(tx, audit.Entry{Action: audit.MemberRole, UserID: id, What: "role", Before: string(u.Role), After: string(role)})
	}))
}

// putRole changes the role. The queued tasks of somebody who becomes a viewer are not
// sent.
func (s *Members) putRole(tx *engine.Tx, id int64, role db.Role, now time.Time) {
	if role == db.Viewer {
		s.waiting.EndWaiting(tx, id, "Its maker became a viewer before it was sent", now)
	}
	tx.Exec(`UPDATE users SET role = $1 WHERE id = $2`, role, id)
}

// AddMember adds the account, with its role and limit, and the link with which the person
// sets their first password. It sets the IDs of both. It returns db.ErrConflict if an
// account has the e-mail address, and team.ErrLastAdmin if the account is no admin's and
// the team has no admin.
func (s *Members) AddMember(ctx context.Context, u *db.User, limit spending.Limit, r *signin.Reset) error {
	return s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		if !u.IsAdmin() {
			OtherAdmin(tx.About("new member"), 0)
		}
		addUser(tx, u)
		if limit.Allowance != spending.Default {
			putLimit(tx.About("limit of "+engine.User(u.ID)), u.ID, limit)
		}
		teamdb.Record(tx, audit.Entry{Action: audit.MemberAdded, UserID: u.ID, After: fmt.Sprintf("%s, %s", u.Role, limit)})
		r.UserID = u.ID
		putReset(tx.About("reset of "+engine.User(u.ID)), *r)
	})
}

// OtherAdmin fails with team.ErrLastAdmin unless another person is an admin.
func OtherAdmin(tx *engine.Tx, id int64) { tx.Require(hasOtherAdmin(tx, id), team.ErrLastAdmin) }

// hasOtherAdmin reports whether another person is an admin. The answer holds until the
// end of the transaction, because changes of roles and accounts are serialised in all
// processes: see engine.Engine.Write.
func hasOtherAdmin(tx *engine.Tx, id int64) bool {
	return engine.Value[bool](tx, `
		SELECT EXISTS (SELECT 1 FROM users WHERE role = 'admin' AND deactivated_at IS NULL AND id <> $1)`, id)
}

// EndLinks revokes the links that somebody who is no longer an admin has made as one:
// unused join links; links that set a new password for somebody else, whose addresses
// they know; and unsent mails with either.
func EndLinks(tx *engine.Tx, id int64) {
	for _, statement := range []string{
		`DELETE FROM mails WHERE next_at IS NOT NULL
			AND topic IN (SELECT 'join link ' || CAST(id AS TEXT) FROM invites WHERE created_by = $1 AND used_at IS NULL)`,
		`DELETE FROM invites WHERE created_by = $1 AND used_at IS NULL`,
		`DELETE FROM mails WHERE next_at IS NOT NULL AND kind = 'reset' AND user_id IN (` + resetsMadeBy + `)`,
		`DELETE FROM resets WHERE user_id IN (` + resetsMadeBy + `)`,
	} {
		tx.Exec(statement, id)
	}
}

// resetsMadeBy selects the people for whom the admin $1 has made the link that sets a
// new password and still works. The table resets does not say who made a link. As a
// person has one link at most, its maker is the actor of their last entry in the audit
// about such a link: putReset writes both in one transaction.
const resetsMadeBy = `
	SELECT r.user_id FROM resets r
	WHERE r.by_server = 0 AND $1 = (
		SELECT a.actor_id FROM audit a WHERE a.user_id = r.user_id AND a.action = 'password.link' ORDER BY a.id DESC LIMIT 1)`

// AddResetFor is like AddReset for a link that somebody else is to pass on, and queues
// the mails with it. It returns db.ErrConflict if the account is closed, and
// db.ErrNotFound if the person who makes the link is no longer an admin.
func (s *Members) AddResetFor(ctx context.Context, r signin.Reset, mails ...outbox.Mail) error {
	return engine.About("reset of "+engine.User(r.UserID), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		u := teamdb.Account(tx, r.UserID)
		tx.Require(u.IsActive(), db.ErrConflict)
		if by := audit.ActorIn(ctx).UserID; by != 0 {
			maker := teamdb.Account(tx, by)
			tx.Require(maker.IsActive() && maker.IsAdmin(), db.ErrNotFound) // changed since the request was authorised
		}
		for _, m := range mails {
			teamdb.PutMail(tx, m)
		}
		putReset(tx, r)
	}))
}

// Activate reopens a closed account. What was handed over to a colleague stays there.
// It returns db.ErrConflict if the account is open, and team.ErrTooLate if it was
// closed for longer than team.ReturnLife.
func (s *Members) Activate(ctx context.Context, id int64, now time.Time) error {
	return engine.About(engine.User(id), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		u := teamdb.Account(tx, id)
		tx.Require(!u.IsActive(), db.ErrConflict)
		tx.Require(team.CanReturn(u, now), team.ErrTooLate)
		tx.Exec(`UPDATE users SET deactivated_at = NULL WHERE id = $1`, id)
		teamdb.Record(tx, audit.Entry{Action: audit.MemberActivated, UserID: id, After: string(u.Role)})
	}))
}

// ReleaseAddresses clears the e-mail addresses of accounts that were closed for too
// long to be reopened, and deletes their passwords, codes, passkeys and connected
// accounts, so that the present owner of an address can be invited with it. What was
// made stays under the account's name. It returns the number of accounts.
func (s *Members) ReleaseAddresses(ctx context.Context, now time.Time) (released int, err error) {
	closed := engine.Instant(now.Add(-team.ReturnLife))
	waits, err := engine.ReadValue[bool](ctx, s.db.Reads, "addresses of closed accounts", `
		SELECT EXISTS (SELECT 1 FROM users WHERE deactivated_at <= $1 AND email <> '')`, closed)
	if err != nil || !waits {
		return 0, err
	}
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		users := engine.All(tx, schema.Users.Scan(), `
			SELECT `+schema.Users.Columns+` FROM users u WHERE u.deactivated_at <= $1 AND u.email <> '' ORDER BY u.id`, closed)
		for _, u := range users {
			release(tx.About(engine.User(u.ID)), u)
		}
		released = len(users)
	})
	return released, engine.About("addresses of closed accounts", err)
}

// release clears the address of one account. email_key and email_norm, which are
// compared with typed addresses after trimming, get values that begin with a space, so
// that no address equals them.
func release(tx *engine.Tx, u db.User) {
	tx.Exec(`
		UPDATE users SET email = '', password = '', email_key = ' closed ' || CAST(id AS TEXT), email_norm = ' closed ' || CAST(id AS TEXT) WHERE id = $1`, u.ID)
	for statement := range schema.Leaving(schema.Released) {
		tx.Exec(statement, u.ID)
	}
	teamdb.Record(tx, audit.Entry{Action: audit.MemberReleased, UserID: u.ID, What: "the account was closed for 30 days", Before: u.Email})
}
