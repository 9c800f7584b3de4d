package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/engine"
)

// AddTyped stores a typed form under the token, in place of an earlier one. It deletes
// forms older than ordering.TypedLife, then the oldest ones of the typist's owner beyond
// ordering.MaxTypedOfOne, and, if all forms of known browsers or those of strangers are too
// large, the oldest ones of the owner that has most.
func (s *Settings) AddTyped(ctx context.Context, token secrets.TokenHash, by ordering.Typist, t ordering.Typed) error {
	return engine.About("typed form", s.db.Write(ctx, func(tx *engine.Tx) {
		sweepTyped(tx, t.At)
		tx.Exec(`
			INSERT INTO typed (token, at, form, browser, counts_for, known, size) VALUES ($1, $2, $3, $4, $5, $6, $7)
			ON CONFLICT (token) DO UPDATE SET at = excluded.at, form = excluded.form, browser = excluded.browser,
				counts_for = excluded.counts_for, known = excluded.known, size = excluded.size`,
			engine.Digest(token), engine.Instant(t.At), engine.AsJSON(&t), engine.Digest(by.Browser), engine.Digest(by.Owner), by.Known, t.Size())
		tx.Exec(`
			DELETE FROM typed WHERE token IN (
				SELECT token FROM (
					SELECT token, sum(size) OVER (ORDER BY CASE WHEN token = $1 THEN 0 ELSE 1 END, at DESC, token) AS newer
					FROM typed WHERE known = $2 AND counts_for = $3
				) sizes WHERE newer > $4)`,
			engine.Digest(token), by.Known, engine.Digest(by.Owner), ordering.MaxTypedOfOne)
		shrinkTyped(tx, by.Known)
	}))
}

// shrinkTyped deletes forms until all of known browsers, or all of strangers, are within
// their limit.
func shrinkTyped(tx *engine.Tx, known bool) {
	for {
		total := engine.Value[int](tx, `SELECT coalesce(sum(size), 0) FROM typed WHERE known = $1`, known)
		if !tx.OK() || total <= ordering.MaxTypedOf(known) {
			return
		}
		tx.ExecOr(db.ErrNotFound, `
			DELETE FROM typed WHERE token = (
				SELECT token FROM typed WHERE known = $1 AND counts_for = (
					SELECT counts_for FROM typed WHERE known = $1 GROUP BY counts_for ORDER BY sum(size) DESC, counts_for LIMIT 1)
				ORDER BY at, token LIMIT 1)`, known)
	}
}

func sweepTyped(tx *engine.Tx, now time.Time) {
	tx.Exec(`DELETE FROM typed WHERE at <= $1`, engine.Instant(now.Add(-ordering.TypedLife)))
}

// Typed returns the form that is stored under one of the tokens, the newest if there are
// several.
func (s *Settings) Typed(ctx context.Context, tokens [2]secrets.TokenHash) (ordering.Typed, error) {
	var t ordering.Typed
	err := s.db.Reads.QueryRowContext(ctx, `SELECT form FROM typed WHERE token IN ($1, $2) ORDER BY at DESC LIMIT 1`,
		engine.Digest(tokens[0]), engine.Digest(tokens[1])).Scan(engine.AsJSON(&t))
	return t, engine.About("typed form", err)
}

// DropTyped deletes the forms that are stored under the tokens, and reports whether the
// browser has others.
func (s *Settings) DropTyped(ctx context.Context, tokens [2]secrets.TokenHash, browser secrets.TokenHash) (others bool, err error) {
	err = s.db.Write(ctx, func(tx *engine.Tx) {
		tx.Exec(`DELETE FROM typed WHERE token IN ($1, $2)`, engine.Digest(tokens[0]), engine.Digest(tokens[1]))
		others = engine.Value[bool](tx, `SELECT EXISTS (SELECT 1 FROM typed WHERE browser = $1)`, engine.Digest(browser))
	})
	return others, engine.About("typed form", err)
}
