package people

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
	"dailies/db/team"
)

// Invites stores the links with which people join.
type Invites struct {
	db *teamdb.DB
}

// AddInvites adds the join links of one admin and sets their IDs, or adds none. mails
// holds the mails that are to be sent with them, by the address that a link is for. It
// returns db.ErrConflict if too many are open already, of this admin or in all, and
// db.ErrNotFound if the admin's account is closed or, for a link that makes an admin, they
// no longer are one.
func (s *Invites) AddInvites(ctx context.Context, invites []*signin.Invite, mails map[string]outbox.Mail) error {
	if len(invites) == 0 {
		return nil
	}
	by, now := invites[0].CreatedBy, invites[0].CreatedAt
	return engine.About("join link of "+engine.User(by), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		maker := teamdb.Account(tx, by)
		var own, all int
		tx.Row(`
			SELECT count(*) FILTER (WHERE created_by = $1), count(*)
			FROM invites WHERE used_at IS NULL AND expires_at > $2`, by, engine.Instant(now)).Scan(&own, &all)
		tx.Require(own+len(invites) <= signin.MaxInvites && all+len(invites) <= signin.MaxInvitesOfAll, db.ErrConflict)
		for _, i := range invites {
			tx.Require(maker.IsActive() && (i.Role != db.Admin || maker.IsAdmin()), db.ErrNotFound)
			addInvite(tx, i)
			if m, ok := mails[i.Email]; ok {
				m.Topic = joinLink(i.ID)
				teamdb.PutMail(tx, m)
			}
		}
	}))
}

var addedInvite = schema.Invites.Part(schema.Added)

var insertInvite = `INSERT INTO invites (` + addedInvite.Names + `) VALUES (` + addedInvite.Places(1) + `) RETURNING id`

func addInvite(tx *engine.Tx, i *signin.Invite) {
	i.Role, i.Allowance = cmp.Or(i.Role, db.Member), cmp.Or(i.Allowance, string(spending.Default))
	tx.Insert(&i.ID, insertInvite, addedInvite.Values(i)...)
	teamdb.Record(tx, audit.Entry{Action: audit.InviteMade, What: inviteFor(*i), After: fmt.Sprintf("%s, %s", i.Role, limitIn(*i))})
}

// limitIn returns the spending limit that the invitation gives.
func limitIn(i signin.Invite) spending.Limit {
	return spending.Limit{Allowance: spending.Allowance(i.Allowance), Credits: i.Credits}
}

// inviteFor returns the name of the invitation in the audit.
func inviteFor(i signin.Invite) string {
	if i.Email == "" {
		return joinLink(i.ID)
	}
	return fmt.Sprintf("join link %d for %s", i.ID, i.Email)
}

// Invite returns the join link with the token, whether or not it can still be used.
func (s *Invites) Invite(ctx context.Context, token secrets.TokenHash) (signin.Invite, error) {
	return engine.Read(ctx, s.db, "join link", func(tx *engine.Tx) signin.Invite { return invite(tx, token) })
}

var inviteByToken = `
	SELECT ` + schema.Invites.Columns + `
	FROM invites WHERE token = $1`

func invite(tx *engine.Tx, token secrets.TokenHash) signin.Invite {
	return engine.One(tx, schema.Invites.Scan(), inviteByToken, engine.Digest(token))
}

var allInvites = `
	SELECT ` + schema.Invites.Columns + `
	FROM invites ORDER BY id DESC`

// All returns all join links, including used and expired ones, the newest first.
func (s *Invites) All(ctx context.Context) ([]signin.Invite, error) {
	return engine.ReadAll(ctx, s.db.Reads, "join links", schema.Invites.Scan(), allInvites)
}

// RenewInvite deletes an unused join link, and adds the new one with its address, role and limit
// in its place. It returns the new one, and db.ErrNotFound if the link was used already or is
// gone. If write is not nil and the link is for an address, the mail that it returns is sent.
func (s *Invites) RenewInvite(ctx context.Context, id int64, renewed signin.Invite,
	write func(address string) outbox.Mail) (signin.Invite, error) {
	added := renewed
	err := s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		before := engine.One(tx, schema.Invites.Scan(),
			`SELECT `+schema.Invites.Columns+` FROM invites WHERE id = $1 AND used_at IS NULL`, id)
		added = renewed
		added.Role, added.Email, added.Allowance, added.Credits = before.Role, before.Email, before.Allowance, before.Credits
		endInvite(tx, id)
		maker := teamdb.Account(tx, added.CreatedBy)
		tx.Require(maker.IsActive() && (added.Role != db.Admin || maker.IsAdmin()), db.ErrNotFound)
		if addInvite(tx, &added); tx.OK() && write != nil && added.Email != "" {
			m := write(added.Email)
			m.Topic = joinLink(added.ID)
			teamdb.PutMail(tx, m)
		}
	})
	return added, engine.About(joinLink(id), err)
}

// RevokeInvite deletes an unused join link. It returns db.ErrNotFound for a used one,
// which stays as the record of who joined with it.
func (s *Invites) RevokeInvite(ctx context.Context, id int64) error {
	return engine.About(joinLink(id), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) { endInvite(tx, id) }))
}

func endInvite(tx *engine.Tx, id int64) {
	tx.ExecOr(db.ErrNotFound, `
		DELETE FROM invites WHERE id = $1 AND used_at IS NULL`, id)
	tx.Exec(`DELETE FROM mails WHERE topic = $1 AND next_at IS NOT NULL`, joinLink(id))
	teamdb.Record(tx, audit.Entry{Action: audit.InviteRevoked, What: joinLink(id)})
}

func joinLink(id int64) string { return fmt.Sprintf("join link %d", id) }

// Join creates the account, uses up the join link, and sets the account's ID and the
// role that the link gives. It returns db.ErrNotFound if the link cannot be used (any
// more), db.ErrConflict if the e-mail address is taken, team.ErrOtherAddress if the
// link is for another address, and signin.RefusedOff if passwords are turned off. The
// last three leave the link open.
func (s *Invites) Join(ctx context.Context, token secrets.TokenHash, u *db.User, now time.Time) error {
	return s.db.Write(ctx, func(tx *engine.Tx) {
		joining := tx.About("join link")
		passwordsOn(joining)
		i := invite(joining, token)
		joining.Require(i.Open(now), db.ErrNotFound)
		tx.About(joinLink(i.ID)).Require(i.Email == "" || db.EmailKey(i.Email) == db.EmailKey(u.Email), team.ErrOtherAddress)
		if tx.OK() {
			useInvite(tx, i, u, now)
		}
	})
}

// useInvite creates the account with the role and limit that the invitation gives, and
// uses the invitation up.
func useInvite(tx *engine.Tx, i signin.Invite, u *db.User, now time.Time) {
	u.Role = i.Role
	addUser(tx, u)
	if limit := limitIn(i); limit.Allowance != spending.Default {
		putLimit(tx.About("limit of "+engine.User(u.ID)), u.ID, limit)
	}
	// The invitation may have been revoked since it was read.
	tx.About("join link").ExecOr(db.ErrNotFound, `
		UPDATE invites SET used_at = $1, used_by = $2 WHERE id = $3 AND used_at IS NULL`, engine.Instant(now), u.ID, i.ID)
	teamdb.Record(teamdb.AsUser(tx, u.ID),
		audit.Entry{Action: audit.MemberJoined, UserID: u.ID, What: inviteFor(i), After: fmt.Sprintf("%s, %s", u.Role, limitIn(i))})
}
