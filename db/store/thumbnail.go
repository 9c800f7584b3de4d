package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"dailies/db"
)

// ClaimCover leases, until a time, the cover that has waited longest for its
// thumbnail. Where none waits it is db.ErrNotFound.
func (s *Store) ClaimCover(ctx context.Context, now, until time.Time) (m db.Media, err error) {
	const due = `SELECT id FROM media WHERE thumb_due <= $1 ORDER BY thumb_due LIMIT 1`
	var id int64
	if err := s.reads.QueryRowContext(ctx, due, instant(now)).Scan(&id); err != nil {
		return m, about("cover without a thumbnail", err) // the usual case needs no write
	}
	err = s.write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `UPDATE media SET thumb_due = $2 WHERE id = (`+due+`) RETURNING id`, instant(now), instant(until)).Scan(&id)
		if err != nil {
			return err
		}
		return tx.QueryRowContext(ctx, `SELECT `+mediaColumns+` FROM media m WHERE id = $1`, id).Scan(mediaFields(&m)...)
	})
	return m, about("cover without a thumbnail", err)
}

// SetCoverThumb writes down the thumbnail of a cover in place of one from before,
// or that none can be made, with a nil thumb. A cover that has changed or gone
// meanwhile is db.ErrNotFound.
func (s *Store) SetCoverThumb(ctx context.Context, cover db.Media, thumb *db.Media, now time.Time) error {
	return about(fmt.Sprintf("thumbnail of media %d", cover.ID), s.write(ctx, func(tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `UPDATE media SET thumb_due = NULL WHERE id = $1 AND hash = $2 AND lost_at IS NULL RETURNING task_id`, cover.ID, cover.Hash).
			Scan(&cover.TaskID)
		if err == nil {
			err = dropThumb(ctx, tx, cover.TaskID, now)
		}
		if err != nil || thumb == nil {
			return err
		}
		thumb.TaskID, thumb.Kind, thumb.CreatedAt = cover.TaskID, db.Thumb, now
		return addMedia(ctx, tx, thumb)
	}))
}

// dropThumb removes the task's thumbnail, if it has one.
func dropThumb(ctx context.Context, tx *sql.Tx, taskID int64, now time.Time) error {
	var hash string
	err := tx.QueryRowContext(ctx, `DELETE FROM media WHERE task_id = $1 AND kind = 'thumb' RETURNING hash`, taskID).Scan(&hash)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		_, err = leaveOver(ctx, tx, []string{hash}, now)
	}
	return err
}
