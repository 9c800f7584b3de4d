package press

import (
	"context"
	"fmt"
	"log/slog"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/schedule"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Prices computes the price of a video: what the catalogue states, or else what videos like
// it have cost.
type Prices struct {
	Catalog  *videoapi.Catalog
	log      *slog.Logger
	history  *site.History
	Registry *service.Registry
	versions schedule.Versions // of one page, or nil
}

// NewPrices returns the Prices of a site.
func NewPrices(s *site.Site) Prices {
	return Prices{Catalog: s.Catalog, log: s.Log, history: s.History, Registry: s.Registry}
}

// kindOf returns what the price of the task depends on.
func kindOf(t db.Task) string {
	return fmt.Sprintln(t.Scene, t.Model, t.Options.Duration, t.Options.Resolution, t.Options.HasSound())
}

// priceOf returns the price that the service states for the task, or else the estimate, which
// comes from the prices of similar videos. Options that are not set count as the model's
// defaults. The shape does not matter.
func priceOf(c *videoapi.Catalog, t db.Task, learnt ordering.Estimate) part.Price {
	if credits, ok := stated(c, t); ok {
		return part.Price{Credits: db.CreditsOf(credits), Stated: true}
	}
	return part.Estimated(learnt)
}

func stated(c *videoapi.Catalog, t db.Task) (credits float64, ok bool) {
	m, _ := c.Model(t.Model)
	return m.Price(videoapi.Scene(t.Scene), m.Complete(t.Options))
}

func isStated(c *videoapi.Catalog, t db.Task) bool {
	_, ok := stated(c, t)
	return ok
}

// estimate reads what such tasks have cost.
func (p Prices) estimate(ctx context.Context, t db.Task) (ordering.Estimate, error) {
	m, _ := p.Catalog.Model(t.Model)
	t.Options = m.Complete(t.Options)
	return p.history.Estimate(ctx, p.versions, t)
}

// At returns Prices for a page that has read the versions.
func (p Prices) At(v schedule.Versions) Prices {
	p.versions = v
	return p
}

// Of returns the price that the service states for the task, or else an estimate from
// the prices of similar videos. Options that are not set count as the model's
// defaults.
func (p Prices) Of(ctx context.Context, t db.Task) part.Price {
	price, err := p.Read(ctx, t)
	if err != nil && ctx.Err() == nil {
		p.log.Error("cannot read what such videos cost", "err", err)
	}
	return price
}

// Read is like Of for callers that must not treat a failure as an unknown price.
func (p Prices) Read(ctx context.Context, t db.Task) (price part.Price, err error) {
	var learnt ordering.Estimate
	if !isStated(p.Catalog, t) {
		learnt, err = p.estimate(ctx, t)
	}
	price = priceOf(p.Catalog, t, learnt)
	price.Service = p.Registry.Current().ID
	return price, err
}

// OnModel returns the price of the task on another model, with the options adapted to
// that.
func (p Prices) OnModel(ctx context.Context, m videoapi.Model, t db.Task) part.Price {
	t.Model = m.ID
	t.Options, _, _ = m.Fit(m.Name, t.Options, nil)
	return p.Of(ctx, t)
}

// Finals returns a function that prices the final versions for one page's cards: it
// returns the full model's price for a finished draft, and nil for any other task. It
// caches prices, because the cards of a page often have the same settings. The versions
// may be nil.
func (p Prices) Finals(ctx context.Context, v schedule.Versions) func(db.Task) *part.Final {
	p = p.At(v)
	known := map[string]*part.Final{}
	return func(t db.Task) *part.Final {
		full, ok := p.Catalog.Final(t.Model, videoapi.Scene(t.Scene))
		if !ok || t.State != db.Success {
			return nil
		}
		kind := kindOf(t)
		if known[kind] == nil {
			known[kind] = &part.Final{ModelName: full.Name, Price: p.OnModel(ctx, full, t)}
		}
		return known[kind]
	}
}

// Brief returns a function that prices the rows of a list, of which many are alike.
func (p Prices) Brief(ctx context.Context) func(db.Task) string {
	known := map[string]string{}
	return func(t db.Task) string {
		key := kindOf(t)
		price, is := known[key]
		if !is {
			price = p.Of(ctx, t).Brief()
			known[key] = price
		}
		return price
	}
}

// Balance returns the credits left in the key's account, which only the sandbox can
// tell.
func (p Prices) Balance(ctx context.Context, key string) db.Credits {
	console := p.Registry.Console()
	if console == nil || key == "" {
		return db.Credits{}
	}
	left, err := console.Balance(ctx, key)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(left)
}
