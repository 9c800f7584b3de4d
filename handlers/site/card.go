package site

import (
	"net/http"
	"slices"

	"dailies/db"
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
	made, err := c.site.Store.Batches(r.Context(), Me(r).ID, batches)
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
		Task: t, ModelName: c.site.Catalog.Name(t.Model), Mine: t.UserID == Me(r).ID, LookOnly: !Me(r).Makes(), MayDrawCover: Me(r).MayDrawCover(t), Deletable: t.DeletableBy(Me(r)), Sandbox: c.site.Sandbox != nil, Now: db.Now(),
	}
}

// Of returns the cards of the tasks. Cards of running tasks show the usual duration,
// and those of tasks that have not begun their place in the queue.
func (c *Cards) Of(r *http.Request, tasks []db.Task) ([]part.Card, error) {
	cards, final := make([]part.Card, 0, len(tasks)), c.Finals(r.Context())
	var queue db.Queue
	if slices.ContainsFunc(tasks, func(t db.Task) bool { return !t.State.Begun() }) {
		var err error
		if queue, err = c.site.Store.Queue(r.Context(), Me(r).ID); err != nil {
			return nil, err
		}
	}
	for _, t := range tasks {
		card := c.One(r, t)
		card.Final = final(t)
		if t.State.Running() {
			var err error
			if card.Usual, err = c.site.Store.Usual(r.Context(), t); err != nil {
				return nil, err
			}
			card.Ahead, card.AheadOf = queue.Ahead(t.ID)
		}
		cards = append(cards, card)
	}
	return cards, c.offerComparing(r, cards)
}

// MostVariations is the maximum number of videos that one form makes, and of videos
// that can be compared side by side.
const MostVariations = 4
