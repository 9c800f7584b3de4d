package sandbox

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"dailies/web/throttle"
)

func (s *Sandbox) showLogin(w http.ResponseWriter, _ *http.Request) error {
	return s.show(w, http.StatusOK, "login", frame{Title: "Sign in"}, "")
}

func (s *Sandbox) login(w http.ResponseWriter, r *http.Request) error {
	attempt, wait := s.console.tries.Take(s.triesFrom(r))
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
		return s.show(w, http.StatusTooManyRequests, "login", frame{Title: "Sign in"}, "Too many tries. Please wait a few seconds.")
	}
	token, err := s.signIn(r.Context(), r.PostFormValue("password"))
	switch {
	case errors.Is(err, errWrongPassword):
		return s.show(w, http.StatusUnprocessableEntity, "login", frame{Title: "Sign in"}, "This is not the password. The sandbox printed it at its first start; -password sets another one.")
	case err != nil:
		return err
	}
	attempt.GiveBack()
	if err := s.console.cookies.SetToken(w, r, token); err != nil {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}

// triesFrom limits how often one address may guess the password, so that nobody
// elsewhere can keep the owner out.
func (s *Sandbox) triesFrom(r *http.Request) throttle.Limit {
	return throttle.Limit{Name: throttle.Network(s.proxies.Client(r)), Burst: 5, Every: 5 * time.Second}
}

func (s *Sandbox) logout(w http.ResponseWriter, r *http.Request, _ string) error {
	if err := s.signOut(r); err != nil {
		return err
	}
	if err := s.console.cookies.SetToken(w, r, ""); err != nil {
		return err
	}
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	return nil
}

// chooseAccount lets the session work with another account, or a new one, so
// that an integrator sees what a stranger's key is answered.
func (s *Sandbox) chooseAccount(w http.ResponseWriter, r *http.Request, _ string) error {
	id, said, key := r.PostFormValue("id"), "", ""
	if id == "" {
		var err error
		if id, key, err = s.newAccount(r.Context(), keyName(r), firstCredits); err != nil {
			return err
		}
		said = "There is another account, with 1000 credits and a key of its own."
	}
	if err := s.switchAccount(r, id); err != nil {
		return err
	}
	return s.leave(w, r, "/keys", said, key)
}

func (s *Sandbox) showKeys(w http.ResponseWriter, r *http.Request, account string) error {
	keys, err := s.keys(r.Context(), account)
	if err != nil {
		return err
	}
	f, err := s.frameOf(w, r, "API keys", account)
	if err != nil {
		return err
	}
	return s.show(w, http.StatusOK, "keys", f, keys)
}

func (s *Sandbox) makeKey(w http.ResponseWriter, r *http.Request, account string) error {
	key, err := s.addKey(r.Context(), account, keyName(r))
	if err != nil {
		return err
	}
	return s.leave(w, r, "/keys", "The key is made.", key)
}

// keyName returns the name that a form gives to a key, on one line and bounded.
func keyName(r *http.Request) string {
	name := strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(r.PostFormValue("name"), ""))
	letters := []rune(strings.Join(strings.Fields(name), " "))
	if len(letters) == 0 {
		return "unnamed"
	}
	return string(letters[:min(len(letters), 60)])
}

func (s *Sandbox) endKey(w http.ResponseWriter, r *http.Request, account string) error {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return errNoSuchPath
	}
	if err := s.revokeKey(r.Context(), account, id); err != nil {
		return err
	}
	return s.leave(w, r, "/keys", "The key is revoked. Calls with it are refused from now on.", "")
}

func (s *Sandbox) showCredits(w http.ResponseWriter, r *http.Request, account string) error {
	return s.creditsPage(w, r, account, http.StatusOK, "")
}

func (s *Sandbox) creditsPage(w http.ResponseWriter, r *http.Request, account string, status int, wrong string) error {
	ledger, err := s.ledger(r.Context(), account)
	if err != nil {
		return err
	}
	f, err := s.frameOf(w, r, "Credits", account)
	if err != nil {
		return err
	}
	return s.show(w, status, "credits", f, struct {
		Wrong  string
		Ledger []Entry
	}{wrong, ledger})
}

func (s *Sandbox) addCredits(w http.ResponseWriter, r *http.Request, account string) error {
	credits, err := strconv.ParseFloat(strings.TrimSpace(r.PostFormValue("credits")), 64)
	if err == nil {
		_, err = amountOf(credits)
	}
	if err != nil || credits == 0 {
		return s.creditsPage(w, r, account, http.StatusUnprocessableEntity, "Please give a number of credits above 0.")
	}
	if err := s.topUp(r.Context(), account, credits); err != nil {
		return err
	}
	return s.leave(w, r, "/credits", "The credits are added.", "")
}
