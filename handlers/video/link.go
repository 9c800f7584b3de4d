package video

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/review"
	"dailies/handlers/share"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// ChangeLink changes the settings of the link: see readChange. An empty password keeps the one
// that the link has. Users who may not change the link get a 404.
func (h *Video) ChangeLink(w http.ResponseWriter, r *http.Request, id int64) error {
	s, err := h.changeable(r, id)
	if err != nil {
		return err
	}
	form, sentence := readChange(r, s)
	if sentence != "" {
		return h.refuseChange(w, r, s, form, sentence)
	}
	hash, err := h.sharing.Hash(r, form.Password.Value)
	if sentence, busy := site.Busy(w, err); busy {
		return &web.Error{Status: http.StatusTooManyRequests, Message: sentence}
	}
	if err != nil {
		return err
	}
	now := db.Now()
	err = h.links.ChangeShare(r.Context(), id, now, func(s *gallery.Share) {
		share.Apply(form, s, now)
		switch {
		case hash != "":
			s.Password = hash
		case form.NoPassword.On:
			s.Password = ""
		}
	})
	if err != nil {
		return err
	}
	return h.backToLinks(w, r, site.Saved)
}

// AddTake shows a take of the video to the guests of the link. Users who may not change the
// link get a 404.
func (h *Video) AddTake(w http.ResponseWriter, r *http.Request, id int64) error {
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

// refuseChange answers a script with the sentence alone, and others with the form as it was filled
// in.
func (h *Video) refuseChange(w http.ResponseWriter, r *http.Request, s gallery.Share, form *libraryview.ShareForm, sentence string) error {
	link := h.shares.ShareLinks(r, []gallery.Share{s})[0]
	if web.IsPartial(r) || link.Address == "" {
		return site.Unprocessable(sentence)
	}
	p := libraryview.SharePart{
		Path: sharedPath(s), Target: s.Target(), Able: true, Offers: gallery.GuestPermissions(), Form: form, Chosen: &link,
	}
	return h.pages.Draw(w, r, http.StatusUnprocessableEntity, "Share", libraryview.ShowShare(p))
}

// RevokeLink disables a link. Users who may not revoke it get a 404.
func (h *Video) RevokeLink(w http.ResponseWriter, r *http.Request, id int64) error {
	if _, err := h.revocable(r, id); err != nil {
		return err
	}
	if err := h.links.RevokeShare(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return h.backToLinks(w, r, linkOff)
}

// ReopenLink makes a link work again that was turned off or has ended. Users who may not revoke
// it get a 404.
func (h *Video) ReopenLink(w http.ResponseWriter, r *http.Request, id int64) error {
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
	return h.backToLinks(w, r, linkBack)
}

// RemoveGuest removes a guest with everything that they wrote. Users who may not revoke the link get
// a 404.
func (h *Video) RemoveGuest(w http.ResponseWriter, r *http.Request, id int64) error {
	s, err := h.revocable(r, id)
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
	return h.backToLinks(w, r, guestGone)
}

func (h *Video) revocable(r *http.Request, id int64) (gallery.Share, error) {
	s, err := h.links.Share(r.Context(), id)
	if err == nil && !s.RevocableBy(site.Me(r)) {
		err = web.NotFound()
	}
	return s, err
}

// changeable is like revocable, but only for links that work, and to what the person sees.
func (h *Video) changeable(r *http.Request, id int64) (gallery.Share, error) {
	s, err := h.revocable(r, id)
	if err == nil && (!s.Open(db.Now()) || s.TaskID != 0 && !s.Video.VisibleTo(site.Me(r).ID)) {
		err = web.NotFound()
	}
	return s, err
}

// backToLinks leads back with the sentence. A script gets the sentence alone: it fetches the links
// again.
func (h *Video) backToLinks(w http.ResponseWriter, r *http.Request, sentence string) error {
	return web.Part(w, r, http.StatusOK, libraryview.ShareSaid(sentence), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.BackTo(w, r, "/settings#links", sentence)
	})
}

// sharedPath returns the path of the page of what the link shows.
func sharedPath(s gallery.Share) string {
	switch {
	case s.Story:
		return fmt.Sprintf("/story/%d", s.TaskID)
	case s.CollectionID != 0:
		return site.CollectionPath(s.CollectionID)
	}
	return site.TaskPath(s.TaskID)
}

// readChange reads the form that changes the link. A text or a choice that is not in the
// form stays as it is; switches are off, as browsers do not send them then. It returns the
// form as it was filled in, and the first sentence about it if it is invalid.
func readChange(r *http.Request, s gallery.Share) (form *libraryview.ShareForm, sentence string) {
	form = libraryview.ShareFormOf(s)
	_ = r.PostFormValue("") // parses the form
	if r.PostForm.Has(form.Title.Name) {
		site.ReadForm(r, &form.Title)
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
