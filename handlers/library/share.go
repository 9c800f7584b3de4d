package library

import (
	"errors"
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/db/store/video"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/web"
)

// Links makes and revokes the links that show a video or a collection to
// people without an account.
type Links struct {
	links  *video.Links
	pages  *site.Pages
	shares *site.Shares
	vault  *secrets.Vault
}

// Share makes a link that shows one video.
func (h *Tasks) Share(w http.ResponseWriter, r *http.Request) error {
	t, err := h.page.finder.named.Task(r)
	if err != nil {
		return err
	}
	if !t.PlayableFor(site.Me(r).ID) {
		return fmt.Errorf("task %d cannot be shared: %w", t.ID, db.ErrConflict)
	}
	share, form := readShare(r)
	if form != nil {
		page, err := h.page.finder.find(r)
		if err != nil {
			return err
		}
		page.Share.Form = form
		return h.page.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	share.TaskID = t.ID
	return h.links.give(w, r, share, site.TaskPath(t.ID))
}

// Share makes a link that shows the videos that the collection contains at the time of
// each visit.
func (h *Collection) Share(w http.ResponseWriter, r *http.Request) error {
	page, err := h.reader.read(r)
	if err != nil {
		return err
	}
	if !page.Videos.Shareable {
		return fmt.Errorf("collection %d has nothing to share: %w", page.Collection.ID, db.ErrConflict)
	}
	share, form := readShare(r)
	if form != nil {
		page.Share.Form = form
		return h.draw(w, r, http.StatusUnprocessableEntity, page)
	}
	share.CollectionID = page.Collection.ID
	return h.links.give(w, r, share, collectionPath(page.Collection.ID))
}

// give stores the link and redirects to the page on which it was made, which shows it.
func (h *Links) give(w http.ResponseWriter, r *http.Request, s gallery.Share, page string) error {
	s.Sealed = h.vault.SealToken(s.CreatedBy, s.Token)
	err := h.links.AddShare(r.Context(), &s)
	if errors.Is(err, db.ErrFull) {
		return unprocessable(libraryview.TooManyLinks())
	}
	if err != nil {
		return err
	}
	return h.pages.SeeOther(w, r, page+"#share", "The link is made. Copy it and send it yourself.")
}

// Revoke disables a link. Users who may not revoke it get a 404.
func (h *Links) Revoke(w http.ResponseWriter, r *http.Request, id int64) error {
	s, err := h.links.Share(r.Context(), id)
	if err != nil {
		return err
	}
	if !s.RevocableBy(site.Me(r)) {
		return web.NotFound()
	}
	if err := h.links.RevokeShare(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return h.pages.BackTo(w, r, "/settings#links", "The link does not work any more.")
}
