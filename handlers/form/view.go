package form

import (
	"context"
	"errors"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	"dailies/db/option"
	"dailies/db/ordering"
	"dailies/db/review"
	"dailies/db/schedule"
	"dailies/db/secrets"
	"dailies/handlers/picture"
	"dailies/handlers/press"
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
)

// View returns the form's data for its page. The price is that of the values that can
// be submitted: options that the model does not support count as its defaults. The
// versions, if they are not nil, must have been read for this request.
func (h *Making) View(r *http.Request, v schedule.Versions, f Form, errs input.Errors, notes []string) (createview.CreateForm, error) {
	shared := slices.ContainsFunc(f.AllPictures(), func(typed string) bool { _, shared := picture.PictureLink(typed); return shared })
	if err := errors.Join(h.SettleParent(r, &f), h.SettlePictures(r, &f), f.Join(r.Context(), h.Press)); err != nil {
		return createview.CreateForm{}, err
	}
	view := f.View(h.catalog, secrets.NewToken())
	view.Errors, view.Notes = errs, notes
	if shared {
		view.Notes = append(view.Notes, createview.ShareLinkChanged)
	}
	if f.isUnseen() {
		view.Notes = append(view.Notes, createview.ShapeUnseen(f.Chosen.Ratio))
	}
	if f.Refused != nil {
		card := h.cards.One(r, *f.Refused)
		view.Remedy = part.Remedy(card.Task, card.Sandbox)
	}
	if f.Parent != nil {
		view.Origin = &createview.Origin{Card: h.cards.One(r, *f.Parent), Use: f.Use, Take: f.Take}
		view.AnsweredNotes = asksOf(f)
		if gone := len(f.NoteIDs) - len(f.Notes); gone > 0 {
			view.Notes = append(view.Notes, createview.NotesGone(gone))
		}
	}
	view.Cast = f.CastView(h.catalog)
	if err := h.fillPrices(r, v, f, &view); err != nil {
		return view, err
	}
	return view, h.FillUploads(r, &view)
}

// isUnseen reports whether the video has the shape of a picture that the user was told is
// slow, so that its size is not known.
func (f Form) isUnseen() bool {
	pictures := f.AllPictures()
	return f.Options.Shape != option.ChosenShape && len(f.Chosen.Ratios) > 0 &&
		len(pictures) > 0 && slices.Contains(f.SlowTold, pictures[0])
}

// asksOf returns what the notes ask for.
func asksOf(f Form) (asks []createview.AnsweredNote) {
	for _, n := range f.Notes {
		ask := createview.AnsweredNote{ID: n.ID, Author: n.Author.Called(), Body: n.Body, In: strings.Contains(f.Prompt, n.Body)}
		if n.IsTimed() {
			ask.At, ask.Millis = review.FormatTime(n.At), n.At
		}
		asks = append(asks, ask)
	}
	return asks
}

// fillPrices fills in the prices, and the key that the viewer lacks. The versions are as for
// Making.View.
func (h *Making) fillPrices(r *http.Request, v schedule.Versions, f Form, view *createview.CreateForm) error {
	_, key, err := h.keys.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err != nil {
		if view.NoKey, err = h.keys.Lack(r); err != nil {
			return err
		}
	}
	left := h.Press.Prices.Balance(r.Context(), key)
	if v == nil {
		if v, err = h.versions(r.Context(), ""); err != nil {
			return err
		}
	}
	prices := h.Press.Prices.At(v)
	view.Price, view.Draft = f.price(r.Context(), prices)
	if view.DraftFirst && view.Draft != nil {
		view.Price = view.Draft.Price
	}
	view.Price.Left, view.Practice = left, h.registry.IsPractice()
	if f.Resent(site.Me(r)) == 0 { // such a form may use the credits reserved for the old task
		if view.Price.Budget, err = h.limits.Budget(r.Context(), site.Me(r).ID, db.Now()); err != nil {
			return err
		}
		if err := h.fillAsk(r, f, view); err != nil {
			return err
		}
	}
	view.Each = f.priceEach(r.Context(), prices)
	view.Listing = f.listView(prices.Catalog, prices.Brief(r.Context()))
	return nil
}

// price returns the price of all videos of the form, with the options adapted to the
// model, and the offer to make drafts on a faster model first, if there is one.
func (f Form) price(ctx context.Context, p press.Prices) (part.Price, *createview.DraftOffer) {
	f.Adapt(p.Catalog)
	kinds := f.kinds(p.Catalog)
	if len(kinds) == 0 { // no row can be made
		kinds = []listKind{{Rows: 1}}
	}
	whole := func(one func(t db.Task) part.Price) part.Price {
		var prices []part.Price
		for _, k := range kinds {
			price := one(f.with(ordering.ListRow{Options: k.Options}).Task(db.User{}))
			price.Count = k.Rows * f.count()
			prices = append(prices, price)
		}
		price := part.Mix(prices...)
		if f.Parent != nil && f.Use == db.Finalized {
			price.Draft = f.Parent.Charged
		}
		return price
	}
	price := whole(func(t db.Task) part.Price { return p.Of(ctx, t) })
	quick, ok := p.Catalog.Draft(f.Model, f.scene())
	if !ok {
		return price, nil
	}
	draft := whole(func(t db.Task) part.Price { return p.OnModel(ctx, quick, t) })
	return price, &createview.DraftOffer{Model: quick, Price: draft, Full: price}
}

// priceEach returns the price of one video for every choice of an option that
// affects the price, by "name=value".
func (f Form) priceEach(ctx context.Context, p press.Prices) map[string]part.Price {
	f.Adapt(p.Catalog)
	t, prices := f.Task(db.User{}), map[string]part.Price{}
	for _, m := range p.Catalog.For(f.scene()) {
		prices["model="+m.ID] = p.OnModel(ctx, m, t)
	}
	for _, name := range []string{"resolution", "generate_audio"} {
		for _, value := range f.Chosen.Choices(name) {
			one := t
			one.Options, _ = t.Options.With(name, value)
			prices[name+"="+value] = p.Of(ctx, one)
		}
	}
	return prices
}

// fillAsk adds the form that asks for a higher limit, if the price exceeds the limit.
func (h *Making) fillAsk(r *http.Request, f Form, view *createview.CreateForm) (err error) {
	if view.Price.OverLimit() == "" {
		return nil
	}
	if f.Asked != nil {
		view.CreditRequest = f.Asked
		return nil
	}
	ask, err := h.creditRequests.Form(r.Context(), site.Me(r))
	if err != nil {
		return err
	}
	if ask.Unpriced = !view.Price.Credits.Known && view.Price.Budget.NeedsApproval; !ask.Unpriced {
		lacking := max(1, view.Price.LikelyInAll()-view.Price.Budget.Left().Amount)
		ask.Credits.Value = strconv.FormatFloat(math.Ceil(lacking), 'f', -1, 64)
	}
	view.CreditRequest = &ask
	return nil
}
