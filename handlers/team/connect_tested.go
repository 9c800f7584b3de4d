package team

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/store/people"
	"dailies/handlers/service"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// serviceTests tests services and keys for them. It keeps the key that was entered last, so
// that no page has to repeat it.
type serviceTests struct {
	cookies  *web.Cookies
	desk     *service.Desk
	settings *people.Settings
	tries    *site.Tries
	vault    *secrets.Vault
}

// A testedService is a service with a key, and what the test has shown.
type testedService struct {
	address, key string
	found        videoapi.Finding
	again        bool // it was tested before, with the same result
}

// testsAnHour limits how many tests the team makes in an hour by the clock, because each
// connects to an address that somebody has typed.
const testsAnHour = 10

// ask tests the service that the form names, and keeps its key for a few minutes. With
// another status than 200, the form says why it cannot be used. Without a key in the form,
// the one is used that is kept: if it works, with the address alone for which it was
// tested. Such a test does not count.
func (t *serviceTests) ask(w http.ResponseWriter, r *http.Request) (tested testedService, status int, form teamview.ConnectForm, err error) {
	tested, status, form, err = t.judge(w, r)
	switch {
	case err != nil || status == http.StatusOK:
	case tested.found == videoapi.FoundRefused:
		err = t.drop(w, r)
	case site.KeySentence(tested.key) == "":
		form.Keep(secrets.LastFour(tested.key))
		err = t.keep(w, r, tested)
	}
	return tested, status, form, err
}

func (t *serviceTests) judge(w http.ResponseWriter, r *http.Request) (tested testedService, status int, form teamview.ConnectForm, err error) {
	before, _, err := t.kept(r)
	if err != nil {
		return tested, 0, form, err
	}
	typed := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("address")), 4*videoapi.MaxAddress))
	form = teamview.NewConnectForm(teamview.WithoutUser(typed), "")
	var fault videoapi.AddressFault
	if tested.address, fault = videoapi.ParseAddress(typed, t.desk.AllowPrivate); fault != 0 {
		form.Address.Error = teamview.AddressSentence(fault)
	} else {
		form.Address.Value = tested.address
	}
	tested.key = site.CleanKey(r.PostFormValue("key"))
	counts := true
	switch {
	case tested.key != "":
		form.Key.Error = site.KeySentence(tested.key)
	case before.key != "" && (before.address == tested.address || !before.found.Usable()):
		tested.key, counts = before.key, !before.found.Usable()
	case before.key != "" && fault == 0:
		form.Key.Error = teamview.ServiceKeyAgain
	default:
		form.Key.Error = site.KeySentence("")
	}
	if form.Address.Error != "" || form.Key.Error != "" {
		return tested, http.StatusUnprocessableEntity, form, nil
	}
	if counts {
		if wait, err := t.take(r); err != nil {
			return tested, 0, form, err
		} else if wait > 0 {
			form.Address.Error = site.TooMany(w, wait)
			return tested, http.StatusTooManyRequests, form, nil
		}
	}
	tested.found = t.desk.Probe(r.Context(), tested.address, tested.key)
	tested.again = before.found != "" && tested.key == before.key && tested.address == before.address && tested.found == before.found
	t.desk.Log.Info("a video service was tested", "service", tested.address, "found", string(tested.found), "by", site.Me(r).ID)
	if !form.Tell(tested.found) {
		return tested, http.StatusUnprocessableEntity, form, nil
	}
	return tested, http.StatusOK, form, nil
}

// take takes one of the tests of this hour. If none is left, it returns how long the hour
// lasts.
func (t *serviceTests) take(r *http.Request) (wait time.Duration, err error) {
	now := time.Now()
	rate := throttle.Rate{Name: fmt.Sprintf("tests of a video service in the hour %d", now.Unix()/3600), Burst: testsAnHour, Every: time.Hour}
	if _, wait, err = t.tries.Take(r.Context(), rate); err != nil || wait == 0 {
		return 0, err
	}
	return now.Truncate(time.Hour).Add(time.Hour).Sub(now), nil
}

// testLife is how long the key of a test is kept.
const testLife = 10 * time.Minute

// testFlash is the name of the text in the browser's cookie under which the test is found.
const testFlash = "service test"

// keep keeps the service and its key, sealed, for a few minutes, for this viewer in this
// browser.
func (t *serviceTests) keep(w http.ResponseWriter, r *http.Request, tested testedService) error {
	me, token := site.Me(r).ID, secrets.NewToken()
	owner := secrets.HashToken(fmt.Sprintf("service tests of %d", me))
	typed := ordering.Typed{UserID: me, Page: servicePath, At: db.Now(), Values: url.Values{
		"address": {tested.address}, "found": {string(tested.found)},
		"sealed": {base64.StdEncoding.EncodeToString(t.vault.Seal(me, tested.key))},
	}}
	by := ordering.Typist{Browser: secrets.HashToken(token), Owner: owner, Known: true}
	if err := t.settings.AddTyped(r.Context(), ordering.TypedToken(token, servicePath), by, typed); err != nil {
		return err
	}
	return t.cookies.SetFlash(w, r, testFlash, token)
}

// keepTyped keeps the key in the form, with no service, and returns its last characters.
// Without one in the form, these are of the key that is kept, if there is one.
func (t *serviceTests) keepTyped(w http.ResponseWriter, r *http.Request) (ending string, err error) {
	key := site.CleanKey(r.PostFormValue("key"))
	switch {
	case key == "":
		before, known, err := t.kept(r)
		if known {
			ending = secrets.LastFour(before.key)
		}
		return ending, err
	case site.KeySentence(key) != "":
		return "", nil
	}
	return secrets.LastFour(key), t.keep(w, r, testedService{key: key})
}

// kept returns the service that the viewer has tested in this browser a few minutes ago,
// and whether there is one.
func (t *serviceTests) kept(r *http.Request) (tested testedService, known bool, err error) {
	token := t.cookies.PeekFlash(r, testFlash)
	if token == "" {
		return tested, false, nil
	}
	hash := ordering.TypedToken(token, servicePath)
	typed, err := t.settings.Typed(r.Context(), [2]secrets.TokenHash{hash, hash})
	if errors.Is(err, db.ErrNotFound) {
		return tested, false, nil
	}
	me, now := site.Me(r).ID, db.Now()
	if err != nil || typed.UserID != me || typed.Page != servicePath || now.Before(typed.At) || now.Sub(typed.At) > testLife {
		return tested, false, err
	}
	sealed, err := base64.StdEncoding.DecodeString(typed.Values.Get("sealed"))
	if err != nil {
		return tested, false, nil // nobody but this program writes it
	}
	key, err := t.vault.Open(me, sealed)
	if err != nil {
		return tested, false, nil // the secret was changed
	}
	return testedService{address: typed.Values.Get("address"), key: key, found: videoapi.Finding(typed.Values.Get("found"))}, true, nil
}

// drop forgets the test.
func (t *serviceTests) drop(w http.ResponseWriter, r *http.Request) error {
	token, err := t.cookies.TakeFlash(w, r, testFlash)
	if err != nil || token == "" {
		return err
	}
	hash := ordering.TypedToken(token, servicePath)
	_, err = t.settings.DropTyped(r.Context(), [2]secrets.TokenHash{hash, hash}, secrets.HashToken(token))
	return err
}
