package library

import (
	"cmp"
	"net/http"
	"strconv"
	"time"

	"dailies/db"
	"dailies/db/gallery"
	"dailies/db/secrets"
	"dailies/handlers/site"
	libraryview "dailies/views/library"
)

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
