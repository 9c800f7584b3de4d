package share

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/naming"
	"dailies/db/review"
	"dailies/db/secrets"
	"dailies/db/store/video"
	"dailies/handlers/site"
	"dailies/views/input"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Change changes the settings of the link: see readChange. An empty password keeps the one
// that the link has. Users who may not change the link get a 404.
func (h *Links) Change(w http.ResponseWriter, r *http.Request, id int64) error {
	s, err := h.changeable(r, id)
	if err != nil {
		return err
	}
	form, sentence := readChange(r, s)
	if sentence != "" {
		return h.refuse(w, r, s, form, sentence)
	}
	hash, err := h.hash(r, form.Password.Value)
	if sentence, busy := site.Busy(w, err); busy {
		return &web.Error{Status: http.StatusTooManyRequests, Message: sentence}
	}
	if err != nil {
		return err
	}
	now := db.Now()
	err = h.links.ChangeShare(r.Context(), id, now, func(s *gallery.Share) {
		settle(form, s)
		switch {
		case hash != "":
			s.Password = hash
		case form.NoPassword.On:
			s.Password = ""
		}
		if form.Days.Value != "" {
			s.ExpiresAt = end(form, now)
		}
	})
	if err != nil {
		return err
	}
	return h.said(w, r, site.Saved)
}

// AddTake shows a take of the video to the guests of the link. Users who may not change the
// link get a 404.
func (h *Links) AddTake(w http.ResponseWriter, r *http.Request, id int64) error {
	if _, err := h.changeable(r, id); err != nil {
		return err
	}
	task := site.ParseID(r.PostFormValue("task"))
	err := h.links.ShowTake(r.Context(), site.Me(r), id, task, db.Now())
	if errors.Is(err, db.ErrConflict) {
		return site.Unprocessable(noTake)
	}
	if err != nil {
		return err
	}
	return h.pages.SeeOther(w, r, site.TaskPath(task), takeShown)
}

// refuse answers a script with the sentence alone, and others with the form as it was filled
// in.
func (h *Links) refuse(w http.ResponseWriter, r *http.Request, s gallery.Share, form *libraryview.ShareForm, sentence string) error {
	link := h.shares.ShareLinks(r, []gallery.Share{s})[0]
	if web.IsPartial(r) || link.Address == "" {
		return site.Unprocessable(sentence)
	}
	p := libraryview.SharePart{Path: sharedPath(s), Of: s.Of(), Able: true, Offers: gallery.Mays(), Form: form, Chosen: &link}
	return h.draw(w, r, http.StatusUnprocessableEntity, p)
}

// Revoke disables a link. Users who may not revoke it get a 404.
func (h *Links) Revoke(w http.ResponseWriter, r *http.Request, id int64) error {
	if _, err := h.revocable(r, id); err != nil {
		return err
	}
	if err := h.links.RevokeShare(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return h.said(w, r, linkOff)
}

// Reopen makes a link work again that was turned off or has ended. Users who may not revoke
// it get a 404.
func (h *Links) Reopen(w http.ResponseWriter, r *http.Request, id int64) error {
	if _, err := h.revocable(r, id); err != nil {
		return err
	}
	err := h.links.BringBack(r.Context(), id, db.Now())
	if errors.Is(err, db.ErrFull) {
		return site.Unprocessable(libraryview.TooManyLinks())
	}
	if err != nil {
		return err
	}
	return h.said(w, r, linkBack)
}

// NewVisitors returns the handler of the guests of links.
func NewVisitors(s *site.Site, links *Links) *Visitors {
	return &Visitors{guests: s.Store.Guests, links: links}
}

// Visitors removes guests of links.
type Visitors struct {
	guests *video.Guests
	links  *Links
}

// Remove removes a guest with everything that they wrote. Users who may not revoke the link get
// a 404.
func (h *Visitors) Remove(w http.ResponseWriter, r *http.Request, id int64) error {
	s, err := h.links.revocable(r, id)
	if err != nil {
		return err
	}
	found, err := h.guests.Visitors(r.Context(), []int64{s.ID})
	if err != nil {
		return err
	}
	guest := site.ParseID(r.PathValue("guest"))
	if !slices.ContainsFunc(found[s.ID], func(v review.Visitor) bool { return v.ID == guest }) {
		return web.NotFound()
	}
	if err := h.guests.DeleteGuest(r.Context(), guest, db.Now()); err != nil {
		return err
	}
	return h.links.said(w, r, guestGone)
}

func (h *Links) revocable(r *http.Request, id int64) (gallery.Share, error) {
	s, err := h.links.Share(r.Context(), id)
	if err == nil && !s.RevocableBy(site.Me(r)) {
		err = web.NotFound()
	}
	return s, err
}

// changeable is like revocable, but only for links that work, and to what the person sees.
func (h *Links) changeable(r *http.Request, id int64) (gallery.Share, error) {
	s, err := h.revocable(r, id)
	if err == nil && (!s.Open(db.Now()) || s.TaskID != 0 && !s.Video.VisibleTo(site.Me(r).ID)) {
		err = web.NotFound()
	}
	return s, err
}

// readShare reads the form of a link. It returns the link, without its password, and the
// form as it was filled in; valid reports whether that can be used.
func readShare(r *http.Request) (share gallery.Share, form *libraryview.ShareForm, valid bool) {
	form = libraryview.NewShareForm()
	if valid = site.ReadForm(r, form.Inputs()...); !ReadTitle(r, &form.Title) || !valid {
		return gallery.Share{}, form, false
	}
	now := db.Now()
	share = gallery.Share{Token: secrets.NewToken(), Named: true, CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: end(form, now)}
	settle(form, &share)
	return share, form, true
}

// settle gives the link the settings in the form, except for its end and its password.
func settle(form *libraryview.ShareForm, share *gallery.Share) {
	share.Title, share.Welcome, share.May = form.Title.Value, form.Welcome.Value, gallery.May(form.May.Value)
	share.Download, share.Takes = form.Download.On, form.Takes.On
}

// readChange reads the form that changes the link. A text or a choice that is not in the
// form stays as it is; switches are off, as browsers do not send them then. It returns the
// form as it was filled in, and the first sentence about it if it is invalid.
func readChange(r *http.Request, s gallery.Share) (form *libraryview.ShareForm, sentence string) {
	form = libraryview.ShareFormOf(s)
	_ = r.PostFormValue("") // parses the form
	if r.PostForm.Has(form.Title.Name) {
		ReadTitle(r, &form.Title)
	}
	if r.PostForm.Has(form.Welcome.Name) {
		site.ReadForm(r, &form.Welcome)
	}
	if r.PostFormValue(form.Days.Name) != "" {
		site.ReadForm(r, &form.Days)
	}
	site.ReadForm(r, &form.May, &form.Password, &form.Download, &form.Takes, &form.NoPassword)
	return form, cmp.Or(form.Title.Error, form.Welcome.Error, form.May.Error, form.Password.Error, form.Days.Error)
}

// end returns when a link with the settings ends that is made or changed now.
func end(form *libraryview.ShareForm, now time.Time) time.Time {
	days, _ := strconv.Atoi(form.Days.Value) // it is one of the options
	return now.AddDate(0, 0, days)
}

// ReadTitle reads a title in one line, and reports whether it is valid: not too long, and
// not blank to the eye.
func ReadTitle(r *http.Request, title *input.Text) bool {
	valid := site.ReadForm(r, title)
	if naming.LooksBlank(r.PostFormValue(title.Name)) {
		title.Error, valid = libraryview.BlankTitle, false
	}
	return valid
}
