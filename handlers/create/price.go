package create

import (
	"context"
	"fmt"
	"log/slog"

	"dailies/db"
	"dailies/db/schedule"
	"dailies/db/store/people"
	"dailies/handlers/service"
	"dailies/handlers/site"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Prices computes what videos cost.
type Prices struct {
	catalog  *videoapi.Catalog
	log      *slog.Logger
	past     *site.Past
	desk     *service.Desk
	versions schedule.Versions // of one page, or nil
}

// NewPrices returns the Prices of a site.
func NewPrices(s *site.Site) Prices {
	return Prices{catalog: s.Catalog, log: s.Log, past: s.Past, desk: s.Desk}
}

// pricing prices orders, and tells what the user may still spend.
type pricing struct {
	limits *people.Limits
	prices Prices
}

// of returns the price of all videos of the order, and that of each.
func (p *pricing) of(ctx context.Context, o Order) (price part.Price, each []part.Price, err error) {
	known := map[string]part.Price{}
	for _, t := range o.Tasks {
		kind := fmt.Sprintln(t.Scene, t.Model, t.Options.Duration, t.Options.Resolution, t.Options.HasSound())
		one, is := known[kind]
		if !is {
			if one, err = p.prices.read(ctx, t); err != nil {
				return price, nil, err
			}
			known[kind] = one
		}
		each = append(each, one)
	}
	price = part.Mix(each...)
	price.Room, err = p.limits.Room(ctx, o.User.ID, db.Now())
	return price, each, err
}

// at returns Prices for a page that has read the versions.
func (p Prices) at(v schedule.Versions) Prices {
	p.versions = v
	return p
}

// Of returns the price that the service states for the task, or else an estimate from
// the prices of similar videos. Options that are not set count as the model's
// defaults.
func (p Prices) Of(ctx context.Context, t db.Task) part.Price {
	price, err := p.read(ctx, t)
	if err != nil && ctx.Err() == nil {
		p.log.Error("cannot read what such videos cost", "err", err)
	}
	return price
}

// read is like Of for callers that must not treat a failure as an unknown price.
func (p Prices) read(ctx context.Context, t db.Task) (part.Price, error) {
	service := p.desk.Current().ID
	m, _ := p.catalog.Model(t.Model)
	t.Options = m.Complete(t.Options) // the shape does not matter to prices
	if credits, ok := m.Price(videoapi.Scene(t.Scene), t.Options); ok {
		return part.Price{Credits: db.CreditsOf(credits), Stated: true, Service: service}, nil
	}
	estimate, err := p.past.Estimate(ctx, p.versions, t)
	price := part.Estimated(estimate)
	price.Service = service
	return price, err
}

// onModel returns the price of the task on another model, with the options adapted to
// that.
func (p Prices) onModel(ctx context.Context, m videoapi.Model, t db.Task) part.Price {
	fitted, _ := m.Fit(m.Name, t.Options.Text())
	t.Model, t.Options = m.ID, fitted.Values()
	return p.Of(ctx, t)
}

// Finals returns a function that prices the final versions for one page's cards: it
// returns the full model's price for a finished draft, and nil for any other task. It
// caches prices, because the cards of a page often have the same settings. The versions
// may be nil.
func (p Prices) Finals(ctx context.Context, v schedule.Versions) func(db.Task) *part.Final {
	p = p.at(v)
	known := map[string]*part.Final{}
	return func(t db.Task) *part.Final {
		full, ok := p.catalog.Final(t.Model, videoapi.Scene(t.Scene))
		if !ok || t.State != db.Success {
			return nil
		}
		o := t.Options
		kind := fmt.Sprintln(t.Scene, t.Model, o.Duration, o.Resolution, o.HasSound())
		if known[kind] == nil {
			known[kind] = &part.Final{ModelName: full.Name, Price: p.onModel(ctx, full, t)}
		}
		return known[kind]
	}
}

// brief returns a function that prices the rows of a list, of which many are alike.
func (p Prices) brief(ctx context.Context) func(db.Task) string {
	known := map[string]string{}
	return func(t db.Task) string {
		key := fmt.Sprintln(t.Scene, t.Model, t.Options.Duration, t.Options.Resolution, t.Options.HasSound())
		price, is := known[key]
		if !is {
			price = p.Of(ctx, t).Brief()
			known[key] = price
		}
		return price
	}
}

// balance returns the credits left in the key's account, which only the sandbox can
// tell.
func (p Prices) balance(ctx context.Context, key string) db.Credits {
	console := p.desk.Console()
	if console == nil || key == "" {
		return db.Credits{}
	}
	left, err := console.Balance(ctx, key)
	if err != nil {
		return db.Credits{}
	}
	return db.CreditsOf(left)
}
