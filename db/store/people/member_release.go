package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/store/schema"
	"dailies/db/team"
)

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
		users := engine.All(tx, engine.ScanFields(kit.UserFields), `
			SELECT `+kit.UserColumns+` FROM users u WHERE u.deactivated_at <= $1 AND u.email <> '' ORDER BY u.id`, closed)
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
	kit.Record(tx, audit.Entry{Action: audit.MemberReleased, UserID: u.ID, What: "the account was closed for 30 days", Before: u.Email})
}
