package people

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/outbox"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/schema"
	"dailies/db/store/teamdb"
)

// Limits stores what may be spent, what was spent of it, and requests for more.
type Limits struct {
	db *teamdb.DB
}

// OfTeam returns the spending limits of the team.
func (s *Limits) OfTeam(ctx context.Context) (spending.Limits, error) {
	return engine.Read(ctx, s.db, "limits", func(tx *engine.Tx) spending.Limits { return limits(tx) })
}

func limits(tx *engine.Tx) (l spending.Limits) {
	standard := teamdb.Setting(tx, teamdb.LimitSetting)
	unpriced := teamdb.Setting(tx, teamdb.UnpricedSetting)
	whole := limit(tx, teamdb.TeamPurse)
	l.Default, l.ApproveUnpriced, l.Team = teamdb.LimitOf(standard), unpriced == "ask", whole.In(db.Credits{})
	return l
}

// SetOfTeam changes the spending limits of the team.
func (s *Limits) SetOfTeam(ctx context.Context, l spending.Limits) error {
	return engine.About("limits", s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		teamdb.LockPurses(tx, teamdb.TeamPurse)
		before := limits(tx)
		if !tx.OK() || before == l {
			return
		}
		standard, unpriced, whole := "", "allow", spending.None
		if l.Default.Known {
			standard = strconv.FormatInt(thousandths(l.Default.Amount), 10)
		}
		if l.ApproveUnpriced {
			unpriced = "ask"
		}
		if l.Team.Known {
			whole = spending.Own
		}
		teamdb.PutSetting(tx, teamdb.LimitSetting, standard)
		teamdb.PutSetting(tx, teamdb.UnpricedSetting, unpriced)
		putLimit(tx, teamdb.TeamPurse, spending.Limit{Allowance: whole, Credits: l.Team.Amount})
		teamdb.Record(tx, audit.Entry{Action: audit.LimitChanged, What: "limits of the team", Before: before.String(), After: l.String()})
	}))
}

// Limit returns the person's spending limit.
func (s *Limits) Limit(ctx context.Context, userID int64) (spending.Limit, error) {
	return engine.Read(ctx, s.db, "limit of "+engine.User(userID), func(tx *engine.Tx) spending.Limit { return limit(tx, userID) })
}

func limit(tx *engine.Tx, userID int64) (l spending.Limit) {
	if !tx.Row(`SELECT allowance, credits FROM purses WHERE user_id = $1`, userID).Find(&l.Allowance, (*engine.Amount)(&l.Credits)) {
		return spending.Limit{Allowance: spending.Default}
	}
	return l
}

func putLimit(tx *engine.Tx, userID int64, l spending.Limit) {
	tx.Exec(`
		INSERT INTO purses (user_id, allowance, credits) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO UPDATE SET allowance = excluded.allowance, credits = excluded.credits`, userID, l.Allowance,
		engine.Amount(l.Credits))
}

// SetLimit changes the person's spending limit, and ends what an admin had allowed them
// beyond the old one.
func (s *Limits) SetLimit(ctx context.Context, userID int64, l spending.Limit) error {
	return engine.About("limit of "+engine.User(userID), s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		setLimit(tx, userID, l)
		month := s.db.Month(tx, s.db.Now())
		ended := tx.Exec(`
			UPDATE asks SET ended_at = $1
			WHERE user_id = $2 AND ended_at IS NULL AND (answer = 'always' AND unpriced = 1 OR month >= $3 AND answer IN ('once', 'month') AND used_at IS NULL)`,
			engine.Instant(s.db.Now()), userID, month)
		// Permissions that were used end too, so that video.giveBackOnce does not restore
		// them if the service rejects the videos.
		tx.Exec(`UPDATE asks SET ended_at = $1 WHERE user_id = $2 AND ended_at IS NULL AND used_at IS NOT NULL`,
			engine.Instant(s.db.Now()), userID)
		if tx.OK() && ended > 0 {
			teamdb.Record(tx, audit.Entry{Action: audit.LimitChanged, UserID: userID,
				What: "what was allowed beyond the limit", After: "taken back"})
		}
	}))
}

func setLimit(tx *engine.Tx, userID int64, l spending.Limit) {
	tx.ExecOr(db.ErrNotFound, `UPDATE users SET role = role WHERE id = $1`, userID)
	teamdb.LockPurses(tx, userID)
	before := limit(tx, userID)
	if !tx.OK() || before == l {
		return
	}
	putLimit(tx, userID, l)
	teamdb.Record(tx, audit.Entry{Action: audit.LimitChanged, UserID: userID, What: "limit", Before: before.String(), After: l.String()})
}

// SetOwnLimit sets the lower limit that the person wants for themselves; an unknown
// amount removes it.
func (s *Limits) SetOwnLimit(ctx context.Context, userID int64, self db.Credits) error {
	return engine.About("limit of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		teamdb.LockPurses(tx, userID)
		var before db.Credits
		tx.Row(`SELECT self FROM purses WHERE user_id = $1`, userID).Scan((*engine.Credits)(&before))
		if !tx.OK() || before == self {
			return
		}
		tx.Exec(`UPDATE purses SET self = $1 WHERE user_id = $2`, engine.Credits(self), userID)
		teamdb.Record(tx, audit.Entry{Action: audit.LimitChanged, UserID: userID, What: "own lower limit",
			Before: spending.Words(before), After: spending.Words(self)})
	}))
}

func thousandths(credits float64) int64 {
	v, _ := engine.Amount(credits).Value()
	return v.(int64)
}

var creditRequests = `
	SELECT ` + schema.CreditRequests.Columns + `
	FROM asks a JOIN users u ON u.id = a.user_id LEFT JOIN users b ON b.id = a.answered_by `

var addedCreditRequest = schema.CreditRequests.Part(schema.Added)

// AddCreditRequest adds a person's request to spend more than their limit, and sets its ID and
// its month. It returns db.ErrConflict while an earlier request of theirs is
// unanswered. One for practice credits ends when they ask for real ones, and the other way
// round.
func (s *Limits) AddCreditRequest(ctx context.Context, a *spending.CreditRequest) error {
	return engine.About("ask of "+engine.User(a.UserID), s.db.Write(ctx, func(tx *engine.Tx) {
		a.Month = s.db.Month(tx, a.At)
		tx.Exec(`DELETE FROM asks WHERE user_id = $1 AND answer = '' AND `+schema.OtherCredits, a.UserID)
		tx.Insert(&a.ID, `
			INSERT INTO asks (service_id, `+addedCreditRequest.Names+`)
			VALUES (`+schema.CurrentService+`, `+addedCreditRequest.Places(1)+`) RETURNING id`,
			addedCreditRequest.Values(a)...)
		mail := outbox.NewMail(outbox.MailAsked, 0, a.At)
		mail.Details.By = engine.Value[string](tx, `SELECT name FROM users WHERE id = $1`, a.UserID)
		mail.Details.Credits, mail.Details.Sentence = a.Credits, a.Sentence
		teamdb.PutMailToAdmins(tx, mail)
		concerned := engine.All(tx, engine.ScanValue[int64],
			`SELECT id FROM users WHERE (role = 'admin' OR id = $1) AND deactivated_at IS NULL`, a.UserID)
		teamdb.PutDeliveries(tx, outbox.Delivery{Event: outbox.LimitAsked, CreditRequestID: a.ID, CreatedAt: a.At}, concerned, true)
		teamdb.Record(tx, audit.Entry{
			Action: audit.LimitAsked, UserID: a.UserID, After: fmt.Sprintf("%s credits", db.CreditsOf(a.Credits)),
		})
	}))
}

// CreditRequest returns the request with the ID.
func (s *Limits) CreditRequest(ctx context.Context, id int64) (spending.CreditRequest, error) {
	return engine.ReadOne(ctx, s.db.Reads, creditRequest(id), schema.CreditRequests.Scan(), creditRequests+`WHERE a.id = $1`, id)
}

var openCreditRequests = creditRequests + `
	WHERE a.answer = '' AND u.deactivated_at IS NULL AND ` + schema.Counted + ` ORDER BY a.id LIMIT $1 + 0`

// OpenCreditRequests returns the unanswered requests for such credits as count now, the oldest first.
func (s *Limits) OpenCreditRequests(ctx context.Context, limit int) ([]spending.CreditRequest, error) {
	return engine.ReadAll(ctx, s.db.Reads, "open asks", schema.CreditRequests.Scan(), openCreditRequests, limit)
}

var creditRequestsOf = creditRequests + `
	WHERE ($1 = 0 OR a.user_id = $1) AND ` + schema.Counted + ` ORDER BY a.id DESC LIMIT $2 + 0`

// CreditRequests returns the requests of the person, or of everybody if userID is 0, for such
// credits as count now, the newest first.
func (s *Limits) CreditRequests(ctx context.Context, userID int64, limit int) ([]spending.CreditRequest, error) {
	return engine.ReadAll(ctx, s.db.Reads, "asks", schema.CreditRequests.Scan(), creditRequestsOf, userID, limit)
}

// UnseenAnswer returns the latest answered request whose answer the person has not seen
// yet, or db.ErrNotFound.
func (s *Limits) UnseenAnswer(ctx context.Context, userID int64) (spending.CreditRequest, error) {
	return engine.ReadOne(ctx, s.db.Reads, "answer for "+engine.User(userID), schema.CreditRequests.Scan(), creditRequests+`
		WHERE a.user_id = $1 AND a.answer <> '' AND a.told_at IS NULL ORDER BY a.id DESC LIMIT 1`, userID)
}

// AnswerCreditRequest answers the request and returns it. The amount granted, more, may differ
// from the amount requested. It returns db.ErrConflict, with the request and its answer, if
// it was answered already, or is not for such credits as count now.
func (s *Limits) AnswerCreditRequest(ctx context.Context, id int64, answer spending.Answer, more float64, reason string,
	by int64, at time.Time) (spending.CreditRequest, error) {
	var a spending.CreditRequest
	err := s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		a = engine.One(tx, schema.CreditRequests.Scan(), creditRequests+`WHERE a.id = $1`, id)
		month := s.db.Month(tx, at)
		teamdb.LockPurses(tx, a.UserID)
		before := teamdb.Budget(tx, a.UserID, month)
		tx.ExecOr(db.ErrConflict, `
			UPDATE asks SET answer = $1, credits = $2, reason = $3, answered_by = $4, answered_at = $5, month = $6 WHERE id = $7 AND answer = '' AND `+schema.Counted,
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
		teamdb.Record(tx, audit.Entry{Action: audit.LimitAnswer, UserID: a.UserID, Before: asked, After: answered})
		if !tx.OK() {
			return
		}
		a = engine.One(tx, schema.CreditRequests.Scan(), creditRequests+`WHERE a.id = $1`, id)
		mail := outbox.NewMail(outbox.MailAnswered, a.UserID, at)
		mail.Details = outbox.MailDetails{By: a.AnsweredBy, Credits: more, Sentence: reason, Answer: string(answer)}
		teamdb.PutMail(tx, mail)
	})
	return a, engine.About(creditRequest(id), err)
}

// SeeAnswers records that the person has seen all answers so far.
func (s *Limits) SeeAnswers(ctx context.Context, userID int64, at time.Time) error {
	_, err := s.db.Writes.ExecContext(ctx, `UPDATE asks SET told_at = $1 WHERE user_id = $2 AND answer <> '' AND told_at IS NULL`,
		engine.Instant(at), userID)
	return engine.About("answers for "+engine.User(userID), err)
}

func creditRequest(id int64) string { return fmt.Sprintf("ask %d", id) }
