package library

import (
	"net/http"
	"slices"
	"strconv"

	"dailies/db"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// readShare parses the form of a link. It returns the link and the form as it was
// filled in, with Errors if it is invalid.
func readShare(r *http.Request) (db.Share, libraryview.SharePart) {
	form, errs := libraryview.SharePart{Days: db.UsualShareDays}, part.Errors{}
	title, why := readTitle(r)
	if form.Title = title; why != "" {
		errs["title"] = why
	}
	if text := r.PostFormValue("days"); text != "" {
		days, err := strconv.Atoi(text)
		if form.Days = days; err != nil || !slices.Contains(db.ShareDays(), days) {
			errs["days"] = "Choose one of these."
		}
	}
	if len(errs) > 0 {
		form.Errors = errs
		return db.Share{}, form
	}
	now := db.Now()
	return db.Share{
		Token: db.NewToken(), Title: form.Title, CreatedBy: site.Me(r).ID,
		CreatedAt: now, ExpiresAt: now.AddDate(0, 0, form.Days),
	}, form
}

// part returns the section of a page in which links to the page's video or collection
// are made. After an error, the form keeps what was typed. It does not suggest a title,
// because outsiders are not told what a video or a collection is called here.
func (h *Links) part(r *http.Request, form libraryview.SharePart, s db.Share, page string) (libraryview.SharePart, error) {
	if form.Errors == nil {
		form.Title, form.Days = "", db.UsualShareDays
	}
	shares, err := h.links.SharesOf(r.Context(), s.TaskID, s.CollectionID, db.Now())
	form.Action, form.Next, form.Collection = page+"/share", page+"#share", s.CollectionID != 0
	form.Links = h.shares.ShareLinks(r, shares)
	return form, err
}
