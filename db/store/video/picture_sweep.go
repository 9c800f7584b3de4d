package video

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// DeletePicture deletes the picture: its addresses stop working, and its file is a
// leftover unless something else refers to it. It returns db.ErrConflict if a queued or
// running video needs the picture, and ErrPictureInCast if a cast member does.
func (s *Pictures) DeletePicture(ctx context.Context, id int64, now time.Time) error {
	return engine.About(picture(id), s.db.WriteDurably(ctx, kit.AsActor(db.User.Makes, func(tx *engine.Tx) {
		needed := inUse{}
		needed.addAll(tx, `
			SELECT p.value FROM (
				SELECT pictures FROM tasks INDEXED BY tasks_unbegun WHERE `+unbegun+` UNION ALL
				SELECT pictures FROM tasks INDEXED BY tasks_ask WHERE state IN ('pending', 'processing')) t, json_each(t.pictures) p
			WHERE t.pictures NOT IN ('[]', 'null')`)
		tx.Require(!needed.has(tx, id), db.ErrConflict)
		shown := inUse{}
		shown.addAll(tx, `SELECT p.value FROM cast_members c, json_each(c.pictures) p WHERE c.deleted_at IS NULL`)
		tx.Require(!shown.has(tx, id), ErrPictureInCast)
		deletePicture(tx, id, now)
	})))
}

// ErrPictureInCast says that a cast member has the picture.
var ErrPictureInCast = fmt.Errorf("a cast member has the picture: %w", db.ErrConflict)

func deletePicture(tx *engine.Tx, id int64, now time.Time) {
	hash := engine.Value[string](tx, `DELETE FROM pictures WHERE id = $1 RETURNING hash`, id)
	leaveOver(tx, []string{hash}, now)
}

// sweptAtOnce is how many pictures one write examines. It is small, because a write
// holds up every other.
const sweptAtOnce = 25

// SweepPictures deletes the pictures that were uploaded long enough ago and to which no
// video, recipe, cast member or draft refers. It returns how many it deleted.
func (s *Pictures) SweepPictures(ctx context.Context, now time.Time) (n int, err error) {
	used, last := inUse{}, int64(0)
	for due := sweptAtOnce; due == sweptAtOnce; {
		look := s.db.Reading(ctx)
		some := engine.Value[bool](look, `
			SELECT EXISTS (SELECT 1 FROM pictures WHERE coalesce(found_at, created_at) <= $1)`, engine.Instant(now.Add(-ordering.PictureLife)))
		if look.OK() && some { // reads most tasks before the write begins to hold up others
			last = used.addTasks(look, last)
		}
		err := look.Err()
		if err == nil && some {
			err = s.db.WriteDurably(ctx, func(tx *engine.Tx) {
				var gone int
				last = used.addTasks(tx, last)
				due, gone = sweep(tx, used, now)
				n += gone
			})
		}
		if err != nil || !some {
			return n, engine.About("unused pictures", err)
		}
	}
	return n, nil
}

// sweep examines up to sweptAtOnce pictures that are due. Those in use become due again
// after ordering.PictureLife; the others are deleted. It returns how many were due and how
// many of these it deleted.
func sweep(tx *engine.Tx, used inUse, now time.Time) (due, gone int) {
	used.addTyped(tx)
	ids := engine.All(tx, engine.ScanValue[int64], `
		SELECT id FROM pictures WHERE coalesce(found_at, created_at) <= $1 LIMIT $2 + 0`, engine.Instant(now.Add(-ordering.PictureLife)), sweptAtOnce)
	for _, id := range ids {
		keep := used.has(tx, id)
		switch {
		case !tx.OK():
			return 0, 0
		case keep:
			tx.Exec(`UPDATE pictures SET found_at = $1 WHERE id = $2`, engine.Instant(now), id)
		default:
			gone++
			deletePicture(tx, id, now)
		}
	}
	return len(ids), gone
}

// inUse is the set of token hashes of the picture addresses to which something refers.
type inUse map[secrets.TokenHash]bool

func (u inUse) add(address string) {
	if token := ordering.PictureToken(address); token != "" {
		u[secrets.HashToken(token)] = true
	}
}

// addAll adds the addresses that the query selects.
func (u inUse) addAll(tx *engine.Tx, query string, args ...any) {
	for _, address := range engine.All(tx, engine.ScanValue[string], query, args...) {
		u.add(address)
	}
}

// addTasks adds the addresses in tasks with an ID greater than after, and returns the
// ID of the newest task.
func (u inUse) addTasks(tx *engine.Tx, after int64) (last int64) {
	last = engine.Value[int64](tx, `SELECT coalesce(max(id), 0) FROM tasks`)
	u.addAll(tx, `
		SELECT p.value FROM tasks t, json_each(t.pictures) p
		WHERE t.id > $1 AND t.id <= $2 AND t.pictures NOT IN ('[]', 'null') AND p.value LIKE '%/p/%'`, after, last)
	return last
}

// addTyped adds the addresses in recipes and of the cast, including deleted ones, and in
// drafts: forms that were typed and not submitted.
func (u inUse) addTyped(tx *engine.Tx) {
	u.addAll(tx, `SELECT p.value FROM recipes r, json_each(r.pictures) p WHERE r.pictures NOT IN ('[]', 'null')`)
	u.addAll(tx, `SELECT p.value FROM cast_members c, json_each(c.pictures) p`)
	for _, draft := range engine.All(tx, engine.ScanValue[string], `SELECT value FROM settings WHERE name LIKE 'draft %' AND value LIKE '%2Fp%2F%'`) {
		fields, _ := url.ParseQuery(draft) // our own encoding
		for _, values := range fields {
			for _, value := range values {
				u.add(value)
			}
		}
	}
}

// has reports whether something refers to the picture, by any of its tokens.
func (u inUse) has(tx *engine.Tx, id int64) bool {
	tokens := engine.All(tx, engine.ScanValue[engine.Digest], `SELECT token FROM picture_tokens WHERE picture_id = $1`, id)
	return slices.ContainsFunc(tokens, func(token engine.Digest) bool { return u[secrets.TokenHash(token)] })
}
