package signin

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"dailies/db"
	"dailies/db/naming"
	"dailies/db/secrets"
	"dailies/db/signin"
	"dailies/db/store/people"
	"dailies/handlers/site"
	accountview "dailies/views/account"
	"dailies/views/input"
	"dailies/views/part"
	"dailies/web"
	"dailies/web/passkey"
)

// Passkeys adds, renames and deletes a person's passkeys.
type Passkeys struct {
	challenges *challenges
	steps      *people.SecondSteps
	entry      *site.Entry
	journal    *site.Journal
	pages      *site.Pages
}

// PasskeySignIn signs people in with passkeys.
type PasskeySignIn struct {
	challenges *challenges
	codes      *codeGuard
	entrance   *site.Entrance
	half       *halfway
	login      *loginPage
}

// challenges gives browsers challenges for passkeys. Each works once.
type challenges struct {
	cookies *web.Cookies
	network *site.Network
	signOn  *people.SignOn
}

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

// Show shows the page on which a passkey is added.
func (p *Passkeys) Show(w http.ResponseWriter, r *http.Request) error {
	return p.page(w, r, http.StatusOK, accountview.PasskeyPage{})
}

func (p *Passkeys) page(w http.ResponseWriter, r *http.Request, status int, page accountview.PasskeyPage) error {
	v, _ := site.ViewerOf(r)
	_, err := p.challenges.place(r)
	page.Nowhere = errors.Is(err, passkey.ErrNowhere)
	page.AskPassword, page.Bound, page.Next = v.AsksPassword(), v.Session.Unproven, site.Local(r.FormValue("next"))
	if page.Name == "" {
		page.Name = accountview.Browser(r.UserAgent())
	}
	return p.pages.Draw(w, r, status, "Passkey", func(f part.Frame) templ.Component { return accountview.ShowPasskey(f, page) })
}

// place returns the site for which passkeys are made.
func (c *challenges) place(r *http.Request) (passkey.RelyingParty, error) {
	return passkey.NewRelyingParty(c.network.Origin(r))
}

// personOf returns the user with their passkeys. Without any, the handle is nil.
func personOf(steps *people.SecondSteps, r *http.Request, u db.User) (passkey.Person, error) {
	keys, err := steps.Passkeys(r.Context(), u.ID)
	person := passkey.Person{Email: u.Email, Name: u.Name}
	for _, k := range keys {
		person.Handle = k.Handle
		person.Records = append(person.Records, k.Record)
	}
	return person, err
}

// AskNew returns the JSON options that the browser needs to create a passkey.
func (p *Passkeys) AskNew(w http.ResponseWriter, r *http.Request) error {
	place, err := p.challenges.place(r)
	if err != nil {
		return web.NotFound()
	}
	person, err := personOf(p.steps, r, site.Me(r))
	if err != nil {
		return err
	}
	if person.Handle == nil {
		person.Handle = make([]byte, 32)
		_, _ = rand.Read(person.Handle) // never fails: crypto/rand crashes the program instead
	}
	options, c, err := place.BeginRegistration(person)
	if err != nil {
		return err
	}
	return p.challenges.ask(w, r, options, pendingChallenge{Challenge: c, Adds: site.Me(r).ID})
}

func (c *challenges) ask(w http.ResponseWriter, r *http.Request, options []byte, a pendingChallenge) error {
	if err := leaveStep(c.cookies, w, r, challengeStep, a); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_, err := w.Write(options)
	_ = err // the browser closed the connection
	return nil
}

// take returns the challenge that this browser was given and marks it as used, because
// each works once. The error is passkey.ErrInvalid if there is none.
func (c *challenges) take(w http.ResponseWriter, r *http.Request) (pendingChallenge, error) {
	kept, ok := peekStep[pendingChallenge](c.cookies, r, challengeStep)
	if !ok {
		return pendingChallenge{}, passkey.ErrInvalid
	}
	if err := dropStep(c.cookies, w, r, challengeStep); err != nil {
		return pendingChallenge{}, err
	}
	err := c.signOn.SpendChallenge(r.Context(), secrets.HashToken(kept.What.Challenge.ID()), kept.Until, db.Now())
	if errors.Is(err, db.ErrConflict) {
		err = passkey.ErrInvalid
	}
	return kept.What, err
}

// Add stores the passkey that the browser has created.
func (p *Passkeys) Add(w http.ResponseWriter, r *http.Request) error {
	u := site.Me(r)
	page := accountview.PasskeyPage{Name: nameOfPasskey(r)}
	refuse := func(field, sentence string) error {
		page.Errors = input.Errors{field: sentence}
		return p.page(w, r, http.StatusUnprocessableEntity, page)
	}
	a, err := p.challenges.take(w, r)
	if err == nil && a.Adds != u.ID {
		err = passkey.ErrInvalid
	}
	var made passkey.Registered
	if err == nil {
		made, err = p.made(r, u, a)
	}
	if errors.Is(err, passkey.ErrInvalid) {
		return refuse("passkey", accountview.PasskeyNotAdded)
	}
	if err != nil {
		return err
	}
	k := signin.Passkey{UserID: u.ID, Handle: a.Challenge.Session.UserID, Credential: made.ID, Record: made.Record, Name: page.Name, CreatedAt: db.Now()}
	v, _ := site.ViewerOf(r)
	err = p.steps.AddPasskey(r.Context(), &k, v.Session.ID)
	switch {
	case errors.Is(err, db.ErrNotFound): // the session ended meanwhile
		return p.entry.LeadIn(w, r)
	case errors.Is(err, db.ErrConflict):
		return refuse("passkey", accountview.PasskeyIsHere)
	case errors.Is(err, db.ErrFull):
		return refuse("passkey", accountview.PasskeysAreFull)
	case err != nil:
		return err
	}
	p.journal.Info(r, "a passkey was added", "user", u.ID)
	if err := p.challenges.cookies.RememberProof(w, r, u.ID); err != nil {
		return err
	}
	to := "/settings#passkeys"
	if next := site.Local(r.PostFormValue("next")); next != "/" {
		to = next
	}
	return p.pages.SeeOther(w, r, to, accountview.PasskeyAdded)
}

func (p *Passkeys) made(r *http.Request, u db.User, a pendingChallenge) (passkey.Registered, error) {
	place, err := p.challenges.place(r)
	if err != nil {
		return passkey.Registered{}, passkey.ErrInvalid
	}
	person, err := personOf(p.steps, r, u)
	if err != nil {
		return passkey.Registered{}, err
	}
	person.Handle = a.Challenge.Session.UserID
	return place.FinishRegistration(person, a.Challenge, site.Clip(r.PostFormValue("credential"), maxAnswer))
}

const maxPasskeyName = 60 // in characters

func nameOfPasskey(r *http.Request) string {
	return cmp.Or(naming.Short(r.PostFormValue("name"), maxPasskeyName), accountview.Browser(r.UserAgent()))
}

// Rename changes the name of one of the user's passkeys.
func (p *Passkeys) Rename(w http.ResponseWriter, r *http.Request, id int64) error {
	err := p.steps.RenamePasskey(r.Context(), site.Me(r).ID, id, nameOfPasskey(r))
	return p.pages.Done(w, r, err, "/settings#passkeys", accountview.PasskeyRenamed)
}

// Delete deletes one of the user's passkeys.
func (p *Passkeys) Delete(w http.ResponseWriter, r *http.Request, id int64) error {
	v, _ := site.ViewerOf(r)
	if err := p.steps.DeletePasskey(r.Context(), v.User.ID, id, v.Session.ID); err != nil {
		return err
	}
	p.journal.Info(r, "a passkey was deleted", "user", site.Me(r).ID)
	return p.pages.SeeOther(w, r, "/settings#passkeys", accountview.PasskeyDeleted)
}

// AskProof returns the JSON options that the browser needs to sign in with a passkey.
// With half set, only passkeys of the user who has just given their password are
// accepted, otherwise anybody's.
func (p *PasskeySignIn) AskProof(w http.ResponseWriter, r *http.Request) error {
	place, err := p.challenges.place(r)
	if err != nil {
		return web.NotFound()
	}
	var half *passkey.Person
	a := pendingChallenge{}
	if r.FormValue("half") != "" {
		u, _, err := p.half.user(r)
		if err != nil {
			return err
		}
		person, err := personOf(p.codes.steps, r, u)
		if err != nil {
			return err
		}
		if len(person.Records) == 0 {
			return web.NotFound()
		}
		half, a.Half = &person, u.ID
	}
	options, c, err := place.BeginAssertion(half)
	if err != nil {
		return err
	}
	a.Challenge = c
	return p.challenges.ask(w, r, options, a)
}

// SignIn signs in with a passkey.
func (p *PasskeySignIn) SignIn(w http.ResponseWriter, r *http.Request) error {
	form := accountview.LoginForm{Next: r.FormValue("next")}
	if rules, err := p.login.ways.rules(r); err != nil {
		return err
	} else if rules.PasswordsOff {
		return p.login.refuseOff(w, r, form)
	}
	attempt, wait, err := p.login.tries.TakeGuess(r.Context(), p.login.tries.FromAddress(r, "passkey")...)
	if err != nil {
		return err
	}
	if wait > 0 {
		return p.login.tooMany(w, r, form, site.TooMany(w, wait))
	}
	k, err := p.proved(w, r)
	if err == nil {
		before := k.before
		err = p.entrance.Begin(w, r, func(session *signin.Session) error {
			return p.codes.steps.SignInWithPasskey(r.Context(), session, k.Passkey, before, k.afterPassword)
		})
	}
	refuse := func(why signin.Refusal, status int, sentence string) error {
		if err := p.login.refusals.record(r, db.User{ID: k.UserID}, why); err != nil {
			return err
		}
		return p.login.refuse(w, r, status, form, sentence)
	}
	switch {
	case errors.Is(err, passkey.ErrInvalid), errors.Is(err, db.ErrNotFound), errors.Is(err, signin.RefusedPasskey):
		return refuse(signin.RefusedPasskey, http.StatusUnprocessableEntity, accountview.WrongPasskey)
	case errors.Is(err, signin.RefusedRestored):
		return refuse(signin.RefusedRestored, http.StatusForbidden, accountview.RestoredPasskey)
	case errors.Is(err, signin.RefusedOff): // turned off meanwhile
		return p.login.refuseOff(w, r, form)
	case errors.Is(err, signin.RefusedDeactivated):
		return refuse(signin.RefusedDeactivated, http.StatusUnprocessableEntity, site.Closed)
	case err != nil:
		return err
	}
	attempt.GiveBack()
	if err := errors.Join(p.challenges.cookies.RememberProof(w, r, k.UserID), p.codes.tellGuessed(w, r, k.UserID), p.half.end(w, r)); err != nil {
		return err
	}
	return web.SeeOther(w, r, site.Local(form.Next))
}

// proof is a passkey that was used to sign in.
type proof struct {
	signin.Passkey
	before        string // the passkey's stored record before this sign-in
	afterPassword bool   // whether the user had given their password first
}

// proved verifies the credential that the browser has sent.
func (p *PasskeySignIn) proved(w http.ResponseWriter, r *http.Request) (k proof, err error) {
	a, err := p.challenges.take(w, r)
	if err != nil {
		return k, err
	}
	place, err := p.challenges.place(r)
	if err != nil || a.Adds != 0 {
		return k, passkey.ErrInvalid
	}
	if a.Half != 0 { // the password must not have changed since it was given
		if u, _, err := p.half.user(r); err != nil || u.ID != a.Half {
			return k, passkey.ErrInvalid
		}
	}
	var keys []signin.Passkey
	used, err := place.FinishAssertion(a.Challenge, site.Clip(r.PostFormValue("credential"), maxAnswer), func(handle []byte) (passkey.Person, error) {
		person := passkey.Person{Handle: handle}
		var err error
		if keys, err = p.codes.steps.PasskeysOf(r.Context(), handle); err != nil {
			return person, err
		}
		for _, k := range keys {
			person.Records = append(person.Records, k.Record)
		}
		return person, nil
	})
	if err != nil {
		return k, err
	}
	i := slices.IndexFunc(keys, func(k signin.Passkey) bool { return bytes.Equal(k.Credential, used.ID) })
	if i < 0 || a.Half != 0 && keys[i].UserID != a.Half {
		return k, passkey.ErrInvalid
	}
	k = proof{keys[i], keys[i].Record, a.Half != 0}
	k.Record = used.Record
	return k, nil
}
