package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"dailies/db"
)

// addUser adds the account and sets its ID. It is db.ErrConflict if the e-mail
// address is taken, in whatever case it is written: it compares with every
// account, those included whose email_key is of another form.
func addUser(ctx context.Context, tx *sql.Tx, u *db.User) error {
	key := db.EmailKey(u.Email)
	err := tx.QueryRowContext(ctx, `
		INSERT INTO users (name, email, email_key, email_norm, password, role, last_scene, created_at)
		SELECT $1, $2, $3, $3, $4, $5, $6, $7
		WHERE NOT EXISTS (SELECT 1 FROM users WHERE email_norm = $3)
		RETURNING id`,
		u.Name, u.Email, key, u.Password, u.Role, u.LastScene, instant(u.CreatedAt),
	).Scan(&u.ID)
	if errors.Is(err, sql.ErrNoRows) {
		err = db.ErrConflict
	}
	return about(fmt.Sprintf("user with e-mail %q", u.Email), err)
}

// spelling returns the email_key of accounts that are older than db.EmailKey.
func spelling(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// AddFirstUser adds the account and sets its ID, or is db.ErrConflict if there
// is any account already. Of two that come at once, one is the first.
func (s *Store) AddFirstUser(ctx context.Context, u *db.User) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		var taken bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&taken); err != nil {
			return about("first user", err)
		}
		if taken {
			return about("first user", db.ErrConflict)
		}
		return addUser(ctx, tx, u)
	})
}

// HasUsers reports whether there is any account.
func (s *Store) HasUsers(ctx context.Context) (bool, error) {
	var has bool
	err := s.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&has)
	return has, about("users", err)
}

// UserByEmail returns the account with the e-mail address, in whatever way it is
// written. Where several accounts of before share an address, each is found in
// its own spelling.
func (s *Store) UserByEmail(ctx context.Context, email string) (db.User, error) {
	u, err := one(ctx, s.reads, scanFields(userFields), `
		SELECT `+userColumns+`
		FROM users u
		WHERE email_key = $1 OR email_norm = $2 AND (SELECT count(*) FROM users WHERE email_norm = $2) = 1
		ORDER BY email_key = $1 DESC LIMIT 1`, spelling(email), db.EmailKey(email))
	return u, about("user with this e-mail", err)
}

// Users returns all accounts, the oldest first.
func (s *Store) Users(ctx context.Context) ([]db.User, error) {
	users, err := all(ctx, s.reads, scanFields(userFields), `
		SELECT `+userColumns+`
		FROM users u ORDER BY id`)
	return users, about("users", err)
}

// SetUserName changes the person's name.
func (s *Store) SetUserName(ctx context.Context, id int64, name string) error {
	return about(user(id), found(s.writes.ExecContext(ctx, `UPDATE users SET name = $1 WHERE id = $2`, name, id)))
}

// SetLastScene remembers the scene that the person used last.
func (s *Store) SetLastScene(ctx context.Context, id int64, scene string) error {
	return about(user(id), found(s.writes.ExecContext(ctx, `UPDATE users SET last_scene = $1 WHERE id = $2`, scene, id)))
}

// userColumns are read into userFields, from users u.
const userColumns = `u.id, u.name, u.email, u.password, u.role, u.last_scene, u.created_at`

// userFields returns the destinations of a row of userColumns.
func userFields(u *db.User) []any {
	return []any{&u.ID, &u.Name, &u.Email, &u.Password, &u.Role, &u.LastScene, (*instant)(&u.CreatedAt)}
}

// normEmails computes email_norm where it is missing: SQL knows the case of
// ASCII letters alone. It may be stopped and repeated at any time.
func (s *Store) normEmails(ctx context.Context) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		users, err := all(ctx, tx, scanFields(userFields), `
			SELECT `+userColumns+`
			FROM users u WHERE email_norm = ''`)
		if err != nil {
			return about("e-mail addresses", err)
		}
		for _, u := range users {
			if _, err := tx.ExecContext(ctx, `UPDATE users SET email_norm = $1 WHERE id = $2`, db.EmailKey(u.Email), u.ID); err != nil {
				return about(user(u.ID), err)
			}
		}
		return nil
	})
}
