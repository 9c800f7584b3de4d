// Package share makes the links that show videos to people without an account.
package share

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
	"dailies/web"
)

// Links makes the links that show a video, a collection or a storyline to people without an
// account.
type Links struct {
	hashing *site.Hashing
	links   *video.Links
	pages   *site.Pages
	shares  *site.Shares
	vault   *secrets.Vault
}

// New returns the handlers of links.
func New(s *site.Site) *Links {
	return &Links{hashing: s.Hashing, links: s.Store.Links, pages: s.Pages, shares: s.Shares, vault: s.Vault}
}

// A Shareable is a video, a collection or a storyline for which links can be made.
type Shareable struct {
	Link   gallery.Share // says only what it shows
	Scenes []int64       // of a storyline
	Path   string        // of its page
	Able   bool          // a link would show something
}

// Show returns the handler that shows the links to what find returns, as a page, or to a script
// as a dialog.
func (h *Links) Show(find func(*http.Request) (Shareable, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		of, err := find(r)
		if err != nil {
			return err
		}
		return h.draw(w, r, http.StatusOK, of, libraryview.NewShareForm())
	}
}

// draw draws the page of the links, or for a script the dialog, with the form of another one.
func (h *Links) draw(w http.ResponseWriter, r *http.Request, status int, of Shareable, form *libraryview.ShareForm) error {
	p, err := h.part(r, of, form)
	if err != nil {
		return err
	}
	return web.Part(w, r, status, libraryview.ShareDialog(p, db.Now()), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.Draw(w, r, status, "Share", libraryview.ShowShare(p))
	})
}

// Make returns the handler that makes a link to what find returns, with the settings in the form.
// A form with the field "after" makes one only if the person has no link that works and was made
// after the one with that ID: two presses thus make one link.
func (h *Links) Make(find func(*http.Request) (Shareable, error)) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		of, err := find(r)
		if err != nil {
			return err
		}
		return h.make(w, r, of)
	}
}

func (h *Links) make(w http.ResponseWriter, r *http.Request, of Shareable) error {
	if !of.Able {
		return fmt.Errorf("%s cannot be shared: %w", of.Path, db.ErrConflict)
	}
	share, form, valid := readShare(r)
	if !valid {
		return h.draw(w, r, http.StatusUnprocessableEntity, of, form)
	}
	hash, err := h.Hash(r, form.Password.Value)
	if sentence, busy := site.Busy(w, err); busy {
		form.Password.Error = sentence
		return h.draw(w, r, http.StatusTooManyRequests, of, form)
	}
	if err != nil {
		return err
	}
	share.Password = hash
	share.TaskID, share.CollectionID, share.Story = of.Link.TaskID, of.Link.CollectionID, of.Link.Story
	share.Sealed = h.vault.SealToken(share.CreatedBy, share.Token)
	err = h.add(r, share)
	if errors.Is(err, db.ErrFull) {
		return site.Unprocessable(libraryview.TooManyLinks())
	}
	if err != nil {
		return err
	}
	p, err := h.part(r, of, libraryview.NewShareForm())
	if err != nil {
		return err
	}
	return web.Part(w, r, http.StatusOK, libraryview.ShareBox(p, db.Now()), func(w http.ResponseWriter, r *http.Request) error {
		return h.pages.SeeOther(w, r, of.Path+"/share", linkReady)
	})
}

// Hash returns the hash of the password of a link; "" for none.
func (h *Links) Hash(r *http.Request, password string) (string, error) {
	if password == "" {
		return "", nil
	}
	return h.hashing.Hash(r.Context(), site.KnownApplicant(site.Me(r).Email), password)
}

func (h *Links) add(r *http.Request, share gallery.Share) error {
	if !r.PostForm.Has("after") {
		return h.links.AddShare(r.Context(), &share)
	}
	for after := site.ParseID(r.PostFormValue("after")); ; {
		has, err := h.links.AddShareOnce(r.Context(), share, after)
		if err != nil || h.shares.ShareLinks(r, []gallery.Share{has})[0].Address != "" {
			return err
		}
		after = has.ID // it cannot be shown again, so it cannot be copied
	}
}

// readShare reads the form of a link. It returns the link, without its password, and the
// form as it was filled in; valid reports whether that can be used.
func readShare(r *http.Request) (share gallery.Share, form *libraryview.ShareForm, valid bool) {
	form = libraryview.NewShareForm()
	if !site.ReadForm(r, form.Inputs()...) {
		return gallery.Share{}, form, false
	}
	now := db.Now()
	share = gallery.Share{Token: secrets.NewToken(), Named: true, CreatedBy: site.Me(r).ID, CreatedAt: now}
	Apply(form, &share, now)
	return share, form, true
}

// Apply gives the link the settings in the form, except for its password. The days count from now;
// without them, the link ends when it did.
func Apply(form *libraryview.ShareForm, share *gallery.Share, now time.Time) {
	share.Title, share.Welcome, share.May = form.Title.Value, form.Welcome.Value, gallery.GuestPermission(form.May.Value)
	share.Download, share.Takes = form.Download.On, form.Takes.On
	if days, err := strconv.Atoi(form.Days.Value); err == nil {
		share.ExpiresAt = now.AddDate(0, 0, days)
	}
}

// part returns what there is to say about the links. One of them is chosen: the one that
// the request names, or else the newest that the person has made and can copy. A request
// for another one chooses none.
func (h *Links) part(r *http.Request, of Shareable, form *libraryview.ShareForm) (libraryview.SharePart, error) {
	p := libraryview.SharePart{
		Path: of.Path, Target: gallery.OfVideo, Able: of.Able, LookOnly: !site.Me(r).Makes(),
		Form: form, Offers: gallery.GuestPermissions(),
	}
	read := func() ([]gallery.Share, error) {
		return h.links.SharesOf(r.Context(), of.Link.TaskID, of.Link.CollectionID, db.Now())
	}
	switch {
	case of.Link.Story:
		p.Target = gallery.OfStory
		read = func() ([]gallery.Share, error) { return h.links.SharesOfStory(r.Context(), of.Scenes, db.Now()) }
	case of.Link.CollectionID != 0:
		p.Target = gallery.OfCollection
	}
	shares, err := read()
	if err != nil {
		return p, err
	}
	q := r.URL.Query()
	for _, l := range h.shares.ShareLinks(r, shares) {
		if l.Mine && l.Address != "" {
			p.After = max(p.After, l.Share.ID)
		}
		p.Links = append(p.Links, l)
	}
	if !p.LookOnly && !of.Link.Story {
		ended, err := h.links.EndedShares(r.Context(), of.Link.TaskID, of.Link.CollectionID, db.Now())
		if err != nil {
			return p, err
		}
		p.Ended = slices.DeleteFunc(h.shares.ShareLinks(r, ended), func(l part.ShareLink) bool { return !l.Able || l.Address == "" })
	}
	var listed []*part.ShareLink
	for i := range p.Links {
		if !p.Links[i].Secret {
			listed = append(listed, &p.Links[i])
		}
	}
	if err := h.shares.Visited(r, listed...); err != nil {
		return p, err
	}
	chosen := site.ParseID(q.Get("link"))
	if chosen == 0 && !q.Has("another") {
		chosen = p.After
	}
	p.Choose(chosen)
	return p, err
}
