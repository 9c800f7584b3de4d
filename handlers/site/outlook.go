package site

import (
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/store/video"
	"dailies/views/part"
)

// outlook tells what lies ahead of videos that are not done: how long they usually take,
// their place in the queue, and what keeps them from being sent.
type outlook struct {
	calls  *video.Calls
	leases *video.Leases
	now    func() time.Time
	past   *Past
}

// fill fills in what lies ahead of the cards' videos. The versions must be given if one
// of them is running.
func (o *outlook) fill(r *http.Request, v schedule.Versions, cards []part.Card) (err error) {
	var queue schedule.Queue
	if slices.ContainsFunc(cards, func(c part.Card) bool { return !c.Task.State.Begun() }) {
		if queue, err = o.leases.Queue(r.Context(), Me(r).ID); err != nil {
			return err
		}
	}
	wait, late, err := o.blockedKey(r, cards)
	if err != nil {
		return err
	}
	for i := range cards {
		card := &cards[i]
		card.Call, card.MayFree = wait(card.Task), Me(r).IsAdmin()
		if waitsToBeSent(*card) {
			card.CallLateAt = late
		}
		if card.Task.State.Running() {
			if card.Usual, err = o.past.Usual(r.Context(), v, card.Task); err != nil {
				return err
			}
			card.Ahead, card.AheadOf = queue.Ahead(card.Task.ID)
		}
	}
	return nil
}

// waitsToBeSent reports whether the card's task is not sent yet, or is being sent.
func waitsToBeSent(c part.Card) bool {
	return c.Task.State == db.Queued || c.Task.State == db.Sending
}

// blockedKey returns a function that tells which create call blocks the key of a task that
// waits to be sent, and when the next call begins to block its key.
func (o *outlook) blockedKey(r *http.Request, cards []part.Card) (wait func(db.Task) schedule.Call, late time.Time, err error) {
	wait = func(db.Task) schedule.Call { return schedule.Call{} }
	if !slices.ContainsFunc(cards, waitsToBeSent) {
		return wait, late, nil
	}
	now := o.now()
	if late, err = o.calls.NextLateCall(r.Context(), now); err != nil {
		return wait, late, err
	}
	if !late.IsZero() { // by this machine's clock, like all times that pages show
		late = db.Now().Add(late.Sub(now))
	}
	blocking, err := o.calls.BlockingCalls(r.Context(), now)
	if err != nil || len(blocking) == 0 {
		return wait, late, err
	}
	mine, err := o.calls.BlockingCall(r.Context(), Me(r).ID, now)
	return func(t db.Task) schedule.Call {
		switch at := slices.IndexFunc(blocking, func(call schedule.Call) bool { return call.TaskID == t.ID }); {
		case at >= 0 && t.State == db.Sending:
			return blocking[at]
		case t.State == db.Queued && t.UserID == Me(r).ID:
			return mine
		}
		return schedule.Call{}
	}, late, err
}
