package handlers

import (
	"net/http"

	"dailies/db"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// lineage is where the task comes from and what came of it, as far as the
// viewer may see it.
func (a *App) lineage(r *http.Request, t db.Task) (libraryview.Lineage, error) {
	var l libraryview.Lineage
	found, err := a.Store.Lineage(r.Context(), me(r).ID, t)
	if err != nil {
		return l, err
	}
	if found.Parent != nil {
		l.Parent = a.kin(r, []db.Task{*found.Parent})
	}
	l.Children, l.Batch = a.kin(r, found.Children), a.kin(r, found.Batch)
	return l, nil
}

// kin are small cards.
func (a *App) kin(r *http.Request, tasks []db.Task) []part.Card {
	var cards []part.Card
	for _, t := range tasks {
		cards = append(cards, a.card(r, t))
	}
	return cards
}

// offerComparing lets the first finished card of each batch lead to the
// comparison of all of them.
func (a *App) offerComparing(r *http.Request, cards []part.Card) error {
	var batches []string
	for _, c := range cards {
		if c.Task.Batch != "" {
			batches = append(batches, c.Task.Batch)
		}
	}
	made, err := a.Store.Batches(r.Context(), me(r).ID, batches)
	if err != nil {
		return err
	}
	for i := range cards {
		if c := &cards[i]; c.Task.State == db.Success && len(made[c.Task.Batch]) <= mostVariations {
			c.Together = made[c.Task.Batch]
			delete(made, c.Task.Batch)
		}
	}
	return nil
}
