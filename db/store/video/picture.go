package video

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Pictures stores uploaded pictures.
type Pictures struct {
	db    *teamdb.DB
	files *Files
}

// AddPicture is AddPictureWithin with ordering.UsualQuota.
func (s *Pictures) AddPicture(ctx context.Context, p *ordering.Picture) error {
	return s.AddPictureWithin(ctx, p, ordering.UsualQuota)
}

var addedPicture = schema.Pictures.Part(schema.Added)

// AddPictureWithin stores an uploaded picture and sets its ID. If the person has the
// same picture already, that one becomes the newest and p is set to it: its name and
// Sealed are the old ones, and its Token is not known. It returns db.ErrFull if a new
// picture would exceed the quota, even if other processes add pictures at the same
// time; the file is then a leftover.
func (s *Pictures) AddPictureWithin(ctx context.Context, p *ordering.Picture, most ordering.Quota) error {
	err := s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		known := engine.Value[bool](tx, `
			SELECT EXISTS (SELECT 1 FROM pictures WHERE user_id = $1 AND hash = $2)`, p.UserID, p.Hash)
		added := *p
		added.Name = naming.Clean(p.Name)
		id := engine.Value[int64](tx, `
			INSERT INTO pictures (`+addedPicture.Names+`) VALUES (`+addedPicture.Places(1)+`)
			ON CONFLICT (user_id, hash) DO UPDATE SET created_at = excluded.created_at
			RETURNING id`,
			addedPicture.Values(&added)...)
		n, bytes := pictureUse(tx, p.UserID)
		tx.Require(known || most.Fits(n, bytes), db.ErrFull)
		kept := engine.One(tx, schema.Pictures.Scan(), `SELECT `+schema.Pictures.Columns+` FROM pictures p WHERE id = $1`, id)
		if !tx.OK() {
			return
		}
		if kept.Sealed == nil || kept.Elsewhere {
			kept.Token, kept.Sealed, kept.Elsewhere = p.Token, p.Sealed, false
			addToken(tx, kept)
		}
		*p = kept
	})
	if errors.Is(err, db.ErrFull) || errors.Is(err, db.ErrNotFound) {
		err = errors.Join(err, s.files.LeaveOver(ctx, p.CreatedAt, p.Hash))
	}
	return engine.About("picture of "+engine.User(p.UserID), err)
}

// AddPictureToken gives the picture another address, from its Token and Sealed, for the
// video service that the team uses. Its other addresses stay valid.
func (s *Pictures) AddPictureToken(ctx context.Context, p ordering.Picture) error {
	return engine.About(picture(p.ID), s.db.Write(ctx, func(tx *engine.Tx) { addToken(tx, p) }))
}

func addToken(tx *engine.Tx, p ordering.Picture) {
	tx.Exec(`INSERT INTO picture_tokens (token, sealed, picture_id, member_id, service_id) VALUES ($1, $2, $3, nullif(CAST($4 AS BIGINT), 0), `+schema.CurrentService+`)`,
		engine.Digest(secrets.HashToken(p.Token)), p.Sealed, p.ID, p.MemberID)
}

func picture(id int64) string { return fmt.Sprintf("picture %d", id) }

var pictureByToken = `
	SELECT ` + schema.Pictures.Columns + `, coalesce(k.member_id, 0), k.ended_at, (
		SELECT sealed FROM picture_tokens t
		WHERE t.picture_id = p.id AND t.member_id = k.member_id AND t.ended_at IS NULL AND t.service_id = ` + schema.CurrentService + `
		ORDER BY t.id DESC LIMIT 1)
	FROM picture_tokens k JOIN pictures p ON p.id = k.picture_id
	WHERE k.token = $1`

// Picture returns the picture with the token, also if the address is not public any more. If
// the token was made for a cast member, so were Sealed and Elsewhere.
func (s *Pictures) Picture(ctx context.Context, token string) (ordering.Picture, error) {
	p, err := engine.ReadOne(
		ctx, s.db.Reads, "picture", engine.ScanFields(addressedFields), pictureByToken, engine.Digest(secrets.HashToken(token)),
	)
	p.Token = token
	if p.MemberID != 0 && p.EndedAt.IsZero() {
		p.Sealed, p.Elsewhere = p.ofMember, p.ofMember == nil
	}
	return p.Picture, err // the token gives access, so it must not be in an error
}

// An addressed picture is one with what is known of one of its addresses.
type addressed struct {
	ordering.Picture
	ofMember []byte // the newest token that was made for the same cast member and the service in use, sealed
}

func addressedFields(p *addressed) []any {
	return append(schema.Pictures.Fields(&p.Picture), &p.MemberID, (*engine.Instant)(&p.EndedAt), &p.ofMember)
}

// IsPublic reports whether anybody may fetch the picture at the address with p.Token. An
// address that has ended is public until the last of the running videos that have it.
func (s *Pictures) IsPublic(ctx context.Context, p ordering.Picture) (bool, error) {
	if p.EndedAt.IsZero() {
		return true, nil
	}
	return engine.ReadValue[bool](ctx, s.db.Reads, picture(p.ID), `
		SELECT EXISTS (SELECT 1 FROM users u CROSS JOIN tasks t INDEXED BY tasks_of_user ON t.user_id = u.id AND t.active = 1 WHERE t.pictures LIKE $1)`, "%"+p.Path()+"%")
}

// IsTokenOfService reports whether the token was made for the video service that the team
// uses, and its address has not ended.
func (s *Pictures) IsTokenOfService(ctx context.Context, token string) (bool, error) {
	return engine.ReadValue[bool](ctx, s.db.Reads, "picture", `
		SELECT EXISTS (SELECT 1 FROM picture_tokens WHERE token = $1 AND ended_at IS NULL AND service_id = `+schema.CurrentService+`)`,
		engine.Digest(secrets.HashToken(token)))
}

// isOfOthers reports whether any of the pictures has an address that was made for another
// video service than the one with the ID.
func isOfOthers(tx *engine.Tx, pictures []string, serviceID int64) bool {
	for _, address := range pictures {
		token := ordering.PictureToken(address)
		if token == "" {
			continue
		}
		others := tx.Count(`SELECT 1 FROM picture_tokens WHERE token = $1 AND service_id <> $2`,
			engine.Digest(secrets.HashToken(token)), serviceID)
		if tx.OK() && others > 0 {
			return true
		}
	}
	return false
}

var pictureByID = `SELECT ` + schema.Pictures.Columns + ` FROM pictures p WHERE p.id = $1`

// PictureByID returns the picture with the ID.
func (s *Pictures) PictureByID(ctx context.Context, id int64) (ordering.Picture, error) {
	return engine.ReadOne(ctx, s.db.Reads, picture(id), schema.Pictures.Scan(), pictureByID, id)
}

// Thumbnail returns the small JPEG of the picture, which is empty if none can be made.
// It returns db.ErrNotFound if none was requested yet.
func (s *Pictures) Thumbnail(ctx context.Context, id int64) ([]byte, error) {
	return engine.ReadValue[[]byte](ctx, s.db.Reads, "thumbnail of "+picture(id),
		`SELECT thumbnail FROM pictures WHERE id = $1 AND thumbnail IS NOT NULL`, id)
}

// SetThumbnail stores the small JPEG of the picture.
func (s *Pictures) SetThumbnail(ctx context.Context, id int64, jpeg []byte) error {
	return engine.About("thumbnail of "+picture(id), s.db.ExecOr(ctx, db.ErrNotFound, `
		UPDATE pictures SET thumbnail = $1 WHERE id = $2`, append([]byte{}, jpeg...), id))
}

var latestPictures = `
	SELECT ` + schema.Pictures.Columns + ` FROM pictures p WHERE p.user_id = $1
	ORDER BY p.created_at DESC, p.id DESC LIMIT $2 + 0`

// Latest returns the pictures that the person uploaded last, the newest first.
func (s *Pictures) Latest(ctx context.Context, userID int64, limit int) ([]ordering.Picture, error) {
	return engine.ReadAll(ctx, s.db.Reads, "pictures of "+engine.User(userID), schema.Pictures.Scan(), latestPictures, userID, limit)
}

var uploadedPictures = `
	SELECT ` + schema.Pictures.Columns + `, u.name FROM pictures p JOIN users u ON u.id = p.user_id
	WHERE CAST($1 AS BIGINT) = 0 OR p.user_id = $1
	ORDER BY p.created_at DESC, p.id DESC LIMIT $2 + 0 OFFSET $3 + 0`

// Uploads returns the pictures that the person uploaded, or everybody's if userID is 0,
// the newest first, without the first skip of them.
func (s *Pictures) Uploads(ctx context.Context, userID int64, limit, skip int) ([]ordering.Upload, error) {
	return engine.ReadAll(ctx, s.db.Reads, "uploaded pictures", engine.ScanFields(func(u *ordering.Upload) []any {
		return append(schema.Pictures.Fields(&u.Picture), (*engine.Named)(&u.MakerName))
	}), uploadedPictures, userID, limit, skip)
}

// PictureUse returns how many pictures the person has uploaded, and their total size in
// bytes.
func (s *Pictures) PictureUse(ctx context.Context, userID int64) (n int, bytes int64, err error) {
	look := s.db.Reading(ctx)
	n, bytes = pictureUse(look, userID)
	return n, bytes, engine.About("pictures of "+engine.User(userID), look.Err())
}

// LeftPictures returns how many pictures there are of people who have left, and their total
// size in bytes. They count for the team: no person's quota has them.
func (s *Pictures) LeftPictures(ctx context.Context) (n int, bytes int64, err error) {
	look := s.db.Reading(ctx)
	look.Row(`
		SELECT count(*), coalesce(sum(p.size), 0) FROM users u JOIN pictures p ON p.user_id = u.id WHERE u.deactivated_at IS NOT NULL`).
		Scan(&n, &bytes)
	return n, bytes, engine.About("pictures of people who have left", look.Err())
}

func pictureUse(tx *engine.Tx, userID int64) (n int, bytes int64) {
	tx.Row(`
		SELECT count(*), coalesce(sum(size), 0) FROM pictures WHERE user_id = $1`, userID).Scan(&n, &bytes)
	return n, bytes
}

// UsedPictures returns the addresses of the pictures in the person's newest tasks that
// have any, the newest first. tasks is how many tasks it reads at most. An address may
// occur more than once.
func (s *Pictures) UsedPictures(ctx context.Context, userID int64, tasks int) ([]ordering.UsedPicture, error) {
	return engine.ReadAll(ctx, s.db.Reads, "pictures of "+engine.User(userID), engine.ScanFields(usedPictureFields), `
		SELECT p.value, t.created_at
		FROM (SELECT id, created_at, pictures FROM tasks
			WHERE user_id = $1 AND pictures NOT IN ('[]', 'null')
			ORDER BY id DESC LIMIT $2 + 0) t, json_each(t.pictures) p
		ORDER BY t.id DESC, p.key`, userID, tasks)
}

func usedPictureFields(u *ordering.UsedPicture) []any {
	return []any{&u.Address, (*engine.Instant)(&u.At)}
}

// An unsealedPicture has its token in clear text, as earlier versions stored it.
type unsealedPicture struct {
	id, maker int64
	token     string
}

func unsealedPictureFields(u *unsealedPicture) []any {
	return []any{&u.id, &u.maker, &u.token}
}

func unsealedPictures(tx *engine.Tx, most int) []unsealedPicture {
	return engine.All(tx, engine.ScanFields(unsealedPictureFields), `
		SELECT p.id, p.user_id, n.token FROM unsealed_pictures n JOIN pictures p ON p.id = n.picture_id
		ORDER BY p.id LIMIT $1 + 0`, most)
}

// HashPictures is part of a migration: it stores the hashes of the tokens that earlier
// versions stored in clear text, by which pictures are found now.
func HashPictures(tx *engine.Tx) {
	for _, p := range unsealedPictures(tx, -1) {
		tx.Exec(`UPDATE picture_tokens SET token = $1 WHERE picture_id = $2`, engine.Digest(secrets.HashToken(p.token)), p.id)
	}
}

// SealPictures seals the tokens that earlier versions stored in clear text, and deletes
// the clear text. It may be stopped at any time and called again. The addresses in
// tasks, recipes and drafts stay as they are, because the service has to know them.
func (s *Pictures) SealPictures(ctx context.Context, vault *secrets.Vault) error {
	return engine.About("pictures in the clear", sealInBatches(ctx, s.db, func(tx *engine.Tx) int { return sealSomePictures(tx, vault) }))
}

func sealSomePictures(tx *engine.Tx, vault *secrets.Vault) int {
	pictures := unsealedPictures(tx, sealedAtOnce)
	for _, p := range pictures {
		tx.Exec(`UPDATE picture_tokens SET sealed = $1 WHERE token = $2`,
			vault.SealToken(p.maker, p.token), engine.Digest(secrets.HashToken(p.token)))
		tx.Exec(`DELETE FROM unsealed_pictures WHERE picture_id = $1`, p.id)
	}
	return len(pictures)
}

// DeletePicture deletes the picture: its addresses stop working, and its file is a
// leftover unless something else refers to it. It returns db.ErrConflict if a queued or
// running video needs the picture, and ErrPictureInCast if a cast member does.
func (s *Pictures) DeletePicture(ctx context.Context, id int64, now time.Time) error {
	return engine.About(picture(id), s.db.WriteDurably(ctx, teamdb.AsActor(db.User.Makes, func(tx *engine.Tx) {
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
			SELECT EXISTS (SELECT 1 FROM pictures WHERE coalesce(found_at, created_at) <= $1)`,
			engine.Instant(now.Add(-ordering.PictureLife)))
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
		SELECT id FROM pictures WHERE coalesce(found_at, created_at) <= $1 LIMIT $2 + 0`, engine.Instant(now.Add(-ordering.PictureLife)),
		sweptAtOnce)
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
	for _, draft := range engine.All(tx, engine.ScanValue[string],
		`SELECT value FROM settings WHERE name LIKE 'draft %' AND value LIKE '%2Fp%2F%'`) {
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
