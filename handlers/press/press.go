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
	"dailies/db/ordering"
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

// A Press makes videos of requests. Whatever makes videos (the form, recipes, batches, again,
// resend, the API and its dialect) takes the same way, downwards, and comes to each of its six
// stops once:
//
//  1. read: the edge turns a form, a table or JSON into an Order.
//  2. Press.Complete reads what the store knows about its requests.
//  3. Completed.Check says what is wrong with them.
//  4. Completed.Price says what they cost.
//  5. Press.inspect looks at their pictures.
//  6. Press.place adds all its tasks or none.
//
// Checks and prices read nothing. Whatever prevents a video is returned as problems by field.
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

	waiters waiters
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
	// ShownPrice is the price that the page showed for the order, in the format of
	// part.Price.Shown. If it is empty, the price is not compared.
	ShownPrice string
	// Service is the ID of the video service that the page was about, whose price it showed;
	// 0 is the one that the team uses.
	Service int64
	// Accepted are the addresses of slow pictures that the user wants to use anyway.
	Accepted []string
	// Seen holds what is known of pictures that have already been checked, by address.
	Seen map[string]createview.PictureNote

	// Company are the cast members whom the tasks name, if they were read already.
	Company Company
	// Chosen are the pictures of cast members that are sent; nil if these share the places.
	Chosen []cast.Choice
	// CastOf is the ID of an earlier task whose cast members are used as they were in it; 0 for
	// none.
	CastOf int64
	// NoMentions says that an @ in the prompts is text, and names nobody of the cast.
	NoMentions bool
	// ShownStrangers are handles of which the page said that nobody has them, and ShownMembers
	// those of cast members that it named. Both are as cast.Fold returns them.
	ShownStrangers, ShownMembers []string

	// Resent is the ID of the unconfirmed task that the order replaces, or 0. The
	// transaction that adds the new tasks also marks that task as decided.
	Resent int64
	// Quoted says that the price is looked at together with what may still be spent.
	Quoted bool
	// Program is the token and the request with which a program has ordered; nil for people.
	Program *program.Order
	// Wait makes Place wait briefly for the service to accept or refuse the videos.
	Wait bool
}

// A Completed order has with it what the store knows about its requests.
type Completed struct {
	Order
	// Faults are what is wrong with each task, once Check has looked.
	Faults []site.Problems
	// Prices are those of each task, once Price has computed them.
	Prices []part.Price

	press        *Press
	castProblems []site.Problems // what is wrong with the handles in each task
	members      Company         // the cast members as the order uses them
	deleted      site.Problems   // handles that the page named cast members by, and that nobody has now
	unagreed     []cast.Member   // people in the tasks whose consent is required and not noted
	learnt       map[string]ordering.Estimate
	service      int64 // the one that the team uses
	budget       spending.Budget
	budgetRead   bool
	whole        part.Price
}

// enter notes that the order has come to the stop.
func (c *Completed) enter(stop string) { c.press.log.Debug("press", "stop", stop, "user", c.User.ID) }

// Complete reads what the store knows about the requests of the order: the cast members whom
// they name, who are replaced by what is sent for them, the addresses of their pictures, and what
// such videos have cost.
func (p *Press) Complete(ctx context.Context, o Order) (*Completed, error) {
	c := &Completed{Order: o, press: p, learnt: map[string]ordering.Estimate{}, service: p.registry.Current().ID}
	c.enter("complete")
	c.Tasks = slices.Clone(o.Tasks)
	for i, t := range c.Tasks {
		c.Tasks[i].Pictures = slices.Clone(t.Pictures) // tasks of one form share them
	}
	if !o.NoMentions {
		if err := p.addCast(ctx, c); err != nil {
			return nil, err
		}
	}
	for _, t := range c.Tasks {
		if err := p.pictures.Settle(ctx, t.Pictures); err != nil {
			return nil, err
		}
		kind := kindOf(t)
		if _, known := c.learnt[kind]; known || isStated(p.Catalog, t) {
			continue
		}
		var err error
		if c.learnt[kind], err = p.Prices.estimate(ctx, t); err != nil {
			return nil, err
		}
	}
	if o.Quoted {
		return c, p.readBudget(ctx, c)
	}
	return c, nil
}

// addCast reads the cast members whom the tasks name, and replaces their handles in the tasks by
// what is sent for them. Tasks that are made again have the cast of earlier ones already.
func (p *Press) addCast(ctx context.Context, c *Completed) (err error) {
	if c.Company == nil {
		if c.Company, err = p.Company(ctx, c.Tasks...); err != nil {
			return err
		}
	}
	c.deleted = deletedSince(c.Order)
	c.members = c.Company
	if c.CastOf != 0 && len(c.members) > 0 {
		was, err := p.Members.Of(ctx, c.CastOf)
		if err != nil {
			return err
		}
		c.members = c.members.As(was)
	}
	c.castProblems = make([]site.Problems, len(c.Tasks))
	for i := range c.Tasks {
		c.castProblems[i] = c.members.Cast(p.Catalog, &c.Tasks[i], c.Chosen)
	}
	c.unagreed, err = p.withoutConsent(ctx, c.Tasks)
	return err
}

// Check finds what is wrong with each task, and returns the problems of the first that has some.
func (c *Completed) Check() site.Problems {
	c.enter("check")
	var first site.Problems
	c.Faults = make([]site.Problems, len(c.Tasks))
	for i, t := range c.Tasks {
		if c.castProblems != nil {
			c.Faults[i] = c.castProblems[i]
		}
		c.Faults[i] = append(c.Faults[i], Check(c.press.Catalog, t)...)
		if first == nil {
			first = c.Faults[i]
		}
	}
	return first
}

// Consent returns a problem for each person in the tasks whose consent is required and not noted.
func (c *Completed) Consent() (problems site.Problems) {
	for _, m := range c.unagreed {
		if slices.ContainsFunc(c.Tasks, func(t db.Task) bool { return slices.Contains(idsOf(t.Cast), m.ID) }) {
			problems = append(problems, site.Problem{Kind: site.NoConsent, Field: createview.CastField, Text: createview.ConsentMissing(m)})
		}
	}
	return problems
}

// Keep leaves out the tasks that are not kept, after Check has looked at all of them.
func (c *Completed) Keep(kept func(i int) bool) {
	var tasks []db.Task
	var faults []site.Problems
	for i, t := range c.Tasks {
		if kept(i) {
			tasks, faults = append(tasks, t), append(faults, c.Faults[i])
		}
	}
	c.Tasks, c.Faults = tasks, faults
}

// ProblemsOf returns what would be wrong with the task, which the cast of the order is in.
func (c *Completed) ProblemsOf(t db.Task) site.Problems {
	return c.members.Check(c.press.Catalog, t, c.Chosen)
}

// Price returns the price of all tasks. It is what the service states for each, or else what such
// videos have cost.
func (c *Completed) Price() part.Price {
	c.enter("price")
	c.Prices = make([]part.Price, len(c.Tasks))
	for i, t := range c.Tasks {
		c.Prices[i] = priceOf(c.press.Catalog, t, c.learnt[kindOf(t)])
		c.Prices[i].Service = c.service
	}
	if len(c.Prices) > 0 { // else all rows of a table are left out
		c.whole = part.Mix(c.Prices...)
	}
	c.whole.Budget = c.budget
	return c.whole
}

// Place adds all tasks of an order that was checked and priced, or none. It returns the added
// tasks, or what keeps them from being made, what Check has found included. A repeated submission
// has no problems, even if the price has risen since: it adds nothing, and returns the tasks of the
// first.
func (p *Press) Place(ctx context.Context, c *Completed) ([]db.Task, site.Problems, error) {
	repeated, err := p.store.Tasks.Pressed(ctx, c.User.ID, c.Tasks[0].FormToken)
	if err != nil {
		return nil, nil, err
	}
	if !repeated {
		problems := p.prevents(c)
		if problems == nil {
			problems, err = p.afford(ctx, c)
		}
		if problems == nil && err == nil {
			problems = p.inspect(ctx, c)
		}
		if problems != nil || err != nil {
			return nil, problems, err
		}
	}
	answers, remove := p.waiters.add(c.Tasks)
	defer remove()
	tasks, problems, err := p.place(ctx, c)
	if err != nil || problems != nil {
		return nil, problems, err
	}
	// From here on the videos will be made: no later failure may be reported as an
	// error, or the user would submit again and pay twice.
	p.KeepScene(ctx, c.User, tasks[0].Scene)
	if c.Wait {
		p.await(ctx, tasks, answers)
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

// prevents reports what keeps the requests from being made: the page named cast members who are gone,
// somebody's consent is missing, the team uses another service now, which may not be able to
// fetch pictures that were checked before, or Check has found faults.
func (p *Press) prevents(c *Completed) site.Problems {
	if c.deleted != nil {
		return c.deleted
	}
	if problems := c.Consent(); problems != nil {
		return problems
	}
	if c.Service != 0 && c.Service != c.service {
		return site.Problems{{Kind: site.OtherService, Text: createview.OtherService}}
	}
	for i, t := range c.Tasks {
		problems := slices.Clone(c.Faults[i])
		if problems == nil {
			problems = p.pictures.OutOfReach(t.Pictures)
		}
		if problems != nil {
			return OfCast(problems, t)
		}
	}
	return nil
}

// readBudget reads what the person may still spend.
func (p *Press) readBudget(ctx context.Context, c *Completed) (err error) {
	if !c.budgetRead {
		c.budget, err = p.store.Limits.Budget(ctx, c.User.ID, db.Now())
		c.whole.Budget, c.budgetRead = c.budget, err == nil
	}
	return err
}

// afford compares the price with the one that the page showed, with the spending limit and
// with the balance of the API key, which must exist.
func (p *Press) afford(ctx context.Context, c *Completed) (site.Problems, error) {
	if err := p.readBudget(ctx, c); err != nil {
		return nil, err
	}
	_, key, err := p.keys.InUse(ctx, c.User.ID)
	if errors.Is(err, db.ErrNotFound) {
		return site.Problems{{Kind: site.NoKey, Text: createview.KeyMissing}}, nil
	} else if err != nil {
		return nil, err
	}
	price := c.whole
	if price.Exceeds(site.Clip(c.ShownPrice, 60)) {
		return site.Problems{{Kind: site.Dearer, Text: price.Changed()}}, nil
	}
	// An order that replaces an unconfirmed task may use the credits reserved for it:
	// the transaction checks that.
	if sentence := price.OverLimit(); sentence != "" && c.Resent == 0 {
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
func (p *Press) inspect(ctx context.Context, c *Completed) site.Problems {
	c.enter("inspect")
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if i == 0 || !slices.Equal(t.Pictures, c.Tasks[i-1].Pictures) { // else as in most submissions
			var problems site.Problems
			if c.Seen, problems = p.pictures.Look(ctx, c.User.ID, t.Pictures, c.Accepted, c.Seen); problems != nil {
				return OfCast(problems, *t)
			}
		}
		scene := videoapi.Scene(t.Scene)
		m, _ := ModelFor(p.Catalog, t.Model, scene)
		var first createview.PictureNote
		if scene.Leads() && len(t.Pictures) > 0 {
			first = c.Seen[t.Pictures[0]]
		}
		t.Options = m.Settle(t.Options, first.Width, first.Height)
	}
	return nil
}

// leastFree is how much of the disk must be free for a video to be ordered. What is told of
// videos that are paid, and what people write, may use the rest.
const leastFree = 2 << 20

// place adds all tasks of the order or, if it returns problems, none.
func (p *Press) place(ctx context.Context, c *Completed) (tasks []db.Task, problems site.Problems, err error) {
	c.enter("place")
	if free, err := p.free(); err == nil && free >= 0 && free < leastFree {
		p.log.Error("a video is not ordered because the disk is full", "free", free)
		return nil, site.Problems{{Kind: site.NotSaved, Text: part.NotSaved()}}, nil
	}
	provider, err := p.store.Settings.Provider(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		t.Provider = cmp.Or(t.Provider, provider)
		m, _ := ModelFor(p.Catalog, t.Model, videoapi.Scene(t.Scene))
		t.UserID, t.ServiceID, t.State = c.User.ID, c.service, db.Queued
		t.Pictures, t.Options, t.Quoted = picture.WithoutGaps(t.Pictures), m.Complete(t.Options), c.Prices[i].Credits
		t.Reserved = c.Prices[i].Reservation()
	}
	switch {
	case c.Program != nil:
		tasks, err = p.store.OrderTasks(ctx, *c.Program, c.Tasks)
	case c.Resent == 0:
		tasks, err = p.store.AddTasks(ctx, c.Tasks)
	default:
		tasks, err = p.store.ResendTasks(ctx, c.Resent, c.Tasks, db.Now())
	}
	if err != nil {
		problems, err = p.refusal(ctx, c.whole, err)
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
