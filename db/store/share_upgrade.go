package store

import (
	"context"
	"database/sql"

	"dailies/db"
)

// sealedAtOnce is how many links one transaction of SealShares seals.
const sealedAtOnce = 500

// An unsealed link has its token in the clear, as earlier versions kept it.
type unsealed struct {
	id, maker int64
	token     string
	title     string
	prompt    string
}

func scanUnsealed(rows *sql.Rows) (u unsealed, err error) {
	err = rows.Scan(&u.id, &u.maker, &u.token, &u.title, &u.prompt)
	return u, err
}

func unsealedShares(ctx context.Context, tx *sql.Tx, most int) ([]unsealed, error) {
	rows, err := tx.QueryContext(ctx, `
		SELECT s.id, s.created_by, n.token, s.title, coalesce(t.prompt, '')
		FROM unsealed_shares n JOIN shares s ON s.id = n.share_id LEFT JOIN tasks t ON t.id = s.task_id
		ORDER BY s.id LIMIT ? + 0`, most)
	return all(rows, err, scanUnsealed)
}

// hashShares lets the links of earlier versions be found by the hash of their
// token, and clears the titles with which those gave the prompt away.
func hashShares(ctx context.Context, tx *sql.Tx) error {
	shares, err := unsealedShares(ctx, tx, -1)
	if err != nil {
		return err
	}
	for _, s := range shares {
		if db.BeginsPrompt(s.title, s.prompt) {
			s.title = ""
		}
		_, err := tx.ExecContext(ctx, `UPDATE shares SET token = ?, title = ? WHERE id = ?`,
			digest(db.HashToken(s.token)), s.title, s.id)
		if err != nil {
			return err
		}
	}
	return nil
}

// SealShares seals the tokens that earlier versions kept in the clear, and
// removes what was in the clear from the file. It may be stopped at any time
// and called again: until then the links work, and are not shown again.
func (s *Store) SealShares(ctx context.Context, vault *db.Vault) error {
	for n := sealedAtOnce; n == sealedAtOnce; {
		err := s.engine.WriteErasing(ctx, func(tx *sql.Tx) (err error) {
			n, err = sealSome(ctx, tx, vault)
			return err
		})
		if err != nil {
			return about("share links in the clear", err)
		}
	}
	// The log may still hold the pages as they were.
	_, err := s.writes.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	return about("share links in the clear", err)
}

func sealSome(ctx context.Context, tx *sql.Tx, vault *db.Vault) (int, error) {
	shares, err := unsealedShares(ctx, tx, sealedAtOnce)
	if err != nil {
		return 0, err
	}
	for _, s := range shares {
		_, err := tx.ExecContext(ctx, `UPDATE shares SET sealed = ? WHERE id = ?`, vault.SealToken(s.maker, s.token), s.id)
		if err != nil {
			return 0, err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM unsealed_shares WHERE share_id = ?`, s.id); err != nil {
			return 0, err
		}
	}
	return len(shares), nil
}
