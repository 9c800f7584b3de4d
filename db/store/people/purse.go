package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"dailies/db"
	"dailies/db/store/engine"
	"dailies/db/team"
)

// teamPurse is the user_id of the team's row in purses. The other rows of that table
// hold the spending limit of one person each.
const teamPurse = 0

// LockPurses serialises transactions that spend the same money, or change its limits:
// it updates the row of the person in purses, and then that of the team.
func LockPurses(ctx context.Context, tx *sql.Tx, userID int64) error {
	for _, id := range []int64{userID, teamPurse} {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO purses (user_id, presses) VALUES ($1, 1)
			ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1`, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// Spend checks that the new tasks of one person, which are inserted and counted
// already, fit into the spending limits, and uses up what was allowed for once. It
// returns a *team.Over if they do not fit.
func (s *Limits) Spend(ctx context.Context, tx *sql.Tx, added []db.Task) error {
	if len(added) == 0 {
		return nil
	}
	userID := added[0].UserID
	month, err := s.db.Month(ctx, tx, added[0].CreatedAt)
	if err != nil {
		return err
	}
	room, err := room(ctx, tx, userID, month)
	if err != nil {
		return err
	}
	cost, unpriced := 0.0, []int64(nil)
	for _, t := range added {
		cost += t.Held
		if !t.Quoted.Known && t.Held == 0 {
			unpriced = append(unpriced, t.ID)
		}
	}
	room.Spent, room.TeamHas = room.Spent-cost, room.TeamHas-cost // without the new tasks
	if len(unpriced) > 0 && room.MustAsk {
		permit, err := permitted(ctx, tx, userID, month)
		if errors.Is(err, sql.ErrNoRows) {
			return &team.Over{Room: room, Cost: cost, Unpriced: true}
		}
		if err != nil {
			return err
		}
		if err := s.usePermit(ctx, tx, permit, unpriced); err != nil {
			return err
		}
		cost += permit.Credits
	}
	fits, once := room.Allows(cost)
	if !fits {
		return &team.Over{Room: room, Cost: cost}
	}
	if once {
		if err := s.useOnce(ctx, tx, added[0], month); err != nil {
			return err
		}
	}
	room.Spent, room.TeamHas = room.Spent+cost, room.TeamHas+cost
	return mailWarnings(ctx, tx, room, s.db.Now())
}

// room returns what the person may still spend in the month.
func room(ctx context.Context, tx *sql.Tx, userID int64, month team.Month) (team.Room, error) {
	r := team.Room{UserID: userID, Month: month}
	var own, whole team.Limit
	var standard, unpriced string
	var allowed engine.Amount
	var role db.Role
	err := tx.QueryRowContext(ctx, `
		SELECT u.role, coalesce(p.allowance, 'default'), coalesce(p.credits, 0), p.self, coalesce(t.allowance, 'none'), coalesce(t.credits, 0),
			coalesce((SELECT value FROM settings WHERE name = $3), ''), coalesce((SELECT value FROM settings WHERE name = $4), ''),
			coalesce((SELECT counted FROM spent WHERE month = $2 AND user_id = $1), 0),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2),
			(SELECT CAST(coalesce(sum(credits), 0) AS BIGINT) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'month' AND unpriced = 0 AND ended_at IS NULL),
			(SELECT max(credits) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL)
		FROM users u LEFT JOIN purses p ON p.user_id = u.id LEFT JOIN purses t ON t.user_id = 0
		WHERE u.id = $1`, userID, month, limitSetting, unpricedSetting,
	).Scan(&role, &own.Allowance, (*engine.Amount)(&own.Credits), (*engine.Credits)(&r.Self), &whole.Allowance, (*engine.Amount)(&whole.Credits),
		&standard, &unpriced, (*engine.Amount)(&r.Spent), (*engine.Amount)(&r.TeamHas), &allowed, (*engine.Credits)(&r.Once))
	if err != nil {
		return r, engine.About("purse of "+engine.User(userID), err)
	}
	if r.Limit = own.In(limitOf(standard)); r.Limit.Known {
		r.Limit.Amount += float64(allowed)
	}
	r.Team = whole.In(db.Credits{})
	r.MustAsk = unpriced == "ask" && role != db.Admin
	return r, nil
}

// Room returns what the person may still spend in the month that contains the time.
func (s *Limits) Room(ctx context.Context, userID int64, at time.Time) (r team.Room, err error) {
	err = s.db.Read(ctx, func(tx *sql.Tx) error {
		month, err := s.db.Month(ctx, tx, at)
		if err != nil {
			return err
		}
		if r, err = room(ctx, tx, userID, month); err != nil || !r.MustAsk {
			return err
		}
		_, err = permitted(ctx, tx, userID, month)
		r.MustAsk = errors.Is(err, sql.ErrNoRows)
		if r.MustAsk {
			err = nil
		}
		return err
	})
	return r, engine.About("purse of "+engine.User(userID), err)
}
