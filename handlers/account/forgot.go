package account

import (
	"fmt"
	"net/http"
	"time"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/throttle"
)

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
