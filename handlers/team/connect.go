package team

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"dailies/db"
	"dailies/db/ordering"
	"dailies/db/secrets"
	"dailies/db/team"
	"dailies/handlers/service"
	"dailies/handlers/site"
	teamview "dailies/views/team"
	"dailies/web"
	"dailies/web/throttle"
	"dailies/web/videoapi"
)

// servicePath is the path of the page of the video service.
const servicePath = "/team/service"

// ShowService shows which service the team uses, and the form that connects another one.
func (t *Team) ShowService(w http.ResponseWriter, r *http.Request) error {
	return t.drawService(w, r, http.StatusOK, teamview.ConnectPage{Connected: r.URL.Query().Has("connected")})
}

// unlessTested returns a handler that saves what the form asks for if the viewer has tested a
// service in this browser a few minutes ago, and thus has proven who they are. Otherwise it
// asks first.
func (t *Team) unlessTested(reauthenticated web.Handler) web.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		_, known, err := t.lastTested(r)
		if err != nil {
			return err
		}
		if known {
			return t.SaveService(w, r)
		}
		return reauthenticated(w, r)
	}
}

// SaveService tests a service, makes the team use it, returns to practice mode, or confirms the
// services or the webhooks of a backup.
func (t *Team) SaveService(w http.ResponseWriter, r *http.Request) error {
	if err := t.registry.Refresh(r.Context()); err != nil {
		return err
	}
	do := r.PostFormValue("do")
	switch do {
	case "confirm":
		return t.confirmServices(w, r)
	case "webhooks":
		return t.confirmWebhooks(w, r)
	}
	used := t.registry.Current()
	switch was := site.ParseID(r.PostFormValue("was")); {
	case t.registry.SettingsName() != "":
		return t.refuseService(w, r, teamview.ServiceFixed)
	case was != 0 && was != used.ID:
		return t.refuseService(w, r, teamview.ServiceChanged)
	case do == "test":
		return t.testService(w, r)
	case do == "connect":
		return t.connectService(w, r, used)
	case do == "practice":
		return t.practise(w, r, used)
	}
	return t.drawService(w, r, http.StatusUnprocessableEntity, teamview.ConnectPage{Error: teamview.NoAnswer})
}

// refuseService answers with the page and a sentence that says why nothing was changed. What was
// typed stays.
func (t *Team) refuseService(w http.ResponseWriter, r *http.Request, sentence string) error {
	page := teamview.ConnectPage{Error: sentence}
	if typed := r.PostFormValue("address"); typed != "" {
		ending, err := t.keepTypedKey(w, r)
		if err != nil {
			return err
		}
		page.Form = teamview.NewConnectForm(teamview.WithoutUser(site.Clip(site.PlainText(typed), videoapi.MaxAddress)), ending)
	}
	return t.drawService(w, r, http.StatusConflict, page)
}

// testService tests a service. The page then offers to make the team use it.
func (t *Team) testService(w http.ResponseWriter, r *http.Request) error {
	tested, status, form, err := t.testTyped(w, r)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return t.drawService(w, r, status, teamview.ConnectPage{Form: form})
	}
	if err := t.keepTested(w, r, tested); err != nil {
		return err
	}
	return web.SeeOther(w, r, servicePath+"#connect")
}

// connectService tests the service once more and makes the team use it. If the service does not
// say whether the key is good, the page asks first.
func (t *Team) connectService(w http.ResponseWriter, r *http.Request, used db.Service) error {
	tested, status, form, err := t.testTyped(w, r)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return t.drawService(w, r, status, teamview.ConnectPage{Form: form})
	}
	if tested.found == videoapi.FoundUnsaid && !tested.again {
		if err := t.keepTested(w, r, tested); err != nil {
			return err
		}
		return web.SeeOther(w, r, servicePath+"#connect")
	}
	key, seal := t.sealTested(tested)
	err = t.services.Connect(r.Context(), used.ID, tested.address, key, seal)
	switch {
	case errors.Is(err, db.ErrConflict):
		return t.refuseService(w, r, teamview.ServiceChanged)
	case errors.Is(err, db.ErrFull):
		return t.refuseService(w, r, teamview.TooManyKeys)
	case err != nil:
		return err
	}
	if err := t.dropTested(w, r); err != nil {
		return err
	}
	return t.serviceChanged(w, r, servicePath+"?connected=1", "")
}

// practise makes the team use the embedded service.
func (t *Team) practise(w http.ResponseWriter, r *http.Request, used db.Service) error {
	switch {
	case !t.registry.CanPractise():
		return t.refuseService(w, r, teamview.PracticeFull)
	case used.Practice:
		return t.pages.SeeOther(w, r, servicePath, teamview.ServicePractice)
	}
	console, err := t.registry.OpenConsole(r.Context())
	if err != nil {
		return err
	}
	text, err := console.NewKey(r.Context(), practiceAccount, site.SandboxCredits)
	if err != nil {
		return err
	}
	key, seal := t.sealTested(testedService{key: text, found: videoapi.FoundAccepted})
	err = t.services.Practise(r.Context(), used.ID, service.PracticeBase, key, seal)
	switch {
	case errors.Is(err, db.ErrConflict):
		return t.refuseService(w, r, teamview.ServiceChanged)
	case errors.Is(err, db.ErrFull):
		return t.refuseService(w, r, teamview.TooManyKeys)
	case err != nil:
		return err
	}
	return t.serviceChanged(w, r, servicePath, teamview.ServicePractice)
}

// confirmServices lets the services be called that came with a backup.
func (t *Team) confirmServices(w http.ResponseWriter, r *http.Request) error {
	if err := t.services.Confirm(r.Context()); err != nil {
		return err
	}
	return t.serviceChanged(w, r, servicePath, teamview.ServiceConfirmed)
}

// confirmWebhooks lets the webhooks be told that came with a backup.
func (t *Team) confirmWebhooks(w http.ResponseWriter, r *http.Request) error {
	n, err := t.webhooks.Confirm(r.Context())
	if err != nil {
		return err
	}
	t.registry.Log.Info("webhooks of a backup were confirmed", "webhooks", n, "by", site.Me(r).ID)
	return t.pages.SeeOther(w, r, servicePath, teamview.HooksConfirmed)
}

// serviceChanged makes this process use what was changed, and leads to the page. Others see
// it within a second.
func (t *Team) serviceChanged(w http.ResponseWriter, r *http.Request, path, sentence string) error {
	if err := t.registry.Refresh(r.Context()); err != nil {
		return err
	}
	t.registry.Log.Info("the video service was changed", "service", t.registry.Current().Address, "by", site.Me(r).ID)
	t.wake()
	if sentence == "" {
		return web.SeeOther(w, r, path)
	}
	return t.pages.SeeOther(w, r, path, sentence)
}

// sealTested returns the key of a tested service as one of the team, and what seals it.
func (t *Team) sealTested(tested testedService) (*team.Key, func(secrets.KeyOwner) []byte) {
	k := &team.Key{Name: connectedKey, Key: secrets.Key{
		LastFour: secrets.LastFour(tested.key), Fingerprint: t.vault.Fingerprint(tested.key), CreatedAt: db.Now(),
	}}
	if tested.found == videoapi.FoundAccepted {
		k.CheckedAt, k.Accepted = k.CreatedAt, true
	}
	return k, func(o secrets.KeyOwner) []byte { return t.vault.SealFor(o, tested.key) }
}

// drawService fills in the rest of the page and renders it.
func (t *Team) drawService(w http.ResponseWriter, r *http.Request, status int, page teamview.ConnectPage) error {
	all, err := t.services.Services(r.Context())
	if err != nil {
		return err
	}
	for _, s := range all {
		page.Held = page.Held || s.Held
		switch {
		case s.Current:
			page.Service = s
		case s.Queued > 0 || s.Running > 0:
			page.Earlier = append(page.Earlier, s)
		}
	}
	if page.HeldHooks, err = t.webhooks.Held(r.Context()); err != nil {
		return err
	}
	page.Fixed, page.CanPractise, page.Try = t.registry.SettingsName(), t.registry.CanPractise(), tryVideo(t.catalog)
	before, proven, err := t.lastTested(r)
	if err != nil {
		return err
	}
	switch {
	case page.Form.Address != nil:
	case proven:
		page.Form = teamview.NewConnectForm(before.address, secrets.LastFour(before.key))
		if before.found.Usable() {
			page.Form.Tell(before.found)
		}
	default:
		page.Form = teamview.NewConnectForm("", "")
	}
	if v, _ := site.ViewerOf(r); v.IsStale() && !page.Form.Kept {
		if page.MustSignInAgain = !v.NeedsPassword(); !page.MustSignInAgain {
			page.Form.AddPassword()
		}
	}
	return t.pages.Draw(w, r, status, "Video service", teamview.ShowService(page))
}

// tryVideo returns the smallest video that a model offers.
func tryVideo(catalog *videoapi.Catalog) teamview.TryVideo {
	s := catalog.Smallest()
	query := url.Values{"model": {s.Model}, "duration": {strconv.Itoa(s.Duration)}, "resolution": {s.Resolution}}
	return teamview.TryVideo{
		Path: "/create/" + string(videoapi.TextToVideo) + "?" + query.Encode(), Length: s.Duration, Quality: s.Resolution,
		Credits: db.Credits{Amount: s.Credits, Known: s.HasPrice},
	}
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

// testTyped tests the service that the form names, and keeps its key for a few minutes. With
// another status than 200, the form says why it cannot be used. Without a key in the form,
// the one is used that is kept: if it works, with the address alone for which it was
// tested. Such a test does not count.
func (t *Team) testTyped(w http.ResponseWriter, r *http.Request) (
	tested testedService, status int, form teamview.ConnectForm, err error,
) {
	tested, status, form, err = t.probeTyped(w, r)
	switch {
	case err != nil || status == http.StatusOK:
	case tested.found == videoapi.FoundRefused:
		err = t.dropTested(w, r)
	case site.KeySentence(tested.key) == "":
		form.Keep(secrets.LastFour(tested.key))
		err = t.keepTested(w, r, tested)
	}
	return tested, status, form, err
}

// probeTyped is testTyped, except that it keeps and forgets no key.
func (t *Team) probeTyped(w http.ResponseWriter, r *http.Request) (
	tested testedService, status int, form teamview.ConnectForm, err error,
) {
	before, _, err := t.lastTested(r)
	if err != nil {
		return tested, 0, form, err
	}
	typed := strings.TrimSpace(site.Clip(site.PlainText(r.PostFormValue("address")), 4*videoapi.MaxAddress))
	form = teamview.NewConnectForm(teamview.WithoutUser(typed), "")
	var fault videoapi.AddressFault
	if tested.address, fault = videoapi.ParseAddress(typed, t.registry.AllowPrivate); fault != 0 {
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
		if wait, err := t.takeTest(r); err != nil {
			return tested, 0, form, err
		} else if wait > 0 {
			form.Address.Error = site.TooMany(w, wait)
			return tested, http.StatusTooManyRequests, form, nil
		}
	}
	tested.found = t.registry.Probe(r.Context(), tested.address, tested.key)
	tested.again = before.found != "" && tested.key == before.key && tested.address == before.address &&
		tested.found == before.found
	t.registry.Log.Info("a video service was tested", "service", tested.address, "found", string(tested.found), "by", site.Me(r).ID)
	if !form.Tell(tested.found) {
		return tested, http.StatusUnprocessableEntity, form, nil
	}
	return tested, http.StatusOK, form, nil
}

// takeTest takes one of the tests of this hour. If none is left, it returns how long the hour
// lasts.
func (t *Team) takeTest(r *http.Request) (wait time.Duration, err error) {
	now := time.Now()
	name := fmt.Sprintf("tests of a video service in the hour %d", now.Unix()/3600)
	rate := throttle.Rate{Name: name, Burst: testsAnHour, Every: time.Hour}
	if _, wait, err = t.attempts.Take(r.Context(), rate); err != nil || wait == 0 {
		return 0, err
	}
	return now.Truncate(time.Hour).Add(time.Hour).Sub(now), nil
}

// testLife is how long the key of a test is kept.
const testLife = 10 * time.Minute

// testFlash is the name of the text in the browser's cookie under which the test is found.
const testFlash = "service test"

// keepTested keeps the service and its key, sealed, for a few minutes, for this viewer in this
// browser.
func (t *Team) keepTested(w http.ResponseWriter, r *http.Request, tested testedService) error {
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

// keepTypedKey keeps the key in the form, with no service, and returns its last characters.
// Without one in the form, these are of the key that is kept, if there is one.
func (t *Team) keepTypedKey(w http.ResponseWriter, r *http.Request) (ending string, err error) {
	key := site.CleanKey(r.PostFormValue("key"))
	switch {
	case key == "":
		before, known, err := t.lastTested(r)
		if known {
			ending = secrets.LastFour(before.key)
		}
		return ending, err
	case site.KeySentence(key) != "":
		return "", nil
	}
	return secrets.LastFour(key), t.keepTested(w, r, testedService{key: key})
}

// lastTested returns the service that the viewer has tested in this browser a few minutes ago,
// and whether there is one.
func (t *Team) lastTested(r *http.Request) (tested testedService, known bool, err error) {
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

// dropTested forgets the test.
func (t *Team) dropTested(w http.ResponseWriter, r *http.Request) error {
	token, err := t.cookies.TakeFlash(w, r, testFlash)
	if err != nil || token == "" {
		return err
	}
	hash := ordering.TypedToken(token, servicePath)
	_, err = t.settings.DropTyped(r.Context(), [2]secrets.TokenHash{hash, hash}, secrets.HashToken(token))
	return err
}
