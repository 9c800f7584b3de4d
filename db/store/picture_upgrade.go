package store

import (
	"context"
	"database/sql"

	"dailies/db"
)

// An unsealedPicture has its token in the clear, as earlier versions kept it.
type unsealedPicture struct {
	id, maker int64
	token     string
}

func scanUnsealedPicture(rows *sql.Rows) (u unsealedPicture, err error) {
	err = rows.Scan(&u.id, &u.maker, &u.token)
	return u, err
}

func unsealedPictures(ctx context.Context, tx *sql.Tx, most int) ([]unsealedPicture, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT p.id, p.user_id, n.token FROM unsealed_pictures n JOIN pictures p ON p.id = n.picture_id
		ORDER BY p.id LIMIT ? + 0`, most)
	return all(rows, err, scanUnsealedPicture)
}

// hashPictures lets the pictures of earlier versions be found by the hash of
// their token.
func hashPictures(ctx context.Context, tx *sql.Tx) error {
	pictures, err := unsealedPictures(ctx, tx, -1)
	if err != nil {
		return err
	}
	for _, p := range pictures {
		_, err := tx.ExecContext(ctx, `UPDATE picture_tokens SET token = ? WHERE picture_id = ?`, digest(db.HashToken(p.token)), p.id)
		if err != nil {
			return err
		}
	}
	return nil
}

// SealPictures seals the tokens that earlier versions kept in the clear, and
// removes what was in the clear from the table. It may be stopped at any time
// and called again. The addresses in videos, recipes and drafts stay as they
// are: they are what the service was, or will be, given.
func (s *Store) SealPictures(ctx context.Context, vault *db.Vault) error {
	for n := sealedAtOnce; n == sealedAtOnce; {
		err := s.engine.WriteErasing(ctx, func(tx *sql.Tx) (err error) {
			n, err = sealSomePictures(ctx, tx, vault)
			return err
		})
		if err != nil {
			return about("pictures in the clear", err)
		}
	}
	// The log may still hold the pages as they were.
	_, err := s.writes.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return about("pictures in the clear", err)
}

func sealSomePictures(ctx context.Context, tx *sql.Tx, vault *db.Vault) (int, error) {
	pictures, err := unsealedPictures(ctx, tx, sealedAtOnce)
	if err != nil {
		return 0, err
	}
	for _, p := range pictures {
		_, err := tx.ExecContext(ctx, `UPDATE picture_tokens SET sealed = ? WHERE token = ?`,
			vault.SealToken(p.maker, p.token), digest(db.HashToken(p.token)))
		if err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM unsealed_pictures WHERE picture_id = ?`, p.id); err != nil {
			return 0, err
		}
	}
	return len(pictures), nil
}
