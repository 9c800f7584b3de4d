package site

import (
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/views/part"
)

// offerComparing links the first finished card of each batch to a page that compares
// the whole batch.
func (c *Cards) offerComparing(r *http.Request, cards []part.Card) error {
	var batches []string
	for _, card := range cards {
		if card.Task.Batch != "" {
			batches = append(batches, card.Task.Batch)
		}
	}
	made, err := c.lineage.Batches(r.Context(), Me(r).ID, batches)
	if err != nil {
		return err
	}
	for i := range cards {
		if card := &cards[i]; card.Task.State == db.Success && len(made[card.Task.Batch]) <= MostVariations {
			card.Together = made[card.Task.Batch]
			delete(made, card.Task.Batch)
		}
	}
	return nil
}

// One returns the card of a task, without the price of the final version and without
// the usual duration.
func (c *Cards) One(r *http.Request, t db.Task) part.Card {
	return part.Card{
		Task: t, Name: part.Title(t.Heading()), ModelName: c.catalog.Name(t.Model), Mine: t.UserID == Me(r).ID, LookOnly: !Me(r).Makes(), MayDrawCover: Me(r).MayDrawCover(t), Deletable: t.DeletableBy(Me(r)), Sandbox: c.sandbox != nil, Now: db.Now(),
	}
}

// Of returns the cards of the tasks. Cards of running tasks show the usual duration,
// and those of tasks that have not begun their place in the queue.
func (c *Cards) Of(r *http.Request, tasks []db.Task) ([]part.Card, error) {
	return c.At(r, nil, tasks)
}

// At is like Of for a handler that has read the versions.
func (c *Cards) At(r *http.Request, v schedule.Versions, tasks []db.Task) (cards []part.Card, err error) {
	if v == nil && slices.ContainsFunc(tasks, func(t db.Task) bool { return t.State.Running() }) {
		if v, err = c.versions(r.Context(), ""); err != nil {
			return nil, err
		}
	}
	cards, final := make([]part.Card, 0, len(tasks)), c.Finals(r.Context(), v)
	var queue schedule.Queue
	if slices.ContainsFunc(tasks, func(t db.Task) bool { return !t.State.Begun() }) {
		if queue, err = c.leases.Queue(r.Context(), Me(r).ID); err != nil {
			return nil, err
		}
	}
	wait, late, err := c.blockedKey(r, tasks)
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		card := c.One(r, t)
		card.Call, card.MayFree = wait(t), Me(r).IsAdmin()
		if waitsToBeSent(t) {
			card.CallLateAt = late
		}
		card.Final = final(t)
		if t.State.Running() {
			if card.Usual, err = c.past.Usual(r.Context(), v, t); err != nil {
				return nil, err
			}
			card.Ahead, card.AheadOf = queue.Ahead(t.ID)
		}
		cards = append(cards, card)
	}
	return cards, c.offerComparing(r, cards)
}

// waitsToBeSent reports whether the task is not sent yet, or is being sent.
func waitsToBeSent(t db.Task) bool { return t.State == db.Queued || t.State == db.Sending }

// blockedKey returns a function that tells which create call blocks the key of a task that
// waits to be sent, and when the next call begins to block its key.
func (c *Cards) blockedKey(r *http.Request, tasks []db.Task) (wait func(db.Task) schedule.Call, late time.Time, err error) {
	wait = func(db.Task) schedule.Call { return schedule.Call{} }
	if !slices.ContainsFunc(tasks, waitsToBeSent) {
		return wait, late, nil
	}
	now := c.now()
	if late, err = c.calls.NextLateCall(r.Context(), now); err != nil {
		return wait, late, err
	}
	if !late.IsZero() { // by this machine's clock, like all times that pages show
		late = db.Now().Add(late.Sub(now))
	}
	blocking, err := c.calls.BlockingCalls(r.Context(), now)
	if err != nil || len(blocking) == 0 {
		return wait, late, err
	}
	mine, err := c.calls.BlockingCall(r.Context(), Me(r).ID, now)
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

// MostVariations is the maximum number of videos that one form makes, and of videos
// that can be compared side by side.
const MostVariations = 4
