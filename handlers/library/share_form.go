package library

import (
	"net/http"
	"strconv"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
)

// readShare reads the form of a link. It returns the link, and the form as it was filled
// in if that is invalid, otherwise nil.
func readShare(r *http.Request) (gallery.Share, *libraryview.ShareForm) {
	form := libraryview.NewShareForm()
	if valid := site.ReadForm(r, &form.Days); !readTitle(r, &form.Title) || !valid {
		return gallery.Share{}, form
	}
	days, _ := strconv.Atoi(form.Days.Value) // it is one of the options
	now := db.Now()
	return gallery.Share{
		Token: secrets.NewToken(), Title: form.Title.Value, CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: now.AddDate(0, 0, days),
	}, nil
}

// part returns the section of a page in which links to the page's video or collection
// are made. After an error, the form keeps what was typed.
func (h *Links) part(r *http.Request, form libraryview.SharePart, s gallery.Share, page string) (libraryview.SharePart, error) {
	if form.Form == nil {
		form.Form = libraryview.NewShareForm()
	}
	shares, err := h.links.SharesOf(r.Context(), s.TaskID, s.CollectionID, db.Now())
	form.Action, form.Next, form.Collection = page+"/share", page+"#share", s.CollectionID != 0
	form.Links = h.shares.ShareLinks(r, shares)
	return form, err
}
