package signin

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
)

// A codeSetup is a new secret for one-time codes that has not been confirmed with a code
// yet.
type codeSetup struct {
	UserID int64
	Secret string
}

const (
	codeSetupStep = "codes"
	recoveryText  = "recovery" // the cookie value with recovery codes that the next page shows once
)

// ShowCodes explains how to set up one-time codes or, if they are on, offers to renew the
// recovery codes or to turn them off.
func (h *SignIn) ShowCodes(w http.ResponseWriter, r *http.Request) error {
	return h.drawCodes(w, r, http.StatusOK, nil)
}

func (h *SignIn) drawCodes(w http.ResponseWriter, r *http.Request, status int, errs input.Errors) error {
	v, _ := site.ViewerOf(r)
	steps, err := h.steps.Of(r.Context(), v.User.ID)
	if err != nil {
		return err
	}
	page := accountview.CodesPage{
		SecondSteps: steps, NeedsPassword: v.NeedsPassword(), Bound: v.Session.Unproven, Next: site.Local(r.FormValue("next")),
		Errors: errs,
	}
	shown, err := h.cookies.TakeFlash(w, r, recoveryText)
	if err != nil {
		return err
	}
	page.Recovery = strings.Fields(shown)
	if !steps.Codes {
		secret, err := h.codeSecret(w, r, v.User.ID)
		if err != nil {
			return err
		}
		page.Secret = secret
		page.Link = secrets.CodeLink(host(h.network.Origin(r)), v.User.Email, secret)
	}
	return h.pages.Draw(w, r, status, "Second step", accountview.ShowCodes(page))
}

func host(origin string) string {
	if u, err := url.Parse(origin); err == nil {
		return u.Host
	}
	return origin
}

// codeSecret returns the secret that the user is setting up. It stays the same until they
// finish or stepLife has passed.
func (h *SignIn) codeSecret(w http.ResponseWriter, r *http.Request, userID int64) (string, error) {
	kept, ok := peekStep[codeSetup](h.cookies, r, codeSetupStep)
	if ok && kept.What.UserID == userID {
		return kept.What.Secret, nil
	}
	secret := secrets.NewCodeSecret()
	return secret, leaveStep(h.cookies, w, r, codeSetupStep, codeSetup{userID, secret})
}

// TurnCodesOn turns one-time codes on, given a first code from the new secret.
func (h *SignIn) TurnCodesOn(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	id := v.User.ID
	kept, ok := peekStep[codeSetup](h.cookies, r, codeSetupStep)
	if !ok || kept.What.UserID != id {
		return h.drawCodes(w, r, http.StatusUnprocessableEntity, input.Errors{"code": accountview.CodeSetUpOver})
	}
	step, ok := secrets.CheckCode(kept.What.Secret, site.Clip(r.PostFormValue("code"), 100), h.now(), 0)
	if !ok {
		return h.drawCodes(w, r, http.StatusUnprocessableEntity, input.Errors{"code": accountview.WrongFirstCode})
	}
	codes := secrets.NewRecoveryCodes()
	sealed := h.vault.SealCode(id, kept.What.Secret)
	err := h.steps.SetCodes(r.Context(), id, v.Session.ID, sealed, step, recoveryHashes(id, codes), db.Now())
	switch {
	case errors.Is(err, db.ErrNotFound): // the session ended meanwhile
		return h.entry.LeadIn(w, r)
	case errors.Is(err, db.ErrConflict): // codes were turned on in another window
		return web.SeeOther(w, r, "/settings/codes")
	case err != nil:
		return err
	}
	if err := errors.Join(dropStep(h.cookies, w, r, codeSetupStep), h.cookies.RememberProof(w, r, id)); err != nil {
		return err
	}
	h.journal.Info(r, "the second step was turned on", "user", id)
	return h.showRecovery(w, r, codes)
}

func recoveryHashes(userID int64, codes []string) []secrets.TokenHash {
	hashes := make([]secrets.TokenHash, len(codes))
	for i, code := range codes {
		hashes[i] = secrets.RecoveryHash(userID, code)
	}
	return hashes
}

// showRecovery redirects to the page that shows the recovery codes, this one time.
func (h *SignIn) showRecovery(w http.ResponseWriter, r *http.Request, codes []string) error {
	if err := h.cookies.SetFlash(w, r, recoveryText, strings.Join(codes, " ")); err != nil {
		return err
	}
	to := "/settings/codes"
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	return web.SeeOther(w, r, to)
}

// RenewRecoveryCodes replaces the recovery codes. The form must contain a valid code.
func (h *SignIn) RenewRecoveryCodes(w http.ResponseWriter, r *http.Request) error {
	id, codes := site.Me(r).ID, secrets.NewRecoveryCodes()
	return h.withCode(w, r, "renew", func() error {
		proof, err := h.codeProof(r, id, "renew")
		if err == nil {
			err = h.steps.RenewRecovery(r.Context(), id, proof, recoveryHashes(id, codes))
		}
		return err
	}, func() error { return h.showRecovery(w, r, codes) })
}

// TurnCodesOff turns one-time codes off. The form must contain a valid code.
func (h *SignIn) TurnCodesOff(w http.ResponseWriter, r *http.Request) error {
	id := site.Me(r).ID
	return h.withCode(w, r, "off", func() error {
		proof, err := h.codeProof(r, id, "off")
		if err == nil {
			err = h.steps.DropCodes(r.Context(), id, proof)
		}
		return err
	}, func() error {
		h.journal.Info(r, "the second step was turned off", "user", id)
		return h.pages.SeeOther(w, r, "/settings#profile", accountview.CodesOff)
	})
}

// withCode calls do, which checks the form's code, and then done. Wrong codes count
// against a limit.
func (h *SignIn) withCode(w http.ResponseWriter, r *http.Request, form string, do, done func() error) error {
	id := site.Me(r).ID
	guess, wait, err := h.attempts.TakeSlowly(r.Context(), h.codeLimits(r, id)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return h.drawCodes(w, r, http.StatusTooManyRequests, input.Errors{form: site.TooMany(w, wait)})
	}
	err = do()
	if errors.Is(err, db.ErrConflict) || errors.Is(err, signin.RefusedCode) {
		if err := h.codeWasWrong(r, id, guess); err != nil {
			return err
		}
		return h.drawCodes(w, r, http.StatusUnprocessableEntity, input.Errors{form: accountview.WrongCode})
	}
	if err != nil {
		return err
	}
	if err := h.codeWasRight(w, r, id, guess); err != nil {
		return err
	}
	return done()
}

// ShowSecondStepNeeded tells a user without a second step that the team requires one.
func (h *SignIn) ShowSecondStepNeeded(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	next := site.Local(r.FormValue("next"))
	if !v.Session.Unproven {
		return web.SeeOther(w, r, next)
	}
	return h.pages.Draw(w, r, http.StatusOK, "One more step", accountview.Needed(next))
}

// knownPause is how far the pauses between wrong codes grow in a browser that the owner
// has used: far enough against guessing, and not so far that they are locked out.
const knownPause = 15 * time.Minute

// strangersCodes and knownCodes are the names under which wrong codes for an account are
// counted, from strangers and from browsers that have signed in with the password.
func strangersCodes(userID int64) string { return fmt.Sprintf("codes of %d", userID) }
func knownCodes(userID int64) string {
	return fmt.Sprintf("%s by known browsers", strangersCodes(userID))
}

// codeLimits returns the limits on guesses at a user's codes, of which three are right at
// any time. Anybody who can guess here knows the password already. With the pauses that
// they have, a stranger makes four guesses a day.
//
// A browser in which a code was right before has a limit of its own, so that nobody can
// lock out the owner. Browsers that have signed in with the password alone share one:
// somebody who knew the password before codes were turned on can have any number of them.
func (h *SignIn) codeLimits(r *http.Request, userID int64) []site.Backoff {
	limit := site.Backoff{Name: strangersCodes(userID), Free: site.TriesPerAccount, First: time.Minute, Longest: site.LongestPause}
	switch known := h.cookies.Known(r, userID); {
	case known == "":
		return append([]site.Backoff{limit}, h.attempts.SlowFromAddress(r, "codes")...)
	case h.cookies.KnownProof(r, userID):
		limit.Name, limit.Longest = fmt.Sprintf("%s in %s", strangersCodes(userID), known), knownPause
	default:
		limit.Name = knownCodes(userID)
	}
	return []site.Backoff{limit}
}

// codeWasRight gives the guess back. In a browser that was known before, it also ends the
// pauses that strangers have caused. From now on the browser is known by the code.
func (h *SignIn) codeWasRight(w http.ResponseWriter, r *http.Request, userID int64, guess site.SlowGuess) error {
	guess.GiveBack()
	if known := h.cookies.Known(r, userID); known != "" {
		h.attempts.Forget(r.Context(), strangersCodes(userID), knownCodes(userID), fmt.Sprintf("%s in %s", strangersCodes(userID), known))
	}
	return h.cookies.RememberProof(w, r, userID)
}

// codeWasWrong tells the owner of the account when the guess was the last one before the
// pauses begin.
func (h *SignIn) codeWasWrong(r *http.Request, userID int64, guess site.SlowGuess) error {
	if !guess.Reaches() {
		return nil
	}
	h.journal.Warn(r, "many wrong codes were given after the right password", "user", userID)
	return h.steps.RecordGuesses(r.Context(), userID, site.TriesPerAccount)
}

// guessedFor is how long people are told of wrong codes for their account.
const guessedFor = 30 * 24 * time.Hour

// tellGuessed tells somebody who signs in that many wrong codes were given for their
// account.
func (h *SignIn) tellGuessed(w http.ResponseWriter, r *http.Request, userID int64) error {
	e, err := h.steps.Guessed(r.Context(), userID, db.Now().Add(-guessedFor))
	if err != nil || e.ID == 0 {
		return err
	}
	return h.cookies.SetFlash(w, r, "flash", accountview.CodesGuessed)
}

// codeProof returns the proof for what was typed into the form field: a one-time code, or
// else a recovery code, which is only looked up when it is used. The error is
// signin.RefusedCode if the user has no codes.
func (h *SignIn) codeProof(r *http.Request, userID int64, field string) (people.Proof, error) {
	typed := site.Clip(site.PlainText(r.PostFormValue(field)), 100)
	sealed, last, err := h.steps.Codes(r.Context(), userID)
	if errors.Is(err, db.ErrNotFound) {
		return people.Proof{}, signin.RefusedCode
	}
	if err != nil {
		return people.Proof{}, err
	}
	if secret, err := h.vault.OpenCode(userID, sealed); err == nil {
		if step, ok := secrets.CheckCode(secret, typed, h.now(), last); ok {
			return people.Proof{Step: step}, nil
		}
	} else if !errors.Is(err, db.ErrNotFound) {
		return people.Proof{}, err
	}
	return people.Proof{Recovery: secrets.RecoveryHash(userID, typed)}, nil
}

// A partialSignIn is a half-finished sign-in: the password was right, and the second
// step is still missing.
type partialSignIn struct {
	UserID   int64
	Password secrets.TokenHash // hash of the stored password hash, to notice that the password has changed
	Next     string
}

const partialStep = "half"

// beginSecondStep redirects to the page that asks for the second step.
func (h *SignIn) beginSecondStep(w http.ResponseWriter, r *http.Request, u db.User, next string) error {
	if err := leaveStep(h.cookies, w, r, partialStep, partialSignIn{u.ID, secrets.HashToken(u.Password), shortNext(next)}); err != nil {
		return err
	}
	return web.SeeOther(w, r, "/login/code")
}

// partialUser returns the user whose password was right, and where they want to go.
// The error is db.ErrNotFound if too much time has passed, or if the password or the
// state of the account has changed.
func (h *SignIn) partialUser(r *http.Request) (u db.User, next string, err error) {
	kept, ok := peekStep[partialSignIn](h.cookies, r, partialStep)
	if !ok {
		return u, "", db.ErrNotFound
	}
	rules, err := h.signOn.Rules(r.Context())
	if err != nil {
		return u, "", err
	}
	u, err = h.accounts.User(r.Context(), kept.What.UserID)
	if err == nil && (rules.PasswordsOff || !u.IsActive() || secrets.HashToken(u.Password) != kept.What.Password) {
		err = db.ErrNotFound
	}
	return u, kept.What.Next, err
}

// ShowSecondStep asks for the second step.
func (h *SignIn) ShowSecondStep(w http.ResponseWriter, r *http.Request) error {
	return h.drawSecondStep(w, r, http.StatusOK, nil)
}

func (h *SignIn) drawSecondStep(w http.ResponseWriter, r *http.Request, status int, errs input.Errors) error {
	u, next, err := h.partialUser(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	steps, err := h.steps.Of(r.Context(), u.ID)
	if err != nil {
		return err
	}
	return h.pages.Draw(w, r, status, "Sign in", accountview.Second(u.Email, next, steps, errs))
}

// SignInWithCode signs the person in with a one-time code or a recovery code.
func (h *SignIn) SignInWithCode(w http.ResponseWriter, r *http.Request) error {
	u, next, err := h.partialUser(r)
	if errors.Is(err, db.ErrNotFound) {
		return web.SeeOther(w, r, "/login")
	}
	if err != nil {
		return err
	}
	guess, wait, err := h.attempts.TakeSlowly(r.Context(), h.codeLimits(r, u.ID)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		h.count(signin.RefusedTooMany)
		return h.drawSecondStep(w, r, http.StatusTooManyRequests, input.Errors{"code": site.TooMany(w, wait)})
	}
	proof, err := h.codeProof(r, u.ID, "code")
	if err == nil {
		err = h.addSession(w, r, func(session *signin.Session) error {
			session.UserID = u.ID
			return h.steps.SignInWithCode(r.Context(), session, u.Password, proof)
		})
	}
	switch {
	case errors.Is(err, signin.RefusedCode):
		if err := errors.Join(h.recordRefusal(r, u, signin.RefusedCode), h.codeWasWrong(r, u.ID, guess)); err != nil {
			return err
		}
		return h.drawSecondStep(w, r, http.StatusUnprocessableEntity, input.Errors{"code": accountview.WrongCode})
	case errors.Is(err, db.ErrConflict), errors.Is(err, signin.RefusedOff):
		// The password was changed, the account deactivated, or passwords turned off, meanwhile.
		return web.SeeOther(w, r, "/login")
	case err != nil:
		return err
	}
	err = errors.Join(h.codeWasRight(w, r, u.ID, guess), h.tellGuessed(w, r, u.ID), dropStep(h.cookies, w, r, partialStep))
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, site.Local(next))
}

// stepLife is the time a user has between two requests of a sign-in.
const stepLife = 10 * time.Minute

// A step is the state of an unfinished sign-in. It is kept encrypted in the browser's
// cookie, so that any process can handle the next request.
type step[T any] struct {
	Until time.Time
	What  T
}

// maxNext limits, in bytes, the redirect path that a step remembers, because an
// encrypted cookie has room for only about 4,000.
const maxNext = 1000

// shortNext returns the path to go to after a sign-in: next itself or, if that is too
// long for a cookie, next without its query, or else the start page.
func shortNext(next string) string {
	if len(next) <= maxNext {
		return next
	}
	if path, _, _ := strings.Cut(next, "?"); len(path) <= maxNext {
		return path
	}
	return "/"
}

// leaveStep keeps the step in the cookie under the name, replacing an earlier one.
func leaveStep[T any](cookies *web.Cookies, w http.ResponseWriter, r *http.Request, name string, what T) error {
	text, err := json.Marshal(step[T]{db.Now().Add(stepLife), what})
	if err != nil {
		return err
	}
	return cookies.SetFlash(w, r, name, string(text))
}

// peekStep returns the step kept under the name, unless it has expired.
func peekStep[T any](cookies *web.Cookies, r *http.Request, name string) (found step[T], ok bool) {
	err := json.Unmarshal([]byte(cookies.PeekFlash(r, name)), &found)
	return found, err == nil && db.Now().Before(found.Until)
}

// dropStep deletes the step.
func dropStep(cookies *web.Cookies, w http.ResponseWriter, r *http.Request, name string) error {
	_, err := cookies.TakeFlash(w, r, name)
	return err
}
