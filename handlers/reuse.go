package handlers

import (
	"context"

	"dailies/db"
	"dailies/views"
	"dailies/web/videoapi"
)

// final is what the full model asks for the recipe of a draft that worked; nil
// for every other task.
func (a *App) final(ctx context.Context, t db.Task) *views.Final {
	if t.State != db.Success {
		return nil
	}
	full, ok := a.Catalog.Final(t.Model, videoapi.Scene(t.Scene))
	if !ok {
		return nil
	}
	values := formOf(t, a.Catalog).values()
	values.Set("model", full.ID)
	form := readForm(videoapi.Scene(t.Scene), a.Catalog, values)
	form.adapt(a.Catalog)
	return &views.Final{ModelName: full.Name, Price: a.price(ctx, form.task(db.User{ID: t.UserID}))}
}
