package library

import (
	"net/http"
	"strconv"
	"time"

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
	now := db.Now()
	return gallery.Share{
		Token: secrets.NewToken(), Title: form.Title.Value, CreatedBy: site.Me(r).ID, CreatedAt: now, ExpiresAt: end(form, now),
	}, nil
}

// readChange reads the form that changes the link. It returns a sentence if the form is
// invalid.
func readChange(r *http.Request, s gallery.Share) (title string, expires time.Time, sentence string) {
	form := libraryview.ShareFormOf(s)
	_ = r.PostFormValue("") // parses the form
	if r.PostForm.Has(form.Title.Name) && !readTitle(r, &form.Title) {
		return "", expires, form.Title.Error
	}
	if r.PostFormValue(form.Days.Name) == "" {
		return form.Title.Value, s.ExpiresAt, ""
	}
	if !site.ReadForm(r, &form.Days) {
		return "", expires, form.Days.Error
	}
	return form.Title.Value, end(form, db.Now()), ""
}

// end returns when a link with the settings ends that is made or changed now.
func end(form *libraryview.ShareForm, now time.Time) time.Time {
	days, _ := strconv.Atoi(form.Days.Value) // it is one of the options
	return now.AddDate(0, 0, days)
}
