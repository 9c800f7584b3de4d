package video

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/format"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Links stores the links with which people without an account see videos.
type Links struct {
	db     *teamdb.DB
	recent engine.Recents[sharedFile, mediaOfShare]
	open   engine.Recents[secrets.TokenHash, gallery.Share]
}

var sharesWithVideo = `
	SELECT ` + schema.Shares.Columns + `
	FROM shares s JOIN users u ON u.id = s.created_by LEFT JOIN tasks t ON t.id = s.task_id`

var (
	shareByID    = sharesWithVideo + ` WHERE s.id = $1`
	shareByToken = sharesWithVideo + ` WHERE s.token = $1`
)

// AddShare adds the link and sets its ID. The token itself is not stored, only its hash
// and Sealed. It returns db.ErrFull if gallery.MaxShares links to the same video,
// collection or storyline work already.
func (s *Links) AddShare(ctx context.Context, share *gallery.Share) error {
	clean(share)
	return engine.About("share link of "+engine.User(share.CreatedBy), s.db.Write(ctx, func(tx *engine.Tx) { addShare(tx, share) }))
}

// AddShareOnce is like AddShare, unless the person has a link to the same that works and
// was made after the one with the ID after. Then nothing is added, and it returns that
// link, the newest of them, instead of share. Two presses thus make one link.
func (s *Links) AddShareOnce(ctx context.Context, share gallery.Share, after int64) (gallery.Share, error) {
	clean(&share)
	err := s.db.Write(ctx, func(tx *engine.Tx) {
		had := engine.All(tx, schema.Shares.Scan(), sharesWithVideo+`
			WHERE (s.task_id = $1 OR s.collection_id = $2) AND s.story = $3 AND s.created_by = $4 AND s.id > $5
				AND s.revoked_at IS NULL AND s.expires_at > $6
			ORDER BY s.id DESC LIMIT 1`,
			share.TaskID, share.CollectionID, share.Story, share.CreatedBy, after, engine.Instant(share.CreatedAt))
		if tx.OK() && len(had) > 0 {
			share = had[0]
			return
		}
		addShare(tx, &share)
		share = engine.One(tx, schema.Shares.Scan(), shareByID, share.ID)
	})
	return share, engine.About("share link of "+engine.User(share.CreatedBy), err)
}

// clean gives what people typed the form in which it is kept.
func clean(share *gallery.Share) {
	share.Title, share.Welcome = naming.Clean(share.Title), naming.CleanLines(share.Welcome)
	share.May = cmp.Or(share.May, gallery.Look)
}

var addedShare = schema.Shares.Part(schema.Added)

func addShare(tx *engine.Tx, share *gallery.Share) {
	teamdb.StillAllowed(tx, share.CreatedBy, db.User.Makes)
	n := tx.Count(`
		SELECT 1 FROM shares WHERE (task_id = $1 OR collection_id = $2) AND story = $3 AND revoked_at IS NULL AND expires_at > $4`,
		share.TaskID, share.CollectionID, share.Story, engine.Instant(share.CreatedAt))
	tx.Require(n < gallery.MaxShares, db.ErrFull)
	tx.Insert(&share.ID, `
		INSERT INTO shares (token, `+addedShare.Names+`) VALUES ($1, `+addedShare.Places(2)+`)
		RETURNING id`,
		addedShare.Values(share, engine.Digest(secrets.HashToken(share.Token)))...)
	teamdb.Record(tx, audit.Entry{Action: audit.ShareMade, UserID: share.CreatedBy, What: shared(*share), After: terms(*share)})
}

// shared describes what a link shows, without its title, which may begin with the
// prompt.
func shared(s gallery.Share) string {
	switch {
	case s.Story:
		return fmt.Sprintf("link to the storyline of video %d", s.TaskID)
	case s.TaskID != 0:
		return fmt.Sprintf("link to video %d", s.TaskID)
	}
	return fmt.Sprintf("link to collection %d", s.CollectionID)
}

// terms says how long a link works and what guests may do, without a title, a welcome or
// a password.
func terms(s gallery.Share) string {
	all := []string{fmt.Sprintf("works until %s", s.ExpiresAt.UTC().Format("2006-01-02 15:04 MST")), fmt.Sprintf("guests may %s", s.May)}
	for _, term := range []struct {
		is   bool
		name string
	}{{s.Password != "", "with a password"}, {s.Download, "with downloads"}, {s.Takes, "with other takes"}} {
		if term.is {
			all = append(all, term.name)
		}
	}
	return format.List(all)
}

var changedShare = schema.Shares.Part(schema.Changed)

// ChangeShare changes the title, the end and the settings of the link as change says, which
// is called within the transaction. From then on, guests are told who sent it. A link that
// has ended or was revoked stays as it is, and the error is db.ErrNotFound.
func (s *Links) ChangeShare(ctx context.Context, id int64, now time.Time, change func(*gallery.Share)) error {
	return engine.About(fmt.Sprintf("share link %d", id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		before := engine.One(tx, schema.Shares.Scan(), shareByID, id)
		tx.Require(before.Open(now), db.ErrNotFound)
		if !tx.OK() {
			return
		}
		after := before
		change(&after)
		clean(&after)
		tx.Exec(`UPDATE shares SET named = 1, `+changedShare.Sets(2)+` WHERE id = $1`, changedShare.Values(&after, id)...)
		e := audit.Entry{Action: audit.ShareChanged, UserID: before.CreatedBy, What: shared(before),
			Before: terms(before), After: terms(after)}
		if before.Password != "" && after.Password != "" && before.Password != after.Password {
			e.After = format.List([]string{e.After, "another one"})
		}
		if e.Before != e.After {
			teamdb.Record(tx, e)
		}
	}))
}

// Share returns the link with the ID, whether or not it still works.
func (s *Links) Share(ctx context.Context, id int64) (gallery.Share, error) {
	return engine.ReadOne(ctx, s.db.Reads, fmt.Sprintf("share link %d", id), schema.Shares.Scan(), shareByID, id)
}

var sharesOf = sharesWithVideo + `
	WHERE (s.task_id = $1 OR s.collection_id = $2) AND s.story = 0 AND s.revoked_at IS NULL AND s.expires_at > $3
	ORDER BY s.id DESC`

// SharesOf returns the working links to the video or to the collection, the newest
// first. One of the two IDs is 0.
func (s *Links) SharesOf(ctx context.Context, taskID, collectionID int64, now time.Time) ([]gallery.Share, error) {
	return engine.ReadAll(ctx, s.db.Reads, "share links", schema.Shares.Scan(), sharesOf, taskID, collectionID, engine.Instant(now))
}

var sharesOfStory = sharesWithVideo + `
	WHERE s.task_id IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND s.story = 1 AND s.revoked_at IS NULL AND s.expires_at > $2
	ORDER BY s.id DESC`

// SharesOfStory returns the working links to the storyline of the videos, the newest
// first. A link is made for one of its scenes.
func (s *Links) SharesOfStory(ctx context.Context, scenes []int64, now time.Time) ([]gallery.Share, error) {
	return engine.ReadAll(ctx, s.db.Reads, "share links", schema.Shares.Scan(), sharesOfStory, engine.AsJSON(&scenes), engine.Instant(now))
}

var workingShares = sharesWithVideo + `
	WHERE (CAST($1 AS BIGINT) = 0 OR s.created_by = $1) AND s.revoked_at IS NULL AND s.expires_at > $2
		AND NOT EXISTS (SELECT 1 FROM collections c WHERE c.id = s.collection_id AND c.deleted_at IS NOT NULL)
	ORDER BY s.id DESC LIMIT $3 + 0`

// Shares returns the working links of the person, or everybody's if by is 0, the newest
// first. Links to a deleted collection show nothing and are left out.
func (s *Links) Shares(ctx context.Context, by int64, now time.Time, limit int) ([]gallery.Share, error) {
	return engine.ReadAll(ctx, s.db.Reads, "share links", schema.Shares.Scan(), workingShares, by, engine.Instant(now), max(0, limit))
}

// RevokeShare revokes the link. It leaves a link alone that was revoked already.
func (s *Links) RevokeShare(ctx context.Context, id int64, now time.Time) error {
	return engine.About(fmt.Sprintf("share link %d", id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		share := engine.One(tx, schema.Shares.Scan(), shareByID, id)
		if !tx.OK() || !share.RevokedAt.IsZero() {
			return
		}
		tx.Exec(`UPDATE shares SET revoked_at = $1 WHERE id = $2`, engine.Instant(now), id)
		teamdb.Record(tx, audit.Entry{Action: audit.ShareRevoked, UserID: share.CreatedBy, What: shared(share)})
	}))
}

// mostEnded limits how many links are listed that have ended, and endedLately how long ago.
const (
	mostEnded   = 5
	endedLately = 90 * 24 * time.Hour
)

var endedShares = sharesWithVideo + `
	WHERE (s.task_id = $1 OR s.collection_id = $2) AND s.story = 0 AND (s.revoked_at > $4 OR s.revoked_at IS NULL AND s.expires_at <= $3 AND s.expires_at > $4)
	ORDER BY s.id DESC LIMIT $5 + 0`

// EndedShares returns links to the video or to the collection that were turned off or have
// ended lately, the newest first. One of the two IDs is 0.
func (s *Links) EndedShares(ctx context.Context, taskID, collectionID int64, now time.Time) ([]gallery.Share, error) {
	return engine.ReadAll(
		ctx, s.db.Reads, "share links", schema.Shares.Scan(), endedShares, taskID, collectionID, engine.Instant(now),
		engine.Instant(now.Add(-endedLately)), mostEnded,
	)
}

// BringBack makes a link work again that was turned off or has ended: until it would have
// ended, or for the usual time. It returns db.ErrFull like AddShare.
func (s *Links) BringBack(ctx context.Context, id int64, now time.Time) error {
	return engine.About(fmt.Sprintf("share link %d", id), s.db.WriteAsMaker(ctx, func(tx *engine.Tx) {
		before := engine.One(tx, schema.Shares.Scan(), shareByID, id)
		if !tx.OK() || before.Open(now) {
			return
		}
		after := before
		if after.RevokedAt = (time.Time{}); !now.Before(after.ExpiresAt) {
			after.ExpiresAt = now.AddDate(0, 0, gallery.UsualShareDays)
		}
		open := tx.Count(`
			SELECT 1 FROM shares WHERE (task_id = $1 OR collection_id = $2) AND story = $3 AND revoked_at IS NULL AND expires_at > $4`,
			before.TaskID, before.CollectionID, before.Story, engine.Instant(now))
		tx.Require(open < gallery.MaxShares, db.ErrFull)
		tx.Exec(`UPDATE shares SET revoked_at = NULL, expires_at = $1 WHERE id = $2`, engine.Instant(after.ExpiresAt), id)
		teamdb.Record(tx, audit.Entry{Action: audit.ShareBack, UserID: before.CreatedBy, What: shared(before), After: terms(after)})
	}))
}

// sealedAtOnce is how many links, or pictures, one transaction seals.
const sealedAtOnce = 500

// An unsealed link has its token in clear text, as earlier versions stored it.
type unsealed struct {
	id, maker int64
	token     string
	title     string
	prompt    string
}

func unsealedFields(u *unsealed) []any {
	return []any{&u.id, &u.maker, &u.token, &u.title, &u.prompt}
}

func unsealedShares(tx *engine.Tx, most int) []unsealed {
	return engine.All(tx, engine.ScanFields(unsealedFields), `
		SELECT s.id, s.created_by, n.token, s.title, coalesce(t.prompt, '')
		FROM unsealed_shares n JOIN shares s ON s.id = n.share_id LEFT JOIN tasks t ON t.id = s.task_id
		ORDER BY s.id LIMIT $1 + 0`, most)
}

// HashShares is part of a migration: it stores the hashes of the tokens that earlier
// versions stored in clear text, by which links are found now, and clears titles that
// reveal the prompt.
func HashShares(tx *engine.Tx) {
	for _, s := range unsealedShares(tx, -1) {
		if gallery.BeginsPrompt(s.title, s.prompt) {
			s.title = ""
		}
		tx.Exec(`UPDATE shares SET token = $1, title = $2 WHERE id = $3`,
			engine.Digest(secrets.HashToken(s.token)), s.title, s.id)
	}
}

// SealShares seals the tokens that earlier versions stored in clear text, and erases
// the clear text from the file. It may be stopped at any time and called again. Until
// then the links work but cannot be shown again.
func (s *Links) SealShares(ctx context.Context, vault *secrets.Vault) error {
	return engine.About("share links in the clear", sealInBatches(ctx, s.db, func(tx *engine.Tx) int { return sealSome(tx, vault) }))
}

// sealInBatches calls seal, which seals at most sealedAtOnce values and returns how many,
// until none are left, and then removes copies of what was in clear text.
func sealInBatches(ctx context.Context, d *teamdb.DB, seal func(*engine.Tx) int) error {
	for n := sealedAtOnce; n == sealedAtOnce; {
		if err := d.WriteErasing(ctx, func(tx *engine.Tx) { n = seal(tx) }); err != nil {
			return err
		}
	}
	return d.Scrub(ctx)
}

func sealSome(tx *engine.Tx, vault *secrets.Vault) int {
	shares := unsealedShares(tx, sealedAtOnce)
	for _, s := range shares {
		tx.Exec(`UPDATE shares SET sealed = $1 WHERE id = $2`, vault.SealToken(s.maker, s.token), s.id)
		tx.Exec(`DELETE FROM unsealed_shares WHERE share_id = $1`, s.id)
	}
	return len(shares)
}
