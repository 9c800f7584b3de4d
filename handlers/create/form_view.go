package create

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
	"dailies/handlers/site"
	createview "dailies/views/create"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web/videoapi"
)

// formViews knows what a form shows.
type formViews struct {
	cards   *site.Cards
	catalog *videoapi.Catalog
	fields  *pictureFields
	origins *origins
	prices  *formPrices
}

// of returns the form's data for its page. The price is that of the values that can
// be submitted: options that the model does not support count as its defaults. The
// versions, if they are not nil, must have been read for this request.
func (h *formViews) of(r *http.Request, v schedule.Versions, f form, errs input.Errors, notes []string) (createview.CreateForm, error) {
	shared := slices.ContainsFunc(f.pictures(), func(typed string) bool { _, shared := PictureLink(typed); return shared })
	if err := errors.Join(h.origins.settle(r, &f), h.fields.settle(r, &f), f.join(r.Context(), h.origins.casting)); err != nil {
		return createview.CreateForm{}, err
	}
	view := f.view(h.catalog, secrets.NewToken())
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
		view.Asks = asksOf(f)
		if gone := len(f.NoteIDs) - len(f.Notes); gone > 0 {
			view.Notes = append(view.Notes, createview.NotesGone(gone))
		}
	}
	view.Cast = f.castView(h.catalog)
	if err := h.prices.fill(r, v, f, &view); err != nil {
		return view, err
	}
	return view, h.fields.fill(r, &view)
}

// isUnseen reports whether the video has the shape of a picture that the user was told is
// slow, so that its size is not known.
func (f form) isUnseen() bool {
	pictures := f.pictures()
	return f.Options["aspect_ratio"] == string(option.LikePicture) && len(f.Chosen.Ratios) > 0 && len(pictures) > 0 && slices.Contains(f.SlowTold, pictures[0])
}

// asksOf returns what the notes ask for.
func asksOf(f form) (asks []createview.Ask) {
	for _, n := range f.Notes {
		ask := createview.Ask{ID: n.ID, Author: n.Author.Called(), Body: n.Body, In: strings.Contains(f.Prompt, n.Body)}
		if n.IsTimed() {
			ask.At, ask.Millis = review.FormatTime(n.At), n.At
		}
		asks = append(asks, ask)
	}
	return asks
}

// formPrices tells what the videos of a form cost, and whether the viewer can pay that.
type formPrices struct {
	asks     site.Asks
	keys     *site.Keys
	pricing  *pricing
	versions func(context.Context, string) (schedule.Versions, error)
}

// fill fills in the prices, and the key that the viewer lacks. The versions are as for
// formViews.of.
func (h *formPrices) fill(r *http.Request, v schedule.Versions, f form, view *createview.CreateForm) error {
	_, key, err := h.keys.Open(r)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err != nil {
		if view.NoKey, err = h.keys.Lack(r); err != nil {
			return err
		}
	}
	left := h.pricing.prices.balance(r.Context(), key)
	if v == nil {
		if v, err = h.versions(r.Context(), ""); err != nil {
			return err
		}
	}
	prices := h.pricing.prices.at(v)
	view.Price, view.Draft = f.price(r.Context(), prices)
	if view.DraftFirst && view.Draft != nil {
		view.Price = view.Draft.Price
	}
	view.Price.Left, view.Practice = left, h.pricing.prices.desk.IsPractice()
	if f.resent(site.Me(r)) == 0 { // such a form may use the credits reserved for the old task
		if view.Price.Room, err = h.pricing.limits.Room(r.Context(), site.Me(r).ID, db.Now()); err != nil {
			return err
		}
		if err := h.fillAsk(r, f, view); err != nil {
			return err
		}
	}
	view.Each = f.priceEach(r.Context(), prices)
	view.Listing = f.listView(prices.catalog, prices.brief(r.Context()))
	return nil
}

// price returns the price of all videos of the form, with the options adapted to the
// model, and the offer to make drafts on a faster model first, if there is one.
func (f form) price(ctx context.Context, p Prices) (part.Price, *createview.DraftOffer) {
	f.adapt(p.catalog)
	kinds := f.kinds(p.catalog)
	if len(kinds) == 0 { // no row can be made
		kinds = []listKind{{Rows: 1}}
	}
	whole := func(one func(t db.Task) part.Price) part.Price {
		var prices []part.Price
		for _, k := range kinds {
			price := one(f.with(ordering.ListRow{Options: k.Options}).task(db.User{}))
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
	quick, ok := p.catalog.Draft(f.Model, f.Scene)
	if !ok {
		return price, nil
	}
	return price, &createview.DraftOffer{Model: quick, Price: whole(func(t db.Task) part.Price { return p.onModel(ctx, quick, t) }), Full: price}
}

// priceEach returns the price of one video for every choice of an option that
// affects the price, by "name=value".
func (f form) priceEach(ctx context.Context, p Prices) map[string]part.Price {
	f.adapt(p.catalog)
	t, prices := f.task(db.User{}), map[string]part.Price{}
	for _, m := range p.catalog.For(f.Scene) {
		prices["model="+m.ID] = p.onModel(ctx, m, t)
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

// fillAsk adds the form that asks for a higher limit, if the price exceeds the limit.
func (h *formPrices) fillAsk(r *http.Request, f form, view *createview.CreateForm) (err error) {
	if view.Price.OverLimit() == "" {
		return nil
	}
	if f.Asked != nil {
		view.Ask = f.Asked
		return nil
	}
	ask, err := h.asks.Form(r.Context(), site.Me(r))
	if err != nil {
		return err
	}
	if ask.Unpriced = !view.Price.Credits.Known && view.Price.Room.MustAsk; !ask.Unpriced {
		lacking := max(1, view.Price.LikelyInAll()-view.Price.Room.Left().Amount)
		ask.Credits.Value = strconv.FormatFloat(math.Ceil(lacking), 'f', -1, 64)
	}
	view.Ask = &ask
	return nil
}
