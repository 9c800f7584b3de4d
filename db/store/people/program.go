package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/program"
	"dailies/db/secrets"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Programs stores the tokens of people's own programs, and the requests with which these
// have made videos.
type Programs struct {
	db *teamdb.DB
}

var addedProgram = schema.Programs.Part(schema.Added)

// Add stores the token and sets its ID. It returns db.ErrFull if the person has
// program.MaxTokens that work, and db.ErrNotFound if the account is closed.
func (s *Programs) Add(ctx context.Context, t *program.Token) error {
	return engine.About("token of "+engine.User(t.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		teamdb.StillAllowed(tx, t.UserID, db.User.IsActive)
		working := tx.Count(`SELECT 1 FROM programs WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $2`,
			t.UserID, engine.Instant(t.CreatedAt))
		tx.Require(working < program.MaxTokens, db.ErrFull)
		limit := t.Cap.Amount
		if !t.Cap.Known {
			limit = program.MaxCap // what the previous version reads
		}
		tx.Insert(&t.ID, `
			INSERT INTO programs (cap, uncapped, used_from, `+addedProgram.Names+`) VALUES ($1, $2, '', `+addedProgram.Places(3)+`)
			RETURNING id`,
			addedProgram.Values(t, engine.Amount(limit), !t.Cap.Known)...)
		teamdb.Record(teamdb.AsUser(tx, t.UserID), audit.Entry{
			Action: audit.ProgramMade, UserID: t.UserID, What: t.Name, After: rights(*t),
		})
	}))
}

// rights says what a token may do, for the audit.
func rights(t program.Token) string {
	if !t.Cap.Known {
		return fmt.Sprintf("may %s, no limit of its own, until %s", t.May, t.EndsAt.UTC().Format("2006-01-02"))
	}
	return fmt.Sprintf("may %s, at most %s credits a month, until %s", t.May, t.Cap, t.EndsAt.UTC().Format("2006-01-02"))
}

var programsOf = `
	SELECT ` + schema.Programs.Columns + ` FROM programs p JOIN users u ON u.id = p.user_id
	WHERE ($2 = 0 OR p.user_id = $2) AND p.ends_at > $3 AND p.ended_at IS NULL
	ORDER BY p.id DESC LIMIT $4 + 0`

// Of returns the tokens of the person, or of everybody if userID is 0, with what they have
// spent this month. Those that have ended are left out. The newest come first.
func (s *Programs) Of(ctx context.Context, userID int64, now time.Time, limit int) ([]program.Token, error) {
	return engine.Read(ctx, s.db, "tokens", func(tx *engine.Tx) []program.Token {
		return engine.All(tx, schema.Programs.Scan(), programsOf, s.db.Month(tx, now), userID, engine.Instant(now), limit)
	})
}

// Find returns the token with the hash and its owner. It returns db.ErrNotFound if there
// is none, if it has ended, if the owner's account is closed, and while the company's
// sign-in gives the owner no role.
func (s *Programs) Find(ctx context.Context, hash secrets.TokenHash, now time.Time) (program.Token, db.User, error) {
	return s.find(ctx, now, programByToken, engine.Digest(hash))
}

// FindByID is like Find, for the token with the ID.
func (s *Programs) FindByID(ctx context.Context, id int64, now time.Time) (program.Token, db.User, error) {
	return s.find(ctx, now, programByID, id)
}

var (
	programs       = `SELECT ` + schema.Programs.Columns + ` FROM programs p JOIN users u ON u.id = p.user_id WHERE `
	programByToken = programs + `p.token = $2`
	programByID    = programs + `p.id = $2`
)

// find returns the token that the query selects with the value.
func (s *Programs) find(ctx context.Context, now time.Time, query string, value any) (t program.Token, owner db.User, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		t = engine.One(tx, schema.Programs.Scan(), query, s.db.Month(tx, now), value)
		if !tx.OK() {
			return
		}
		owner = teamdb.Account(tx, t.UserID)
		tx.Require(t.Works(now) && owner.IsActive(), db.ErrNotFound)
	})
	return t, owner, engine.About("token", err)
}

// Used records that the token was used.
func (s *Programs) Used(ctx context.Context, id int64, from string, now time.Time) error {
	_, err := s.db.Exec(ctx, `UPDATE programs SET used_at = $1, used_from = $2 WHERE id = $3`, engine.Instant(now), from, id)
	return engine.About(tokenName(id), err)
}

func tokenName(id int64) string { return fmt.Sprintf("token %d", id) }

// End ends the token of the person or, if userID is 0, which is for admins, of anybody. A
// token that has ended stays so. It returns db.ErrNotFound if there is none.
func (s *Programs) End(ctx context.Context, id, userID int64, now time.Time) error {
	write := s.db.Write
	if userID == 0 {
		write = s.db.WriteAsAdmin
	}
	return engine.About(tokenName(id), write(ctx, func(tx *engine.Tx) {
		t := s.token(tx, id, userID, now)
		if !tx.OK() || t.IsOver(now) {
			return
		}
		tx.Exec(`UPDATE programs SET ended_at = $1 WHERE id = $2`, engine.Instant(now), id)
		teamdb.Record(tx, audit.Entry{Action: audit.ProgramEnded, UserID: t.UserID, What: t.Name})
	}))
}

// EndAll ends, by an admin, all tokens of the person, and returns how many these were.
func (s *Programs) EndAll(ctx context.Context, userID int64, now time.Time) (ended int, err error) {
	err = s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		teamdb.Account(tx, userID)
		tokens := liveTokens(tx, userID, now)
		tx.Exec(`UPDATE programs SET ended_at = $1 WHERE user_id = $2 AND ended_at IS NULL`, engine.Instant(now), userID)
		for _, t := range tokens {
			teamdb.Record(tx, audit.Entry{Action: audit.ProgramEnded, UserID: userID, What: t.Name})
		}
		ended = len(tokens)
	})
	return ended, engine.About("tokens of "+engine.User(userID), err)
}

// Connected counts the person's tokens that have not ended, and their webhooks.
func (s *Programs) Connected(ctx context.Context, userID int64, now time.Time) (tokens, webhooks int, err error) {
	look := s.db.Reading(ctx)
	look.Row(`
		SELECT (SELECT count(*) FROM programs WHERE user_id = $1 AND ended_at IS NULL AND ends_at > $2), (SELECT count(*) FROM webhooks WHERE user_id = $1)`,
		userID, engine.Instant(now)).Scan(&tokens, &webhooks)
	return tokens, webhooks, engine.About("programs of "+engine.User(userID), look.Err())
}

// Continue lets the person's token make videos again after a charge that was higher than
// its quote. It returns db.ErrNotFound if there is no such token.
func (s *Programs) Continue(ctx context.Context, id, userID int64, now time.Time) error {
	return engine.About(tokenName(id), s.db.Write(ctx, func(tx *engine.Tx) {
		t := s.token(tx, id, userID, now)
		if !tx.OK() || t.StoppedAt.IsZero() {
			return
		}
		tx.Exec(`UPDATE programs SET stopped_at = NULL WHERE id = $1`, id)
		teamdb.Record(tx, audit.Entry{Action: audit.ProgramContinued, UserID: t.UserID, What: t.Name})
	}))
}

func (s *Programs) token(tx *engine.Tx, id, userID int64, now time.Time) program.Token {
	return engine.One(tx, schema.Programs.Scan(), `
		SELECT `+schema.Programs.Columns+` FROM programs p JOIN users u ON u.id = p.user_id
		WHERE p.id = $2 AND ($3 = 0 OR p.user_id = $3)`, s.db.Month(tx, now), id, userID)
}

// Begin checks, in the transaction of the order, that the token may still make videos and
// that the key is new. The caller has locked the person's purse.
func (s *Programs) Begin(tx *engine.Tx, o program.Order, now time.Time) {
	t := s.token(tx, o.Token, o.UserID, now)
	tx.Require(t.Works(now) && t.May.Includes(program.Make), program.ErrEnded)
	tx.Require(t.StoppedAt.IsZero(), program.ErrStopped)
	if o.Key != "" {
		tx.Require(tx.Count(`SELECT 1 FROM program_requests WHERE user_id = $1 AND key = $2`, o.UserID, o.Key) == 0, program.ErrUsedKey)
	}
}

var addedRequest = schema.ProgramRequests.Part(schema.Added)

// Finish records what the order has added, and checks that it fits into the token's cap.
func (s *Programs) Finish(tx *engine.Tx, o program.Order, added []db.Task, now time.Time) {
	if len(added) == 0 {
		return
	}
	month := s.db.Month(tx, added[0].CreatedAt)
	for _, t := range added {
		expected := t.Quoted.Amount
		if !t.Quoted.Known {
			expected = o.Most
		}
		tx.Exec(`
			INSERT INTO program_tasks (program_id, month, task_id, any_price, expected) VALUES ($1, $2, $3, $4, $5)`,
			o.Token, month, t.ID, o.AnyPrice, engine.Amount(expected))
	}
	s.fits(tx, o, added, month)
	if o.Key == "" {
		return
	}
	r := o.Request
	r.TaskID, r.Count, r.CreatedAt = added[0].ID, len(added), now
	tx.Exec(`
		INSERT INTO program_requests (status, answer, `+addedRequest.Names+`) VALUES (0, '', `+addedRequest.Places(1)+`)`,
		addedRequest.Values(&r)...)
}

// fits checks that what the token has spent in the month, with the new tasks, is within
// its cap, if it has one. For tasks whose price is not known, something has to be left of it.
func (s *Programs) fits(tx *engine.Tx, o program.Order, added []db.Task, month spending.Month) {
	var name string
	var limit, spent engine.Amount
	var uncapped bool
	tx.Row(`SELECT p.name, p.cap, p.uncapped, `+schema.ProgramSpent+` FROM programs p WHERE p.id = $2`,
		month, o.Token).Scan((*engine.Named)(&name), &limit, &uncapped, &spent)
	unpriced := slices.ContainsFunc(added, func(t db.Task) bool { return !t.Quoted.Known })
	tx.Require(uncapped || spent < limit || spent == limit && !unpriced, program.CapError{Token: name})
}

// Request returns the person's request with the key.
func (s *Programs) Request(ctx context.Context, userID int64, key string) (program.Request, error) {
	return engine.ReadOne(ctx, s.db.Reads, "request of "+engine.User(userID), schema.ProgramRequests.Scan(),
		`SELECT `+schema.ProgramRequests.Columns+` FROM program_requests WHERE user_id = $1 AND key = $2`, userID, key)
}

// Answered stores the answer to the person's request with the key, unless it has one.
func (s *Programs) Answered(ctx context.Context, userID int64, key string, status int, answer []byte) error {
	_, err := s.db.Exec(ctx, `
		UPDATE program_requests SET status = $1, answer = $2 WHERE user_id = $3 AND key = $4 AND status = 0`, status, string(answer),
		userID, key)
	return engine.About("request of "+engine.User(userID), err)
}

// Sweep deletes requests and tokens that nobody needs any more.
func (s *Programs) Sweep(ctx context.Context, now time.Time) error {
	before := engine.Instant(now.AddDate(0, 0, -program.KeptDays))
	return engine.About("requests of programs", errors.Join(
		s.db.ExecInBatches(ctx, `
			DELETE FROM program_requests WHERE (user_id, key) IN (
				SELECT user_id, key FROM program_requests WHERE created_at <= $1 ORDER BY created_at LIMIT $2 + 0)`, before,
			engine.BatchSize),
		s.db.ExecInBatches(ctx, `
			DELETE FROM programs WHERE id IN (
				SELECT id FROM programs WHERE coalesce(ended_at, ends_at) <= $1 LIMIT $2 + 0)`, before, engine.BatchSize),
	))
}
