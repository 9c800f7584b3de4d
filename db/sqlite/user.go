package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"dailies/db"
)

// AddUser adds the account and sets its ID. It is db.ErrConflict if the e-mail
// address is taken, in whatever case it is written.
func (s *Store) AddUser(ctx context.Context, u *db.User) error {
	return s.write(ctx, func(tx *sql.Tx) error { return addUser(ctx, tx, u) })
}

func addUser(ctx context.Context, tx *sql.Tx, u *db.User) error {
	err := tx.QueryRowContext(ctx, `
		INSERT INTO users (name, email, email_key, password, role, last_scene, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?)
		RETURNING id`,
		u.Name, u.Email, emailKey(u.Email), u.Password, u.Role, u.LastScene, instant(u.CreatedAt),
	).Scan(&u.ID)
	return about(fmt.Sprintf("user with e-mail %q", u.Email), err)
}

// emailKey is what two spellings of one address have in common. SQLite itself
// knows the case of ASCII letters alone.
func emailKey(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

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

// UserByEmail returns the account with the e-mail address, in whatever case it
// is written.
func (s *Store) UserByEmail(ctx context.Context, email string) (db.User, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT id, name, email, password, role, last_scene, created_at
		FROM users WHERE email_key = ?`, emailKey(email))
	u, err := one(rows, err, scanUser)
	return u, about("user with this e-mail", err)
}

// Users returns all accounts, the oldest first.
func (s *Store) Users(ctx context.Context) ([]db.User, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT id, name, email, password, role, last_scene, created_at
		FROM users ORDER BY id`)
	users, err := all(rows, err, scanUser)
	return users, about("users", err)
}

// SetUserName changes the person's name.
func (s *Store) SetUserName(ctx context.Context, id int64, name string) error {
	return about(user(id), found(s.writes.ExecContext(ctx, `UPDATE users SET name = ? WHERE id = ?`, name, id)))
}

// SetPassword changes the account's password, given as db.HashPassword makes it.
func (s *Store) SetPassword(ctx context.Context, id int64, hash string) error {
	return about(user(id), found(s.writes.ExecContext(ctx, `UPDATE users SET password = ? WHERE id = ?`, hash, id)))
}

// SetLastScene remembers the scene that the person used last.
func (s *Store) SetLastScene(ctx context.Context, id int64, scene string) error {
	return about(user(id), found(s.writes.ExecContext(ctx, `UPDATE users SET last_scene = ? WHERE id = ?`, scene, id)))
}

func scanUser(rows *sql.Rows) (u db.User, err error) {
	err = rows.Scan(&u.ID, &u.Name, &u.Email, &u.Password, &u.Role, &u.LastScene, (*instant)(&u.CreatedAt))
	return u, err
}
