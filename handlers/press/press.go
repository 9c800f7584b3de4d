// Package press makes videos of requests: it prices, checks, places and reports them.
package press

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/program"
	"dailies/db/spending"
	"dailies/db/store"
	"dailies/db/store/video"
	"dailies/handlers/picture"
	"dailies/handlers/service"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// A Press creates and queues new videos, in steps that follow one another: it prices the
// tasks, replaces the handles of cast members in them, checks them, compares the price with
// what may be spent, inspects their pictures and places them. It takes tasks and knows nothing
// of requests and forms: whatever prevents a video is returned as problems by field.
type Press struct {
	Catalog *videoapi.Catalog
	Members *video.Cast
	Prices  Prices

	registry *service.Registry
	free     func() (int64, error) // bytes on the disk of the data folder; negative if not known
	keys     *site.Keys
	log      *slog.Logger
	pictures *picture.Pictures
	sends    func() bool  // nil if tasks are always sent
	store    *store.Store // whole: a transaction concerns people and videos alike
	wake     func()       // wakes the watcher

	bells bells
}

// New returns the Press of a site.
func New(s *site.Site, pictures *picture.Pictures) *Press {
	return &Press{
		Catalog: s.Catalog, Members: s.Store.Cast, Prices: NewPrices(s), registry: s.Registry, free: s.Media.Free, keys: s.Keys, log: s.Log,
		pictures: pictures, sends: s.Sends, store: s.Store, wake: s.Wake,
	}
}

// An Order holds the tasks of one submission: one or several tasks of the same user. Their
// form tokens let a repeated submission find the first. Empty pictures keep their positions
// until the tasks are placed.
type Order struct {
	User  db.User
	Tasks []db.Task
	// Shown is the price that the page showed for the order, in the format of
	// part.Price.Shown. If it is empty, the price is not compared.
	Shown string
	// Service is the ID of the video service that the page was about, whose price it showed;
	// 0 is the one that the team uses.
	Service int64
	// Accepted are the addresses of slow pictures that the user wants to use anyway.
	Accepted []string
	// Seen holds what is known of pictures that have already been checked, by address.
	Seen map[string]createview.PictureNote
	// Chosen are the pictures of cast members that are sent; nil if these share the places.
	Chosen []cast.Choice
	// Then are cast members as they were in an earlier video, and are used like that again.
	Then []cast.Appearance
	// Plain says that an @ in the prompts is text, and names nobody of the cast.
	Plain bool
	// Told are handles of which the page said that nobody has them, and Met those of cast
	// members that it named. Both are as cast.Fold returns them.
	Told, Met []string
	// Resent is the ID of the unconfirmed task that the order replaces, or 0. The
	// transaction that adds the new tasks also marks that task as decided.
	Resent int64
	// Program is the token and the request with which a program has ordered; nil for people.
	Program *program.Order
	// Wait makes Place wait briefly for the service to accept or refuse the videos.
	Wait bool
}

// Place checks the order, its price and its pictures, and adds all its tasks or none.
// It returns the added tasks, or the problems of the order. A repeated submission has
// no problems, even if the price has risen since: it adds nothing, and returns the
// tasks of the first.
func (p *Press) Place(ctx context.Context, o Order) ([]db.Task, site.Problems, error) {
	repeated, err := p.store.Tasks.Pressed(ctx, o.User.ID, o.Tasks[0].FormToken)
	if err != nil {
		return nil, nil, err
	}
	price, each, err := p.price(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	problems, err := p.cast(ctx, o)
	if err != nil {
		return nil, nil, err
	}
	if !repeated {
		if problems == nil {
			problems, err = p.check(ctx, o, price)
		}
		if problems == nil && err == nil {
			problems, err = p.afford(ctx, o, price)
		}
		if problems == nil && err == nil {
			problems = p.inspect(ctx, o)
		}
		if problems != nil || err != nil {
			return nil, problems, err
		}
	}
	bell, takeDown := p.bells.hang(o.Tasks)
	defer takeDown()
	tasks, problems, err := p.place(ctx, o, price, each)
	if err != nil || problems != nil {
		return nil, problems, err
	}
	// From here on the videos will be made: no later failure may be reported as an
	// error, or the user would submit again and pay twice.
	p.KeepScene(ctx, o.User, tasks[0].Scene)
	if o.Wait {
		p.await(ctx, tasks, bell)
	}
	return tasks, nil, nil
}

// KeepScene stores the scene that the user used last.
func (p *Press) KeepScene(ctx context.Context, u db.User, scene string) {
	if u.LastScene == scene {
		return // avoid a needless write, which would delay others
	}
	if err := p.store.Accounts.SetLastScene(ctx, u.ID, scene); err != nil && ctx.Err() == nil {
		p.log.Error("cannot remember the last used scene", "user", u.ID, "err", err)
	}
}

// Quote returns the price of the order, with what its person may still spend, or what is
// wrong with its fields. It looks at no pictures and adds nothing.
func (p *Press) Quote(ctx context.Context, o Order) (part.Price, site.Problems, error) {
	price, _, err := p.price(ctx, o)
	if err != nil {
		return price, nil, err
	}
	problems, err := p.cast(ctx, o)
	if err != nil || problems != nil {
		return price, problems, err
	}
	for _, t := range o.Tasks {
		if problems := Check(p.Catalog, t); problems != nil {
			return price, problems, nil
		}
	}
	return price, nil, nil
}

// cast replaces the handles of cast members in all tasks of the order by what is sent for
// them.
func (p *Press) cast(ctx context.Context, o Order) (site.Problems, error) {
	if o.Plain {
		return nil, nil
	}
	known, err := p.Company(ctx, o.Tasks...)
	if err != nil {
		return nil, err
	}
	known = known.Then(o.Then)
	first := lost(o, known)
	for j := range o.Tasks {
		o.Tasks[j].Pictures = slices.Clone(o.Tasks[j].Pictures) // tasks of one form share them
		if problems := known.Cast(p.Catalog, &o.Tasks[j], o.Chosen); first == nil {
			first = problems
		}
	}
	if first != nil {
		return first, nil
	}
	return p.consent(ctx, o.Tasks)
}

// check checks that the order is about the service that the team uses, and the fields of its
// tasks. It gives the pictures the addresses at which the service can fetch them.
func (p *Press) check(ctx context.Context, o Order, price part.Price) (site.Problems, error) {
	if o.Service != 0 && o.Service != price.Service {
		return site.Problems{{Kind: site.OtherService, Text: createview.OtherService}}, nil
	}
	for _, t := range o.Tasks {
		if err := p.pictures.Settle(ctx, t.Pictures); err != nil {
			return nil, err
		}
		if problems := Check(p.Catalog, t); problems != nil {
			return OfCast(problems, t), nil
		}
		// Pictures that were checked before may have been checked for another service.
		if problems := p.pictures.OutOfReach(t.Pictures); problems != nil {
			return OfCast(problems, t), nil
		}
	}
	return nil, nil
}

// afford compares the price with the one that the page showed, with the spending limit and
// with the balance of the API key, which must exist.
func (p *Press) afford(ctx context.Context, o Order, price part.Price) (site.Problems, error) {
	_, key, err := p.keys.InUse(ctx, o.User.ID)
	if errors.Is(err, db.ErrNotFound) {
		return site.Problems{{Kind: site.NoKey, Text: createview.KeyMissing}}, nil
	} else if err != nil {
		return nil, err
	}
	if price.Exceeds(site.Clip(o.Shown, 60)) {
		return site.Problems{{Kind: site.Dearer, Text: price.Changed()}}, nil
	}
	// An order that replaces an unconfirmed task may use the credits reserved for it:
	// the transaction checks that.
	if sentence := price.OverLimit(); sentence != "" && o.Resent == 0 {
		return site.Problems{{Kind: site.OverLimit, Text: sentence}}, nil
	}
	// Only a price stated by the service is compared with the balance, not an
	// estimate.
	price.Left = p.Prices.Balance(ctx, key)
	if _, short := price.EnoughOf(price.Left); short && price.Stated {
		return site.Problems{{Kind: site.Short, Text: price.Shortfall()}}, nil
	}
	return nil, nil
}

// inspect looks at the pictures, and gives each task the shape that is sent, once they are
// known.
func (p *Press) inspect(ctx context.Context, o Order) site.Problems {
	for i := range o.Tasks {
		t := &o.Tasks[i]
		if i == 0 || !slices.Equal(t.Pictures, o.Tasks[i-1].Pictures) { // else as in most submissions
			var problems site.Problems
			if o.Seen, problems = p.pictures.Look(ctx, o.User.ID, t.Pictures, o.Accepted, o.Seen); problems != nil {
				return OfCast(problems, *t)
			}
		}
		scene := videoapi.Scene(t.Scene)
		m, _ := ModelFor(p.Catalog, t.Model, scene)
		var first createview.PictureNote
		if scene.Leads() && len(t.Pictures) > 0 {
			first = o.Seen[t.Pictures[0]]
		}
		t.Options = m.Settle(t.Options, first.Width, first.Height)
	}
	return nil
}

// leastFree is how much of the disk must be free for a video to be ordered. What is told of
// videos that are paid, and what people write, may use the rest.
const leastFree = 2 << 20

// place adds all tasks of the order or, if it returns problems, none. price is that of all of
// them, and each is that of each.
func (p *Press) place(ctx context.Context, o Order, price part.Price,
	each []part.Price) (tasks []db.Task, problems site.Problems, err error) {
	if free, err := p.free(); err == nil && free >= 0 && free < leastFree {
		p.log.Error("a video is not ordered because the disk is full", "free", free)
		return nil, site.Problems{{Kind: site.NotSaved, Text: part.NotSaved()}}, nil
	}
	provider, err := p.store.Settings.Provider(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i := range o.Tasks {
		t := &o.Tasks[i]
		t.Provider = cmp.Or(t.Provider, provider)
		m, _ := ModelFor(p.Catalog, t.Model, videoapi.Scene(t.Scene))
		t.UserID, t.ServiceID, t.State = o.User.ID, price.Service, db.Queued
		t.Pictures, t.Options, t.Quoted = picture.WithoutGaps(t.Pictures), m.Complete(t.Options), each[i].Credits
		t.Reserved = each[i].Reservation()
	}
	switch {
	case o.Program != nil:
		tasks, err = p.store.OrderTasks(ctx, *o.Program, o.Tasks)
	case o.Resent == 0:
		tasks, err = p.store.AddTasks(ctx, o.Tasks)
	default:
		tasks, err = p.store.ResendTasks(ctx, o.Resent, o.Tasks, db.Now())
	}
	if err != nil {
		problems, err = p.refusal(ctx, price, err)
		return nil, problems, err
	}
	p.wake()
	return tasks, nil, nil
}

// refusal translates the error that kept the order from being added into a problem:
// other submissions may have used up the limit meanwhile, or the disk may be full. It
// returns errors that concern the order itself unchanged.
func (p *Press) refusal(ctx context.Context, price part.Price, err error) (site.Problems, error) {
	var over *spending.Over
	switch {
	case errors.As(err, &over):
		price.Budget, price.Budget.NeedsApproval = over.Budget, over.Unpriced
		sentence := cmp.Or(price.OverBy(over.Cost), createview.LimitReached)
		return site.Problems{{Kind: site.OverLimit, Text: sentence}}, nil
	case errors.Is(err, video.ErrOtherService):
		return site.Problems{{Kind: site.OtherService, Text: createview.OtherService}}, p.registry.Refresh(ctx)
	case ctx.Err() != nil, program.IsRefusal(err), errors.Is(err, db.ErrConflict), errors.Is(err, db.ErrNotFound):
		return nil, err
	}
	p.log.Error("cannot write down what is to be made", "err", err)
	return site.Problems{{Kind: site.NotSaved, Text: part.NotSaved()}}, nil
}

// CastField is the field of problems with cast members, which prompts and pictures name.
const CastField = createview.CastField
