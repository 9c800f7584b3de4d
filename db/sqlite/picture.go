package sqlite

import (
	"context"
	"database/sql"

	"dailies/db"
)

const pictureColumns = `id, user_id, token, hash, type, size, width, height, name, created_at`

func scanPicture(rows *sql.Rows) (p db.Picture, err error) {
	err = rows.Scan(&p.ID, &p.UserID, &p.Token, &p.Hash, &p.Type, &p.Size, &p.Width, &p.Height, &p.Name, (*instant)(&p.CreatedAt))
	return p, err
}

// AddPicture keeps what was uploaded and sets its ID. The same picture again is
// the one that the person has already, with its first token and name, and now
// the newest.
func (s *Store) AddPicture(ctx context.Context, p *db.Picture) error {
	rows, err := s.writes.QueryContext(ctx, `
		INSERT INTO pictures (user_id, token, hash, type, size, width, height, name, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (user_id, hash) DO UPDATE SET created_at = excluded.created_at
		RETURNING `+pictureColumns,
		p.UserID, p.Token, p.Hash, p.Type, p.Size, p.Width, p.Height, p.Name, instant(p.CreatedAt))
	kept, err := one(rows, err, scanPicture)
	if err == nil {
		*p = kept
	}
	return about("picture of "+user(p.UserID), err)
}

// Picture returns the picture with the token.
func (s *Store) Picture(ctx context.Context, token string) (db.Picture, error) {
	rows, err := s.reads.QueryContext(ctx, `SELECT `+pictureColumns+` FROM pictures WHERE token = ?`, token)
	p, err := one(rows, err, scanPicture)
	return p, about("picture", err) // the token opens it, so it is in no error
}

// Pictures returns the pictures that the person uploaded last, the newest
// first.
func (s *Store) Pictures(ctx context.Context, userID int64, limit int) ([]db.Picture, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT `+pictureColumns+` FROM pictures WHERE user_id = ?
		ORDER BY created_at DESC, id DESC LIMIT ? + 0`, userID, limit)
	pictures, err := all(rows, err, scanPicture)
	return pictures, about("pictures of "+user(userID), err)
}

// PictureUse returns how many pictures the person has uploaded, and how many
// bytes they take.
func (s *Store) PictureUse(ctx context.Context, userID int64) (n int, bytes int64, err error) {
	err = s.reads.QueryRowContext(ctx, `
		SELECT count(*), coalesce(sum(size), 0) FROM pictures WHERE user_id = ?`, userID).Scan(&n, &bytes)
	return n, bytes, about("pictures of "+user(userID), err)
}

// UsedPictures returns the addresses in the person's newest tasks with
// pictures, at most so many tasks, the newest first. An address may come more
// than once.
func (s *Store) UsedPictures(ctx context.Context, userID int64, tasks int) ([]db.UsedPicture, error) {
	rows, err := s.reads.QueryContext(ctx, `
		SELECT p.value, t.created_at
		FROM (SELECT id, created_at, pictures FROM tasks
			WHERE user_id = ? AND pictures NOT IN ('[]', 'null')
			ORDER BY id DESC LIMIT ? + 0) t, json_each(t.pictures) p
		ORDER BY t.id DESC, p.key`, userID, tasks)
	used, err := all(rows, err, scanUsedPicture)
	return used, about("pictures of "+user(userID), err)
}

func scanUsedPicture(rows *sql.Rows) (u db.UsedPicture, err error) {
	err = rows.Scan(&u.Address, (*instant)(&u.At))
	return u, err
}
