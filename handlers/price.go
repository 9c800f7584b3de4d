package handlers

import (
	"context"

	"dailies/db"
	"dailies/views"
	"dailies/web/videoapi"
)

// price is what the service states for the task, or what the same cost last
// time.
func (a *App) price(ctx context.Context, t db.Task) views.Price {
	m, _ := a.Catalog.Model(t.Model)
	sound := t.Options.Audio != nil && *t.Options.Audio || m.Sound == videoapi.AlwaysSound
	if credits, ok := m.Price(videoapi.Scene(t.Scene), t.Options.Resolution, t.Options.Duration, sound); ok {
		return views.Price{Credits: db.CreditsOf(credits), Stated: true}
	}
	usual, err := a.Store.Usual(ctx, t.Scene, t.Model, t.Options)
	if err != nil {
		a.Log.Error("cannot read what it cost last time", "err", err)
	}
	return views.Price{Credits: usual.LastCost}
}
