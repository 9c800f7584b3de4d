package account

import (
	"net/http"

	"dailies/db"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/web"
)

// newcomers makes accounts, and signs people in to them for the first time.
type newcomers struct {
	entrance *Entrance
	hashing  *site.Hashing
	journal  *site.Journal
	keys     *SandboxKeys
	pages    *site.Pages
}

// user returns the account that the person with the token of a link asks for. The error
// is a site.BusyError if too many passwords are waiting to be hashed.
func (n *newcomers) user(r *http.Request, form accountview.SignUpForm, token string, role db.Role) (db.User, error) {
	hash, err := n.hashing.Hash(r.Context(), site.InvitedApplicant(token), form.Password.Value)
	return db.User{Name: form.Name.Value, Email: form.Email.Value, Password: hash, Role: role, CreatedAt: db.Now()}, err
}

// welcome logs what happened and signs the new user in. If only signing in fails, the
// user is told to do that: the account exists, and the link that made it does not work a
// second time.
func (n *newcomers) welcome(w http.ResponseWriter, r *http.Request, u db.User, happened string) error {
	n.journal.Info(r, happened, "user", u.ID, "email", site.Clip(u.Email, 100))
	n.giveKey(r, u)
	if err := n.entrance.Start(w, r, u, ""); err != nil {
		n.journal.Error("somebody with a new account could not be signed in", "user", u.ID, "err", err)
		return n.pages.SeeOther(w, r, "/login", accountview.AccountIsReady)
	}
	return web.SeeOther(w, r, "/")
}

// giveKey gives a new user a key in sandbox mode, so that the next page is a form that
// works.
func (n *newcomers) giveKey(r *http.Request, u db.User) {
	if !u.Makes() {
		return
	}
	if err := n.keys.Give(n.journal.As(r, u), u); err != nil {
		n.journal.Error("no sandbox key for a new account", "user", u.ID, "err", err)
	}
}
