package account

import (
	"net/http"

	"github.com/a-h/templ"

	"dailies/db/audit"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// loginPage is the sign-in page, which says why a sign-in was refused.
type loginPage struct {
	cookies  *web.Cookies
	pages    *site.Pages
	refusals *refusals
	tries    *site.Tries
	ways     *ways
}

// refuse shows the page with the reason why the sign-in was refused.
func (l *loginPage) refuse(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm, sentence string) error {
	form.Errors = input.Errors{"": sentence}
	return l.draw(w, r, status, form)
}

// tooMany counts that there were too many attempts, and shows how long to wait.
func (l *loginPage) tooMany(w http.ResponseWriter, r *http.Request, form accountview.LoginForm, sentence string) error {
	l.refusals.count(signin.RefusedTooMany)
	return l.refuse(w, r, http.StatusTooManyRequests, form, sentence)
}

func (l *loginPage) draw(w http.ResponseWriter, r *http.Request, status int, form accountview.LoginForm) error {
	f, err := l.pages.Frame(w, r, "Sign in")
	if err == nil && f.Flash == "" {
		f.Flash, err = l.cookies.TakeFlash(w, r, "flash") // left by Reset.Save after a new password was set
	}
	if err != nil {
		return err
	}
	if err := l.ways.fill(r, &form); err != nil {
		return err
	}
	page := accountview.Login(f, form)
	return web.PageStatus(w, r, status, page, page)
}

// refuseOff answers that the team does not sign in with passwords. The refusals that
// are recorded are limited per network address, like all others.
func (l *loginPage) refuseOff(w http.ResponseWriter, r *http.Request, form accountview.LoginForm) error {
	if _, wait, err := l.tries.Take(r.Context(), l.tries.FromAddress(r, "passwords off")...); err != nil {
		return err
	} else if wait > 0 {
		return l.tooMany(w, r, form, site.TooMany(w, wait))
	}
	l.refusals.count(signin.RefusedOff)
	if err := l.refusals.audit.Record(r.Context(), audit.Entry{Action: audit.SignInRefused, What: string(signin.RefusedOff)}); err != nil {
		return err
	}
	return l.refuse(w, r, http.StatusForbidden, form, accountview.PasswordsAreOff)
}

// turnedOff answers a request that would set a password if the team has turned
// passwords off, and reports whether it has.
func (l *loginPage) turnedOff(w http.ResponseWriter, r *http.Request) (off bool, err error) {
	form := accountview.LoginForm{}
	if err := l.ways.fill(r, &form); err != nil || !form.PasswordsOff {
		return false, err
	}
	return true, l.pages.Draw(w, r, http.StatusForbidden, "Passwords are turned off", func(f part.Frame) templ.Component { return accountview.PasswordsOff(f, form) })
}

// leave shows a page that leads to the provider at once. A redirect would not do: the
// content security policy keeps a form from leading to another site.
func (l *loginPage) leave(w http.ResponseWriter, r *http.Request, away string) error {
	name, err := l.ways.providerName(r)
	if err != nil {
		return err
	}
	w.Header().Set("Refresh", "0; url="+away)
	w.Header().Set("Referrer-Policy", "no-referrer")
	return l.pages.Draw(w, r, http.StatusOK, "Signed out", func(f part.Frame) templ.Component { return accountview.SignedOut(f, name, away) })
}
