package signin

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/web"
	"dailies/web/passkey"
)

// pendingChallenge is a challenge together with its purpose: to add a passkey to an
// account, or to sign in.
type pendingChallenge struct {
	Challenge passkey.Challenge
	Adds      int64 // ID of the user who adds a passkey; 0 if the challenge is for a sign-in
	Half      int64 // ID of the user who has given their password already; 0 if anybody may sign in
}

const challengeStep = "passkey"

// maxAnswer limits, in bytes, the credential that a browser sends.
const maxAnswer = 64 << 10

// ShowPasskey shows the page on which a passkey is added.
func (h *SignIn) ShowPasskey(w http.ResponseWriter, r *http.Request) error {
	return h.drawPasskey(w, r, http.StatusOK, accountview.PasskeyPage{})
}

func (h *SignIn) drawPasskey(w http.ResponseWriter, r *http.Request, status int, page accountview.PasskeyPage) error {
	v, _ := site.ViewerOf(r)
	_, err := h.relyingParty(r)
	page.Nowhere = errors.Is(err, passkey.ErrNowhere)
	page.NeedsPassword, page.Bound, page.Next = v.NeedsPassword(), v.Session.Unproven, site.Local(r.FormValue("next"))
	if page.Name == "" {
		page.Name = accountview.Browser(r.UserAgent())
	}
	return h.pages.Draw(w, r, status, "Passkey", accountview.ShowPasskey(page))
}

// relyingParty returns the site for which passkeys are made.
func (h *SignIn) relyingParty(r *http.Request) (passkey.RelyingParty, error) {
	return passkey.NewRelyingParty(h.network.Origin(r))
}

// person returns the user with their passkeys. Without any, the handle is nil.
func (h *SignIn) person(r *http.Request, u db.User) (passkey.Person, error) {
	keys, err := h.steps.Passkeys(r.Context(), u.ID)
	person := passkey.Person{Email: u.Email, Name: u.Name}
	for _, k := range keys {
		person.Handle = k.Handle
		person.Records = append(person.Records, k.Record)
	}
	return person, err
}

// NewPasskeyOptions returns the JSON options that the browser needs to create a passkey.
func (h *SignIn) NewPasskeyOptions(w http.ResponseWriter, r *http.Request) error {
	rp, err := h.relyingParty(r)
	if err != nil {
		return web.NotFound()
	}
	person, err := h.person(r, site.Me(r))
	if err != nil {
		return err
	}
	if person.Handle == nil {
		person.Handle = make([]byte, 32)
		_, _ = rand.Read(person.Handle) // never fails: crypto/rand crashes the program instead
	}
	options, c, err := rp.BeginRegistration(person)
	if err != nil {
		return err
	}
	return h.sendChallenge(w, r, options, pendingChallenge{Challenge: c, Adds: site.Me(r).ID})
}

func (h *SignIn) sendChallenge(w http.ResponseWriter, r *http.Request, options []byte, a pendingChallenge) error {
	if err := leaveStep(h.cookies, w, r, challengeStep, a); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, err := w.Write(options)
	_ = err // the browser closed the connection
	return nil
}

// takeChallenge returns the challenge that this browser was given and marks it as used,
// because each works once. The error is passkey.ErrInvalid if there is none.
func (h *SignIn) takeChallenge(w http.ResponseWriter, r *http.Request) (pendingChallenge, error) {
	kept, ok := peekStep[pendingChallenge](h.cookies, r, challengeStep)
	if !ok {
		return pendingChallenge{}, passkey.ErrInvalid
	}
	if err := dropStep(h.cookies, w, r, challengeStep); err != nil {
		return pendingChallenge{}, err
	}
	err := h.signOn.SpendChallenge(r.Context(), secrets.HashToken(kept.What.Challenge.ID()), kept.Until, db.Now())
	if errors.Is(err, db.ErrConflict) {
		err = passkey.ErrInvalid
	}
	return kept.What, err
}

// AddPasskey stores the passkey that the browser has created.
func (h *SignIn) AddPasskey(w http.ResponseWriter, r *http.Request) error {
	u := site.Me(r)
	page := accountview.PasskeyPage{Name: nameOfPasskey(r)}
	refuse := func(field, sentence string) error {
		page.Errors = input.Errors{field: sentence}
		return h.drawPasskey(w, r, http.StatusUnprocessableEntity, page)
	}
	a, err := h.takeChallenge(w, r)
	if err == nil && a.Adds != u.ID {
		err = passkey.ErrInvalid
	}
	var made passkey.Registered
	if err == nil {
		made, err = h.registered(r, u, a)
	}
	if errors.Is(err, passkey.ErrInvalid) {
		return refuse("passkey", accountview.PasskeyNotAdded)
	}
	if err != nil {
		return err
	}
	k := signin.Passkey{
		UserID: u.ID, Handle: a.Challenge.Session.UserID, Credential: made.ID, Record: made.Record, Name: page.Name, CreatedAt: db.Now(),
	}
	v, _ := site.ViewerOf(r)
	err = h.steps.AddPasskey(r.Context(), &k, v.Session.ID)
	switch {
	case errors.Is(err, db.ErrNotFound): // the session ended meanwhile
		return h.entry.LeadIn(w, r)
	case errors.Is(err, db.ErrConflict):
		return refuse("passkey", accountview.PasskeyIsHere)
	case errors.Is(err, db.ErrFull):
		return refuse("passkey", accountview.PasskeysAreFull)
	case err != nil:
		return err
	}
	h.journal.Info(r, "a passkey was added", "user", u.ID)
	if err := h.cookies.RememberProof(w, r, u.ID); err != nil {
		return err
	}
	to := "/settings#passkeys"
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		to = next
	}
	return h.pages.SeeOther(w, r, to, accountview.PasskeyAdded)
}

func (h *SignIn) registered(r *http.Request, u db.User, a pendingChallenge) (passkey.Registered, error) {
	rp, err := h.relyingParty(r)
	if err != nil {
		return passkey.Registered{}, passkey.ErrInvalid
	}
	person, err := h.person(r, u)
	if err != nil {
		return passkey.Registered{}, err
	}
	person.Handle = a.Challenge.Session.UserID
	return rp.FinishRegistration(person, a.Challenge, site.Clip(r.PostFormValue("credential"), maxAnswer))
}

const maxPasskeyName = 60 // in characters

func nameOfPasskey(r *http.Request) string {
	return cmp.Or(naming.Short(r.PostFormValue("name"), maxPasskeyName), accountview.Browser(r.UserAgent()))
}

// RenamePasskey changes the name of one of the user's passkeys.
func (h *SignIn) RenamePasskey(w http.ResponseWriter, r *http.Request, id int64) error {
	err := h.steps.RenamePasskey(r.Context(), site.Me(r).ID, id, nameOfPasskey(r))
	return h.pages.Done(w, r, err, "/settings#passkeys", accountview.PasskeyRenamed)
}

// DeletePasskey deletes one of the user's passkeys.
func (h *SignIn) DeletePasskey(w http.ResponseWriter, r *http.Request, id int64) error {
	v, _ := site.ViewerOf(r)
	if err := h.steps.DeletePasskey(r.Context(), v.User.ID, id, v.Session.ID); err != nil {
		return err
	}
	h.journal.Info(r, "a passkey was deleted", "user", site.Me(r).ID)
	return h.pages.SeeOther(w, r, "/settings#passkeys", accountview.PasskeyDeleted)
}

// PasskeySignInOptions returns the JSON options that the browser needs to sign in with a
// passkey. With half set, only passkeys of the user who has just given their password are
// accepted, otherwise anybody's.
func (h *SignIn) PasskeySignInOptions(w http.ResponseWriter, r *http.Request) error {
	rp, err := h.relyingParty(r)
	if err != nil {
		return web.NotFound()
	}
	var half *passkey.Person
	a := pendingChallenge{}
	if r.FormValue("half") != "" {
		u, _, err := h.partialUser(r)
		if err != nil {
			return err
		}
		person, err := h.person(r, u)
		if err != nil {
			return err
		}
		if len(person.Records) == 0 {
			return web.NotFound()
		}
		half, a.Half = &person, u.ID
	}
	options, c, err := rp.BeginAssertion(half)
	if err != nil {
		return err
	}
	a.Challenge = c
	return h.sendChallenge(w, r, options, a)
}

// SignInWithPasskey signs in with a passkey.
func (h *SignIn) SignInWithPasskey(w http.ResponseWriter, r *http.Request) error {
	form := accountview.LoginForm{Next: r.FormValue("next")}
	if rules, err := h.signOn.Rules(r.Context()); err != nil {
		return err
	} else if rules.PasswordsOff {
		return h.refuseOff(w, r, form)
	}
	attempt, wait, err := h.attempts.TakeGuess(r.Context(), h.attempts.FromAddress(r, "passkey")...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return h.refuseTooMany(w, r, form, site.TooMany(w, wait))
	}
	k, err := h.verifyPasskey(w, r)
	if err == nil {
		before := k.before
		err = h.addSession(w, r, func(session *signin.Session) error {
			return h.steps.SignInWithPasskey(r.Context(), session, k.Passkey, before, k.afterPassword)
		})
	}
	refuse := func(why signin.Refusal, status int, sentence string) error {
		if err := h.recordRefusal(r, db.User{ID: k.UserID}, why); err != nil {
			return err
		}
		return h.refuse(w, r, status, form, sentence)
	}
	switch {
	case errors.Is(err, passkey.ErrInvalid), errors.Is(err, db.ErrNotFound), errors.Is(err, signin.RefusedPasskey):
		return refuse(signin.RefusedPasskey, http.StatusUnprocessableEntity, accountview.WrongPasskey)
	case errors.Is(err, signin.RefusedRestored):
		return refuse(signin.RefusedRestored, http.StatusForbidden, accountview.RestoredPasskey)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		return h.refuseOff(w, r, form)
	case errors.Is(err, signin.RefusedDeactivated):
		return refuse(signin.RefusedDeactivated, http.StatusUnprocessableEntity, site.Closed)
	case err != nil:
		return err
	}
	attempt.GiveBack()
	err = errors.Join(h.cookies.RememberProof(w, r, k.UserID), h.tellGuessed(w, r, k.UserID), dropStep(h.cookies, w, r, partialStep))
	if err != nil {
		return err
	}
	return web.SeeOther(w, r, site.Local(form.Next))
}

// usedPasskey is a passkey that was used to sign in.
type usedPasskey struct {
	signin.Passkey
	before        string // the passkey's stored record before this sign-in
	afterPassword bool   // whether the user had given their password first
}

// verifyPasskey verifies the credential that the browser has sent.
func (h *SignIn) verifyPasskey(w http.ResponseWriter, r *http.Request) (k usedPasskey, err error) {
	a, err := h.takeChallenge(w, r)
	if err != nil {
		return k, err
	}
	rp, err := h.relyingParty(r)
	if err != nil || a.Adds != 0 {
		return k, passkey.ErrInvalid
	}
	if a.Half != 0 { // the password must not have changed since it was given
		if u, _, err := h.partialUser(r); err != nil || u.ID != a.Half {
			return k, passkey.ErrInvalid
		}
	}
	var keys []signin.Passkey
	credential := site.Clip(r.PostFormValue("credential"), maxAnswer)
	used, err := rp.FinishAssertion(a.Challenge, credential, func(handle []byte) (person passkey.Person, err error) {
		person.Handle = handle
		keys, err = h.steps.PasskeysOf(r.Context(), handle)
		for _, k := range keys {
			person.Records = append(person.Records, k.Record)
		}
		return person, err
	})
	if err != nil {
		return k, err
	}
	i := slices.IndexFunc(keys, func(k signin.Passkey) bool { return bytes.Equal(k.Credential, used.ID) })
	if i < 0 || a.Half != 0 && keys[i].UserID != a.Half {
		return k, passkey.ErrInvalid
	}
	k = usedPasskey{keys[i], keys[i].Record, a.Half != 0}
	k.Record = used.Record
	return k, nil
}
