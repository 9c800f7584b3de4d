package account

import (
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
)

// Reset lets people with a reset link set a new password.
type Reset struct {
	accounts *people.Accounts
	entrance *Entrance
	steps    *people.SecondSteps
	links    *resetLinks
	hashing  *site.Hashing
}

// resetLinks shows the page behind a reset link.
type resetLinks struct {
	journal  *site.Journal
	login    *loginPage
	pages    *site.Pages
	programs *people.Programs
	sessions *people.Sessions
	tries    *site.Tries
}

// Show shows the page behind a reset link.
func (p *Reset) Show(w http.ResponseWriter, r *http.Request) error {
	return p.links.withUser(w, r, func(u db.User, _ bool) error { return p.links.page(w, r, http.StatusOK, u, "") })
}

// withUser calls next with the user to whom the path's reset link belongs, and whether
// the link was made on the server's command line. Requests with an unusable link are
// limited per network address and get a page that says the link does not work.
func (l *resetLinks) withUser(w http.ResponseWriter, r *http.Request, next func(u db.User, byServer bool) error) error {
	attempt, err := l.tries.TakeFrom(w, r, "reset")
	if err != nil {
		return err
	}
	u, err := l.sessions.Reset(r.Context(), secrets.HashToken(r.PathValue("token")), db.Now())
	if errors.Is(err, db.ErrNotFound) {
		return l.page(w, r, http.StatusNotFound, db.User{}, "")
	}
	if err != nil {
		return err
	}
	attempt.GiveBack()
	byServer, err := l.sessions.ResetByServer(r.Context(), secrets.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	if !byServer {
		if off, err := l.login.turnedOff(w, r); off || err != nil {
			return err
		}
	}
	return next(u, byServer)
}

// Save sets the new password and ends all of the user's sessions, so that they sign in
// with it.
func (p *Reset) Save(w http.ResponseWriter, r *http.Request) error {
	return p.links.withUser(w, r, func(u db.User, byServer bool) error { return p.setPassword(w, r, u, byServer) })
}

func (p *Reset) setPassword(w http.ResponseWriter, r *http.Request, u db.User, byServer bool) error {
	password := r.PostFormValue("password")
	if sentence := PasswordSentence(password, u); sentence != "" {
		return p.links.page(w, r, http.StatusUnprocessableEntity, u, sentence)
	}
	// The link works once, so everything that can fail is read before it is used.
	rules, err := p.links.login.ways.rules(r)
	if err != nil {
		return err
	}
	steps, err := p.steps.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	hash, err := p.hashing.Hash(r.Context(), site.InvitedApplicant(r.PathValue("token")), password)
	if sentence, busy := site.Busy(w, err); busy {
		return p.links.page(w, r, http.StatusTooManyRequests, u, sentence)
	}
	var ended signin.Ended
	if err == nil {
		ended, err = p.links.sessions.UseReset(r.Context(), secrets.HashToken(r.PathValue("token")), hash, db.Now())
	}
	if errors.Is(err, db.ErrNotFound) { // the link was used meanwhile
		return p.links.page(w, r, http.StatusNotFound, db.User{}, "")
	}
	if errors.Is(err, signin.RefusedOff) { // turned off meanwhile
		if off, err := p.links.login.turnedOff(w, r); off || err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	p.links.journal.Info(r, "a password was set with a link", "user", u.ID, "tokens ended", ended.Tokens, "webhooks ended", ended.Webhooks)
	if rules.PasswordsOff && byServer { // such a link lets its owner back in
		return p.signInByLink(w, r, u)
	}
	// A link is no second step: whoever reads the owner's mails could make any number
	// of browsers known, with which to guess codes.
	if !steps.Any() {
		if err := p.entrance.Cookies.Remember(w, r, u.ID); err != nil {
			return err
		}
	}
	return p.links.pages.SeeOther(w, r, "/login", accountview.PasswordIsSet)
}

func (l *resetLinks) page(w http.ResponseWriter, r *http.Request, status int, u db.User, sentence string) error {
	form := accountview.ResetForm{Action: "/reset/" + r.PathValue("token"), Email: u.Email, Error: sentence}
	if u.ID != 0 {
		var err error
		if form.Tokens, form.Webhooks, err = l.programs.Connected(r.Context(), u.ID, db.Now()); err != nil {
			return err
		}
	}
	return l.pages.Draw(w, r, status, "New password", func(f part.Frame) templ.Component { return accountview.Reset(f, form) })
}

// signInByLink signs the user in with the password just set, where the team has turned
// passwords off.
func (p *Reset) signInByLink(w http.ResponseWriter, r *http.Request, u db.User) error {
	u, err := p.accounts.UserByEmail(r.Context(), u.Email)
	if err != nil {
		return err
	}
	err = p.entrance.Begin(w, r, func(session *signin.Session) error {
		session.UserID, session.Method = u.ID, signin.ByLink
		return p.entrance.Sessions.SignIn(r.Context(), session, u.Password, "")
	})
	if errors.Is(err, db.ErrConflict) {
		return p.links.page(w, r, http.StatusNotFound, db.User{}, "")
	}
	if err != nil {
		return err
	}
	if u.IsAdmin() {
		return p.links.pages.SeeOther(w, r, "/team/security", accountview.TurnPasswordsOn)
	}
	return p.links.pages.SeeOther(w, r, "/", accountview.SignedInHere)
}
