package account

import (
	"errors"
	"log/slog"
	"net/http"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/part"
	"dailies/web"
)

// Reset lets people with a reset link set a new password.
type Reset struct {
	cookies  *web.Cookies
	factors  *people.Factors
	hashing  *site.Hashing
	log      *slog.Logger
	network  *site.Network
	pages    *site.Pages
	sessions *people.Sessions
	signOn   *people.SignOn
	tries    *site.Tries
	signIn   *SignIn
}

// Show shows the page behind a reset link.
func (p *Reset) Show(w http.ResponseWriter, r *http.Request) error {
	return p.withUser(w, r, func(u db.User, _ bool) error { return p.page(w, r, http.StatusOK, u, "") })
}

// withUser calls next with the user to whom the path's reset link belongs, and whether
// the link was made on the server's command line. Requests with an unusable link are
// limited per network address and get a page that says the link does not work.
func (p *Reset) withUser(w http.ResponseWriter, r *http.Request, next func(u db.User, byServer bool) error) error {
	attempt, wait, err := p.tries.TakeGuess(r.Context(), p.network.FromAddress(r, "reset")...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return site.RefusedFor(w, wait)
	}
	u, err := p.sessions.Reset(r.Context(), secrets.HashToken(r.PathValue("token")), db.Now())
	if errors.Is(err, db.ErrNotFound) {
		return p.page(w, r, http.StatusNotFound, db.User{}, "")
	}
	if err != nil {
		return err
	}
	attempt.GiveBack()
	byServer, err := p.sessions.ResetByServer(r.Context(), secrets.HashToken(r.PathValue("token")))
	if err != nil {
		return err
	}
	if !byServer {
		if off, err := p.signIn.turnedOff(w, r); off || err != nil {
			return err
		}
	}
	return next(u, byServer)
}

// Save sets the new password and ends all of the user's sessions, so that they sign in
// with it.
func (p *Reset) Save(w http.ResponseWriter, r *http.Request) error {
	return p.withUser(w, r, func(u db.User, byServer bool) error { return p.setPassword(w, r, u, byServer) })
}

func (p *Reset) setPassword(w http.ResponseWriter, r *http.Request, u db.User, byServer bool) error {
	password := r.PostFormValue("password")
	if sentence := passwordSentence(password, u); sentence != "" {
		return p.page(w, r, http.StatusUnprocessableEntity, u, sentence)
	}
	// The link works once, so everything that can fail is read before it is used.
	rules, err := p.signOn.Rules(r.Context())
	if err != nil {
		return err
	}
	factors, err := p.factors.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	hash, err := p.hashing.Hash(r.Context(), site.InvitedApplicant(r.PathValue("token")), password)
	if sentence, busy := site.Busy(w, err); busy {
		return p.page(w, r, http.StatusTooManyRequests, u, sentence)
	}
	if err == nil {
		err = p.sessions.UseReset(r.Context(), secrets.HashToken(r.PathValue("token")), hash, db.Now())
	}
	if errors.Is(err, db.ErrNotFound) { // the link was used meanwhile
		return p.page(w, r, http.StatusNotFound, db.User{}, "")
	}
	if errors.Is(err, signin.RefusedOff) { // turned off meanwhile
		if off, err := p.signIn.turnedOff(w, r); off || err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	p.log.Info("a password was set with a link", "user", u.ID, "address", p.network.Address(r))
	if rules.PasswordsOff && byServer { // such a link lets its owner back in
		return p.signInByLink(w, r, u)
	}
	// A link is no second factor: whoever reads the owner's mails could make any number
	// of browsers known, with which to guess codes.
	if !factors.Any() {
		if err := p.cookies.Remember(w, r, u.ID); err != nil {
			return err
		}
	}
	return p.pages.SeeOther(w, r, "/login", "Your new password is set, and every browser is signed out. Please sign in with it.")
}

func (p *Reset) page(w http.ResponseWriter, r *http.Request, status int, u db.User, sentence string) error {
	return p.pages.Draw(w, r, status, "New password", func(f part.Frame) templ.Component {
		return accountview.Reset(f, accountview.ResetForm{Action: "/reset/" + r.PathValue("token"), Email: u.Email, Error: sentence})
	})
}

// signInByLink signs the user in with the password just set, where the team has turned
// passwords off.
func (p *Reset) signInByLink(w http.ResponseWriter, r *http.Request, u db.User) error {
	u, err := p.signIn.byEmail(r, u.Email)
	if err != nil {
		return err
	}
	err = p.signIn.begin(w, r, func(session *signin.Session) error {
		session.UserID, session.Method = u.ID, signin.ByLink
		return p.sessions.SignIn(r.Context(), session, u.Password, "")
	})
	if errors.Is(err, db.ErrConflict) {
		return p.page(w, r, http.StatusNotFound, db.User{}, "")
	}
	if err != nil {
		return err
	}
	if u.IsAdmin() {
		return p.pages.SeeOther(w, r, "/team/sign-on", "You are signed in. Passwords are turned off: here you can turn them on.")
	}
	return p.pages.SeeOther(w, r, "/", "You are signed in, in this browser.")
}
