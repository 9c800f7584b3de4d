package people

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/naming"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Accounts stores the accounts of the people.
type Accounts struct {
	db *teamdb.DB
}

var addedUser = schema.Users.Part(schema.Added)

var insertUser = `
	INSERT INTO users (email_key, email_norm, ` + addedUser.Names + `)
	SELECT $1, $1, ` + addedUser.Places(2) + `
	WHERE NOT EXISTS (SELECT 1 FROM users WHERE email_norm = $1)
	RETURNING id`

// addUser adds the account and sets its ID. It cleans the name, and uses the e-mail
// address in place of one of which nothing is left. It returns db.ErrConflict if an account has
// the e-mail address, regardless of case. The address is also compared with old
// accounts, whose email_key has another form.
func addUser(tx *engine.Tx, u *db.User) {
	u.Name = cmp.Or(naming.Clean(u.Name), u.Email)
	key := db.EmailKey(u.Email)
	tx = tx.About(fmt.Sprintf("user with e-mail %q", u.Email))
	added := tx.Row(insertUser, addedUser.Values(u, key)...).Find(&u.ID)
	tx.Require(added, db.ErrConflict)
}

// spelling returns the address in the form in which accounts that are older than
// db.EmailKey have it as email_key.
func spelling(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// AddFirstUser adds the account and sets its ID. It returns db.ErrConflict if there is
// any account already; of concurrent calls, one succeeds.
func (s *Accounts) AddFirstUser(ctx context.Context, u *db.User) error {
	return s.db.Write(ctx, func(tx *engine.Tx) {
		first := tx.About("first user")
		first.Require(!engine.Value[bool](first, `SELECT EXISTS (SELECT 1 FROM users)`), db.ErrConflict)
		addUser(tx, u)
		teamdb.Record(teamdb.AsUser(tx, u.ID),
			audit.Entry{Action: audit.MemberJoined, UserID: u.ID, What: "the first account", After: string(u.Role)})
	})
}

// HasUsers reports whether there is any account.
func (s *Accounts) HasUsers(ctx context.Context) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "users", `SELECT EXISTS (SELECT 1 FROM users)`)
}

var userByEmail = `
	SELECT ` + schema.Users.Columns + `
	FROM users u
	WHERE email_key = $1 OR email_norm = $2 AND (SELECT count(*) FROM users WHERE email_norm = $2) = 1
	ORDER BY email_key = $1 DESC LIMIT 1`

// UserByEmail returns the account with the e-mail address, in any spelling. If several
// old accounts have addresses that differ only in spelling, each is found only by its
// own.
func (s *Accounts) UserByEmail(ctx context.Context, email string) (db.User, error) {
	return engine.ReadOne(ctx, s.db.Reads, "user with this e-mail", schema.Users.Scan(), userByEmail, spelling(email), db.EmailKey(email))
}

var allUsers = `
	SELECT ` + schema.Users.Columns + `
	FROM users u ORDER BY id`

// Users returns all accounts, the oldest first.
func (s *Accounts) Users(ctx context.Context) ([]db.User, error) {
	return engine.ReadAll(ctx, s.db.Reads, "users", schema.Users.Scan(), allUsers)
}

// ActiveNames returns the accounts that may sign in, in no particular order, with no more
// than their IDs, names, addresses, roles, and assigned keys.
func (s *Accounts) ActiveNames(ctx context.Context) ([]db.User, error) {
	return engine.ReadAll(ctx, s.db.Reads, "users", engine.ScanFields(func(u *db.User) []any {
		return []any{&u.ID, (*engine.Named)(&u.Name), &u.Email, &u.Role, &u.TeamKeyID}
	}), `SELECT id, name, email, role, coalesce(team_key_id, 0) FROM users WHERE deactivated_at IS NULL`)
}

// AdminNames returns the names of the first admins, at most so many.
func (s *Accounts) AdminNames(ctx context.Context, most int) (names []string, err error) {
	admins, err := engine.ReadAll(ctx, s.db.Reads, "admins", engine.ScanFields(func(u *db.User) []any {
		return []any{(*engine.Named)(&u.Name)}
	}), `SELECT name FROM users WHERE role = 'admin' AND deactivated_at IS NULL ORDER BY id LIMIT $1 + 0`, most)
	for _, u := range admins {
		names = append(names, u.Name)
	}
	return names, err
}

// SomeUsers returns all accounts if there are at most as many as the limit, and otherwise
// those with the IDs, the oldest first. few reports whether these are all.
func (s *Accounts) SomeUsers(ctx context.Context, limit int, ids []int64) (users []db.User, few bool, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		n := tx.Count(`SELECT 1 FROM users LIMIT $1 + 0`, limit+1)
		where, args := `WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) `, []any{engine.Listed(ids)}
		if few = n <= limit; tx.OK() && few {
			where, args = "", nil
		}
		users = engine.All(tx, schema.Users.Scan(), `SELECT `+schema.Users.Columns+` FROM users u `+where+`ORDER BY id`, args...)
	})
	return users, few, engine.About("users", err)
}

// SetUserName changes the person's name, as naming.Clean leaves it.
func (s *Accounts) SetUserName(ctx context.Context, id int64, name string) error {
	return engine.About(engine.User(id), s.db.Write(ctx, func(tx *engine.Tx) {
		u := teamdb.Account(tx, id)
		if name = naming.Clean(name); !tx.OK() || u.Name == name {
			return
		}
		// Recorded before the change, so that the entry has the name under which it was made.
		teamdb.Record(teamdb.AsUser(tx, id), audit.Entry{Action: audit.MemberRenamed, UserID: id, Before: u.Name, After: name})
		tx.ExecOr(db.ErrNotFound, `UPDATE users SET name = $1 WHERE id = $2`, name, id)
	}))
}

// SetStill says whether videos that the person opens wait to be played.
func (s *Accounts) SetStill(ctx context.Context, id int64, still bool) error {
	return engine.About(engine.User(id), s.db.ExecOr(ctx, db.ErrNotFound, `UPDATE users SET still = $1 WHERE id = $2`, still, id))
}

// SetLastScene remembers the scene that the person used last.
func (s *Accounts) SetLastScene(ctx context.Context, id int64, scene string) error {
	return engine.About(engine.User(id), s.db.ExecOr(ctx, db.ErrNotFound, `UPDATE users SET last_scene = $1 WHERE id = $2`, scene, id))
}

var usersWithoutNorm = `
	SELECT ` + schema.Users.Columns + `
	FROM users u WHERE email_norm = ''`

// NormEmails computes email_norm where it is missing, which SQL cannot do because it
// changes the case of ASCII letters only. It may be stopped and repeated at any time.
func (s *Accounts) NormEmails(ctx context.Context) error {
	return s.db.Write(ctx, func(tx *engine.Tx) {
		users := engine.All(tx.About("e-mail addresses"), schema.Users.Scan(), usersWithoutNorm)
		for _, u := range users {
			tx.About(engine.User(u.ID)).Exec(`UPDATE users SET email_norm = $1 WHERE id = $2`, db.EmailKey(u.Email), u.ID)
		}
	})
}

var usersByIDs = `
	SELECT ` + schema.Users.Columns + ` FROM json_each($1) wanted JOIN users u ON u.id = CAST(wanted.value AS BIGINT)`

// FindUsers returns the accounts in whose name every word of the query is the beginning of
// a word, in alphabetical order, and at most as many as the limit. Closed accounts come
// last.
func (s *Accounts) FindUsers(ctx context.Context, query string, limit int) ([]db.User, error) {
	return engine.Read(ctx, s.db, "people by name", func(tx *engine.Tx) []db.User {
		ids := teamdb.Found(s.db.Names(tx).People, query)
		users := engine.All(tx, schema.Users.Scan(), usersByIDs, engine.AsJSON(&ids))
		slices.SortFunc(users, func(a, b db.User) int {
			switch {
			case a.IsActive() && !b.IsActive():
				return -1
			case b.IsActive() && !a.IsActive():
				return 1
			}
			return cmp.Or(cmp.Compare(naming.Key(a.Name), naming.Key(b.Name)), cmp.Compare(a.ID, b.ID))
		})
		return users[:min(max(0, limit), len(users))]
	})
}
