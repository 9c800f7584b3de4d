package signin

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"dailies/db"
	"dailies/db/outbox"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
	"dailies/web/throttle"
)

// A resetHandler handles a request with a reset link of the user. byServer says that the
// link was made on the server's command line.
type resetHandler func(w http.ResponseWriter, r *http.Request, u db.User, byServer bool) error

// withResetLink returns a handler that calls next with the user to whom the path's reset
// link belongs. Requests with an unusable link are limited per network address and get a
// page that says the link does not work.
func (h *SignIn) withResetLink(next resetHandler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		attempt, err := h.attempts.TakeFrom(w, r, "reset")
		if err != nil {
			return err
		}
		u, err := h.sessions.Reset(r.Context(), secrets.HashToken(r.PathValue("token")), db.Now())
		if errors.Is(err, db.ErrNotFound) {
			return h.drawReset(w, r, http.StatusNotFound, db.User{}, "")
		}
		if err != nil {
			return err
		}
		attempt.GiveBack()
		byServer, err := h.sessions.ResetByServer(r.Context(), secrets.HashToken(r.PathValue("token")))
		if err != nil {
			return err
		}
		if !byServer {
			if off, err := h.answerPasswordsOff(w, r); off || err != nil {
				return err
			}
		}
		return next(w, r, u, byServer)
	}
}

// ShowReset shows the page behind a reset link.
func (h *SignIn) ShowReset(w http.ResponseWriter, r *http.Request, u db.User, _ bool) error {
	return h.drawReset(w, r, http.StatusOK, u, "")
}

// SaveReset sets the new password and ends all of the user's sessions, so that they sign in
// with it.
func (h *SignIn) SaveReset(w http.ResponseWriter, r *http.Request, u db.User, byServer bool) error {
	password := r.PostFormValue("password")
	if sentence := site.PasswordSentence(password, u); sentence != "" {
		return h.drawReset(w, r, http.StatusUnprocessableEntity, u, sentence)
	}
	// The link works once, so everything that can fail is read before it is used.
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	steps, err := h.steps.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	hash, err := h.hashing.Hash(r.Context(), site.InvitedApplicant(r.PathValue("token")), password)
	if sentence, busy := site.Busy(w, err); busy {
		return h.drawReset(w, r, http.StatusTooManyRequests, u, sentence)
	}
	var ended signin.Ended
	if err == nil {
		ended, err = h.sessions.UseReset(r.Context(), secrets.HashToken(r.PathValue("token")), hash, db.Now())
	}
	if errors.Is(err, db.ErrNotFound) { // the link was used meanwhile
		return h.drawReset(w, r, http.StatusNotFound, db.User{}, "")
	}
	if errors.Is(err, signin.RefusedOff) { // turned off meanwhile
		if off, err := h.answerPasswordsOff(w, r); off || err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	h.journal.Info(r, "a password was set with a link", "user", u.ID, "tokens ended", ended.Tokens, "webhooks ended", ended.Webhooks)
	if rules.PasswordsOff && byServer { // such a link lets its owner back in
		return h.signInByLink(w, r, u)
	}
	// A link is no second step: whoever reads the owner's mails could make any number
	// of browsers known, with which to guess codes.
	if !steps.Any() {
		if err := h.cookies.Remember(w, r, u.ID); err != nil {
			return err
		}
	}
	return h.pages.SeeOther(w, r, "/login", accountview.PasswordIsSet)
}

func (h *SignIn) drawReset(w http.ResponseWriter, r *http.Request, status int, u db.User, sentence string) error {
	form := accountview.ResetForm{Action: "/reset/" + r.PathValue("token"), Email: u.Email, Error: sentence}
	if u.ID != 0 {
		var err error
		if form.Tokens, form.Webhooks, err = h.programs.Connected(r.Context(), u.ID, db.Now()); err != nil {
			return err
		}
	}
	return h.pages.Draw(w, r, status, "New password", accountview.Reset(form))
}

// signInByLink signs the user in with the password just set, where the team has turned
// passwords off.
func (h *SignIn) signInByLink(w http.ResponseWriter, r *http.Request, u db.User) error {
	u, err := h.accounts.UserByEmail(r.Context(), u.Email)
	if err != nil {
		return err
	}
	err = h.addSession(w, r, func(session *signin.Session) error {
		session.UserID, session.Method = u.ID, signin.ByLink
		return h.sessions.SignIn(r.Context(), session, u.Password, "")
	})
	if errors.Is(err, db.ErrConflict) {
		return h.drawReset(w, r, http.StatusNotFound, db.User{}, "")
	}
	if err != nil {
		return err
	}
	if u.IsAdmin() {
		return h.pages.SeeOther(w, r, "/team/security", accountview.TurnPasswordsOn)
	}
	return h.pages.SeeOther(w, r, "/", accountview.SignedInHere)
}

// These limit how often a link may be requested for one e-mail address: a few times at
// once, and then only now and then, so that nobody's mailbox is flooded.
const (
	forgotBurst = 3
	forgotEvery = 20 * time.Minute
)

// ShowForgot shows the form for the address or, after it was sent, what happens next.
func (h *SignIn) ShowForgot(w http.ResponseWriter, r *http.Request) error {
	return h.drawForgot(w, r, http.StatusOK, accountview.NewEmail(), r.URL.Query().Has("sent"))
}

// ifResetsAreMailed returns a handler that calls next if mail is configured and the team
// allows passwords.
func (h *SignIn) ifResetsAreMailed(next web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !h.canMail {
			return web.NotFound()
		}
		rules, err := h.signOn.Rules(r.Context())
		if err != nil {
			return err
		}
		if rules.PasswordsOff {
			return web.SeeOther(w, r, "/login")
		}
		return next(w, r)
	}
}

// MailReset records the request for a link. The worker that sends mails looks up later
// whether the account exists, so that the response, and the time it takes, is the same
// for every address.
func (h *SignIn) MailReset(w http.ResponseWriter, r *http.Request) error {
	email := accountview.NewEmail()
	if !site.ReadForm(r, &email) {
		return h.drawForgot(w, r, http.StatusUnprocessableEntity, email, false)
	}
	_, wait, err := h.attempts.Take(r.Context(), h.attempts.FromAddress(r, "forgot",
		throttle.Rate{Name: fmt.Sprintf("forgot %s", db.EmailKey(email.Value)), Burst: forgotBurst, Every: forgotEvery})...)
	if err != nil {
		return err
	}
	if wait > 0 {
		email.Error = site.TooMany(w, wait)
		return h.drawForgot(w, r, http.StatusTooManyRequests, email, false)
	}
	m := h.sealer.SealedMail(outbox.MailForgot, 0, email.Value)
	m.Details.From = h.network.Address(r)
	if err := h.mail.AddMail(r.Context(), m); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/forgot?sent=1")
}

func (h *SignIn) drawForgot(w http.ResponseWriter, r *http.Request, status int, email input.Text, sent bool) error {
	return h.pages.Draw(w, r, status, "Forgotten password", accountview.Forgot(email, sent))
}
