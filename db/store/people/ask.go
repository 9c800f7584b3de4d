package people

import (
	"context"
	"fmt"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

const askColumns = `
	a.id, a.user_id, u.name, u.email, a.month, a.credits, a.unpriced, a.sentence, a.created_at, a.answer, a.reason,
	coalesce(b.name, ''), a.answered_at, a.used_at, a.told_at
	FROM asks a JOIN users u ON u.id = a.user_id LEFT JOIN users b ON b.id = a.answered_by`

func askFields(a *spending.Ask) []any {
	return []any{&a.ID, &a.UserID, (*engine.Named)(&a.UserName), &a.UserEmail, &a.Month, (*engine.Amount)(&a.Credits), &a.Unpriced, &a.Sentence, (*engine.Instant)(&a.At), &a.Answer, &a.Reason,
		&a.AnsweredBy, (*engine.Instant)(&a.AnsweredAt), (*engine.Instant)(&a.UsedAt), (*engine.Instant)(&a.ToldAt)}
}

// AddAsk adds a person's request to spend more than their limit, and sets its ID and
// its month. It returns db.ErrConflict while an earlier request of theirs is
// unanswered. One for practice credits ends when they ask for real ones, and the other way
// round.
func (s *Limits) AddAsk(ctx context.Context, a *spending.Ask) error {
	return engine.About("ask of "+engine.User(a.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		a.Month = s.db.Month(tx, a.At)
		tx.Exec(`DELETE FROM asks WHERE user_id = $1 AND answer = '' AND `+kit.Apart, a.UserID)
		tx.Insert(&a.ID, `
			INSERT INTO asks (user_id, month, credits, unpriced, sentence, created_at, service_id) VALUES ($1, $2, $3, $4, $5, $6, `+kit.CurrentService+`) RETURNING id`,
			a.UserID, a.Month, engine.Amount(a.Credits), a.Unpriced, a.Sentence, engine.Instant(a.At))
		mail := outbox.NewMail(outbox.MailAsked, 0, a.At)
		mail.Details.By = engine.Value[string](tx, `SELECT name FROM users WHERE id = $1`, a.UserID)
		mail.Details.Credits, mail.Details.Sentence = a.Credits, a.Sentence
		kit.PutMailToAdmins(tx, mail)
		concerned := engine.All(tx, engine.ScanValue[int64], `SELECT id FROM users WHERE (role = 'admin' OR id = $1) AND deactivated_at IS NULL`, a.UserID)
		kit.PutDeliveries(tx, outbox.Delivery{Event: outbox.LimitAsked, AskID: a.ID, CreatedAt: a.At}, concerned, true)
		kit.Record(tx, audit.Entry{Action: audit.LimitAsked, UserID: a.UserID, After: fmt.Sprintf("%s credits", db.CreditsOf(a.Credits))})
	}))
}

// Ask returns the request with the ID.
func (s *Limits) Ask(ctx context.Context, id int64) (spending.Ask, error) {
	return engine.ReadOne(ctx, s.db.Reads, ask(id), engine.ScanFields(askFields), `SELECT `+askColumns+` WHERE a.id = $1`, id)
}

// OpenAsks returns the unanswered requests for such credits as count now, the oldest first.
func (s *Limits) OpenAsks(ctx context.Context, limit int) ([]spending.Ask, error) {
	return engine.ReadAll(ctx, s.db.Reads, "open asks", engine.ScanFields(askFields), `
		SELECT `+askColumns+`
		WHERE a.answer = '' AND u.deactivated_at IS NULL AND `+kit.Counted+` ORDER BY a.id LIMIT $1 + 0`, limit)
}

// Asks returns the requests of the person, or of everybody if userID is 0, for such
// credits as count now, the newest first.
func (s *Limits) Asks(ctx context.Context, userID int64, limit int) ([]spending.Ask, error) {
	return engine.ReadAll(ctx, s.db.Reads, "asks", engine.ScanFields(askFields), `
		SELECT `+askColumns+`
		WHERE ($1 = 0 OR a.user_id = $1) AND `+kit.Counted+` ORDER BY a.id DESC LIMIT $2 + 0`, userID, limit)
}

// UntoldAsk returns the latest answered request whose answer the person has not seen
// yet, or db.ErrNotFound.
func (s *Limits) UntoldAsk(ctx context.Context, userID int64) (spending.Ask, error) {
	return engine.ReadOne(ctx, s.db.Reads, "answer for "+engine.User(userID), engine.ScanFields(askFields), `
		SELECT `+askColumns+`
		WHERE a.user_id = $1 AND a.answer <> '' AND a.told_at IS NULL ORDER BY a.id DESC LIMIT 1`, userID)
}

// AnswerAsk answers the request and returns it. The amount granted, more, may differ
// from the amount requested. It returns db.ErrConflict, with the request and its answer, if
// it was answered already, or is not for such credits as count now.
func (s *Limits) AnswerAsk(ctx context.Context, id int64, answer spending.Answer, more float64, reason string, by int64, at time.Time) (spending.Ask, error) {
	var a spending.Ask
	err := s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		a = engine.One(tx, engine.ScanFields(askFields), `SELECT `+askColumns+` WHERE a.id = $1`, id)
		month := s.db.Month(tx, at)
		kit.LockPurses(tx, a.UserID)
		before := kit.Room(tx, a.UserID, month)
		tx.ExecOr(db.ErrConflict, `
			UPDATE asks SET answer = $1, credits = $2, reason = $3, answered_by = $4, answered_at = $5, month = $6 WHERE id = $7 AND answer = '' AND `+kit.Counted,
			answer, engine.Amount(more), reason, by, engine.Instant(at), month, id)
		if tx.OK() && answer == spending.Always && !a.Unpriced && before.Limit.Known {
			l := limit(tx, a.UserID)
			raised := spending.Limit{Allowance: spending.Own, Credits: l.In(limits(tx).Default).Amount + more}
			setLimit(tx, a.UserID, raised)
		}
		asked, answered := fmt.Sprintf("%s credits", db.CreditsOf(a.Credits)), string(answer)
		if answer != spending.No {
			answered = fmt.Sprintf("%s credits, %s", db.CreditsOf(more), answer)
		}
		kit.Record(tx, audit.Entry{Action: audit.LimitAnswer, UserID: a.UserID, Before: asked, After: answered})
		if !tx.OK() {
			return
		}
		a = engine.One(tx, engine.ScanFields(askFields), `SELECT `+askColumns+` WHERE a.id = $1`, id)
		mail := outbox.NewMail(outbox.MailAnswered, a.UserID, at)
		mail.Details = outbox.MailDetails{By: a.AnsweredBy, Credits: more, Sentence: reason, Answer: string(answer)}
		kit.PutMail(tx, mail)
	})
	return a, engine.About(ask(id), err)
}

// ToldAsk records that the person has seen all answers so far.
func (s *Limits) ToldAsk(ctx context.Context, userID int64, at time.Time) error {
	_, err := s.db.Writes.ExecContext(ctx, `UPDATE asks SET told_at = $1 WHERE user_id = $2 AND answer <> '' AND told_at IS NULL`, engine.Instant(at), userID)
	return engine.About("answers for "+engine.User(userID), err)
}

func ask(id int64) string { return fmt.Sprintf("ask %d", id) }
