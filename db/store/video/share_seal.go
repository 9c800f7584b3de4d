package video

import (
	"context"

	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

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
func sealInBatches(ctx context.Context, d *kit.DB, seal func(*engine.Tx) int) error {
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
