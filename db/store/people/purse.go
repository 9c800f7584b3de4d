package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// teamPurse is the user_id of the team's row in purses. The other rows of that table
// hold the spending limit of one person each.
const teamPurse = 0

// LockPurses serialises transactions that spend the same money, or change its limits:
// it updates the row of the person in purses, and then that of the team.
func LockPurses(tx *engine.Tx, userID int64) {
	for _, id := range []int64{userID, teamPurse} {
		tx.Exec(`
			INSERT INTO purses (user_id, presses) VALUES ($1, 1)
			ON CONFLICT (user_id) DO UPDATE SET presses = purses.presses + 1`, id)
	}
}

// Spend checks that the new tasks of one person, which are inserted and counted
// already, fit into the spending limits, and uses up what was allowed for once. It
// returns a *spending.Over if they do not fit.
func (s *Limits) Spend(tx *engine.Tx, added []db.Task) {
	if len(added) == 0 {
		return
	}
	userID := added[0].UserID
	month := s.db.Month(tx, added[0].CreatedAt)
	room := room(tx, userID, month)
	cost, unpriced := 0.0, []int64(nil)
	for _, t := range added {
		cost += t.Held
		if !t.Quoted.Known && t.Held == 0 {
			unpriced = append(unpriced, t.ID)
		}
	}
	room.Spent, room.TeamHas = room.Spent-cost, room.TeamHas-cost // without the new tasks
	if tx.OK() && len(unpriced) > 0 && room.MustAsk {
		permit, found := permitted(tx, userID, month)
		tx.Require(found, &spending.Over{Room: room, Cost: cost, Unpriced: true})
		s.usePermit(tx, permit, unpriced)
		cost += permit.Credits
	}
	fits, once := room.Allows(cost)
	tx.Require(fits, &spending.Over{Room: room, Cost: cost})
	if tx.OK() && once {
		s.useOnce(tx, added[0], month)
	}
	room.Spent, room.TeamHas = room.Spent+cost, room.TeamHas+cost
	mailWarnings(tx, room, s.db.Now())
}

// room returns what the person may still spend in the month.
func room(tx *engine.Tx, userID int64, month spending.Month) spending.Room {
	r := spending.Room{UserID: userID, Month: month}
	var own, whole spending.Limit
	var standard, unpriced string
	var allowed engine.Amount
	var role db.Role
	tx.About("purse of "+engine.User(userID)).Row(`
		SELECT u.role, coalesce(p.allowance, 'default'), coalesce(p.credits, 0), p.self, coalesce(t.allowance, 'none'), coalesce(t.credits, 0),
			coalesce((SELECT value FROM settings WHERE name = $3), ''), coalesce((SELECT value FROM settings WHERE name = $4), ''),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2 AND user_id = $1 AND `+kit.Counted+`),
			(SELECT CAST(coalesce(sum(counted), 0) AS BIGINT) FROM spent WHERE month = $2 AND `+kit.Counted+`),
			(SELECT CAST(coalesce(sum(credits), 0) AS BIGINT) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'month' AND unpriced = 0 AND ended_at IS NULL AND `+kit.Counted+`),
			(SELECT max(credits) FROM asks WHERE user_id = $1 AND month = $2 AND answer = 'once' AND unpriced = 0 AND used_at IS NULL AND ended_at IS NULL AND `+kit.Counted+`)
		FROM users u LEFT JOIN purses p ON p.user_id = u.id LEFT JOIN purses t ON t.user_id = 0
		WHERE u.id = $1`, userID, month, limitSetting, unpricedSetting,
	).Scan(&role, &own.Allowance, (*engine.Amount)(&own.Credits), (*engine.Credits)(&r.Self), &whole.Allowance, (*engine.Amount)(&whole.Credits),
		&standard, &unpriced, (*engine.Amount)(&r.Spent), (*engine.Amount)(&r.TeamHas), &allowed, (*engine.Credits)(&r.Once))
	if r.Limit = own.In(limitOf(standard)); tx.OK() && r.Limit.Known {
		r.Limit.Amount += float64(allowed)
	}
	r.Team = whole.In(db.Credits{})
	r.MustAsk = unpriced == "ask" && role != db.Admin
	return r
}

// Room returns what the person may still spend in the month that contains the time.
func (s *Limits) Room(ctx context.Context, userID int64, at time.Time) (r spending.Room, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		month := s.db.Month(tx, at)
		if r = room(tx, userID, month); tx.OK() && r.MustAsk {
			_, found := permitted(tx, userID, month)
			r.MustAsk = !found
		}
	})
	return r, engine.About("purse of "+engine.User(userID), err)
}
