package signin

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/throttle"
)

// Reset lets people with a reset link set a new password.
type Reset struct {
	accounts *people.Accounts
	entrance *site.Entrance
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
	if sentence := site.PasswordSentence(password, u); sentence != "" {
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

// Forgot mails users who have forgotten their password a link to set a new one.
type Forgot struct {
	letters *site.Letters
	mail    *people.Mail
	pages   *site.Pages
	tries   *site.Tries
	ways    *ways
}

// These limit how often a link may be requested for one e-mail address: a few times at
// once, and then only now and then, so that nobody's mailbox is flooded.
const (
	forgotBurst = 3
	forgotEvery = 20 * time.Minute
)

// Show shows the form for the address or, after it was sent, what happens next.
func (p *Forgot) Show(w http.ResponseWriter, r *http.Request) error {
	return p.whereOpen(w, r, func() error {
		return p.page(w, r, http.StatusOK, accountview.ForgotForm{Email: accountview.NewEmail(), Sent: r.FormValue("sent") != ""})
	})
}

// whereOpen calls next if mail is configured and the team allows passwords.
func (p *Forgot) whereOpen(w http.ResponseWriter, r *http.Request, next func() error) error {
	if !p.ways.canMail {
		return web.NotFound()
	}
	rules, err := p.ways.rules(r)
	if err != nil {
		return err
	}
	if rules.PasswordsOff {
		return web.SeeOther(w, r, "/login")
	}
	return next()
}

// Send records the request for a link. The worker that sends mails looks up later
// whether the account exists, so that the response, and the time it takes, is the same
// for every address.
func (p *Forgot) Send(w http.ResponseWriter, r *http.Request) error {
	return p.whereOpen(w, r, func() error { return p.send(w, r) })
}

func (p *Forgot) send(w http.ResponseWriter, r *http.Request) error {
	form := accountview.ForgotForm{Email: accountview.NewEmail()}
	if !site.ReadForm(r, &form.Email) {
		return p.page(w, r, http.StatusUnprocessableEntity, form)
	}
	email := form.Email.Value
	_, wait, err := p.tries.Take(r.Context(), p.tries.FromAddress(r, "forgot",
		throttle.Rate{Name: fmt.Sprintf("forgot %s", db.EmailKey(email)), Burst: forgotBurst, Every: forgotEvery})...)
	if err != nil {
		return err
	}
	if wait > 0 {
		form.Email.Error = site.TooMany(w, wait)
		return p.page(w, r, http.StatusTooManyRequests, form)
	}
	m := p.letters.SealedMail(outbox.MailForgot, 0, email)
	m.Details.From = p.ways.network.Address(r)
	if err := p.mail.AddMail(r.Context(), m); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/forgot?sent=1")
}

func (p *Forgot) page(w http.ResponseWriter, r *http.Request, status int, form accountview.ForgotForm) error {
	return p.pages.Draw(w, r, status, "Forgotten password", func(f part.Frame) templ.Component { return accountview.Forgot(f, form) })
}
