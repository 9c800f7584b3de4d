package people

import (
	"context"
	"time"

	"dailies/db"
	"dailies/db/spending"
	"dailies/db/store/engine"
	"dailies/db/store/kit"
)

// Spend checks that the new tasks of one person, which are inserted and counted
// already, fit into the spending limits, and uses up what was allowed for once. It
// returns a *spending.Over if they do not fit. Tasks whose price is not known hold
// nothing: something has to be left for them, and they are checked again when they are
// sent.
func (s *Limits) Spend(tx *engine.Tx, added []db.Task) {
	if len(added) == 0 {
		return
	}
	userID := added[0].UserID
	month := s.db.Month(tx, added[0].CreatedAt)
	room := kit.Room(tx, userID, month)
	cost, unpriced := 0.0, int64(0)
	for _, t := range added {
		cost += t.Held
		if !t.Quoted.Known && unpriced == 0 {
			unpriced = t.ID
		}
	}
	room.Spent, room.TeamHas = room.Spent-cost, room.TeamHas-cost // without the new tasks
	if tx.OK() && unpriced != 0 && room.MustAsk {
		permit, found := permitted(tx, userID, month)
		tx.Require(found, &spending.Over{Room: room, Cost: cost, Unpriced: true})
		s.usePermit(tx, permit, unpriced)
	}
	needed := cost
	if unpriced != 0 {
		needed += spending.Least
	}
	fits, once := room.Allows(needed)
	tx.Require(fits, &spending.Over{Room: room, Cost: cost})
	if tx.OK() && once {
		s.useOnce(tx, added[0], month)
	}
	room.Spent, room.TeamHas = room.Spent+cost, room.TeamHas+cost
	mailWarnings(tx, room, s.db.Now())
}

// Room returns what the person may still spend in the month that contains the time.
func (s *Limits) Room(ctx context.Context, userID int64, at time.Time) (r spending.Room, err error) {
	err = s.db.Read(ctx, func(tx *engine.Tx) {
		month := s.db.Month(tx, at)
		if r = kit.Room(tx, userID, month); tx.OK() && r.MustAsk {
			_, found := permitted(tx, userID, month)
			r.MustAsk = !found
		}
	})
	return r, engine.About("purse of "+engine.User(userID), err)
}
