// Package create serves everything that makes a new video: the form, its
// pictures, presets, tables, and another try. All of them place their tasks
// through one Press.
package create

import (
	"cmp"
	"context"
	"errors"

	"dailies/db"
	"dailies/db/team"
	"dailies/handlers/site"
	"dailies/views/part"
)

// A Press makes videos. It takes tasks, and knows nothing of requests and forms:
// what keeps it from making them comes back as problems by field.
type Press struct {
	*site.Site
	Prices   Prices
	Pictures *Pictures

	bells bells
}

// An Order holds the tasks that one press of a button asks for: one or several, which
// are one person's and cost the same each. Their form tokens let a second press
// find the first. Empty pictures keep their places until the tasks are placed.
type Order struct {
	User  db.User
	Tasks []db.Task
	// Shown is the price that the page stated for the order, in the form of
	// part.Price.Shown. An empty one was no page's, so nothing is compared.
	Shown string
	// Accepted are the addresses of slow pictures that the person wants to use.
	Accepted []string
	// Inspected says that the pictures were looked at already.
	Inspected bool
	// Resent is the unconfirmed task that the order is sent in place of; 0 for
	// none. It is decided in the transaction that adds the new ones.
	Resent int64
	// Wait gives the service a moment to take the videos or to refuse them.
	Wait bool
}

// Place checks the order, prices it, looks at its pictures, and adds its tasks,
// all or none. It returns the tasks, or the problems that there are with them. A
// second press has no problems, whatever became dearer in between: it makes
// nothing, and returns what the first has made.
func (p *Press) Place(ctx context.Context, o Order) ([]db.Task, Problems, error) {
	pressed, err := p.Store.Pressed(ctx, o.User.ID, o.Tasks[0].FormToken)
	if err != nil {
		return nil, nil, err
	}
	price, err := p.Prices.read(ctx, o.Tasks[0])
	if err != nil {
		return nil, nil, err
	}
	price.Count = len(o.Tasks)
	if price.Room, err = p.Store.Room(ctx, o.User.ID, db.Now()); err != nil {
		return nil, nil, err
	}
	if !pressed {
		if problems, err := p.inspect(ctx, o, price); err != nil || problems != nil {
			return nil, problems, err
		}
	}
	for i := range o.Tasks {
		t := &o.Tasks[i]
		m, _ := p.Catalog.Model(t.Model)
		t.UserID, t.State = o.User.ID, db.Queued
		t.Pictures, t.Options, t.Quoted = withoutGaps(t.Pictures), m.Complete(t.Options), price.Credits
		t.Held = price.Held()
	}
	bell, takeDown := p.bells.hang(o.Tasks)
	defer takeDown()
	tasks, err := p.add(ctx, o)
	if err != nil {
		problems, err := p.notAdded(ctx, price, err)
		return nil, problems, err
	}
	p.Wake()
	// From here on the videos are made: nothing below may answer otherwise, or
	// the person presses again and pays twice.
	p.keepScene(ctx, o.User, tasks[0].Scene)
	if o.Wait {
		p.await(ctx, tasks, bell)
	}
	return tasks, nil, nil
}

// inspect goes through everything that may keep an order from being placed: its
// fields, the key, the price that the page said, and the pictures.
func (p *Press) inspect(ctx context.Context, o Order, price part.Price) (Problems, error) {
	for i := range o.Tasks {
		if err := p.Pictures.Settle(ctx, o.Tasks[i].Pictures); err != nil {
			return nil, err
		}
		if problems := p.Check(o.Tasks[i]); problems != nil {
			return problems, nil
		}
	}
	key, err := p.key(ctx, o.User.ID)
	if errors.Is(err, db.ErrNotFound) {
		return Problems{{Kind: NoKey, Text: "There is no API key yet, so nothing was sent."}}, nil
	} else if err != nil {
		return nil, err
	}
	if price.Exceeds(site.Clip(o.Shown, 60)) {
		return Problems{{Kind: Dearer, Text: price.Changed()}}, nil
	}
	// What takes the place of an unconfirmed video may use what is held for that: the
	// transaction decides.
	if sentence := price.OverLimit(); sentence != "" && o.Resent == 0 {
		return Problems{{Kind: OverLimit, Text: sentence}}, nil
	}
	// An estimate refuses nothing: the service knows better.
	price.Left = p.Prices.balance(ctx, key)
	if _, short := price.EnoughOf(price.Left); short && price.Stated {
		return Problems{{Kind: Short, Text: price.Shortfall()}}, nil
	}
	if o.Inspected {
		return nil, nil
	}
	for _, t := range o.Tasks { // of one press they mostly have the same pictures
		if problems := p.Pictures.Look(ctx, o.User.ID, t.Pictures, o.Accepted); problems != nil {
			return problems, nil
		}
	}
	return nil, nil
}

// key returns the API key that the person uses, or db.ErrNotFound where there is none that
// opens.
func (p *Press) key(ctx context.Context, userID int64) (string, error) {
	k, err := p.Store.KeyInUse(ctx, userID)
	if err != nil {
		return "", err
	}
	return p.Vault.OpenKey(k)
}

func (p *Press) add(ctx context.Context, o Order) ([]db.Task, error) {
	if o.Resent == 0 {
		return p.Store.AddTasks(ctx, o.Tasks)
	}
	return p.Store.ResendTasks(ctx, o.Resent, o.Tasks, db.Now())
}

// notAdded turns what kept the order from being added into a problem: others may have
// spent meanwhile what there was room for.
func (p *Press) notAdded(ctx context.Context, price part.Price, err error) (Problems, error) {
	var over *team.Over
	if !errors.As(err, &over) {
		return p.notSaved(ctx, err)
	}
	price.Room, price.Room.MustAsk = over.Room, over.Unpriced
	sentence := cmp.Or(price.OverLimit(), "This month's limit leaves no room for this.")
	return Problems{{Kind: OverLimit, Text: sentence}}, nil
}

// notSaved turns an error of the store into a problem, as on a full disk, unless
// it says that the order itself cannot be.
func (p *Press) notSaved(ctx context.Context, err error) (Problems, error) {
	if ctx.Err() != nil || errors.Is(err, db.ErrConflict) || errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	p.Log.Error("cannot write down what is to be made", "err", err)
	return Problems{{Kind: NotSaved, Text: part.NotSaved()}}, nil
}

// keepScene remembers the scene that the person used last.
func (p *Press) keepScene(ctx context.Context, u db.User, scene string) {
	if u.LastScene == scene {
		return // a write that changes nothing holds up those that do
	}
	if err := p.Store.SetLastScene(ctx, u.ID, scene); err != nil && ctx.Err() == nil {
		p.Log.Error("cannot remember the last used scene", "user", u.ID, "err", err)
	}
}

// withoutGaps returns the pictures that were given.
func withoutGaps(pictures []string) []string {
	given := []string{}
	for _, address := range pictures {
		if address != "" {
			given = append(given, address)
		}
	}
	return given
}
