package site

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dailies/db"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
)

// Reauth makes users prove again who they are before a request changes how somebody
// signs in, so that finding a signed-in browser is not enough to take over the account.
// The rows of routes say which requests need it.
type Reauth struct {
	hashing  *Hashing
	pages    *Pages
	attempts *Attempts
}

// maxWhat limits, in bytes, the form value that names what is being changed.
const maxWhat = 400

// Require returns a handler that runs h if the user signed in recently or sends the right
// password with the form. Otherwise it shows a page, with the given title, that asks
// for the password and sends the same form again with the given button. Users who have
// no password are asked to sign in again.
func (a *Reauth) Require(title, button string, h web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v, _ := ViewerOf(r)
		if !v.IsStale() {
			return h(w, r)
		}
		status := http.StatusOK
		page := accountview.Reauthentication{
			Title: title, Button: button, Path: r.URL.RequestURI(), Back: backFrom(r), HasPassword: v.User.Password != "",
			What: Clip(PlainText(r.PostFormValue("what")), maxWhat),
		}
		if page.HasPassword && r.PostFormValue("current") != "" {
			sentence, _, err := a.CheckPassword(w, r, v)
			if err != nil {
				return err
			}
			if sentence == "" {
				return h(w, r)
			}
			status, page.Errors = http.StatusUnprocessableEntity, input.Errors{"current": sentence}
		}
		for name, values := range r.PostForm {
			for _, value := range values {
				if name != "current" && name != "key" { // no page repeats a key of the video service
					page.Fields = append(page.Fields, accountview.Typed{Name: name, Value: value})
				}
			}
		}
		slices.SortStableFunc(page.Fields, func(x, y accountview.Typed) int { return strings.Compare(x.Name, y.Name) })
		return a.pages.Draw(w, r, status, title, accountview.ReauthPage(page))
	}
}

// CheckPassword compares the form's password with the user's. The sentence is the error message
// for the form, with the status of the answer; it is empty if the password is right.
func (a *Reauth) CheckPassword(w http.ResponseWriter, r *http.Request, v Viewer) (sentence string, status int, err error) {
	guess, wait, err := a.attempts.TakeSlowly(r.Context(), sessionBackoff(v))
	if err != nil {
		return "", 0, err
	}
	if wait > 0 {
		return TooMany(w, wait), http.StatusTooManyRequests, nil
	}
	right, _, err := a.hashing.Match(r.Context(), KnownApplicant(v.User.Email), v.User.Password, r.PostFormValue("current"))
	if sentence, busy := Busy(w, err); busy {
		guess.GiveBack()
		return sentence, http.StatusTooManyRequests, nil
	}
	if err != nil {
		return "", 0, err
	}
	if !right {
		return accountview.WrongPassword, http.StatusUnprocessableEntity, nil
	}
	guess.GiveBack()
	return "", 0, nil
}

// backFrom returns the path of the page that contains the form.
func backFrom(r *http.Request) string {
	path := r.URL.Path
	switch {
	case strings.HasPrefix(path, "/settings/"):
		return "/settings#profile"
	case strings.HasPrefix(path, "/members/"):
		return "/members/" + r.PathValue("id")
	}
	return path
}

// PasswordSentence returns why the user cannot have the password, empty if they can.
func PasswordSentence(password string, u db.User) string {
	return firstBroken(password, u, accountview.PasswordRules())
}

// sessionBackoff limits guesses at the password by somebody who is signed in, because
// they may have found the browser unattended. The owner can sign in again.
func sessionBackoff(v Viewer) Backoff {
	return Backoff{Name: fmt.Sprintf("session %d", v.Session.ID), Free: TriesPerAccount, First: time.Minute, Longest: LongestPause}
}
