package video

import (
	"context"
	"database/sql"
	"net/url"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// DeletePicture deletes the picture: its addresses stop working, and its file is a
// leftover unless something else refers to it. It returns db.ErrConflict if a queued or
// running video needs the picture.
func (s *Pictures) DeletePicture(ctx context.Context, id int64, now time.Time) error {
	err := s.db.WriteDurably(ctx, kit.AsActor(ctx, db.User.Makes, func(tx *sql.Tx) error {
		needed := inUse{}
		err := needed.addAll(ctx, tx, `
			SELECT p.value FROM (
				SELECT pictures FROM tasks INDEXED BY tasks_unbegun WHERE `+unbegun+` UNION ALL
				SELECT pictures FROM tasks INDEXED BY tasks_ask WHERE state IN ('pending', 'processing')) t, json_each(t.pictures) p
			WHERE t.pictures NOT IN ('[]', 'null')`)
		if err != nil {
			return err
		}
		if used, err := needed.has(ctx, tx, id); err != nil {
			return err
		} else if used {
			return db.ErrConflict
		}
		return deletePicture(ctx, tx, id, now)
	}))
	return engine.About(picture(id), err)
}

func deletePicture(ctx context.Context, tx *sql.Tx, id int64, now time.Time) error {
	var hash string
	if err := tx.QueryRowContext(ctx, `DELETE FROM pictures WHERE id = $1 RETURNING hash`, id).Scan(&hash); err != nil {
		return err
	}
	_, err := leaveOver(ctx, tx, []string{hash}, now)
	return err
}

// sweptAtOnce is how many pictures one write examines. It is small, because a write
// holds up every other.
const sweptAtOnce = 25

// SweepPictures deletes the pictures that were uploaded long enough ago and to which no
// video, recipe or draft refers. It returns how many it deleted.
func (s *Pictures) SweepPictures(ctx context.Context, now time.Time) (n int, err error) {
	used, last := inUse{}, int64(0)
	for due := sweptAtOnce; due == sweptAtOnce; {
		var some bool
		err := s.db.Reads.QueryRowContext(ctx, `
			SELECT EXISTS (SELECT 1 FROM pictures WHERE coalesce(found_at, created_at) <= $1)`, engine.Instant(now.Add(-db.PictureLife))).Scan(&some)
		if err == nil && some { // reads most tasks before the write begins to hold up others
			last, err = used.addTasks(ctx, s.db.Reads, last)
		}
		if err == nil && some {
			err = s.db.WriteDurably(ctx, func(tx *sql.Tx) (err error) {
				var gone int
				if last, err = used.addTasks(ctx, tx, last); err == nil {
					due, gone, err = sweep(ctx, tx, used, now)
					n += gone
				}
				return err
			})
		}
		if err != nil || !some {
			return n, engine.About("unused pictures", err)
		}
	}
	return n, nil
}

// sweep examines up to sweptAtOnce pictures that are due. Those in use become due again
// after db.PictureLife; the others are deleted. It returns how many were due and how
// many of these it deleted.
func sweep(ctx context.Context, tx *sql.Tx, used inUse, now time.Time) (due, gone int, err error) {
	if err := used.addTyped(ctx, tx); err != nil {
		return 0, 0, err
	}
	ids, err := engine.All(ctx, tx, engine.ScanValue[int64], `
		SELECT id FROM pictures WHERE coalesce(found_at, created_at) <= $1 LIMIT $2 + 0`, engine.Instant(now.Add(-db.PictureLife)), sweptAtOnce)
	for _, id := range ids {
		var keep bool
		if keep, err = used.has(ctx, tx, id); err != nil {
			return 0, 0, err
		}
		if keep {
			_, err = tx.ExecContext(ctx, `UPDATE pictures SET found_at = $1 WHERE id = $2`, engine.Instant(now), id)
		} else {
			gone++
			err = deletePicture(ctx, tx, id, now)
		}
		if err != nil {
			return 0, 0, err
		}
	}
	return len(ids), gone, err
}

// inUse is the set of token hashes of the picture addresses to which something refers.
type inUse map[db.TokenHash]bool

func (u inUse) add(address string) {
	if token := db.PictureToken(address); token != "" {
		u[db.HashToken(token)] = true
	}
}

// addAll adds the addresses that the query selects.
func (u inUse) addAll(ctx context.Context, from engine.Querier, query string, args ...any) error {
	addresses, err := engine.All(ctx, from, engine.ScanValue[string], query, args...)
	for _, address := range addresses {
		u.add(address)
	}
	return err
}

// addTasks adds the addresses in tasks with an ID greater than after, and returns the
// ID of the newest task.
func (u inUse) addTasks(ctx context.Context, from engine.Querier, after int64) (last int64, err error) {
	if err := from.QueryRowContext(ctx, `SELECT coalesce(max(id), 0) FROM tasks`).Scan(&last); err != nil {
		return 0, err
	}
	return last, u.addAll(ctx, from, `
		SELECT p.value FROM tasks t, json_each(t.pictures) p
		WHERE t.id > $1 AND t.id <= $2 AND t.pictures NOT IN ('[]', 'null') AND p.value LIKE '%/p/%'`, after, last)
}

// addTyped adds the addresses in recipes, including deleted ones, and in drafts: forms
// that were typed and not submitted.
func (u inUse) addTyped(ctx context.Context, tx *sql.Tx) error {
	if err := u.addAll(ctx, tx, `SELECT p.value FROM recipes r, json_each(r.pictures) p WHERE r.pictures NOT IN ('[]', 'null')`); err != nil {
		return err
	}
	drafts, err := engine.All(ctx, tx, engine.ScanValue[string], `SELECT value FROM settings WHERE name LIKE 'draft %' AND value LIKE '%2Fp%2F%'`)
	for _, draft := range drafts {
		fields, _ := url.ParseQuery(draft) // our own encoding
		for _, values := range fields {
			for _, value := range values {
				u.add(value)
			}
		}
	}
	return err
}

// has reports whether something refers to the picture, by any of its tokens.
func (u inUse) has(ctx context.Context, tx *sql.Tx, id int64) (bool, error) {
	tokens, err := engine.All(ctx, tx, engine.ScanValue[engine.Digest], `SELECT token FROM picture_tokens WHERE picture_id = $1`, id)
	for _, token := range tokens {
		if u[db.TokenHash(token)] {
			return true, nil
		}
	}
	return false, err
}
