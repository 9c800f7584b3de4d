package account

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Again asks once more that it is they, before a request changes how somebody signs in:
// whoever finds a browser that is signed in must not take the account. The route table
// says which requests these are.
type Again struct {
	site *site.Site
}

// fresh is how young a session is in which nobody is asked again.
const fresh = 15 * time.Minute

// isStale reports whether the person signed in too long ago to be sure that it is they.
func isStale(v site.Viewer) bool { return db.Now().Sub(v.Session.CreatedAt) > fresh }

// asksPassword reports whether a form that changes how the person signs in has a field
// for the password.
func asksPassword(v site.Viewer) bool { return v.User.Password != "" && isStale(v) }

// maxWhat bounds, in bytes, the name of what a form changes.
const maxWhat = 400

// Sure returns a handler that answers as h does, to people who have signed in just now or
// who give their password with the form. Others get a page with the title that asks for
// it, and that sends the same form with its button. Those without a password sign in
// again.
func (a *Again) Sure(title, button string, h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, _ := site.ViewerOf(r)
		if !isStale(v) {
			return h(w, r)
		}
		status := http.StatusOK
		page := accountview.AgainPage{
			Title: title, Button: button, Path: r.URL.RequestURI(), Back: backFrom(r), HasPassword: v.User.Password != "",
			What: site.Clip(site.PlainText(r.PostFormValue("what")), maxWhat),
		}
		if page.HasPassword && r.PostFormValue("current") != "" {
			sentence, err := a.check(w, r, v)
			if err != nil {
				return err
			}
			if sentence == "" {
				return h(w, r)
			}
			status, page.Errors = http.StatusUnprocessableEntity, part.Errors{"current": sentence}
		}
		for name, values := range r.PostForm {
			for _, value := range values {
				if name != "current" {
					page.Fields = append(page.Fields, accountview.Typed{Name: name, Value: value})
				}
			}
		}
		slices.SortStableFunc(page.Fields, func(x, y accountview.Typed) int { return strings.Compare(x.Name, y.Name) })
		return a.site.Draw(w, r, status, title, func(f part.Frame) templ.Component { return accountview.Again(f, page) })
	}
}

// check compares the password of the form. The sentence says what is wrong.
func (a *Again) check(w http.ResponseWriter, r *http.Request, v site.Viewer) (sentence string, err error) {
	attempt, wait, err := a.site.Tries.Take(r.Context(), sessionLimit(v))
	if err != nil {
		return "", err
	}
	if wait > 0 {
		return site.TooMany(w, wait), nil
	}
	if !db.CheckPassword(v.User.Password, r.PostFormValue("current")) {
		return "This is not your present password.", nil
	}
	attempt.GiveBack()
	return "", nil
}

// backFrom returns the page that the form stands on.
func backFrom(r *http.Request) string {
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, "/settings/"):
		return "/settings#profile"
	case strings.HasPrefix(path, "/members/"):
		return "/members/" + r.PathValue("id")
	}
	return path
}
