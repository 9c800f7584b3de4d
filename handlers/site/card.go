package site

import (
	"context"
	"net/http"
	"slices"
	"time"

	"dailies/db"
	"dailies/db/cast"
	"dailies/db/schedule"
	"dailies/db/store/video"
	"dailies/handlers/service"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// Cards builds the cards that show videos.
type Cards struct {
	calls    *video.Calls
	cast     *video.Cast
	catalog  *videoapi.Catalog
	registry *service.Registry
	finals   Finals
	guests   *video.Guests
	leases   *video.Leases
	lineage  *video.Lineage
	mails    bool // can be sent
	now      func() time.Time
	history  *History
	tasks    *video.Tasks
}

// Finals returns the function that prices the final versions of one page's drafts. The
// versions may be nil.
type Finals func(context.Context, schedule.Versions) func(db.Task) *part.Final

// NewCards returns the Cards of a site.
func NewCards(s *Site, finals Finals) *Cards {
	return &Cards{
		calls: s.Store.Calls, cast: s.Store.Cast, catalog: s.Catalog, registry: s.Registry, finals: finals, guests: s.Store.Guests,
		leases: s.Store.Leases, lineage: s.Store.Lineage, mails: s.Mail, now: s.Store.Now, history: s.History, tasks: s.Store.Tasks,
	}
}

// group tells the cards about the batches that they belong to. It links the first finished
// card of each batch to a page that compares the whole batch.
func (c *Cards) group(r *http.Request, cards []part.Card) error {
	var batches []string
	for _, card := range cards {
		if card.Task.Batch != "" {
			batches = append(batches, card.Task.Batch)
		}
	}
	made, err := c.lineage.Batches(r.Context(), Me(r).ID, batches)
	if err != nil {
		return err
	}
	compared := map[string]bool{}
	for i := range cards {
		card := &cards[i]
		if group, ok := made[card.Task.Batch]; ok {
			card.Group = &group
			if card.Task.State == db.Success && len(group.Ready) <= MostVariations && !compared[card.Task.Batch] {
				card.Comparable = group.Ready
				compared[card.Task.Batch] = true
			}
		}
	}
	return nil
}

// One returns the card of a task, without the price of the final version and without
// the usual duration.
func (c *Cards) One(r *http.Request, t db.Task) part.Card {
	return part.Card{
		Task: t, Name: part.Title(t.Heading()), ModelName: c.catalog.Name(t.Model), Mine: t.UserID == Me(r).ID,
		LookOnly: !Me(r).Makes(), MayDrawCover: Me(r).MayDrawCover(t), Deletable: t.DeletableBy(Me(r)),
		MadeInPractice: t.Practice && !c.registry.IsPractice(), Sandbox: c.registry.IsOfPractice(t.ServiceID),
		Elsewhere: c.registry.IsElsewhere(t),
		Mails:     c.mails, Now: db.Now(),
	}
}

// Of returns the cards of the tasks. Cards of running tasks show the usual duration,
// those of tasks that have not begun their place in the queue, and those of finished
// videos what guests decided about them.
func (c *Cards) Of(r *http.Request, tasks []db.Task) ([]part.Card, error) {
	cards, err := c.At(r, nil, tasks)
	if err != nil {
		return nil, err
	}
	return cards, c.addVerdicts(r.Context(), cards)
}

// At is like Of for a handler that has read the versions, but without what guests decided,
// which changes no version.
func (c *Cards) At(r *http.Request, v schedule.Versions, tasks []db.Task) (cards []part.Card, err error) {
	if v == nil && slices.ContainsFunc(tasks, func(t db.Task) bool { return t.State.Running() }) {
		if v, err = c.history.current(r.Context(), nil); err != nil {
			return nil, err
		}
	}
	cards, final := make([]part.Card, len(tasks)), c.finals(r.Context(), v)
	for i, t := range tasks {
		cards[i] = c.One(r, t)
		cards[i].Final = final(t)
	}
	if err := c.fillForecast(r, v, cards); err != nil {
		return nil, err
	}
	if err := c.fillRefused(r.Context(), cards); err != nil {
		return nil, err
	}
	return cards, c.group(r, cards)
}

// fillRefused tells the cards of videos that were refused for showing a real person who may be
// meant.
func (c *Cards) fillRefused(ctx context.Context, cards []part.Card) error {
	for i, card := range cards {
		if card.Task.Cause() == db.RealPerson && len(card.Task.Pictures) > 0 {
			if err := c.FillCast(ctx, cards[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// FillCast tells the cards who of the cast is in their videos.
func (c *Cards) FillCast(ctx context.Context, cards []part.Card) error {
	var ids, members []int64
	for _, card := range cards {
		ids = append(ids, card.Task.ID)
	}
	was, err := c.cast.Of(ctx, ids...)
	if err != nil || len(was) == 0 {
		return err
	}
	for _, m := range was {
		members = append(members, m.MemberID)
	}
	now, err := c.cast.ByIDs(ctx, members)
	if err != nil {
		return err
	}
	for i := range cards {
		cards[i].Cast = nil
		for _, m := range was {
			if m.TaskID == cards[i].Task.ID {
				here := slices.ContainsFunc(now, func(n cast.Member) bool { return n.ID == m.MemberID && !n.IsDeleted() })
				cards[i].Cast = append(cards[i].Cast, part.CastFace{Appearance: m, Here: here})
			}
		}
	}
	return nil
}

// addVerdicts tells the cards of finished videos what guests decided about them.
func (c *Cards) addVerdicts(ctx context.Context, cards []part.Card) error {
	var ids []int64
	for _, card := range cards {
		if card.Task.State == db.Success {
			ids = append(ids, card.Task.ID)
		}
	}
	found, err := c.guests.Approvals(ctx, ids, db.Now())
	for i, card := range cards {
		cards[i].Approval = found[card.Task.ID]
	}
	return err
}

// MostVariations is the maximum number of videos that one form makes, and of videos
// that can be compared side by side.
const MostVariations = 4

// fillForecast fills in what lies ahead of the cards' videos that are not done: how long they
// usually take, their place in the queue, and what keeps them from being sent. The versions
// must be given if one of them is running.
func (c *Cards) fillForecast(r *http.Request, v schedule.Versions, cards []part.Card) (err error) {
	var queue schedule.Queue
	var unbegun []int64
	for _, card := range cards {
		if !card.Task.State.Begun() {
			unbegun = append(unbegun, card.Task.ID)
		}
	}
	if len(unbegun) > 0 {
		if queue, err = c.leases.Queue(r.Context(), Me(r).ID, unbegun...); err != nil {
			return err
		}
	}
	// By this machine's clock, like all times that pages show.
	paceUntil := queue.Pace.Until
	if !paceUntil.IsZero() {
		paceUntil = db.Now().Add(paceUntil.Sub(c.now()))
	}
	wait, late, err := c.blockedKey(r, cards)
	if err != nil {
		return err
	}
	var unpriced []int64
	if slices.ContainsFunc(cards, waitsToBeSent) {
		if unpriced, err = c.leases.AwaitPrice(r.Context(), unbegun...); err != nil {
			return err
		}
	}
	var elsewhere int
	if slices.ContainsFunc(cards, func(card part.Card) bool { return card.Elsewhere && card.Mine }) {
		if elsewhere, err = c.tasks.Elsewhere(r.Context(), Me(r).ID); err != nil {
			return err
		}
	}
	for i := range cards {
		card := &cards[i]
		if card.Elsewhere { // it waits for its maker alone
			card.AllElsewhere = elsewhere
			continue
		}
		card.Call, card.MayFree = wait(card.Task), Me(r).IsAdmin()
		card.AwaitsPrice = slices.Contains(unpriced, card.Task.ID)
		if waitsToBeSent(*card) {
			card.CallLateAt = late
		}
		if card.Task.State.Running() {
			if card.Usual, err = c.history.Usual(r.Context(), v, card.Task); err != nil {
				return err
			}
			card.Ahead = queue.Ahead(card.Task.ID)
			if !card.Task.State.Begun() {
				card.Wait, card.WaitUntil = queue.Pace.Wait(card.Ahead), paceUntil
			}
		}
	}
	return nil
}

// waitsToBeSent reports whether the card's task is not sent yet, or is being sent.
func waitsToBeSent(c part.Card) bool {
	return !c.Elsewhere && (c.Task.State == db.Queued || c.Task.State == db.Sending)
}

// blockedKey returns a function that tells which create call blocks the key of a task that
// waits to be sent, and when the next call begins to block its key.
func (c *Cards) blockedKey(r *http.Request, cards []part.Card) (wait func(db.Task) schedule.Call, late time.Time, err error) {
	wait = func(db.Task) schedule.Call { return schedule.Call{} }
	if !slices.ContainsFunc(cards, waitsToBeSent) {
		return wait, late, nil
	}
	now := c.now()
	if late, err = c.calls.NextLateCall(r.Context(), now); err != nil {
		return wait, late, err
	}
	if !late.IsZero() { // by this machine's clock, like all times that pages show
		late = db.Now().Add(late.Sub(now))
	}
	blocking, err := c.calls.BlockingCalls(r.Context(), now)
	if err != nil || len(blocking) == 0 {
		return wait, late, err
	}
	mine, err := c.calls.BlockingCall(r.Context(), Me(r).ID, now)
	return func(t db.Task) schedule.Call {
		switch at := slices.IndexFunc(blocking, func(call schedule.Call) bool { return call.TaskID == t.ID }); {
		case at >= 0 && t.State == db.Sending:
			return blocking[at]
		case t.State == db.Queued && t.UserID == Me(r).ID:
			return mine
		}
		return schedule.Call{}
	}, late, err
}
