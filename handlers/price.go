package handlers

import (
	"context"
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// price is what the service states for the task, or what the same cost last
// time.
func (a *App) price(ctx context.Context, t db.Task) part.Price {
	m, _ := a.Catalog.Model(t.Model)
	if credits, ok := m.Price(videoapi.Scene(t.Scene), t.Options); ok {
		return part.Price{Credits: db.CreditsOf(credits), Stated: true}
	}
	usual, err := a.Store.Usual(ctx, t.Scene, t.Model, t.Options)
	if err != nil {
		a.Log.Error("cannot read what it cost last time", "err", err)
	}
	return part.Price{Credits: usual.LastCost}
}

// formPrice is the price of everything that the form asks for.
func (a *App) formPrice(ctx context.Context, f createForm) part.Price {
	p := a.price(ctx, f.task(db.User{}))
	p.Count = f.count()
	if f.Parent != nil && f.Use == db.Finalized {
		p.Draft = f.Parent.Charged
	}
	return p
}

// priceOn is the price of the form on another model, fitted to it.
func (a *App) priceOn(ctx context.Context, m videoapi.Model, f createForm) part.Price {
	values := f.values()
	values.Set("model", m.ID)
	f = readForm(f.Scene, a.Catalog, values)
	f.adapt(a.Catalog)
	return a.formPrice(ctx, f)
}

// draftOffer is the quicker model on which the form can be tried out first; nil
// without one.
func (a *App) draftOffer(ctx context.Context, f createForm, p part.Price) *createview.DraftOffer {
	m, ok := a.Catalog.Draft(f.Model, f.Scene)
	if !ok {
		return nil
	}
	return &createview.DraftOffer{Model: m, Price: a.priceOn(ctx, m, f), Full: p}
}

// finals are what finals cost, by what the price depends on: a page of cards
// asks for the same again and again.
type finals map[string]*part.Final

// finalPrices returns the function that prices the finals of one page's cards.
func (a *App) finalPrices(ctx context.Context) func(db.Task) *part.Final {
	known := finals{}
	return func(t db.Task) *part.Final { return a.final(ctx, t, known) }
}

// final is what the full model asks for the recipe of a draft that worked; nil
// for every other task.
func (a *App) final(ctx context.Context, t db.Task, known finals) *part.Final {
	full, ok := a.Catalog.Final(t.Model, videoapi.Scene(t.Scene))
	if !ok || t.State != db.Success {
		return nil
	}
	o := t.Options
	key := fmt.Sprintln(t.Scene, t.Model, o.Duration, o.Resolution, o.HasSound())
	if known[key] == nil {
		known[key] = &part.Final{ModelName: full.Name, Price: a.priceOn(ctx, full, formOf(t, a.Catalog))}
	}
	return known[key]
}

// dearer is a message if the form costs more than the page said that was sent:
// without script a page does not follow what is chosen in it.
func (a *App) dearer(r *http.Request, f createForm, shown string) part.Errors {
	f.adapt(a.Catalog)
	p := a.formPrice(r.Context(), f)
	if !p.Exceeds(site.Clip(shown, 60)) {
		return nil
	}
	return part.Errors{"": p.Changed()}
}

// balance is what is left of the key's credits, where the sandbox knows it.
func (a *App) balance(ctx context.Context, key string) db.Credits {
	if a.Sandbox == nil || key == "" {
		return db.Credits{}
	}
	left, err := a.Sandbox.Balance(ctx, key)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(left)
}
