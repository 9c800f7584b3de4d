package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"dailies/db"
)

// DeleteCollection takes the collection away from everybody, and its links show
// nothing; its videos stay. Until the person has deleted many more, it can be
// brought back.
func (s *Store) DeleteCollection(ctx context.Context, id, by int64, now time.Time) error {
	return about(collection(id), s.write(ctx, func(tx *sql.Tx) error {
		err := found(tx.ExecContext(ctx, `
			UPDATE collections SET deleted_at = ?, deleted_by = ? WHERE id = ? AND deleted_at IS NULL`, instant(now), by, id))
		if err != nil {
			return err
		}
		// By their number, not by a clock that may be wrong.
		_, err = tx.ExecContext(ctx, `
			DELETE FROM collections WHERE id IN (
				SELECT id FROM collections WHERE deleted_by = ? AND deleted_at IS NOT NULL
				ORDER BY deleted_at DESC, id DESC LIMIT -1 OFFSET ? + 0)`, by, db.BinnedCollections)
		return err
	}))
}

// RestoreCollection brings the deleted collection back, with its videos and its
// links. Where its name is taken by now, it gets a number. One more than
// db.MaxCollections is db.ErrFull.
func (s *Store) RestoreCollection(ctx context.Context, id int64) (db.Collection, error) {
	var c db.Collection
	err := s.write(ctx, func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, bareCollection+` WHERE c.id = ? AND c.deleted_at IS NOT NULL`, id)
		if c, err = one(rows, err, scanCollection); err != nil {
			return err
		}
		if c.Name, err = freeName(ctx, tx, c.Name); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE collections SET name = ?, deleted_at = NULL, deleted_by = NULL WHERE id = ?`, c.Name, id)
		if err != nil {
			return err
		}
		return fewCollections(ctx, tx)
	})
	return c, about(collection(id), err)
}

// freeName returns the name, with a number behind it if a collection has it.
func freeName(ctx context.Context, tx *sql.Tx, name string) (string, error) {
	letters := []rune(name)
	for n := 1; ; n++ {
		free := name
		if n > 1 {
			number := fmt.Sprintf(" (%d)", n)
			free = string(letters[:min(len(letters), db.MaxCollectionName-len(number))]) + number
		}
		var taken bool
		err := tx.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM collections WHERE lower(name) = lower(?) AND deleted_at IS NULL)`, free).Scan(&taken)
		if err != nil || !taken {
			return free, err
		}
	}
}

// BinnedCollection returns the deleted collection, without counts and covers.
func (s *Store) BinnedCollection(ctx context.Context, id int64) (db.Collection, error) {
	rows, err := s.reads.QueryContext(ctx, bareCollection+` WHERE c.id = ? AND c.deleted_at IS NOT NULL`, id)
	c, err := one(rows, err, scanCollection)
	return c, about(collection(id), err)
}

// BinnedCollections returns the deleted collections that the person made, or
// everybody's for 0, without counts and covers: the newest ones.
func (s *Store) BinnedCollections(ctx context.Context, of int64) ([]db.Collection, error) {
	rows, err := s.reads.QueryContext(ctx, bareCollection+`
		WHERE c.deleted_at IS NOT NULL AND (?1 = 0 OR c.created_by = ?1)
		ORDER BY c.deleted_at DESC, c.id DESC LIMIT ?2 + 0`, of, db.BinnedCollections)
	list, err := all(rows, err, scanCollection)
	return list, about("deleted collections", err)
}

// fewCollections is db.ErrFull where the team has more collections than it may.
func fewCollections(ctx context.Context, tx *sql.Tx) error {
	var n int
	err := tx.QueryRowContext(ctx, `SELECT count(*) FROM collections WHERE deleted_at IS NULL`).Scan(&n)
	if err == nil && n > db.MaxCollections {
		err = db.ErrFull
	}
	return err
}
