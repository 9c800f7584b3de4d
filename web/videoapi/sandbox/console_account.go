package sandbox

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dailies/web"
	"dailies/web/throttle"
)

func (c *console) showLogin(w http.ResponseWriter, r *http.Request) error {
	return c.loginPage(w, r, http.StatusOK, "")
}

func (c *console) loginPage(w http.ResponseWriter, r *http.Request, status int, wrong string) error {
	return c.show(w, r, status, "login", frame{Title: "Sign in", Page: wrong})
}

// login starts a session with the first account. Guesses are counted by address,
// so that strangers cannot keep the owner out.
func (c *console) login(w http.ResponseWriter, r *http.Request) error {
	limit := throttle.Limit{Name: throttle.Network(c.proxies.Client(r)), Burst: 5, Every: 5 * time.Second}
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
	return c.signIn(w, r, token, "/")
}

// signIn gives the browser a session's token, or takes it away if it is empty,
// and leads to another page.
func (c *console) signIn(w http.ResponseWriter, r *http.Request, token, to string) error {
	if err := c.sessions.cookies.SetToken(w, r, token); err != nil {
		return err
	}
	return web.SeeOther(w, r, to)
}

func (c *console) logout(w http.ResponseWriter, r *http.Request, _ string) error {
	if err := c.sessions.end(r); err != nil {
		return err
	}
	return c.signIn(w, r, "", "/login")
}

// chooseAccount lets the session work with another account, or a new one, so
// that an integrator sees how the service answers a stranger's key.
func (c *console) chooseAccount(w http.ResponseWriter, r *http.Request, _ string) error {
	id, said, key := r.PostFormValue("id"), "", ""
	if id == "" {
		var err error
		if id, key, err = c.accounts.open(r.Context(), keyName(r), firstCredits); err != nil {
			return err
		}
		said = "There is another account, with 1000 credits and a key of its own."
	}
	if err := c.sessions.choose(r, id); err != nil {
		return err
	}
	return c.leave(w, r, "/keys", said, key)
}

func (c *console) showKeys(w http.ResponseWriter, r *http.Request, account string) error {
	keys, err := c.accounts.keys(r.Context(), account)
	if err != nil {
		return err
	}
	return c.page(w, r, account, http.StatusOK, "keys", "API keys", keys)
}

func (c *console) makeKey(w http.ResponseWriter, r *http.Request, account string) error {
	key, err := c.accounts.addKey(r.Context(), account, keyName(r))
	if err != nil {
		return err
	}
	return c.leave(w, r, "/keys", "The key is made.", key)
}

// keyName returns the name that a form gives to a key, on one line and with at
// most 60 letters.
func keyName(r *http.Request) string {
	name := strings.FieldsFunc(strings.ToValidUTF8(r.PostFormValue("name"), ""), func(c rune) bool { return c == ' ' || !unicode.IsPrint(c) })
	letters := []rune(strings.Join(name, " "))
	if len(letters) == 0 {
		return "unnamed"
	}
	return string(letters[:min(len(letters), 60)])
}

func (c *console) revokeKey(w http.ResponseWriter, r *http.Request, account string) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err == nil {
		err = c.accounts.revokeKey(r.Context(), account, id)
	}
	if err != nil {
		return err
	}
	return c.leave(w, r, "/keys", "The key is revoked. Calls with it are refused from now on.", "")
}

func (c *console) showCredits(w http.ResponseWriter, r *http.Request, account string) error {
	return c.creditsPage(w, r, account, http.StatusOK, "")
}

func (c *console) creditsPage(w http.ResponseWriter, r *http.Request, account string, status int, wrong string) error {
	ledger, err := c.accounts.ledger(r.Context(), account)
	if err != nil {
		return err
	}
	return c.page(w, r, account, status, "credits", "Credits", struct {
		Wrong  string
		Ledger []Entry
	}{wrong, ledger})
}

func (c *console) addCredits(w http.ResponseWriter, r *http.Request, account string) error {
	credits, err := strconv.ParseFloat(strings.TrimSpace(r.PostFormValue("credits")), 64)
	if err == nil {
		_, err = amountOf(credits)
	}
	if err != nil || credits == 0 {
		return c.creditsPage(w, r, account, http.StatusUnprocessableEntity, "Please give a number of credits above 0.")
	}
	if err := c.accounts.topUp(r.Context(), account, credits); err != nil {
		return err
	}
	return c.leave(w, r, "/credits", "The credits are added.", "")
}
