package sandbox

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"dailies/db/naming"
	"dailies/web"
	"dailies/web/throttle"
)

func (c *console) loginPage(w http.ResponseWriter, r *http.Request, status int, wrong string) error {
	return c.show(w, r, answer{status: status, page: func(frame) templ.Component { return loginForm(wrong) }, frame: frame{Title: "Sign in"}})
}

// login starts a session with the first account. Attempts are limited by client
// address, so that a stranger's guesses cannot lock out the owner.
func (c *console) login(w http.ResponseWriter, r *http.Request) error {
	limit := throttle.Rate{Name: throttle.Network(c.proxies.Client(r)), Burst: 5, Every: 5 * time.Second}
	attempt, wait := c.tries.Take(limit)
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return c.loginPage(w, r, http.StatusTooManyRequests, "Too many tries. Please wait a few seconds.")
	}
	all, err := c.accounts.all(r.Context())
	if err == nil && len(all) == 0 {
		err = errors.New("there is no account yet")
	}
	if err != nil {
		return err
	}
	token, err := c.sessions.open(r.Context(), r.PostFormValue("password"), all[0].ID)
	switch {
	case errors.Is(err, errWrongPassword):
		return c.loginPage(w, r, http.StatusUnprocessableEntity, "This is not the password. The sandbox printed it at its first start; -password sets another one.")
	case err != nil:
		return err
	}
	attempt.GiveBack()
	if err := c.sessions.cookies.SetToken(w, r, token); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/")
}

func (c *console) logout(w http.ResponseWriter, r *http.Request) error {
	if err := errors.Join(c.sessions.end(r), c.sessions.cookies.SetToken(w, r, "")); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login")
}

// chooseAccount switches the session to another account, or to a new one, so that
// an integrator sees how the service answers a key of another account.
func (c *console) chooseAccount(r *http.Request, _ string) (a answer, err error) {
	a.to = "/keys"
	id := r.PostFormValue("id")
	if id == "" {
		a.Said = "There is another account, with 1000 credits and a key of its own."
		if id, a.NewKey, err = c.accounts.open(r.Context(), keyName(r), firstCredits); err != nil {
			return a, err
		}
	}
	return a, c.sessions.choose(r, id)
}

func (c *console) showKeys(r *http.Request, account string) (answer, error) {
	keys, err := c.accounts.keys(r.Context(), account)
	return answer{page: func(f frame) templ.Component { return keyPage(f, keys) }, frame: frame{Title: "API keys"}}, err
}

func (c *console) makeKey(r *http.Request, account string) (a answer, err error) {
	a = after("/keys", "The key is made.")
	a.NewKey, err = c.accounts.addKey(r.Context(), account, keyName(r))
	return a, err
}

// keyName returns the name that a form gives to a key, with at most 60 characters.
func keyName(r *http.Request) string {
	return cmp.Or(naming.Short(r.PostFormValue("name"), 60), "unnamed")
}

func (c *console) revokeKey(r *http.Request, account string) (answer, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err == nil {
		err = c.accounts.revokeKey(r.Context(), account, id)
	}
	return after("/keys", "The key is revoked. Calls with it are refused from now on."), err
}

// creditsPart holds the values of the page about credits.
type creditsPart struct {
	Wrong  string // what is wrong with the form; empty if nothing is
	Ledger []Entry
}

func (c *console) showCredits(r *http.Request, account string) (answer, error) {
	ledger, err := c.accounts.ledger(r.Context(), account)
	return c.creditsPage(http.StatusOK, creditsPart{Ledger: ledger}), err
}

func (c *console) creditsPage(status int, part creditsPart) answer {
	return answer{status: status, page: func(f frame) templ.Component { return creditPage(f, part) }, frame: frame{Title: "Credits"}}
}

func (c *console) addCredits(r *http.Request, account string) (answer, error) {
	credits, err := strconv.ParseFloat(strings.TrimSpace(r.PostFormValue("credits")), 64)
	if err == nil {
		_, err = amountOf(credits)
	}
	if err != nil || credits == 0 {
		ledger, err := c.accounts.ledger(r.Context(), account)
		part := creditsPart{"Please give a number of credits above 0.", ledger}
		return c.creditsPage(http.StatusUnprocessableEntity, part), err
	}
	return after("/credits", "The credits are added."), c.accounts.topUp(r.Context(), account, credits)
}
