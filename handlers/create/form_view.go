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
	shared := slices.ContainsFunc(f.pictures(), func(typed string) bool { _, shared := pictureLink(typed); return shared })
	if err := errors.Join(h.origins.settle(r, &f), h.fields.settle(r, &f), h.origins.casting.join(r.Context(), &f)); err != nil {
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
	view.Price, view.Draft = prices.ofForm(r.Context(), f)
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
	view.Each = prices.each(r.Context(), f)
	view.Listing = f.listView(prices.catalog, prices.brief(r.Context()))
	return nil
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
