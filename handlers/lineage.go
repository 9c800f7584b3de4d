package handlers

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// lineage is where the task comes from and what came of it, as far as the
// viewer may see it.
func (a *App) lineage(r *http.Request, t db.Task) (libraryview.Lineage, error) {
	var l libraryview.Lineage
	found, err := a.Store.Lineage(r.Context(), site.Me(r).ID, t)
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
		cards = append(cards, a.cards.One(r, t))
	}
	return cards
}
