package create

import (
	"context"
	"fmt"

	"dailies/db"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Prices knows what videos cost.
type Prices struct{ site *site.Site }

// NewPrices returns the Prices of a site.
func NewPrices(s *site.Site) Prices { return Prices{s} }

// Of returns what the service states for the task, or else an estimate from what
// ones like it cost. Options that were not chosen count as the model's defaults.
func (p Prices) Of(ctx context.Context, t db.Task) part.Price {
	price, err := p.read(ctx, t)
	if err != nil && ctx.Err() == nil {
		p.site.Log.Error("cannot read what such videos cost", "err", err)
	}
	return price
}

// read is Of for where a price that cannot be read must not seem unknown.
func (p Prices) read(ctx context.Context, t db.Task) (part.Price, error) {
	m, _ := p.site.Catalog.Model(t.Model)
	t.Options = m.Complete(t.Options)
	if credits, ok := m.Price(videoapi.Scene(t.Scene), t.Options); ok {
		return part.Price{Credits: db.CreditsOf(credits), Stated: true}, nil
	}
	estimate, err := p.site.Store.Estimate(ctx, t)
	return part.Estimated(estimate), err
}

// on returns the price of the task on another model, with the options fitted to
// it.
func (p Prices) on(ctx context.Context, m videoapi.Model, t db.Task) part.Price {
	fitted, _ := m.Fit(m.Name, t.Options.Text())
	t.Model, t.Options = m.ID, fitted.Values()
	return p.Of(ctx, t)
}

// ofForm returns the price of everything that the form asks for, once its
// options are fitted to its model.
func (p Prices) ofForm(ctx context.Context, f form) (part.Price, *createview.DraftOffer) {
	f.adapt(p.site.Catalog)
	t := f.task(db.User{})
	whole := func(price part.Price) part.Price {
		price.Count = f.count()
		if f.Parent != nil && f.Use == db.Finalized {
			price.Draft = f.Parent.Charged
		}
		return price
	}
	price := whole(p.Of(ctx, t))
	quick, ok := p.site.Catalog.Draft(f.Model, f.Scene)
	if !ok {
		return price, nil
	}
	return price, &createview.DraftOffer{Model: quick, Price: whole(p.on(ctx, quick, t)), Full: price}
}

// each returns what one video costs with every other choice of the options that
// the price depends on, by "name=value".
func (p Prices) each(ctx context.Context, f form) map[string]part.Price {
	f.adapt(p.site.Catalog)
	t, prices := f.task(db.User{}), map[string]part.Price{}
	for _, m := range p.site.Catalog.For(f.Scene) {
		prices["model="+m.ID] = p.on(ctx, m, t)
	}
	for _, name := range []string{"resolution", "generate_audio"} {
		for _, value := range f.Chosen.Choices(name) {
			other := t.Options.Text()
			other[name] = value
			one := t
			one.Options = other.Values()
			prices[name+"="+value] = p.Of(ctx, one)
		}
	}
	return prices
}

// Finals returns the function that prices the finals of one page's cards: what
// the full model asks for a draft that worked, nil for every other task. A page
// asks for the same kind again and again.
func (p Prices) Finals(ctx context.Context) func(db.Task) *part.Final {
	known := map[string]*part.Final{}
	return func(t db.Task) *part.Final {
		full, ok := p.site.Catalog.Final(t.Model, videoapi.Scene(t.Scene))
		if !ok || t.State != db.Success {
			return nil
		}
		o := t.Options
		kind := fmt.Sprintln(t.Scene, t.Model, o.Duration, o.Resolution, o.HasSound())
		if known[kind] == nil {
			known[kind] = &part.Final{ModelName: full.Name, Price: p.on(ctx, full, t)}
		}
		return known[kind]
	}
}

// balance returns what is left of the key's credits, where the sandbox knows it.
func (p Prices) balance(ctx context.Context, key string) db.Credits {
	if p.site.Sandbox == nil || key == "" {
		return db.Credits{}
	}
	left, err := p.site.Sandbox.Balance(ctx, key)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(left)
}
