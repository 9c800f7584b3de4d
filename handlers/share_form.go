package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"dailies/db"
	libraryview "dailies/views/library"
	"dailies/views/part"
)

// readShare reads the form of a link, and returns the link and the form as it
// was filled in, with Errors where it will not do.
func readShare(r *http.Request) (db.Share, libraryview.SharePart) {
	form := libraryview.SharePart{
		Title: strings.Join(strings.Fields(plainText(r.PostFormValue("title"))), " "),
		Days:  db.UsualShareDays,
	}
	errs := part.Errors{}
	if n := letters(form.Title); n > db.MaxShareTitle {
		errs["title"] = fmt.Sprintf("A title has %d letters at most. This one has %d.", db.MaxShareTitle, n)
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
		Token: db.NewToken(), Title: form.Title, CreatedBy: me(r).ID,
		CreatedAt: now, ExpiresAt: now.AddDate(0, 0, form.Days),
	}, form
}

// sharePart is the part of a page where links to what it shows are made. The
// form is as it was filled in, or empty: it proposes no title, because what a
// video or a collection is called here is not for strangers.
func (a *App) sharePart(r *http.Request, form libraryview.SharePart, s db.Share, page string) (libraryview.SharePart, error) {
	if form.Errors == nil {
		form.Title, form.Days = "", db.UsualShareDays
	}
	shares, err := a.Store.SharesOf(r.Context(), s.TaskID, s.CollectionID, db.Now())
	form.Action, form.Next, form.Collection = page+"/share", page+"#share", s.CollectionID != 0
	form.Links = a.shareLinks(r, shares)
	return form, err
}

// shareLinks are the links as the viewer may see them. Somebody else's link to
// a video that is private is an admin's to take back, but not to open.
func (a *App) shareLinks(r *http.Request, shares []db.Share) []part.ShareLink {
	viewer, now := me(r), db.Now()
	links := make([]part.ShareLink, 0, len(shares))
	for _, s := range shares {
		l := part.ShareLink{Share: s, Mine: s.CreatedBy == viewer.ID, Able: s.RevocableBy(viewer)}
		l.Asleep = s.TaskID != 0 && !s.Shows(s.Video, now)
		l.Secret = s.TaskID != 0 && !s.Video.VisibleTo(viewer.ID)
		if !l.Secret {
			l.Address = a.shownAgain(r, s)
		}
		links = append(links, l)
	}
	return links
}

// shownAgain returns the whole address of the link, or nothing where its token
// does not open: the data was restored without its secret.
func (a *App) shownAgain(r *http.Request, s db.Share) string {
	token, err := a.Vault.OpenToken(s.CreatedBy, s.Sealed)
	if err != nil {
		return ""
	}
	s.Token = token
	return a.shareAddress(r, s)
}
