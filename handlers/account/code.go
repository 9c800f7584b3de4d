package account

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
)

// CodeSetup turns a user's codes of the second step on.
type CodeSetup struct {
	entry   *site.Entry
	journal *site.Journal
	page    *codesPage
	proofs  *proofs
}

// Codes renews a user's codes, and turns them off.
type Codes struct {
	codes *codeGuard
	page  *codesPage
}

// codesPage is the page with the settings of a user's codes.
type codesPage struct {
	cookies *web.Cookies
	steps   *people.SecondSteps
	network *site.Network
	pages   *site.Pages
}

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

// Show explains how to set up one-time codes or, if they are on, offers to renew the
// recovery codes or to turn them off.
func (c *CodeSetup) Show(w http.ResponseWriter, r *http.Request) error {
	return c.page.draw(w, r, http.StatusOK, nil)
}

func (c *codesPage) draw(w http.ResponseWriter, r *http.Request, status int, errs input.Errors) error {
	v, _ := site.ViewerOf(r)
	steps, err := c.steps.Of(r.Context(), v.User.ID)
	if err != nil {
		return err
	}
	page := accountview.CodesPage{SecondSteps: steps, AskPassword: v.AsksPassword(), Bound: v.Session.Unproven, Next: site.Local(r.FormValue("next")), Errors: errs}
	shown, err := c.cookies.TakeFlash(w, r, recoveryText)
	if err != nil {
		return err
	}
	page.Recovery = strings.Fields(shown)
	if !steps.Codes {
		secret, err := c.secret(w, r, v.User.ID)
		if err != nil {
			return err
		}
		page.Secret = secret
		page.Link = secrets.CodeLink(host(c.network.Origin(r)), v.User.Email, secret)
	}
	return c.pages.Draw(w, r, status, "Second step", func(f part.Frame) templ.Component { return accountview.ShowCodes(f, page) })
}

func host(origin string) string {
	if u, err := url.Parse(origin); err == nil {
		return u.Host
	}
	return origin
}

// secret returns the secret that the user is setting up. It stays the same until they
// finish or stepLife has passed.
func (c *codesPage) secret(w http.ResponseWriter, r *http.Request, userID int64) (string, error) {
	kept, ok := peekStep[codeSetup](c.cookies, r, codeSetupStep)
	if ok && kept.What.UserID == userID {
		return kept.What.Secret, nil
	}
	secret := secrets.NewCodeSecret()
	return secret, leaveStep(c.cookies, w, r, codeSetupStep, codeSetup{userID, secret})
}

// Save turns one-time codes on, given a first code from the new secret.
func (c *CodeSetup) Save(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	id := v.User.ID
	kept, ok := peekStep[codeSetup](c.page.cookies, r, codeSetupStep)
	if !ok || kept.What.UserID != id {
		return c.page.draw(w, r, http.StatusUnprocessableEntity, input.Errors{"code": accountview.CodeSetUpOver})
	}
	step, ok := secrets.CheckCode(kept.What.Secret, site.Clip(r.PostFormValue("code"), 100), c.proofs.now(), 0)
	if !ok {
		return c.page.draw(w, r, http.StatusUnprocessableEntity, input.Errors{"code": accountview.WrongFirstCode})
	}
	codes := secrets.NewRecoveryCodes()
	err := c.page.steps.SetCodes(r.Context(), id, v.Session.ID, c.proofs.vault.SealCode(id, kept.What.Secret), step, recoveryHashes(id, codes), db.Now())
	switch {
	case errors.Is(err, db.ErrNotFound): // the session ended meanwhile
		return c.entry.LeadIn(w, r)
	case errors.Is(err, db.ErrConflict): // codes were turned on in another window
		return web.SeeOther(w, r, "/settings/codes")
	case err != nil:
		return err
	}
	if err := errors.Join(dropStep(c.page.cookies, w, r, codeSetupStep), c.page.cookies.RememberProof(w, r, id)); err != nil {
		return err
	}
	c.journal.Info(r, "the second step was turned on", "user", id)
	return c.page.showRecovery(w, r, codes)
}

func recoveryHashes(userID int64, codes []string) []secrets.TokenHash {
	hashes := make([]secrets.TokenHash, len(codes))
	for i, code := range codes {
		hashes[i] = secrets.RecoveryHash(userID, code)
	}
	return hashes
}

// showRecovery redirects to the page that shows the recovery codes, this one time.
func (c *codesPage) showRecovery(w http.ResponseWriter, r *http.Request, codes []string) error {
	if err := c.cookies.SetFlash(w, r, recoveryText, strings.Join(codes, " ")); err != nil {
		return err
	}
	to := "/settings/codes"
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		to += "?next=" + url.QueryEscape(next)
	}
	return web.SeeOther(w, r, to)
}

// Renew replaces the recovery codes. The form must contain a valid code.
func (c *Codes) Renew(w http.ResponseWriter, r *http.Request) error {
	id, codes := site.Me(r).ID, secrets.NewRecoveryCodes()
	return c.withCode(w, r, "renew", func() error {
		proof, err := c.codes.proofs.of(r, id, "renew")
		if err == nil {
			err = c.codes.steps.RenewRecovery(r.Context(), id, proof, recoveryHashes(id, codes))
		}
		return err
	}, func() error { return c.page.showRecovery(w, r, codes) })
}

// Drop turns one-time codes off. The form must contain a valid code.
func (c *Codes) Drop(w http.ResponseWriter, r *http.Request) error {
	id := site.Me(r).ID
	return c.withCode(w, r, "off", func() error {
		proof, err := c.codes.proofs.of(r, id, "off")
		if err == nil {
			err = c.codes.steps.DropCodes(r.Context(), id, proof)
		}
		return err
	}, func() error {
		c.codes.journal.Info(r, "the second step was turned off", "user", id)
		return c.page.pages.SeeOther(w, r, "/settings#profile", accountview.CodesOff)
	})
}

// withCode calls do, which checks the form's code, and then done. Wrong codes count
// against a limit.
func (c *Codes) withCode(w http.ResponseWriter, r *http.Request, form string, do, done func() error) error {
	id := site.Me(r).ID
	guess, wait, err := c.codes.tries.TakeSlowly(r.Context(), c.codes.limits(r, id)...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return c.page.draw(w, r, http.StatusTooManyRequests, input.Errors{form: site.TooMany(w, wait)})
	}
	err = do()
	if errors.Is(err, db.ErrConflict) || errors.Is(err, signin.RefusedCode) {
		if err := c.codes.wasWrong(r, id, guess); err != nil {
			return err
		}
		return c.page.draw(w, r, http.StatusUnprocessableEntity, input.Errors{form: accountview.WrongCode})
	}
	if err != nil {
		return err
	}
	if err := c.codes.wasRight(w, r, id, guess); err != nil {
		return err
	}
	return done()
}

// ShowNeeded tells a user without a second step that the team requires one.
func (c *CodeSetup) ShowNeeded(w http.ResponseWriter, r *http.Request) error {
	v, _ := site.ViewerOf(r)
	next := site.Local(r.FormValue("next"))
	if !v.Session.Unproven {
		return web.SeeOther(w, r, next)
	}
	return c.page.pages.Draw(w, r, http.StatusOK, "One more step", func(f part.Frame) templ.Component { return accountview.Needed(f, next) })
}
