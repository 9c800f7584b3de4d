package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/team"
)

// addUser adds the account and sets its ID. It cleans the name, and uses the e-mail
// address in place of one of which nothing is left. It returns db.ErrConflict if an account has
// the e-mail address, regardless of case. The address is also compared with old
// accounts, whose email_key has another form.
func addUser(ctx context.Context, tx *sql.Tx, u *db.User) error {
	u.Name = cmp.Or(db.CleanName(u.Name), u.Email)
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

// spelling returns the address in the form in which accounts that are older than
// db.EmailKey have it as email_key.
func spelling(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// AddFirstUser adds the account and sets its ID. It returns db.ErrConflict if there is
// any account already; of concurrent calls, one succeeds.
func (s *Store) AddFirstUser(ctx context.Context, u *db.User) error {
	return s.write(ctx, func(tx *sql.Tx) error {
		var taken bool
		if err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&taken); err != nil {
			return about("first user", err)
		}
		if taken {
			return about("first user", db.ErrConflict)
		}
		if err := addUser(ctx, tx, u); err != nil {
			return err
		}
		return record(asUser(ctx, u.ID), tx, team.Entry{Action: team.MemberJoined, UserID: u.ID, What: "the first account", After: string(u.Role)})
	})
}

// HasUsers reports whether there is any account.
func (s *Store) HasUsers(ctx context.Context) (bool, error) {
	var has bool
	err := s.reads.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&has)
	return has, about("users", err)
}

// UserByEmail returns the account with the e-mail address, in any spelling. If several
// old accounts have addresses that differ only in spelling, each is found only by its
// own.
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

// SomeUsers returns all accounts if there are at most as many as the limit, and otherwise
// those with the IDs, the oldest first. few reports whether these are all.
func (s *Store) SomeUsers(ctx context.Context, limit int, ids []int64) (users []db.User, few bool, err error) {
	err = s.read(ctx, func(tx *sql.Tx) error {
		n, err := count(ctx, tx, `SELECT 1 FROM users LIMIT $1 + 0`, []any{limit + 1})
		if err != nil {
			return err
		}
		where, args := `WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) `, []any{listed(ids)}
		if few = n <= limit; few {
			where, args = "", nil
		}
		users, err = all(ctx, tx, scanFields(userFields), `SELECT `+userColumns+` FROM users u `+where+`ORDER BY id`, args...)
		return err
	})
	return users, few, about("users", err)
}

// SetUserName changes the person's name, as db.CleanName leaves it.
func (s *Store) SetUserName(ctx context.Context, id int64, name string) error {
	return about(user(id), s.write(ctx, func(tx *sql.Tx) error {
		u, err := account(ctx, tx, id)
		if name = db.CleanName(name); err != nil || u.Name == name {
			return err
		}
		// Recorded before the change, so that the entry has the name under which it was made.
		if err := record(asUser(ctx, id), tx, team.Entry{Action: team.MemberRenamed, UserID: id, Before: u.Name, After: name}); err != nil {
			return err
		}
		return found(tx.ExecContext(ctx, `UPDATE users SET name = $1 WHERE id = $2`, name, id))
	}))
}

// SetLastScene remembers the scene that the person used last.
func (s *Store) SetLastScene(ctx context.Context, id int64, scene string) error {
	return about(user(id), found(s.writes.ExecContext(ctx, `UPDATE users SET last_scene = $1 WHERE id = $2`, scene, id)))
}

// userColumns are the columns of users u for userFields.
const userColumns = `u.id, u.name, u.email, u.password, u.role, u.last_scene, u.created_at, u.seen_at, u.deactivated_at, coalesce(u.team_key_id, 0)`

// userFields returns the destinations of a row of userColumns.
func userFields(u *db.User) []any {
	return []any{&u.ID, (*named)(&u.Name), &u.Email, &u.Password, &u.Role, &u.LastScene, (*instant)(&u.CreatedAt),
		(*instant)(&u.SeenAt), (*instant)(&u.DeactivatedAt), &u.TeamKeyID}
}

// normEmails computes email_norm where it is missing, which SQL cannot do because it
// changes the case of ASCII letters only. It may be stopped and repeated at any time.
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

// TakeAttempt takes one attempt from each of the limits. If one of them has none left,
// it takes nothing, writes nothing, and returns how long to wait. All processes on the
// database share the limits.
func (s *Store) TakeAttempt(ctx context.Context, now time.Time, limits ...db.Limit) (wait time.Duration, err error) {
	limits = inOrder(limits)
	for { // another request may take the last attempt in between
		if wait, err = waitFor(ctx, s.reads, now, limits); wait > 0 || err != nil {
			return wait, about("attempts", err)
		}
		var taken bool
		err := s.evenIfFull(ctx, func() (err error) {
			taken, err = s.takeAttempt(ctx, now, limits)
			return err
		})
		if err != nil {
			return 0, about("attempts", err)
		}
		if taken {
			s.sweepAttempts(ctx, now, len(limits))
			return 0, nil
		}
	}
}

// inOrder sorts the limits, so that no two transactions wait for each other's rows.
func inOrder(limits []db.Limit) []db.Limit {
	return slices.SortedFunc(slices.Values(limits), func(a, b db.Limit) int { return bytes.Compare(a.Name, b.Name) })
}

// waitFor returns how long to wait until each limit has an attempt left.
func waitFor(ctx context.Context, from querier, now time.Time, limits []db.Limit) (wait time.Duration, err error) {
	for _, l := range limits {
		var full instant
		err := from.QueryRowContext(ctx, `SELECT full_at FROM attempts WHERE name = $1`, l.Name).Scan(&full)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if at := time.Time(full); !at.After(l.Stale(now)) {
			wait = max(wait, at.Sub(l.Left(now)))
		}
	}
	return wait, nil
}

// takeAttempt takes the attempts, or reports that one of the limits has none left. It
// only waits for other transactions that change the same rows, and then evaluates its
// condition on the rows as they have left them.
func (s *Store) takeAttempt(ctx context.Context, now time.Time, limits []db.Limit) (taken bool, err error) {
	tx, err := s.writes.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	for _, l := range limits {
		var counts int
		err := counted(&counts)(tx.ExecContext(ctx, `
			INSERT INTO attempts (name, full_at) VALUES ($1, $2)
			ON CONFLICT (name) DO UPDATE SET full_at = CASE
				WHEN attempts.full_at > $3 AND attempts.full_at <= $4 THEN attempts.full_at + $5 ELSE excluded.full_at END
			WHERE attempts.full_at <= $6 OR attempts.full_at > $4`,
			l.Name, instant(now.Add(l.Every)), instant(now), instant(l.Stale(now)), l.Every.Milliseconds(), instant(l.Left(now))))
		if counts == 0 || err != nil {
			return false, err
		}
	}
	return true, tx.Commit()
}

// GiveBackAttempt returns an attempt to each limit, because the attempt was not a
// guess.
func (s *Store) GiveBackAttempt(ctx context.Context, now time.Time, limits ...db.Limit) error {
	for _, l := range inOrder(limits) {
		if err := s.evenIfFull(ctx, func() error { return s.giveBack(ctx, now, l) }); err != nil {
			return about("attempts", err)
		}
	}
	return nil
}

func (s *Store) giveBack(ctx context.Context, now time.Time, l db.Limit) error {
	var gone int
	err := counted(&gone)(s.writes.ExecContext(ctx, `DELETE FROM attempts WHERE name = $1 AND full_at <= $2`, l.Name, instant(now.Add(l.Every))))
	if err == nil && gone == 0 {
		_, err = s.writes.ExecContext(ctx, `UPDATE attempts SET full_at = full_at - $1 WHERE name = $2`, l.Every.Milliseconds(), l.Name)
	}
	return err
}

// sweepAttempts deletes two expired rows for each new one, so that there are never
// many. Each is deleted by a statement of its own, because the order in which one
// statement locks several rows is undefined. Errors are left to the next sweep.
func (s *Store) sweepAttempts(ctx context.Context, now time.Time, added int) {
	for range 2 * added {
		var gone int
		err := counted(&gone)(s.writes.ExecContext(ctx, `
			DELETE FROM attempts WHERE full_at <= $1
				AND name = (SELECT name FROM attempts WHERE full_at <= $1 ORDER BY full_at LIMIT 1)`, instant(now)))
		if gone == 0 || err != nil {
			return
		}
	}
}
