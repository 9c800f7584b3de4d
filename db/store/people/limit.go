package people

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
	"dailies/db/team"
)

// Limits stores what may be spent, what was spent of it, and requests for more.
type Limits struct {
	db *kit.DB
}

// Names of settings: the default limit of a person, in thousandths of a credit, and
// whether videos of unknown price may be made or an admin is asked first.
const (
	limitSetting    = "limit"
	unpricedSetting = "unknown price"
)

// OfTeam returns the spending limits of the team.
func (s *Limits) OfTeam(ctx context.Context) (l team.Limits, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		l, err = limits(ctx, tx)
		return err
	})
	return l, engine.About("limits", err)
}

func limits(ctx context.Context, tx *sql.Tx) (l team.Limits, err error) {
	standard, err := kit.Setting(ctx, tx, limitSetting)
	if err != nil {
		return l, err
	}
	unpriced, err := kit.Setting(ctx, tx, unpricedSetting)
	if err != nil {
		return l, err
	}
	whole, err := limit(ctx, tx, teamPurse)
	l.Default, l.AskUnpriced, l.Team = limitOf(standard), unpriced == "ask", whole.In(db.Credits{})
	return l, err
}

// SetOfTeam changes the spending limits of the team.
func (s *Limits) SetOfTeam(ctx context.Context, l team.Limits) error {
	return engine.About("limits", s.db.WriteAsAdmin(ctx, func(tx *sql.Tx) error {
		if err := LockPurses(ctx, tx, teamPurse); err != nil {
			return err
		}
		before, err := limits(ctx, tx)
		if err != nil || before == l {
			return err
		}
		standard, unpriced, whole := "", "allow", team.None
		if l.Default.Known {
			standard = strconv.FormatInt(thousandths(l.Default.Amount), 10)
		}
		if l.AskUnpriced {
			unpriced = "ask"
		}
		if l.Team.Known {
			whole = team.Own
		}
		if err := kit.PutSetting(ctx, tx, limitSetting, standard); err != nil {
			return err
		}
		if err := kit.PutSetting(ctx, tx, unpricedSetting, unpriced); err != nil {
			return err
		}
		if err := putLimit(ctx, tx, teamPurse, team.Limit{Allowance: whole, Credits: l.Team.Amount}); err != nil {
			return err
		}
		return kit.Record(ctx, tx, team.Entry{Action: team.LimitChanged, What: "limits of the team", Before: before.String(), After: l.String()})
	}))
}

// Limit returns the person's spending limit.
func (s *Limits) Limit(ctx context.Context, userID int64) (l team.Limit, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		l, err = limit(ctx, tx, userID)
		return err
	})
	return l, engine.About("limit of "+engine.User(userID), err)
}

func limit(ctx context.Context, tx *sql.Tx, userID int64) (l team.Limit, err error) {
	err = tx.QueryRowContext(ctx, `SELECT allowance, credits FROM purses WHERE user_id = $1`, userID).Scan(&l.Allowance, (*engine.Amount)(&l.Credits))
	if errors.Is(err, sql.ErrNoRows) {
		return team.Limit{Allowance: team.Default}, nil
	}
	return l, err
}

func putLimit(ctx context.Context, tx *sql.Tx, userID int64, l team.Limit) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO purses (user_id, allowance, credits) VALUES ($1, $2, $3)
		ON CONFLICT (user_id) DO UPDATE SET allowance = excluded.allowance, credits = excluded.credits`, userID, l.Allowance, engine.Amount(l.Credits))
	return err
}

// SetLimit changes the person's spending limit, and ends what an admin had allowed them
// beyond the old one.
func (s *Limits) SetLimit(ctx context.Context, userID int64, l team.Limit) error {
	return engine.About("limit of "+engine.User(userID), s.db.WriteAsAdmin(ctx, func(tx *sql.Tx) error {
		if err := setLimit(ctx, tx, userID, l); err != nil {
			return err
		}
		month, err := s.db.Month(ctx, tx, s.db.Now())
		if err != nil {
			return err
		}
		var ended int
		err = engine.Counted(&ended)(tx.ExecContext(ctx, `
			UPDATE asks SET ended_at = $1
			WHERE user_id = $2 AND ended_at IS NULL AND (answer = 'always' AND unpriced = 1 OR month >= $3 AND answer IN ('once', 'month') AND used_at IS NULL)`,
			engine.Instant(s.db.Now()), userID, month))
		if err != nil {
			return err
		}
		// Permissions that were used end too, so that video.giveBackOnce does not restore
		// them if the service rejects the videos.
		_, err = tx.ExecContext(ctx, `UPDATE asks SET ended_at = $1 WHERE user_id = $2 AND ended_at IS NULL AND used_at IS NOT NULL`, engine.Instant(s.db.Now()), userID)
		if err != nil || ended == 0 {
			return err
		}
		return kit.Record(ctx, tx, team.Entry{Action: team.LimitChanged, UserID: userID, What: "what was allowed beyond the limit", After: "taken back"})
	}))
}

func setLimit(ctx context.Context, tx *sql.Tx, userID int64, l team.Limit) error {
	if err := engine.Found(tx.ExecContext(ctx, `UPDATE users SET role = role WHERE id = $1`, userID)); err != nil {
		return err
	}
	if err := LockPurses(ctx, tx, userID); err != nil {
		return err
	}
	before, err := limit(ctx, tx, userID)
	if err != nil || before == l {
		return err
	}
	if err := putLimit(ctx, tx, userID, l); err != nil {
		return err
	}
	return kit.Record(ctx, tx, team.Entry{Action: team.LimitChanged, UserID: userID, What: "limit", Before: before.String(), After: l.String()})
}

// SetOwnLimit sets the lower limit that the person wants for themselves; an unknown
// amount removes it.
func (s *Limits) SetOwnLimit(ctx context.Context, userID int64, self db.Credits) error {
	return engine.About("limit of "+engine.User(userID), s.db.Write(ctx, func(tx *sql.Tx) error {
		if err := LockPurses(ctx, tx, userID); err != nil {
			return err
		}
		var before db.Credits
		if err := tx.QueryRowContext(ctx, `SELECT self FROM purses WHERE user_id = $1`, userID).Scan((*engine.Credits)(&before)); err != nil {
			return err
		}
		if before == self {
			return nil
		}
		if _, err := tx.ExecContext(ctx, `UPDATE purses SET self = $1 WHERE user_id = $2`, engine.Credits(self), userID); err != nil {
			return err
		}
		return kit.Record(ctx, tx, team.Entry{Action: team.LimitChanged, UserID: userID, What: "own lower limit", Before: team.Words(before), After: team.Words(self)})
	}))
}

// limitOf parses the setting of the default limit.
func limitOf(setting string) db.Credits {
	thousandths, err := strconv.ParseInt(setting, 10, 64)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(float64(thousandths) / 1000)
}

func thousandths(credits float64) int64 {
	v, _ := engine.Amount(credits).Value()
	return v.(int64)
}
