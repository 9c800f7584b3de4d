package people

import (
	"context"
	"strconv"

	"dailies/db"
	"dailies/db/audit"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Limits stores what may be spent, what was spent of it, and requests for more.
type Limits struct {
	db *kit.DB
}

// OfTeam returns the spending limits of the team.
func (s *Limits) OfTeam(ctx context.Context) (spending.Limits, error) {
	return engine.Read(ctx, s.db, "limits", func(tx *engine.Tx) spending.Limits { return limits(tx) })
}

func limits(tx *engine.Tx) (l spending.Limits) {
	standard := kit.Setting(tx, kit.LimitSetting)
	unpriced := kit.Setting(tx, kit.UnpricedSetting)
	whole := limit(tx, kit.TeamPurse)
	l.Default, l.AskUnpriced, l.Team = kit.LimitOf(standard), unpriced == "ask", whole.In(db.Credits{})
	return l
}

// SetOfTeam changes the spending limits of the team.
func (s *Limits) SetOfTeam(ctx context.Context, l spending.Limits) error {
	return engine.About("limits", s.db.WriteAsAdmin(ctx, func(tx *engine.Tx) {
		kit.LockPurses(tx, kit.TeamPurse)
		before := limits(tx)
		if !tx.OK() || before == l {
			return
		}
		standard, unpriced, whole := "", "allow", spending.None
		if l.Default.Known {
			standard = strconv.FormatInt(thousandths(l.Default.Amount), 10)
		}
		if l.AskUnpriced {
			unpriced = "ask"
		}
		if l.Team.Known {
			whole = spending.Own
		}
		kit.PutSetting(tx, kit.LimitSetting, standard)
		kit.PutSetting(tx, kit.UnpricedSetting, unpriced)
		putLimit(tx, kit.TeamPurse, spending.Limit{Allowance: whole, Credits: l.Team.Amount})
		kit.Record(tx, audit.Entry{Action: audit.LimitChanged, What: "limits of the team", Before: before.String(), After: l.String()})
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
		ON CONFLICT (user_id) DO UPDATE SET allowance = excluded.allowance, credits = excluded.credits`, userID, l.Allowance, engine.Amount(l.Credits))
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
		tx.Exec(`UPDATE asks SET ended_at = $1 WHERE user_id = $2 AND ended_at IS NULL AND used_at IS NOT NULL`, engine.Instant(s.db.Now()), userID)
		if tx.OK() && ended > 0 {
			kit.Record(tx, audit.Entry{Action: audit.LimitChanged, UserID: userID, What: "what was allowed beyond the limit", After: "taken back"})
		}
	}))
}

func setLimit(tx *engine.Tx, userID int64, l spending.Limit) {
	tx.ExecOr(db.ErrNotFound, `UPDATE users SET role = role WHERE id = $1`, userID)
	kit.LockPurses(tx, userID)
	before := limit(tx, userID)
	if !tx.OK() || before == l {
		return
	}
	putLimit(tx, userID, l)
	kit.Record(tx, audit.Entry{Action: audit.LimitChanged, UserID: userID, What: "limit", Before: before.String(), After: l.String()})
}

// SetOwnLimit sets the lower limit that the person wants for themselves; an unknown
// amount removes it.
func (s *Limits) SetOwnLimit(ctx context.Context, userID int64, self db.Credits) error {
	return engine.About("limit of "+engine.User(userID), s.db.Write(ctx, func(tx *engine.Tx) {
		kit.LockPurses(tx, userID)
		var before db.Credits
		tx.Row(`SELECT self FROM purses WHERE user_id = $1`, userID).Scan((*engine.Credits)(&before))
		if !tx.OK() || before == self {
			return
		}
		tx.Exec(`UPDATE purses SET self = $1 WHERE user_id = $2`, engine.Credits(self), userID)
		kit.Record(tx, audit.Entry{Action: audit.LimitChanged, UserID: userID, What: "own lower limit", Before: spending.Words(before), After: spending.Words(self)})
	}))
}

func thousandths(credits float64) int64 {
	v, _ := engine.Amount(credits).Value()
	return v.(int64)
}
