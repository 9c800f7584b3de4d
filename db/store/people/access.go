package people

import (
	"context"
	"fmt"
	"time"

	"dailies/db/audit"
	"dailies/db/program"
	"dailies/db/signin"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/store/schema"
)

// endAccess ends what schema.Accesses says for the person, except for the session keepID. It
// records in the audit which tokens and webhooks end.
func endAccess(tx *engine.Tx, e schema.Ending, userID, keepID int64, now time.Time) signin.Ended {
	tokens, hooks := liveTokens(tx, userID, now), hooksOf(tx, userID)
	counts := map[string]int{}
	for c := range schema.Closings(e, true) {
		counts[c.Table] = runClosing(tx, c, userID, keepID, now)
	}
	ended := signin.Ended{Sessions: counts["sessions"]}
	if _, closes := counts["programs"]; tx.OK() && closes {
		ended.Tokens = len(tokens)
		for _, t := range tokens {
			kit.Record(tx, audit.Entry{Action: audit.ProgramEnded, UserID: userID, What: t.Name, After: string(e)})
		}
	}
	if _, closes := counts["webhooks"]; tx.OK() && closes {
		ended.Webhooks = len(hooks)
		for _, h := range hooks {
			kit.Record(tx, audit.Entry{Action: audit.WebhookDeleted, UserID: userID, What: whose(h), Before: h.Host()})
		}
	}
	return ended
}

// runClosing runs the statement and counts the rows that still opened something.
func runClosing(tx *engine.Tx, c schema.Closing, userID, keepID int64, now time.Time) (open int) {
	var args []any
	if c.Timed {
		args = append(args, engine.Instant(now))
	}
	if c.Person {
		args = append(args, userID)
	}
	if c.Spares {
		args = append(args, keepID)
	}
	for _, was := range engine.All(tx.About(c.Table), engine.ScanValue[bool], c.SQL, args...) {
		if was {
			open++
		}
	}
	return open
}

// recordSessionsEnded records that so many browsers of the person were signed out: those
// that signed in by the method, if it is not empty.
func recordSessionsEnded(tx *engine.Tx, userID int64, ended int, began signin.Method) {
	if !tx.OK() || ended == 0 {
		return
	}
	what := fmt.Sprintf("all other browsers: %d", ended)
	if began != "" {
		what = fmt.Sprintf("other browsers that signed in by %s: %d", began, ended)
	}
	kit.Record(tx, audit.Entry{Action: audit.SessionEnded, UserID: userID, What: what})
}

// liveTokens returns the person's tokens that have not ended, with no more than their IDs
// and names.
func liveTokens(tx *engine.Tx, userID int64, now time.Time) []program.Token {
	return engine.All(tx, engine.ScanFields(func(t *program.Token) []any { return []any{&t.ID, (*engine.Named)(&t.Name)} }), `
		SELECT id, name FROM programs WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $2 ORDER BY id`, userID, engine.Instant(now))
}

// SignOutEverywhere ends, by an admin, all of the person's sessions except keepID, which is
// the admin's own, and their tokens and webhooks.
func (s *Sessions) SignOutEverywhere(ctx context.Context, userID, keepID int64, now time.Time) (ended signin.Ended, err error) {
	err = s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		kit.Account(tx, userID)
		ended = endAccess(tx, schema.SignOutEverywhere, userID, keepID, now)
		recordSessionsEnded(tx, userID, ended.Sessions, "")
	})
	return ended, engine.About("access of "+engine.User(userID), err)
}
