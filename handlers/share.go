package handlers

import (
	"fmt"
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// shareTask makes a link that shows one video.
func (a *App) shareTask(w http.ResponseWriter, r *http.Request) error {
	t, err := a.Task(r)
	if err != nil {
		return err
	}
	if !t.ShareableBy(site.Me(r).ID) {
		return fmt.Errorf("task %d cannot be shared: %w", t.ID, db.ErrConflict)
	}
	share, form := readShare(r)
	if form.Errors != nil {
		page, err := a.taskPage(r)
		if err != nil {
			return err
		}
		page.Share = form
		return a.drawTask(w, r, http.StatusUnprocessableEntity, page)
	}
	share.TaskID = t.ID
	return a.giveAway(w, r, share, site.TaskPath(t.ID))
}

// shareCollection makes a link that shows what is in a collection at the time.
func (a *App) shareCollection(w http.ResponseWriter, r *http.Request) error {
	page, err := a.collectionPage(r)
	if err != nil {
		return err
	}
	if !page.Shareable() {
		return fmt.Errorf("collection %d has nothing to share: %w", page.Collection.ID, db.ErrConflict)
	}
	share, form := readShare(r)
	if form.Errors != nil {
		page.Share = form
		return a.drawCollection(w, r, http.StatusUnprocessableEntity, page)
	}
	share.CollectionID = page.Collection.ID
	return a.giveAway(w, r, share, collectionPath(page.Collection.ID))
}

// giveAway keeps the link and shows it on the page that it was made on.
func (a *App) giveAway(w http.ResponseWriter, r *http.Request, s db.Share, page string) error {
	s.Sealed = a.Vault.SealToken(s.CreatedBy, s.Token)
	if err := a.Store.AddShare(r.Context(), &s); err != nil {
		return err
	}
	if err := a.Cookies.Leave(w, r, "flash", "The link is made. Copy it and send it yourself."); err != nil {
		return err
	}
	return web.SeeOther(w, r, page+"#share")
}

// mostLinks is how many links Settings lists.
const mostLinks = 500

// fillLinks fills in the links that the person gave away; for admins,
// everybody's.
func (a *App) fillLinks(r *http.Request, page *accountview.SettingsPage) error {
	by := site.Me(r).ID
	if site.Me(r).IsAdmin() {
		by = 0
	}
	shares, err := a.Store.Shares(r.Context(), by, db.Now(), mostLinks)
	page.Links = a.ShareLinks(r, shares)
	return err
}

// revokeShare takes a link back. For who may not, there is none.
func (a *App) revokeShare(w http.ResponseWriter, r *http.Request) error {
	id, err := site.ID(r)
	if err != nil {
		return err
	}
	s, err := a.Store.Share(r.Context(), id)
	if err != nil {
		return err
	}
	if !s.RevocableBy(site.Me(r)) {
		return web.NotFound()
	}
	if err := a.Store.RevokeShare(r.Context(), id, db.Now()); err != nil {
		return err
	}
	return a.BackTo(w, r, "/settings#links", "The link does not work any more.")
}
